"""What a message is to what is known: the entry that it makes wrong comes first, and nothing is judged without an encoder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.train_classify.grounded import fingerprint, sources
from tools.train_classify.sealed_grounded import rows

from everself.classify import encoder
from everself.classify.grounded import MOST, PATH, judge, makes_wrong, shipped
from everself.models.embedding.local import open_local

KNOWN = [
    "Standup is daily at 9:30.",
    "my sister Ines lives in Porto",
    "my brother Tomas lives in Lisbon",
    "Design review is Thursday at 15:00.",
    "I drive a red Toyota Yaris",
    "I am allergic to mango",
]


@pytest.fixture
def embedding(tmp_path: Path) -> Iterator[None]:
    with encoder.offering(open_local("use", "", str(tmp_path)).embed):
        yield


def test_the_weights_were_learned_from_the_corpus_and_the_heads_as_they_are() -> None:
    assert shipped().told["corpora"] == fingerprint(), "run: python -m tools.train_classify.grounded"
    assert [path for path in sources() if "sealed" in path.parts] == []
    assert Path(PATH).stat().st_size <= 64 << 10


@pytest.mark.slow
@pytest.mark.usefixtures("embedding")
def test_the_entry_that_a_message_makes_wrong_is_the_likeliest() -> None:
    for message, reply, wrong in (
        ("standup moved, it's at 9:45 now", "", 0),
        ("no, 9:45", "Your standup is daily at 9:30.", 0),
        ("Ines moved to Madrid last month, she doesn't live in Porto anymore", "", 1),
        ("sold the yaris, i have a skoda now", "", 4),
    ):
        likely = makes_wrong(message, reply, KNOWN)
        assert max(range(len(KNOWN)), key=lambda at: likely[at]) == wrong, message
        found = judge(message, KNOWN, reply)
        assert found is not None
        assert found.may, message
        assert 0.0 <= sum(likely) <= found.likely + 1e-6


@pytest.mark.slow
@pytest.mark.usefixtures("embedding")
def test_what_asks_chats_or_adds_something_makes_nothing_wrong() -> None:
    for message in ("what time is standup", "ugh, my coffee is cold", "my neighbour Rita lives in Faro", "thanks!"):
        found = judge(message, KNOWN)
        assert found is not None
        assert not found.sure, message
        assert max(makes_wrong(message, "", KNOWN)) < 0.5, message


@pytest.mark.slow
@pytest.mark.usefixtures("embedding")
def test_nothing_and_very_much_are_no_trouble() -> None:
    assert makes_wrong("hello", "", []) == []
    found = judge("hello", [])
    assert found is not None
    assert found.closes == ()
    many = [f"entry number {at}" for at in range(3 * MOST)]
    assert len(makes_wrong("\ud800 x" * 500, "?", many)) == len(many)


def test_without_an_encoder_nothing_is_likely() -> None:
    with encoder.offering(None):
        assert judge("standup is at 9:45 now", KNOWN) is None
        assert makes_wrong("standup is at 9:45 now", "", KNOWN) == [0.0] * len(KNOWN)


def test_every_person_of_the_corpus_is_well_formed() -> None:
    folder = Path(__file__).parents[1] / "corpora" / "grounded" / "train"
    people = [one for path in sorted(folder.glob("*.jsonl")) for one in rows(path.read_text("utf-8"))]
    assert len({one["id"] for one in people}) == len(people)
    for person in people:
        for row in person["messages"]:
            for name in ("corrects", "answers", "same"):
                assert all(0 <= at < len(person["known"]) for at in row[name]), person["id"]
            assert row["explicit"] <= ("correction" in row["acts"]), person["id"]
            assert bool(row["corrects"]) <= ("correction" in row["acts"]), person["id"]
