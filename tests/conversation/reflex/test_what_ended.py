"""What no longer holds is left out or marked, wherever it is shown; and a secret that was left out is told."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conversation.talks import hear, notices, say, talking

from everself.agent import Agent
from everself.conversation.context.request import PromptRequest
from everself.conversation.events import Text
from everself.conversation.reflex.model import Reflex
from everself.conversation.reflex.replies import reply
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import call

# many small steps with real files add up
pytestmark = pytest.mark.slow

OLD, NEW = "My favourite drink is green tea.", "My favourite drink is oolong."
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Runtime]:
    with talking(tmp_path) as (opened, _):
        opened.chat.use(Reflex())
        yield opened


def replied(app: Runtime, text: str) -> str:
    return "".join(one.text for one in say(app, text) if isinstance(one, Text))


def superseded(app: Runtime) -> None:
    """As a keeper closes it: nothing but the comment says so."""
    old, new = Agent(app, fresh=False).remember(OLD), Agent(app, fresh=False).remember(NEW)
    app.memory.supersede(old.entry, new.entry)


def until(app: Runtime) -> str:
    return f"until {app.clock.today().isoformat()}"


def prompt_of(app: Runtime, message: str = "", scope: Scope | None = None) -> str:
    made = app.assembler.assemble(PromptRequest(scope or Scope(SessionKind.MAIN), message, recorded=False))
    return made.prefix.text + made.delta


def test_the_reflex_answers_with_what_holds(app: Runtime) -> None:
    superseded(app)
    told = replied(app, "What is my favourite drink?")
    assert "oolong" in told
    assert "green tea" not in told


def test_the_reflex_does_not_answer_with_what_was_closed_and_nothing_took_its_place(app: Runtime) -> None:
    old = Agent(app, fresh=False).remember(OLD)
    other = Agent(app, fresh=False).remember("The shed is painted blue.")
    app.memory.supersede(old.entry, other.entry)
    assert "green tea" not in replied(app, "What is my favourite drink?")


@pytest.mark.parametrize("asked", ["What did I tell you today?", "What do you know about green tea?"])
def test_the_reflex_lists_only_what_holds(app: Runtime, asked: str) -> None:
    superseded(app)
    Agent(app, fresh=False).remember("The kettle for green tea is new.")
    told = replied(app, asked)
    assert "kettle" in told
    assert "favourite drink is green tea" not in told


def test_the_prompt_marks_what_ended(app: Runtime) -> None:
    superseded(app)
    assert f"{OLD} ({until(app)}, now: {NEW})" in prompt_of(app)


def test_what_ended_is_marked_in_the_curated_core_too(app: Runtime) -> None:
    old = Agent(app, fresh=False).remember(OLD, keep=True)
    new = Agent(app, fresh=False).remember(NEW, keep=True)
    app.memory.supersede(old.entry, new.entry)
    assert f"~~{OLD}~~ ({until(app)}, now: {NEW})" in prompt_of(app)


def test_a_note_that_was_written_before_it_ended_is_marked(app: Runtime) -> None:
    old = Agent(app, fresh=False).remember(OLD)
    note = Path(app.agent.workspace, "memory", f"{app.clock.today().isoformat()}-drinks.md")
    note.write_text(f"# Session\n\n- User: Hello. {OLD}\n- Assistant: Lovely.\n")
    new = Agent(app, fresh=False).remember(NEW)
    app.memory.supersede(old.entry, new.entry)
    assert f"User: Hello. {OLD} [hand] (“{OLD}” {until(app)}, now: {NEW})" in prompt_of(app)


def test_a_label_of_its_source_is_no_part_of_what_ended(app: Runtime) -> None:
    page = Path(app.agent.workspace, "MEMORY.md")
    day = app.clock.today().isoformat()
    old = f"- {OLD} <!-- everself: id=AAAAAAAAAAAA until={day} by=BBBBBBBBBBBB -->"
    page.write_text(f"# Memory\n\n{old}\n- {NEW} <!-- everself: id=BBBBBBBBBBBB -->\n")
    note = Path(app.agent.workspace, "memory", f"{day}-drinks.md")
    note.write_text(f"# Session\n\n- User: Hello. {OLD}\n")
    said = prompt_of(app)
    assert f"{OLD} [hand] ({until(app)}, now: {NEW})" in said
    assert f"User: Hello. {OLD} [hand] (“{OLD}” {until(app)}, now: {NEW})" in said


def test_what_is_recalled_for_a_message_is_marked(app: Runtime) -> None:
    superseded(app)
    day = Path(app.agent.workspace, "memory", f"{app.clock.today().isoformat()}.md")
    # too long ago to stand in the prompt by itself
    day.rename(day.with_name("2026-01-05.md"))
    app.index.sync()
    assert f"> {OLD} ({until(app)}, now: {NEW})" in prompt_of(app, "green tea")


def test_a_tool_says_of_each_result_and_each_line_whether_it_ended(tmp_path: Path) -> None:
    asked = [call("memory_search", query="favourite drink green tea oolong")]
    with talking(tmp_path, asked, "All right.") as (app, model):
        superseded(app)
        path = f"memory/{app.clock.today().isoformat()}.md"
        asyncio.run(hear(app, "What do I drink?", app.chat.begin()))
        (found,) = model.requests[-1].turns[-1].returns
        by_words = {one["snippet"]: one.get("ended") for one in json.loads(found.content)["results"]}
        assert by_words[OLD] == f"{until(app)}, now: {NEW}"
        assert by_words[NEW] is None
    with talking(tmp_path, [call("memory_get", path=path)], "All right.") as (app, model):
        asyncio.run(hear(app, "Read it.", app.chat.begin()))
        (found,) = model.requests[-1].turns[-1].returns
        read = json.loads(found.content)
        (gone,) = read["ended"]
        lines = read["text"].splitlines()[gone["from"] - 1 : gone["to"]]
        assert OLD in lines
        assert NEW not in lines
        assert gone["ended"] == until(app)


def test_what_took_its_place_is_not_told_to_who_may_not_see_it(app: Runtime) -> None:
    page = Path(app.agent.workspace, "memory", "party.md")
    page.write_text("# Party\n\n## Drinks\n<!-- share: group -->\n\n- We serve green tea at the party.\n")
    (old,) = app.memory.catalog.of("memory/party.md")
    new = Agent(app, fresh=False).remember("We serve oolong at the party, bought with the inheritance.")
    app.memory.supersede(old.id, new.entry)
    app.index.sync()
    for scope in (Scope(SessionKind.GROUP), Scope(SessionKind.SUBAGENT)):
        assert "inheritance" not in prompt_of(app, "What do we serve at the party? green tea", scope)


@pytest.mark.parametrize("text", [f"Remember that my GitHub token is {SECRET}", f"My GitHub token is {SECRET}."])
def test_the_reflex_says_that_a_secret_was_left_out(app: Runtime, text: str) -> None:
    told = replied(app, text)
    assert reply("left_out", "en") in told
    assert SECRET not in told


def test_the_reflex_says_it_in_the_language_of_the_message(app: Runtime) -> None:
    assert reply("left_out", "zh") in replied(app, f"记住我的 GitHub token 是 {SECRET}")


@pytest.mark.parametrize("known", ["Our deploy word is tulip.", "The shed is blue."])
def test_a_correction_with_a_secret_says_so_too(app: Runtime, known: str) -> None:
    old = Agent(app, fresh=False).remember(known)
    told = replied(app, f"No, our deploy word is {SECRET}, not tulip")
    assert app.memory.catalog.get(old.entry).closed is ("tulip" in known)
    assert reply("left_out", "en") in told
    assert SECRET not in told


@pytest.mark.parametrize("tool", [True, False])
def test_a_model_that_claims_to_remember_a_secret_is_put_right(tmp_path: Path, tool: bool) -> None:
    words = f"My GitHub token is {SECRET}."
    script = ([call("memory_write", content=words)], "I'll remember that.") if tool else ("I'll remember that.",)
    with talking(tmp_path, *script) as (app, _):
        assert reply("left_out", "en") in notices(say(app, words))
        assert not any(SECRET in one.text for one in app.memory.catalog.all())


def test_a_secret_in_what_a_model_writes_by_itself_is_told_too(tmp_path: Path) -> None:
    with talking(tmp_path, [call("memory_write", content=f"The token is {SECRET}.")], "Done.") as (app, _):
        assert reply("left_out", "en") in notices(say(app, "Keep the token that you made."))


def test_without_a_secret_nothing_was_left_out(tmp_path: Path) -> None:
    with talking(tmp_path, "I'll remember that.") as (app, _):
        assert not notices(say(app, "My sister Ida lives in Oslo."))
