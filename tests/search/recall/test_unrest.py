"""Files that change faster than they are searched: an answer all the same, from those that stand still."""

from pathlib import Path

import pytest
from tests.search.recall.world import searchable

from everself.search.index_file.protocol import IndexedDocument
from everself.search.recall import RecallRequest
from everself.search.snippets import DocumentCache


def test_a_document_that_changes_at_every_try_is_left_out_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with searchable(tmp_path) as made:
        made.write("MEMORY.md", "- green tea at noon\n")
        made.write("memory/log.md", "- green tea again\n")
        read = DocumentCache.read
        tries = []

        def unsteady(document_cache: DocumentCache, document: IndexedDocument) -> bytes | None:
            if document.path != "memory/log.md":
                return read(document_cache, document)
            tries.append(document.path)
            return None

        monkeypatch.setattr(DocumentCache, "read", unsteady)
        found = made.search("green tea", RecallRequest("", recorded=False))
        assert [hit.path for hit in found.hits] == ["MEMORY.md"]
        assert any("kept changing" in notice for notice in found.notices)
        assert [(one.path, one.reason) for one in found.left_out] == [
            ("memory/log.md", "changed while it was searched")
        ]
        assert len(tries) == 3
