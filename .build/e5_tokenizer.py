"""Writes the unigram vocabulary as a sentencepiece model."""

from typing import Any

import sentencepiece.sentencepiece_model_pb2
from e5_weights import Vocabulary
from sentencepiece import SentencePieceNormalizer

# The generated module makes its classes when it is imported; type checkers see none.
proto: Any = sentencepiece.sentencepiece_model_pb2

_NORMALISATION = "nmt_nfkc"
_MASK = "<mask>"


def sentencepiece_model(vocabulary: Vocabulary) -> bytes:
    """A serialised unigram model whose piece ids are the encoder's own ids.

    Text is normalised as for the model's training: NFKC with sentencepiece's treatment of white
    space and control characters.
    """
    model = proto.ModelProto()
    control = {vocabulary.bos, vocabulary.eos, vocabulary.pad}
    kinds = proto.ModelProto.SentencePiece
    for number, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        kind = kinds.NORMAL
        if number in control or piece == _MASK:
            kind = kinds.CONTROL
        elif number == vocabulary.unk:
            kind = kinds.UNKNOWN
        model.pieces.add(piece=piece, score=score, type=kind)
    model.trainer_spec.model_type = proto.TrainerSpec.UNIGRAM
    model.trainer_spec.vocab_size = len(vocabulary.pieces)
    model.trainer_spec.bos_id = vocabulary.bos
    model.trainer_spec.eos_id = vocabulary.eos
    model.trainer_spec.pad_id = vocabulary.pad
    model.trainer_spec.unk_id = vocabulary.unk
    model.trainer_spec.unk_piece = vocabulary.pieces[vocabulary.unk]
    model.normalizer_spec.CopyFrom(_normaliser())
    serialised: bytes = model.SerializeToString(deterministic=True)
    return serialised


def _normaliser() -> Any:
    maker = SentencePieceNormalizer(rule_name=_NORMALISATION)
    spec = proto.ModelProto.FromString(maker.serialized_model_proto()).normalizer_spec
    return proto.NormalizerSpec(
        name=_NORMALISATION,
        precompiled_charsmap=spec.precompiled_charsmap,
        add_dummy_prefix=True,
        remove_extra_whitespaces=True,
        escape_whitespaces=True,
    )
