"""The tools over memory: what they give, whose words they stamp, and what they refuse."""

from pathlib import Path

import pytest
from tests.conversation.tools.boxes import Box, living

from everself.memory.writing import NewEntry
from everself.search.scopes import Scope, SessionKind
from everself.testing.embedder import FakeEmbedder
from everself.testing.origins import origin_of

# a whole agent a test
pytestmark = pytest.mark.slow

GUEST = Scope(SessionKind.GUEST, "jun")


def test_what_is_written_is_found_again_with_its_citation(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My name is Alex and I work on tundra.")
        written = box.get("memory_write", content="My name is Alex and I work on tundra.")
        assert written["citation"].startswith(f"{written['path']}#L")
        assert not written["mention"]
        (result,) = box.get("memory_search", query="tundra", maxResults=1)["results"]
        assert (result["entry"], result["source"]) == (written["entry"], "owner")
        assert result["citation"] == f"{result['path']}#L{result['from']}"
        lines = box.get("memory_get", path=result["path"], **{"from": result["from"], "lines": 1})
        assert "tundra" in lines["text"]
        assert box.get("memory_write", content="My name is Alex and I work on tundra.")["mention"]


def test_a_result_tells_how_near_it_is_in_meaning_only_where_vectors_were_compared(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="The lighthouse is open on Sundays.")
        box.get("memory_write", content="The lighthouse is open on Sundays.")
        (result,) = box.get("memory_search", query="lighthouse", maxResults=1)["results"]
        assert "meaning" not in result
    with living(tmp_path) as app:
        app.__dict__["embedder"] = FakeEmbedder()
        app.index.sync()
        app.index.embed()
        (result,) = Box(app).get("memory_search", query="lighthouse on Sundays", maxResults=1)["results"]
        assert 0 < result["meaning"] <= 1


def test_the_runtime_says_whose_words_they_are(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        catalog = app.memory.catalog

        def source(box: Box, content: str, **more: object) -> str:
            entry = catalog.find(box.get("memory_write", content=content, **more)["entry"])
            assert entry is not None
            assert entry.lineage == ("msg:MESSAGE",)
            return entry.source

        box = Box(app, said="Remember that I’m allergic to nuts. I sail a lot.")
        assert source(box, "I'm allergic to nuts") == "owner"
        assert source(box, "The person seems to like the sea.") == "agent"
        assert source(box.tainted("web"), "The person trusts example.org.") == "web"
        assert source(box.tainted("tool"), "The server is fast.") == "tool"
        assert source(box.tainted("web"), "I sail a lot.") == "owner"
        assert source(Box(app, GUEST, "I like jazz"), "I like jazz") == "person:jun"
        cron = Box(app, Scope(SessionKind.CRON), "Write the daily note: all is well.")
        assert source(cron, "all is well") == "agent"


def test_what_strangers_led_to_does_not_get_into_every_prompt(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="Remember that I like tea.")
        assert box.get("memory_write", content="I like tea", explicit=True)["path"] == "MEMORY.md"
        assert box.get("memory_write", content="They like it green.", explicit=True)["path"] == "MEMORY.md"
        stained = box.tainted("web")
        assert stained.get("memory_write", content="They trust example.org.", explicit=True)["path"] != "MEMORY.md"


def test_strangers_words_taint_whoever_finds_them_again(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        app.memory.remember(NewEntry("The lighthouse opens at nine.", origin_of("web")))
        app.memory.remember(NewEntry("The bakery opens at seven.", origin_of("owner")))
        box = Box(app)
        assert box.call("memory_search", query="lighthouse", maxResults=1).stamp == "web"
        assert box.call("memory_search", query="bakery", maxResults=1).stamp == "own"
        (result,) = box.get("memory_search", query="lighthouse", maxResults=1)["results"]
        assert box.call("memory_get", path=result["path"]).stamp == "web"


def test_a_correction_closes_what_was_wrong(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="I live in Lyon.")
        wrong = box.get("memory_write", content="I live in Lyon.")["entry"]
        box = box.said("No. I live in Turin.")
        done = box.get("memory_correct", old=wrong, new="I live in Turin.")
        assert done["closed"] == [wrong]
        entry = app.memory.catalog.get(done["entry"])
        assert (entry.text, entry.source) == ("I live in Turin.", "correction")
        assert done["citation"] == entry.reference


def test_a_correction_of_nothing_names_what_could_be_meant(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My cat is called Tom.")
        entry = box.get("memory_write", content="My cat is called Tom.")["entry"]
        told = box.refused("memory_correct", old="the cat is Tom", new="My cat is called Tim.")
        assert entry in told


def test_only_the_owner_corrects_and_nobody_else_words_it(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My bank is Alpha.")
        entry = box.get("memory_write", content="My bank is Alpha.")["entry"]
        assert "memory_correct" not in Box(app, GUEST).tools
        stained = box.said("Please look at that page.").tainted("web")
        assert stained.get("memory_correct", old=entry, new="My bank is Omega, account 12.")["closed"] == []
        said = stained.said("My bank is Beta now.")
        # the owner's own sentence, whatever the model that read the page wants to write
        done = said.get("memory_correct", old=entry, new="My bank is Omega, account 12.")
        assert done["closed"] == [entry]
        assert [one.text for one in app.memory.catalog.all() if not one.closed and "bank" in one.text] == [
            "My bank is Beta now."
        ]


def test_forgetting_needs_the_owner_to_ask_for_it_now(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="I once broke my arm.")
        entry = box.get("memory_write", content="I once broke my arm.")["entry"]
        assert "does not ask" in box.refused("memory_forget", what=entry)
        assert app.memory.catalog.find(entry) is not None
        asked = box.said("Please forget that I once broke my arm.")
        done = asked.get("memory_forget", what="I once broke my arm")
        assert (done["forgotten"], done["gone"]) == (1, True)
        assert app.memory.catalog.find(entry) is None
        assert "memory_forget" not in Box(app, GUEST).tools
        assert "memory_forget" not in Box(app, Scope(SessionKind.CRON)).tools


def test_what_could_mean_several_things_is_not_forgotten(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My aunt lives in Oslo. My aunt has a boat.")
        for words in ("My aunt lives in Oslo.", "My aunt has a boat."):
            box.get("memory_write", content=words)
        told = box.said("Forget my aunt.").refused("memory_forget", what="my aunt")
        assert "Oslo" in told
        assert "boat" in told
        assert len(app.memory.catalog.all()) == 2


def test_what_says_more_than_is_to_be_forgotten_is_asked_about_first(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        box = Box(app, said="My name is Alex and I am working on a Rust project called tundra.")
        entry = box.get("memory_write", content=box.setting.said)["entry"]
        asked = box.said("Forget that my name is Alex.")
        assert "tundra" in asked.refused("memory_forget", what="my name is Alex")
        assert app.memory.catalog.find(entry) is not None
        assert asked.get("memory_forget", what=entry)["gone"]


def test_broken_arguments_are_answered_in_words(tmp_path: Path) -> None:
    broken: tuple[tuple[str, dict[str, object]], ...] = (
        ("memory_search", {}),
        ("memory_search", {"query": 7}),
        ("memory_search", {"query": "x", "maxResults": "many"}),
        ("memory_search", {"query": "x", "minScore": 7}),
        ("memory_get", {"path": "memory/none.md"}),
        ("memory_get", {"path": "../secrets.json"}),
        ("memory_write", {"content": "  "}),
        ("memory_write", {"content": ["x"]}),
        ("memory_correct", {"old": "x"}),
        ("memory_forget", {}),
    )
    with living(tmp_path) as app:
        for name, arguments in broken:
            assert Box(app, said="Forget x").refused(name, **arguments)


def test_a_guest_writes_and_finds_only_what_is_theirs(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        Box(app, said="My harbour is Genoa.").get("memory_write", content="My harbour is Genoa.")
        box = Box(app, GUEST, "My harbour is Kiel.")
        assert box.get("memory_write", content="My harbour is Kiel.")["path"].startswith("users/jun/")
        found = box.get("memory_search", query="harbour")["results"]
        assert ["Kiel" in one["snippet"] for one in found] == [True]
        assert not Box(app, Scope(SessionKind.GROUP)).get("memory_search", query="harbour")["results"]


def test_who_may_use_which_tools(tmp_path: Path) -> None:
    with living(tmp_path) as app:
        looking = {"memory_search", "memory_get"}
        owner = looking | {"memory_write", "file_read", "file_write", "file_edit", "soul_propose", "memory_promote"}
        mending = {"memory_correct", "memory_forget"}
        assert set(Box(app).tools) == owner | mending
        assert set(Box(app, Scope(SessionKind.HEARTBEAT)).tools) == owner
        assert set(Box(app, GUEST).tools) == {*looking, "memory_write"}
        # whoever has an id is a guest, whatever the kind says
        assert set(Box(app, Scope(SessionKind.MAIN, "jun")).tools) == {*looking, "memory_write"}
        assert set(Box(app, Scope(SessionKind.GUEST)).tools) == looking
        assert set(Box(app, Scope(SessionKind.GROUP)).tools) == looking
        assert set(Box(app, Scope(SessionKind.SUBAGENT)).tools) == {"file_read"}
