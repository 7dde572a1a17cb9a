"""A conversation through pipes: replies on one stream, everything else on the other, and every command."""

import io
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.interfaces.repl.conftest import FakeChat
from tests.operations.changes import Changes

from everself.agent import Agent, open_runtime
from everself.conversation.events import MemoryWritten, Notice, Text, Thinking, ToolCalled
from everself.conversation.tools.protocol import Written
from everself.errors import ModelFailed
from everself.interfaces.repl.commands import COMMANDS
from everself.interfaces.repl.line_mode import talk_in_lines
from everself.interfaces.repl.review import list_review
from everself.interfaces.repl.ritual import OFFER
from everself.operations.setup import set_up
from everself.runtime import Runtime

# a whole agent a test
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Said:
    well: bool
    out: str
    err: str


@pytest.fixture
def talk(app: Runtime, chat: FakeChat):
    def run(typed: str) -> Said:
        out, err = io.StringIO(), io.StringIO()
        well = talk_in_lines(app, chat.begin(), (io.StringIO(typed), out, err))
        return Said(well, out.getvalue(), err.getvalue())

    return run


def document(app: Runtime, path: str) -> str:
    return app.workspace.read(path).data.decode()


def test_replies_go_out_and_the_offer_stands_at_the_end_once(talk, chat: FakeChat) -> None:
    said = talk("hello\nand again\n")
    assert said.out == f"You said: hello\n\nYou said: and again\n\n{OFFER}\n"
    assert said.err == ""
    assert said.well
    assert (chat.heard, chat.closed) == (["hello", "and again"], ["SESSION"])
    assert talk("later\n").out == "You said: later\n"


def test_nothing_said_is_no_conversation(talk, chat: FakeChat) -> None:
    assert talk("\n\n") == Said(True, "", "")
    assert chat.heard == []


def test_what_is_no_reply_is_not_in_the_pipe(talk, chat: FakeChat) -> None:
    chat.script = lambda _: [
        Thinking("hm"),
        ToolCalled("1", "memory_search", '{"query":"x"}'),
        Text("It is "),
        Notice("No model is set.", mend="everself model use NAME"),
        Text("late."),
        MemoryWritten(Written("remembered", "x", "memory/2026-03-19.md#L3")),
    ]
    said = talk("what time?\n/quit\n")
    assert said.out.startswith("It is \nlate.\n")
    assert said.err == "Note: No model is set. → everself model use NAME\n"


def test_replies_have_no_power_over_the_terminal(talk, chat: FakeChat) -> None:
    chat.script = lambda _: [Text("\x1b[31mred"), Text("\x1b]0;x\x07")]
    assert "\x1b" not in talk("x\n").out


def test_a_turn_that_failed_is_told_and_the_next_one_comes(talk, chat: FakeChat) -> None:
    def script(text: str):
        if text == "bad":
            raise ModelFailed("The key is not taken.", mend="everself model test")
        return [Text("fine")]

    chat.script = script
    said = talk("bad\ngood\n")
    assert "fine\n" in said.out
    assert said.err == "The model did not answer. The key is not taken.\n→ everself model test\n"
    assert not said.well


def test_help_lists_every_command_and_an_unknown_one_is_answered_with_the_nearest(talk, chat: FakeChat) -> None:
    said = talk("/help\n/serch tundra\n/usr/bin is full\n")
    assert all(f"\n{name}" in f"\n{said.out}" for name in COMMANDS)
    assert "There is no command /serch. Did you mean /search?" in said.out
    assert chat.heard == ["/usr/bin is full"]
    # a slip of the finger, at which nothing failed
    assert said.well


@pytest.mark.parametrize("word", ["exit", "Quit", ":q", "/QUIT"])
def test_one_leaves_with_the_words_that_people_try(talk, chat: FakeChat, word: str) -> None:
    assert talk(f"{word}\nnever heard\n").well
    assert chat.heard == []


@pytest.mark.parametrize("word", ["help", "Help", "?"])
def test_one_asks_for_help_with_the_words_that_people_try(talk, chat: FakeChat, word: str) -> None:
    assert "/forget ID|WORDS" in talk(f"{word}\n").out
    assert chat.heard == []


def test_a_command_in_capitals_is_a_command(talk, chat: FakeChat) -> None:
    assert "/bootstrap" in talk("/Help\n").out
    assert "Did you mean /memory?" in talk("/Mmory\n").out
    assert chat.heard == []


