from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_routing import load_routing_head
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.model.routing import Target
from memorycore.policy.structure import read_structure


def test_the_head_reads_vectors_of_the_bundled_model_only() -> None:
    assert load_routing_head(BundledEmbedder().model).with_vector is not None
    assert load_routing_head("another-model/3").with_vector is None
    assert load_routing_head(None).with_vector is None


def test_the_weights_were_trained_on_the_features_the_code_makes() -> None:
    structure = read_structure("Any text.", target=Target.MEMORY, lexicon=load_lexicon())

    assert load_routing_head(None).names == tuple(structure.values)
