"""What a request to forget found, in words for the one who asked."""

from memorycore.model.memory import REVIVED_BY_RECALL
from memorycore.service.targets import CAP, Found


def rests_for_good(found: Found) -> bool:
    """Tell whether all that is meant lies in the trash already, and recall will not bring it back."""
    lying = [item.held.trashed for item in found.meant]
    return bool(lying) and all(
        trashed is not None and trashed.reason not in REVIVED_BY_RECALL for trashed in lying
    )


def told(found: Found) -> str:
    """Say how many texts a request means and why, and which of them are in the trash already."""
    if not found.meant:
        return found.reason
    count = len(found.meant)
    said = f"{count} {'text' if count == 1 else 'texts'}: {found.reason}{_lying(found)}"
    return f"{said}; more than {CAP} match, ask again for the rest" if found.capped else said


def _lying(found: Found) -> str:
    lying = [item.held.trashed for item in found.meant if item.held.trashed is not None]
    if not lying:
        return ""
    if len(found.meant) > 1:
        return f"; in the trash already: {len(lying)}"
    until = lying[0].expires_at.date().isoformat()
    return f"; it lies in the trash already ({lying[0].reason.value}, until {until})"
