"""Searches index.db for forgotten words, in its rows and in its raw bytes. Trusts no view; changes nothing.

Every chunk listed for one of the words must contain it in its document, which is chunked again for this check. Every vector must belong
to a chunk. If no row lists the words any more, the file must contain neither their hashes nor data of chunks that were found before.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from everself.frozen import Frozen
from everself.memory.forgetting.forgotten_words import ForgottenWords, is_telling
from everself.search.index_file.columns import load_sources, read_header
from everself.search.index_file.file import IndexFile, IndexPlace, open_existing, reading
from everself.search.index_file.term_traces import (
    chunks_named,
    count_orphans,
    embedded_texts,
    marks_of_chunk,
    marks_of_term,
    raw_bytes,
)
from everself.text.search import index_terms

if TYPE_CHECKING:
    from everself.search.index_file.rows import Header
    from everself.search.sync.documents import Sources

# Maximum chunk count of a distinctive word. If all words of a text are more common, only the rarest is checked.
_FEW = 200
# limit of byte patterns, because each is searched in the whole file
_MOST_MARKS = 128


class TermTraces(Frozen):
    """`found` counts traces; `vectors` maps text hashes of such chunks to the end of their vectors."""

    found: int = 0
    vectors: Mapping[bytes, bytes] = field(default_factory=dict)


def look(place: IndexPlace, sources: "Sources", words: ForgottenWords, before: Mapping[bytes, bytes]) -> TermTraces:
    """Search the index. `before` are the vectors found before it was cleaned."""
    file = open_existing(place)
    if file is None:
        return TermTraces()
    try:
        with reading(file.connection):
            header = read_header(file.connection)[1]
            told = _RowCheck(file, header, sources)
            absent, wrong = told.compare(words.texts.values())
            vectors = {hashed: end for chunk in sorted(wrong) for hashed, end in marks_of_chunk(file, chunk)}
            # the same text may legitimately occur elsewhere
            living = embedded_texts(file) if before else set()
            orphans = count_orphans(file)
    finally:
        file.close()
    found = len(wrong) + orphans
    named = sum(_count(words, path.encode("utf-8", "surrogateescape")) for path in told.paths)
    marks = [mark for hashed, end in before.items() if hashed not in living for mark in (hashed, end)]
    marks += [mark for term in absent for mark in marks_of_term(term)]
    for data in raw_bytes(place):
        found += max(0, _count(words, data) - named)
        # while wrong chunks exist, their bytes exist anyway
        found += 0 if wrong else sum(mark in data for mark in marks[:_MOST_MARKS])
    return TermTraces(found, vectors)


class _RowCheck:
    """Compares rows with documents, each of which is chunked once."""

    def __init__(self, file: IndexFile, header: "Header", sources: "Sources") -> None:
        self._file = file
        self._header = header
        self._sources = sources
        self._named: dict[str, list[int]] = {}
        self._terms: dict[str, list[frozenset[str]]] = {}
        self._owners: dict[int, tuple[str, int]] = {}
        documents = [source.document for source in load_sources(file.connection, header).values()]
        self.paths = [one.path for one in documents]
        for one in documents:
            self._owners |= {one.first + at: (one.path, at) for at in range(one.count)}

    def compare(self, texts: Iterable[str]) -> tuple[list[str], set[int]]:
        """Terms of these texts without a row, longest first; and chunks with a term that their document does not contain there."""
        absent: set[str] = set()
        wrong: set[int] = set()
        for text in texts:
            terms = {term: self._chunks(term) for term in index_terms(text).counts}
            absent |= {term for term, chunks in terms.items() if not chunks}
            known = sorted((term for term in terms if terms[term]), key=lambda term: len(terms[term]))
            few = [term for term in known if len(terms[term]) <= _FEW] or known[:1]
            wrong |= {chunk for term in few for chunk in terms[term] if not self._is_said(chunk, term)}
        return sorted(absent, key=lambda term: (-len(term), term)), wrong

    def _chunks(self, term: str) -> list[int]:
        if term not in self._named:
            self._named[term] = chunks_named(self._file, self._header, term)
        return self._named[term]

    def _is_said(self, chunk: int, term: str) -> bool:
        path, at = self._owners.get(chunk, ("", 0))
        if not path:
            return False
        if path not in self._terms:
            self._terms[path] = list(self._cut(path))
        terms = self._terms[path]
        return at < len(terms) and term in terms[at]

    def _cut(self, path: str) -> Iterator[frozenset[str]]:
        document = self._sources.read(path)
        if document is not None:
            for chunk in self._sources.chunks(document):
                yield frozenset(self._sources.chunking.terms_of(chunk, path)[0])


def _count(words: ForgottenWords, data: bytes) -> int:
    """The number of occurrences in any encoding in which text is stored."""
    wide = [text for folded, text in words.texts.items() if is_telling(folded)]
    return words.count(data) + sum(
        data.count(text.encode(coding, "surrogatepass")) for text in wide for coding in ("utf-16-le", "utf-16-be")
    )
