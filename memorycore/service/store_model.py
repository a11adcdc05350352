"""Which embedding model a store's vectors were made by; vectors of two models never meet."""

from memorycore.errors import EmbedderError
from memorycore.ports import ColdRepository, Vector
from memorycore.service.vectors import Vectors

STATE_NAME = "embedding_model"
"""Name of the store's record: model and dimension."""


class StoreModel:
    """Compares the store's recorded model with the configured embedder's."""

    def __init__(self, repository: ColdRepository, vectors: Vectors) -> None:
        self._repository = repository
        self._vectors = vectors
        self._agreed = False

    def signature(self) -> str | None:
        """Return model and dimension of the configured embedder, or None when it cannot tell now."""
        embedder = self._vectors.embedder
        if embedder is None:
            return None
        try:
            return f"{embedder.model}#{embedder.dimension}"
        except EmbedderError:
            return None

    def recorded(self) -> str | None:
        """Return model and dimension of the stored vectors, or None for a store without vectors."""
        return self._repository.state(STATE_NAME)

    def accept(self, vector: Vector | None) -> Vector | None:
        """Return `vector` if it may stand beside the stored ones, else None (pending until `reembed`)."""
        if vector is None or self.mismatch() is not None:
            return None
        if not self._agreed:
            signature = self.signature()
            if self.recorded() is None and signature is not None:
                self._repository.set_state(STATE_NAME, signature)
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
            f"the store's vectors were made by {recorded}, the embedder is {signature}; "
            "run `memorycore reembed`"
        )

    def degraded(self) -> str | None:
        """Return what recall has to do without now, or None."""
        missing = self._vectors.degraded or self.mismatch()
        return f"keyword-only: {missing}" if missing else None

    def adopt(self) -> None:
        """Record the configured embedder as the store's model, after every vector was made anew."""
        self._repository.set_state(STATE_NAME, self.signature())
        self._agreed = False
