from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_routing import load_routing_head
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.model.routing import Target
from memorycore.policy.structure import read_structure


def test_the_head_reads_vectors_of_the_bundled_model_only() -> None:
    for model, reads in (
        (BundledEmbedder().model, True),
        ("another-model/3", False),
        (None, False),
    ):
        head = load_routing_head(model)
        assert head.lasting is not None
        for pair in (head.routes, head.lasting):
            assert (pair.with_vector is not None) is reads


def test_the_weights_were_trained_on_the_features_the_code_makes() -> None:
    structure = read_structure("Any text.", target=Target.MEMORY, lexicon=load_lexicon())

    assert load_routing_head(None).routes.names == tuple(structure.values)
