"""What recall knows before a store has told it anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memorycore.policy.calibration import SpacePrior
from memorycore.policy.overview import OverviewWords
from memorycore.policy.ranking import RankingWeights


@dataclass(frozen=True, slots=True)
class RecallPrior:
    """Shipped statistics.

    Attributes:
        common: Share of memories or of queries, whichever is greater, that hold a common token.
        space: The model's space, or None for a model nothing was measured of.
        weights: How evidence adds up.
        overview: How overviews are asked for.
    """

    common: Mapping[str, float] = field(default_factory=dict)
    space: SpacePrior | None = None
    weights: RankingWeights = field(default_factory=RankingWeights)
    overview: OverviewWords = field(default_factory=OverviewWords)
