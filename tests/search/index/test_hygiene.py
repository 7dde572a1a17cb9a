"""What was closed long enough ago has no vector, is found by its words, and is so in an index made anew; age alone drops none."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.search.index.world import World, make_world

from everself.search.index import Index, IndexOptions
from everself.search.index_file.file import IndexPlace
from everself.search.sync.documents import default_chunking
from everself.storage.real_disk import RealFileSystem
from everself.testing.embedder import FakeEmbedder
from everself.testing.frozen_time import FrozenTime

PLACE = "memory/2026-01-02.md"
OPEN = "- Anna drinks tea <!-- everself: id=0123456789AB src=owner -->\n"
CLOSED = "- ~~Bob drinks coffee~~ <!-- everself: id=0123456789AC src=owner until=2026-03-17 -->\n"
STRUCK = "- ~~Carl drinks rum~~ <!-- everself: id=0123456789AD src=owner -->\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path) as made:
        made.write(PLACE, f"# Log\n\n{OPEN}{CLOSED}{STRUCK}")
        yield made


class Lasting:
    """An index whose days pass."""

    def __init__(self, world: World, grace: int = 7, name: str = "index.db") -> None:
        self.time = FrozenTime()
        self.embedder = FakeEmbedder()
        place = IndexPlace(RealFileSystem(str(world.state)), str(world.state), name)
        clock = self.time.clock()
        self.index = Index(
            world.workspace,
            place,
            clock,
            "an agent",
            self.embedder,
            chunking=default_chunking(),
            options=IndexOptions(grace),
        )
        self.index.view()
        world.opened.append(self.index)

    def asked(self) -> str:
        return " ".join(text for texts, _ in self.embedder.calls for text in texts)

    def rows(self) -> int:
        file = self.index.view()._reader.file
        return int(file.connection.execute("SELECT count(*) FROM embeddings").fetchone()[0])

    def found(self, word: str) -> int:
        return len(self.index.view().postings(word)[0])


def test_a_vector_goes_after_the_days_of_grace_and_no_sooner(world: World) -> None:
    one = Lasting(world)
    assert (one.index.embed().done, one.index.view().embedded) == (3, 3)
    one.time.advance(timedelta(days=5))
    assert (one.index.drop_closed(), one.index.view().embedded) == (0, 3)
    one.time.advance(timedelta(days=1))
    assert (one.index.drop_closed(), one.index.view().embedded, one.rows()) == (1, 2, 2)
    assert (one.index.drop_closed(), one.index.embed().done, one.index.pending()) == (0, 0, 0)
    assert (one.found("bob"), one.found("rum")) == (1, 1)
    assert one.index.verify().differing == ()


def test_years_alone_drop_nothing(world: World) -> None:
    one = Lasting(world)
    world.write(PLACE, f"# Log\n\n{OPEN}{STRUCK}")
    one.index.view()
    one.index.embed()
    one.time.advance(timedelta(days=4000))
    assert (one.index.drop_closed(), one.index.embed().dropped, one.index.view().embedded) == (0, 0, 2)


def test_what_was_closed_before_it_was_read_is_not_even_asked_for(world: World) -> None:
    one = Lasting(world, grace=1)
    report = one.index.embed()
    assert (report.pending, one.index.view().embedded) == (0, 2)
    assert "coffee" not in one.asked()
    assert one.index.drop_closed() == 0


def test_an_index_made_anew_has_the_same_vectors(world: World) -> None:
    one = Lasting(world)
    one.index.embed()
    one.time.advance(timedelta(days=30))
    assert one.index.rebuild().read == 1
    one.index.embed()
    assert (one.index.view().embedded, one.rows()) == (2, 2)


def test_the_same_words_elsewhere_keep_theirs(world: World) -> None:
    one = Lasting(world)
    world.write("memory/2026-01-03.md", "# Log\n\n- Bob drinks coffee\n")
    world.write(PLACE, "# Log\n\n" + CLOSED.replace("~~", ""))
    one.index.view()
    one.index.embed()
    one.time.advance(timedelta(days=30))
    assert one.index.drop_closed() == 1
    assert (one.index.view().embedded, one.index.embed().pending) == (1, 0)
    assert one.rows() >= 1


def test_what_is_open_again_is_embedded_again(world: World) -> None:
    one = Lasting(world)
    one.index.embed()
    one.time.advance(timedelta(days=30))
    one.index.embed()
    world.write(PLACE, f"# Log\n\n{OPEN}{CLOSED.replace(' until=2026-03-17', '').replace('~~', '')}{STRUCK}")
    one.index.view()
    one.index.embed()
    assert one.index.view().embedded == 3


def test_more_days_of_grace_bring_them_back(world: World) -> None:
    one = Lasting(world, grace=0)
    one.index.embed()
    assert one.index.view().embedded == 2
    one.index.close()
    other = Lasting(world, grace=7)
    assert (other.index.embed().done, other.index.view().embedded) == (1, 3)


def test_a_model_that_comes_back_finds_nothing_kept(world: World) -> None:
    one = Lasting(world)
    one.index.embed()
    one.index.close()
    two = Lasting(world)
    two.embedder.model = "another"
    two.index.close()
    two.index = Index(
        world.workspace,
        IndexPlace(RealFileSystem(str(world.state)), str(world.state), "index.db"),
        two.time.clock(),
        "an agent",
        two.embedder,
        chunking=default_chunking(),
    )
    world.opened.append(two.index)
    two.index.view()
    two.index.embed()
    assert two.rows() == 6
    two.time.advance(timedelta(days=30))
    assert two.index.drop_closed() == 1
    assert two.rows() == 4
