"""Installation and health as people read them in a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from memorycore.entrypoints.client_installers.installing import Answer, Step
from memorycore.entrypoints.rendering import sentence, table
from memorycore.model.results import Check, DoctorReport, Health

_MARK = {Health.OK: "ok", Health.WARNING: "warning", Health.FAILED: "FAILED"}
_STYLE = {Health.OK: "green", Health.WARNING: "yellow", Health.FAILED: "red"}

_DONE = {
    Step.ADD: "added",
    Step.CHANGE: "changed",
    Step.REMOVE: "removed",
    Step.NOTHING: "nothing to do",
    Step.REFUSED: "left alone",
}


def examined(report: DoctorReport) -> RenderableType:
    """Draw the doctor's findings."""
    made = table("", "check", "finding")
    for check in report.checks:
        made.add_row(
            Text(_MARK[check.health], _STYLE[check.health]),
            sentence(check.name),
            sentence(_finding(check)),
        )
    return made


def _finding(check: Check) -> str:
    return f"{check.detail}\n  → {check.advice}" if check.advice else check.detail


def installed(answers: Sequence[Answer], *, dry_run: bool) -> RenderableType:
    """Draw what was written into which client's configuration, or would be."""
    if not answers:
        return sentence("No MCP client was found here; --client NAME configures one all the same.")
    lines: list[RenderableType] = []
    for answer in answers:
        would = "would be " if dry_run and answer.diff else ""
        style = "red" if answer.step is Step.REFUSED else "bold"
        lines.append(
            sentence(f"{answer.client}: {would}{_DONE[answer.step]} ({answer.path})", style)
        )
        if answer.reason:
            lines.append(sentence(f"  {answer.reason}"))
        lines.extend(_diff_line(line) for line in answer.diff.splitlines())
        if answer.backup:
            lines.append(sentence(f"  backup: {answer.backup}", "dim"))
    if any(answer.done for answer in answers):
        lines.append(sentence("Restart the client to load the change."))
    return Group(*lines)


def _diff_line(line: str) -> Text:
    added = line.startswith("+") and not line.startswith("+++")
    removed = line.startswith("-") and not line.startswith("---")
    return sentence(f"  {line}", "green" if added else "red" if removed else "dim")
