"""Which embedding model a store's vectors were made by; vectors of two models never meet."""

from memorycore.errors import EmbedderError
from memorycore.ports import STATE_DIMENSION, STATE_MODEL, ColdRepository, Vector
from memorycore.service.vectors import Vectors

Signature = tuple[str, str]
"""A model's name and the length of its vectors, as recorded."""


class StoreModel:
    """Compares the store's recorded model with the configured embedder's."""

    def __init__(self, repository: ColdRepository, vectors: Vectors) -> None:
        self._repository = repository
        self._vectors = vectors
        self._agreed = False

    def signature(self) -> Signature | None:
        """Return model and dimension of the configured embedder, or None when it cannot tell now."""
        embedder = self._vectors.embedder
        if embedder is None:
            return None
        try:
            return embedder.model, str(embedder.dimension)
        except EmbedderError:
            return None

    def recorded(self) -> Signature | None:
        """Return model and dimension of the stored vectors, or None for a store without vectors."""
        model = self._repository.state(STATE_MODEL)
        return None if model is None else (model, self._repository.state(STATE_DIMENSION) or "")

    def accept(self, vector: Vector | None) -> Vector | None:
        """Return `vector` if it may stand beside the stored ones, else None (pending until `reembed`)."""
        if vector is None or self.mismatch() is not None:
            return None
        if not self._agreed:
            signature = self.signature()
            if self.recorded() is None and signature is not None:
                self._record(signature)
            self._agreed = True
        return vector

    def mismatch(self) -> str | None:
        """Return why stored and new vectors cannot be compared, or None."""
        if self._agreed:
            return None
        recorded, signature = self.recorded(), self.signature()
        if recorded is None or signature is None or recorded == signature:
            return None
        return (
            f"the store's vectors were made by {recorded[0]} ({recorded[1]}-d), the embedder is "
            f"{signature[0]} ({signature[1]}-d); run `memorycore reembed`"
        )

    def degraded(self) -> str | None:
        """Return what recall has to do without now, or None."""
        missing = self._vectors.degraded or self.mismatch()
        return f"keyword-only: {missing}" if missing else None

    def adopt(self) -> None:
        """Record the configured embedder as the store's model, after every vector was made anew."""
        signature = self.signature()
        if signature is not None:
            self._record(signature)
            self._agreed = True

    def _record(self, signature: Signature) -> None:
        self._repository.set_state(STATE_MODEL, signature[0])
        self._repository.set_state(STATE_DIMENSION, signature[1])
