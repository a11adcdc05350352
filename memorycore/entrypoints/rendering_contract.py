"""Draws what the conformance suite found."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorycore.service.contract.verdicts import ContractReport, Result, Verdict

STYLES = {Result.PASSED: "green", Result.FAILED: "bold red", Result.SKIPPED: "yellow"}


def contract_document(url: str, report: ContractReport) -> dict[str, Any]:
    """Return the report as one JSON document."""
    return {
        "url": url,
        "conforming": report.conforming,
        **{result.value: report.count(result) for result in Result},
        "verdicts": [verdict.to_dict() for verdict in report.verdicts],
    }


def contract_table(url: str, report: ContractReport) -> RenderableType:
    """Return the verdicts as a table and the sum below it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("check", "result", "demand"):
        table.add_column(heading, overflow="fold")
    for verdict in report.verdicts:
        result = Text(verdict.result.value, style=STYLES[verdict.result])
        table.add_row(verdict.name, result, _told(verdict))
    counts = ", ".join(f"{report.count(result)} {result.value}" for result in Result)
    says = "keeps the contract" if report.conforming else "does not keep the contract"
    return Group(table, Text(f"\n{url} {says}: {counts}."))


def _told(verdict: Verdict) -> Text:
    told = Text(verdict.demands)
    if verdict.saw:
        told.append(f"\n{verdict.saw}", style=STYLES[verdict.result])
    return told
