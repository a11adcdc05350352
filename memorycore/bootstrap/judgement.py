"""The embedder, the judge and the rules with their data."""

from dataclasses import dataclass

from memorycore.adapters.embedding_api import ApiEmbedder
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.embedding_quality import QualityEmbedder
from memorycore.adapters.judge_openai import JudgeEndpoint, OpenAIJudge
from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.learned_routing import load_routing_head
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.routing import Classification, Screening, Target
from memorycore.policy.markers import Lexicon
from memorycore.policy.relation.comparing import Comparer
from memorycore.policy.routing import Router
from memorycore.policy.screening import screen
from memorycore.ports import Clock, Embedder, Judge
from memorycore.service.vectors import Vectors
from memorycore.settings import EmbedderKind, Settings


@dataclass(frozen=True, slots=True)
class Judgement:
    """Everything that decides about texts."""

    lexicon: Lexicon
    router: Router
    comparer: Comparer
    vectors: Vectors
    judge: Judge | None
    model: str | None

    def classify(self, text: str, target: Target, importance: float = 0.5) -> Classification:
        """Type and route a text."""
        vector = self.vectors.passage(text)
        return self.router.classify(text, target=target, importance=importance, vector=vector)

    def screen(self, text: str) -> Screening:
        """Look for secrets and injections."""
        return screen(text, lexicon=self.lexicon)


def judgement(
    settings: Settings, *, embedder: Embedder | None, judge: Judge | None, clock: Clock
) -> Judgement:
    """Put the rules together; `embedder` and `judge` replace what the settings name.

    Raises:
        ConfigurationError: A lexicon file of the user's is broken.
    """
    folders = [settings.lexicon_dir] if settings.lexicon_dir else []
    lexicon = load_lexicon(folders)
    chosen = embedder or _embedder(settings)
    model = _model_name(chosen)
    return Judgement(
        lexicon=lexicon,
        router=Router(lexicon, load_routing_head(model)),
        comparer=Comparer(load_relation_words(), load_pair_scorer(model)),
        vectors=Vectors(chosen, clock=clock),
        judge=judge or _judge(settings, clock),
        model=model,
    )


def _model_name(embedder: Embedder | None) -> str | None:
    return embedder.model if embedder else None


def _embedder(settings: Settings) -> Embedder | None:
    match settings.embedder:
        case EmbedderKind.BUNDLED:
            return BundledEmbedder()
        case EmbedderKind.QUALITY:
            return QualityEmbedder()
        case EmbedderKind.API:
            key = settings.embed_api_key
            return ApiEmbedder(
                settings.embed_url or "",
                settings.embed_model or "",
                api_key=key.get_secret_value() if key else None,
            )
        case EmbedderKind.NONE:
            return None


def _judge(settings: Settings, clock: Clock) -> Judge | None:
    if not settings.llm_base_url:
        return None
    key = settings.llm_api_key
    endpoint = JudgeEndpoint(
        base_url=settings.llm_base_url,
        model=settings.llm_model or "",
        api_key=key.get_secret_value() if key else None,
        timeout=settings.llm_timeout,
    )
    return OpenAIJudge(endpoint, monotonic=clock.monotonic)
