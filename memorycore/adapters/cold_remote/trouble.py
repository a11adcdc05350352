"""What went wrong on the way to a remote, and what may be done about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

LATER = frozenset({408, 425, 500, 502, 503, 504})
"""HTTP answers that another try may change."""

THIS_CALL = frozenset({400, 413, 422})
"""HTTP answers that concern one request and say nothing about the next."""

ADVICE = {
    401: "it does not accept the token: check cold_token (MEMORYCORE_COLD_TOKEN)",
    403: "it refuses this client: check cold_token (MEMORYCORE_COLD_TOKEN) and its allowed hosts",
    404: "there is no MCP endpoint at this address: check cold_url (it often ends in /mcp)",
    405: "there is no MCP endpoint at this address: check cold_url (it often ends in /mcp)",
    413: "the text is too large for it",
    421: "it does not answer to this host name: add the name to its allowed hosts",
    429: "it asks for fewer requests",
}


class Kind(Enum):
    """`LOST`: the session is unknown there. `DOWN`: try later. `BUSY`: it is well, and wants to be asked less often.

    `REFUSED`: trying again as it is will not help. `CALL_REFUSED`: nor will it, but the next call may pass.
    `FOREIGN`: the answer is not of the protocol.
    """

    LOST = auto()
    DOWN = auto()
    BUSY = auto()
    REFUSED = auto()
    CALL_REFUSED = auto()
    FOREIGN = auto()


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """A response that was no success; `retry_after` is seconds, None when the service did not say."""

    status: int
    retry_after: float | None = None

    @property
    def says(self) -> str:
        """Return it in words."""
        return f"HTTP {self.status}: {ADVICE.get(self.status, 'it failed')}"


class TroubleError(Exception):
    """A call did not get its answer."""

    def __init__(self, kind: Kind, cause: str, *, retry_after: float | None = None) -> None:
        super().__init__(cause)
        self.kind = kind
        self.retry_after = retry_after


def trouble_of(failure: HttpFailure, *, in_session: bool) -> TroubleError:
    """Return what an HTTP failure means; in a session, 404 and 400 say that the session is gone."""
    status = failure.status
    if in_session and status in (400, 404):
        return TroubleError(Kind.LOST, failure.says)
    if status == 429:
        return TroubleError(Kind.BUSY, failure.says, retry_after=failure.retry_after)
    if status in LATER:
        return TroubleError(Kind.DOWN, failure.says, retry_after=failure.retry_after)
    return TroubleError(Kind.CALL_REFUSED if status in THIS_CALL else Kind.REFUSED, failure.says)


def leaves(fault: BaseException) -> Iterator[BaseException]:
    """Return the single faults inside groups of them."""
    if isinstance(fault, BaseExceptionGroup):
        for inner in fault.exceptions:
            yield from leaves(inner)
    else:
        yield fault


def in_words(fault: BaseException) -> str:
    """Return a fault in one line, never empty."""
    said = "; ".join(f"{type(one).__name__}: {one}".rstrip(": ") for one in leaves(fault))
    return " ".join(said.split())[:300]
