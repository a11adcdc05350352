"""Moving a store to another embedding model: new vectors beside the old, then one switch."""

from collections.abc import Callable

from memorycore.errors import ConfigurationError
from memorycore.model.results import ReembedReport
from memorycore.ports import Clock, ColdRepository
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

BATCH = 128
"""Memories embedded and kept at a time: what an interruption costs at most."""

STAGE = "reembed"

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much is done and how much there is."""


class Reembedding:
    """Makes every vector anew. Recall works with the old vectors until the new ones are complete."""

    def __init__(
        self,
        repository: ColdRepository | None,
        vectors: Vectors,
        *,
        model: StoreModel,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._vectors = vectors
        self._model = model
        self._clock = clock

    def run(self, *, progress: Progress | None = None) -> ReembedReport:
        """Embed what is not embedded yet with the configured model and switch over; resumes where it stopped.

        Raises:
            ConfigurationError: No embedder is configured, or the store is remote.
            EmbedderError: The embedder failed; what was made is kept and the old vectors stay in use.
        """
        repository = self._repository
        embedder = self._vectors.embedder
        if repository is None:
            message = "the store is remote: reembed on the machine that holds it"
            raise ConfigurationError(message)
        if embedder is None:
            message = "no embedder is configured: set MEMORYCORE_EMBEDDER"
            raise ConfigurationError(message)
        started = self._clock.monotonic()
        model = embedder.model
        total = _size(repository)
        made = 0
        while batch := repository.unstaged(model, limit=BATCH):
            rows = embedder.embed_passages([memory.content for memory in batch])
            repository.stage_vectors(
                model,
                {
                    memory.id: (memory.revision, row)
                    for memory, row in zip(batch, rows, strict=True)
                },
            )
            made += len(batch)
            if progress is not None:
                progress(STAGE, min(made, total), total)
        embedded = repository.adopt_staged(model, dimension=embedder.dimension)
        self._model.adopt()
        return ReembedReport(
            model=model,
            embedded=embedded,
            resumed=made < total,
            seconds=self._clock.monotonic() - started,
        )


def _size(repository: ColdRepository) -> int:
    counts = repository.counts()
    return counts.live + counts.trashed
