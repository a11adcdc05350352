r"""The text of a hot file: entries joined by `"\n§\n"`, read and rebuilt as the host does it.

A stretch between separators is one entry, except when it is plainly a Markdown document somebody wrote by
hand (headings, long lists). A document is read as one entry for each bullet and each paragraph; its headings are
structure, and code and tables stay with what they follow. It is never rewritten into separated entries: what stays keeps its own bytes and its
place, what leaves is cut out, what is new follows behind a separator. Entries that this program wrote are
known by their key and are never taken for documents.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memorycore.policy.text import entry_key

SEPARATOR = "\n§\n"
"""What the host puts between two entries."""

MARK = "§"

_NEWLINE = re.compile(r"\r\n|\r")
_HEADING = re.compile(r"#{1,6}\s+\S")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HANGING = re.compile(r"\||```|~~~")
_FENCE = re.compile(r"\s*(```|~~~)")
_LONG_ENTRY = 1000
"""No entry among a thousand real ones was longer; above it a list is a document, not a note."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of whole lines of a document; `text` is its entry, None for headings and blank lines."""

    raw: str
    text: str | None

    @property
    def level(self) -> int:
        """The rank of a heading, 1 the highest; 0 for anything else."""
        marks = len(self.raw) - len(self.raw.lstrip("#"))
        return marks if self.text is None else 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """What stands between two separators; `segments` is empty unless it is a document."""

    text: str
    segments: tuple[Segment, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The entries of this chunk in order."""
        if not self.segments:
            return [self.text]
        return [segment.text for segment in self.segments if segment.text]

    def keeping(self, texts: Collection[str]) -> str:
        """Return the chunk without the segments whose entry is not in `texts`; every other byte stays.

        A heading goes when all the entries under it go.
        """
        kept = [
            part.raw
            for at, part in enumerate(self.segments)
            if (part.text in texts if part.text else self._titles(at, texts))
        ]
        return "".join(kept).strip()

    def _titles(self, at: int, texts: Collection[str]) -> bool:
        """Tell whether the heading at `at` still has an entry under it, or never had one."""
        level = self.segments[at].level
        under: list[str] = []
        for part in self.segments[at + 1 :]:
            if part.text is None and part.level and part.level <= level:
                break
            under += [part.text] if part.text else []
        return not under or any(text in texts for text in under)


@dataclass(frozen=True, slots=True)
class Layout:
    """A parsed hot file."""

    chunks: tuple[Chunk, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All entries in order, the first of equal ones."""
        return tuple(dict.fromkeys(text for chunk in self.chunks for text in chunk.texts))

    @property
    def joined(self) -> str:
        """The host's form of the whole file; its length is what the budget counts."""
        return SEPARATOR.join(chunk.text for chunk in self.chunks)

    @property
    def free_form(self) -> bool:
        """True when a part of the file is a Markdown document."""
        return any(chunk.segments for chunk in self.chunks)


def with_unix_newlines(text: str) -> str:
    """Return `text` with every line break as the host reads it."""
    return _NEWLINE.sub("\n", text)


def parse(text: str, *, whole: Collection[str] = ()) -> Layout:
    """Read the text of a file (line breaks already LF); entries whose key is in `whole` are never documents."""
    stretches = [_without_stray_marks(stretch) for stretch in text.split(SEPARATOR)]
    unique = list(dict.fromkeys(stretch for stretch in stretches if stretch))
    alone = len(unique) == 1
    return Layout(tuple(_chunk(stretch, alone=alone, whole=whole) for stretch in unique))


def render(layout: Layout, texts: Sequence[str]) -> str:
    """Return the file that holds `texts`: kept parts of documents in their own bytes, all else joined by separators."""
    wanted = set(texts)
    home = {
        piece: chunk for chunk in reversed(layout.chunks) if chunk.segments for piece in chunk.texts
    }
    parts: dict[str, None] = {}
    for text in texts:
        document = home.get(text)
        parts.setdefault(text if document is None else document.keeping(wanted))
    return SEPARATOR.join(parts)


def fault_of(text: str) -> str | None:
    """Say why `text` (line breaks LF) would not read back as the same one entry, or None when it would."""
    if not text.strip():
        return "it is blank"
    if any(line.strip() == MARK for line in text.split("\n")):
        return f"it has a line that is only {MARK}, the mark between two entries"
    if "\0" in text:
        return "it holds a NUL character"
    if text.strip().startswith("\ufeff"):
        return "it begins with a byte order mark"
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "it holds half of a surrogate pair"
    return None


def _without_stray_marks(stretch: str) -> str:
    lines = stretch.strip().split("\n")
    while lines and lines[0].strip() in {"", MARK}:
        lines.pop(0)
    while lines and lines[-1].strip() in {"", MARK}:
        lines.pop()
    return "\n".join(lines).strip()


def _chunk(stretch: str, *, alone: bool, whole: Collection[str]) -> Chunk:
    if "\n" not in stretch or entry_key(stretch) in whole:
        return Chunk(stretch)
    segments = tuple(_segments(stretch))
    pieces = sum(segment.text is not None for segment in segments)
    headings = sum(segment.text is None and bool(segment.raw.strip()) for segment in segments)
    long = len(stretch) > _LONG_ENTRY and pieces >= 3
    outlined = alone and headings >= 1 and pieces >= 2
    return Chunk(stretch, segments if long or outlined else ())


def _segments(document: str) -> Iterable[Segment]:
    """Cut a document into whole lines: headings, bullets with what hangs under them, blocks of prose."""
    block: list[str] = []
    fenced = False
    for line in _LINE.findall(document):
        if not fenced and _opens_segment(line, after_blank=bool(block) and not block[-1].strip()):
            yield from _closed(block)
            block = []
        if not fenced and _HEADING.match(line):
            yield Segment(line, None)
            continue
        block.append(line)
        fenced = fenced is not bool(_FENCE.match(line))
    yield from _closed(block)


def _opens_segment(line: str, *, after_blank: bool) -> bool:
    if _HEADING.match(line) or _BULLET.match(line):
        return True
    return after_blank and not line[0].isspace() and not _HANGING.match(line)


def _closed(block: list[str]) -> Iterable[Segment]:
    if block:
        raw = "".join(block)
        yield Segment(raw, _entry_of(raw) or None)


def _entry_of(raw: str) -> str:
    """Return a segment's entry: without the bullet mark, continuation lines moved left by its width."""
    mark = _BULLET.match(raw)
    if mark is None:
        return raw.strip()
    first, *rest = raw[mark.end() :].split("\n")
    width = mark.end()
    moved = (line[min(width, len(line) - len(line.lstrip(" "))) :] for line in rest)
    return "\n".join([first, *moved]).strip()