def test_a_command_and_more_lines_is_neither_done_nor_said(talk, app: Runtime, chat: FakeChat) -> None:
    Agent(app, fresh=False).remember("My old address is 5 Elm Street.")
    said = talk("/forget elm street\\\nyes\n")
    assert said.out == "/forget takes one line, and this has more. Nothing was done.\n"
    assert chat.heard == []
    assert len(app.memory.catalog.all()) == 1


def test_memory_search_why_and_soul_answer(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("I am working on a Rust project called tundra.")
    said = talk("/memory\n/search which project\n/soul\n/persona\n/prompt\n/sessions\n")
    assert said.err == ""
    assert said.well
    assert said.out.count("tundra") >= 2
    assert talk("/why\n").err.startswith("Not found: a reply")
    assert "# Soul" in said.out or "SOUL" in said.out
    assert "Nothing was said yet." in said.out


def test_words_after_memory_choose_among_what_is_remembered(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("The harbour opens at nine.")
    Agent(app, fresh=False).remember("My cat is called Mo.")
    said = talk("/memory HARBOUR\n").out
    assert "harbour opens" in said
    assert "called Mo" not in said
    assert "No entry matches." in talk("/memory zebra\n").out


def test_what_follows_prompt_is_what_is_said(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("I am working on a Rust project called tundra.")
    # memory is searched for it, and for nothing where nothing is said
    assert "Keyword search only" in talk("/prompt Which Rust project?\n").out
    assert "Keyword search only" not in talk("/prompt\n").out


def test_review_tells_what_waits_for_the_person() -> None:
    with open_runtime() as app:
        set_up(app)
        assert list(list_review(app)) == ["Nothing waits for you."]
        app.growth.add_line("Ask before you book.", "asked twice", ())
        Path(app.agent.workspace, "SOUL.md").write_text("# Somebody else\n", encoding="utf-8")
        waiting = list(list_review(app))
        assert any("SOUL.md  (everself soul verify)" in line for line in waiting)
        assert any("asked twice" in line for line in waiting)


def test_review_asks_about_each_and_a_letter_decides(talk, app: Runtime) -> None:
    app.growth.add_line("Ask before you book.", "asked twice", ())
    app.growth.add_line("Never joke.", "nobody laughed", ())
    app.growth.add_line("Be brief.", "said so", ())
    listed = talk("/review list\n").out
    assert listed.count("Add this to the soul?") == 3
    said = talk("/review\na\nr\ne\nBe brief, but warm.\n")
    assert said.well
    assert app.growth.open() == ()
    assert [one for one in ("Accepted.", "Refused.", "Accepted in your words.") if one not in said.out] == []
    soul = Path(app.agent.workspace, "SOUL.md").read_text(encoding="utf-8")
    assert [one in soul for one in ("- Ask before", "- Never joke", "- Be brief, but warm.")] == [True, False, True]


def test_review_stops_at_what_is_no_answer(talk, app: Runtime) -> None:
    app.growth.add_line("Ask before you book.", "asked twice", ())
    assert "Stopped" in talk("/review\nwhat is that\n").out
    assert talk("/review\nq\n").well
    assert len(app.growth.open()) == 1


def test_an_edit_of_the_soul_shows_at_once(talk, app: Runtime) -> None:
    first = talk("/soul\n/prompt\n").out
    assert "likes otters" not in first
    soul = Path(app.agent.workspace, "SOUL.md")
    soul.write_text(f"{soul.read_text(encoding='utf-8')}\nThis one likes otters.\n", encoding="utf-8")
    assert talk("/soul\n/prompt\n").out.count("likes otters") == 2


def test_forgetting_shows_asks_and_proves(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("My old address is 5 Elm Street.")
    Agent(app, fresh=False).remember("The wifi password hint is my cat.")
    assert "Nothing was changed." in talk("/forget elm street\nno\n").out
    said = talk("/forget elm street\nyes\n")
    assert "Forgotten:" in said.out
    assert said.well
    assert "Elm" not in talk("/memory\n").out
    gone = talk("/forget elm street\n")
    assert gone.err.startswith("No entry contains “elm street”.")
    assert "/forget needs ID|WORDS after it." in talk("/forget\n").err


def test_forgetting_lists_every_entry_that_contains_the_words(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("My cat is called Mo.")
    Agent(app, fresh=False).remember("My cat is six.")
    Agent(app, fresh=False).remember("My caterpillar is green.")
    said = talk("/forget my cat\nno\n")
    assert "called Mo" in said.out
    assert "is six" in said.out
    assert "Forget these 2 entries for good?" in said.out
    assert len(app.memory.catalog.all()) == 3
    assert "A search of every byte finds nothing." in talk("/forget MY  cat\nyes\n").out
    assert [one.text for one in app.memory.catalog.all()] == ["My caterpillar is green."]


def test_new_undo_and_quit(talk, app: Runtime, chat: FakeChat) -> None:
    Agent(app, fresh=False).remember("I moved to Bergen.")
    said = talk("/new\n/undo\nyes\n/quit\nnever heard\n")
    assert "kept in memory/2026-03-19-tundra.md" in said.out
    assert "Taken back" in said.out
    assert chat.heard == []
    assert chat.closed == ["SESSION2"]


def test_undo_says_in_words_what_it_takes_back(talk, app: Runtime) -> None:
    """No diff, no comments: those are for whoever asks with /verbose."""
    agent = Agent(app, fresh=False)
    agent.remember("My locker is number 212.", keep=True)
    agent.correct("My locker is number 212.", "My locker is number 214.")
    said = talk("/undo\nyes\n/undo\nno\n")
    assert "everself:" not in said.out
    assert "@@" not in said.out
    shown = said.out.partition("Take it back?")[0].splitlines()
    assert {"  MEMORY.md", "    + My locker is number 212.", "    − My locker is number 214."} <= set(shown)
    assert "CORRECTIONS.md" not in said.out
    assert "To have it again: /undo " in said.out
    assert "<!-- everself: id=" in talk("/verbose on\n/undo\nno\n").out


def test_undoing_the_correction_of_a_day_says_that_its_entry_holds_again(talk, app: Runtime) -> None:
    agent = Agent(app, fresh=False)
    agent.remember("My locker is number 212.")
    agent.correct("My locker is number 212.", "My locker is number 214.")
    assert "    holds again: My locker is number 212.\n" in talk("/undo\nno\n").out


@pytest.mark.parametrize("typed", ["no\n", ""])
def test_undo_without_a_yes_changes_nothing(talk, app: Runtime, typed: str) -> None:
    Agent(app, fresh=False).remember("I moved to Bergen.")
    said = talk(f"/undo\n{typed}")
    assert "I moved to Bergen." in said.out
    assert said.out.endswith("Take it back? (yes/no)\n\nNothing was changed.\n")
    assert said.well
    assert len(app.memory.catalog.all()) == 1


def test_compacting_and_the_model_that_is_not_there(talk) -> None:
    said = talk("/compact\n/model\n")
    assert said.out.startswith("Made shorter (asked).\n")
    assert "* reflex" in said.out
    assert said.well


ANSWERS = (
    "Aria\na fox\nwarm and brief\n🦦\nAlex\nLex\nthey/them\nBerlin\nGerman, English\nNever book without asking.\n\n"
)


def test_the_ritual_writes_what_was_agreed_on_and_ends(talk, app: Runtime) -> None:
    said = talk(f"/bootstrap\n{ANSWERS}yes\nhello\n")
    assert "Nice to meet you, Lex!" in said.out
    assert OFFER not in said.out
    assert "- **Name:** Aria\n- **Creature:** a fox\n- **Vibe:** warm and brief\n- **Emoji:** 🦦\n" in document(
        app, "IDENTITY.md"
    )
    assert "- **Pronouns:** they/them\n- **Time zone:** Europe/Berlin\n" in document(app, "USER.md")
    # what it holds to was talked over, and the wish stands among it
    assert "Tell the truth." in said.out
    soul = document(app, "SOUL.md")
    assert (
        soul.index("Care more than you please")
        < soul.index("- Never book without asking.")
        < soul.index("## How you sound")
    )
    assert app.workspace.find("BOOTSTRAP.md") is None
    assert "We have met." in talk("/bootstrap\n").out


@pytest.mark.parametrize("typed", ["Aria\nwarm\n", "Aria\n/stop\n", f"{ANSWERS}no\n", ANSWERS])
def test_a_ritual_that_is_broken_off_writes_nothing(talk, app: Runtime, typed: str) -> None:
    before = [one.id for one in Changes(app.workspace).log(100)]
    talk(f"/bootstrap\n{typed}")
    assert [one.id for one in Changes(app.workspace).log(100)] == before
    assert app.workspace.find("BOOTSTRAP.md") is not None


def test_an_answer_that_cannot_be_is_asked_for_again(talk, app: Runtime) -> None:
    typed = ANSWERS.replace("Berlin", "Bielefeld am See\nBerlin").replace("🦦", "my fox\n🦦")
    said = talk(f"/bootstrap\n{typed}yes\n")
    assert (said.err.count("Time zone"), said.err.count("one emoji")) == (1, 1)
    assert "Europe/Berlin" in document(app, "USER.md")


def test_places_are_told_in_a_pipe_once_they_are_asked_for(talk, chat: FakeChat) -> None:
    chat.script = lambda _: [MemoryWritten(Written("remembered", "x", "memory/2026-03-19.md#L3")), Text("fine")]
    assert talk("x\n").err == ""
    assert talk("/verbose\nx\n").err == "Note: remembered: x  memory/2026-03-19.md#L3\n"
    assert talk("/verbose\n/verbose\nx\n").err == ""
    assert talk("/verbose off\nx\n").err == ""


def test_an_entry_is_put_right_by_its_id(talk, app: Runtime) -> None:
    wrong = Agent(app, fresh=False).remember("My sister lives in Oslo.").entry
    assert "Usage: /fix ID WORDS" in talk(f"/fix {wrong}\n").out
    said = talk(f"/fix {wrong} “My sister lives in Bergen.”\n")
    assert said.well
    assert said.out.startswith(f"Corrected: {wrong} is closed, ")
    assert "To undo it: /undo " in said.out
    assert {one.text: one.closed for one in app.memory.catalog.all()} == {
        "My sister lives in Oslo.": True,
        "My sister lives in Bergen.": False,
    }
    assert talk("/fix 000000000000 Anything else.\n").err


@pytest.mark.parametrize("word", ["yes", "sure", "Yep!", "ok", "si", "sí", "はい", "Ja.", "네", "да", "oui", "OK"])
def test_a_yes_is_a_yes_in_whatever_words(talk, app: Runtime, word: str) -> None:
    assert "Written, as change" in talk(f"/bootstrap\n{ANSWERS}{word}\n").out
    assert app.workspace.find("BOOTSTRAP.md") is None


def test_what_is_neither_yes_nor_no_is_asked_about_again(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("My old address is 5 Elm Street.")
    said = talk("/forget elm street\nyes, but not today\nno\n")
    assert "Please answer yes or no." in said.out
    assert len(app.memory.catalog.all()) == 1
    assert "Forgotten:" in talk("/forget elm street\nhm\nsure\n").out


def test_one_answer_can_be_changed_before_it_is_written(talk, app: Runtime) -> None:
    typed = f"/bootstrap\n{ANSWERS}what?\nvibe\ndry\ntime zone: Seoul\nemoji\notter\nsoul\nBe brief.\n\nyes\n"
    assert "Nice to meet you" in talk(typed).out
    assert "- **Vibe:** dry\n- **Emoji:** 🦦\n" in document(app, "IDENTITY.md")
    assert "Asia/Seoul" in document(app, "USER.md")
    assert "- Be brief.\n" in document(app, "SOUL.md")
    assert "Never book" not in document(app, "SOUL.md")


def test_what_was_answered_is_kept_until_it_is_written(talk, app: Runtime) -> None:
    assert "Your answers are kept" in talk("/bootstrap\nAria\na fox\n/stop\n").out
    # the rest is asked for, and nothing twice
    rest = ANSWERS.removeprefix("Aria\na fox\n")
    said = talk(f"/bootstrap\n{rest}no\n")
    assert "name: Aria\nnature: a fox\n" in said.out
    assert "What shall I be called?" not in said.out
    assert "BOOTSTRAP.md" in [one.path for one in app.workspace.list()]
    assert "Nice to meet you" in talk("/bootstrap\nyes\n").out
    assert "- **Creature:** a fox\n- **Vibe:** warm and brief\n" in document(app, "IDENTITY.md")
    assert app.ritual.draft() == {}


def test_what_is_forgotten_is_forgotten_in_the_draft_too(talk, app: Runtime) -> None:
    Agent(app, fresh=False).remember("My old name is Maximilian Elm.")
    talk("/bootstrap\nAria\n\n\n\nMaximilian Elm\n/stop\n")
    assert "A search of every byte finds nothing." in talk("/forget maximilian elm\nyes\n").out
    assert app.ritual.draft() == {"name": "Aria", "nature": "", "vibe": "", "emoji": ""}


def test_the_time_zone_counts_at_once(talk, app: Runtime) -> None:
    talk(f"/bootstrap\n{ANSWERS.replace('Berlin', 'Kiritimati')}yes\n")
    assert app.clock.zone.key == "Pacific/Kiritimati"
    # whoever was given the clock before reads it there too
    assert app.memory.clock.zone.key == "Pacific/Kiritimati"
