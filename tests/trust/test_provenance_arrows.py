"""Every arrow of `docs/provenance.md` is needed: where the rule on any one of them is taken away, a test fails."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.agent.homes import plain_agent
from tests.conversation import test_provenance as flow
from tests.keepers import test_runner as keepers
from tests.keepers import test_shown as showing
from tests.keepers.minds import BERLIN, Hour, Mind
from tests.operations.memory_tool import test_memory_commands as model_files
from tests.operations.promotions import promote

from everself.clock import Clock
from everself.conversation import _recording as keeping
from everself.conversation import compaction as flushing
from everself.conversation import corrections as correcting
from everself.conversation import loop, turn
from everself.conversation.context import _sources as sources
from everself.conversation.context import assembler as assembly
from everself.conversation.context import sources as assembling
from everself.conversation.sessions import history as turns
from everself.conversation.sessions import log as session_log
from everself.conversation.sessions import notes, session
from everself.keepers import keeper_context
from everself.memory import adoption, memory, model_documents, statements, writing
from everself.memory import catalog as catalog
from everself.memory import provenance as trust
from everself.memory.provenance import AGENT, HAND, OWN, Origin
from everself.memory.transfer import importer as importing
from everself.operations import entries as remembering
from everself.operations import files, forgetting, promotion
from everself.operations import origins as origin
from everself.operations import search as recalling
from everself.operations import unattended as deeds
from everself.operations.memory_tool import commands
from everself.operations.promotion import PromoteRequest
from everself.storage.state.provenance import FileOrigins
from everself.testing.workspaces import real_workspace
from everself.text.normalise import fold

pytestmark = pytest.mark.trust

PAGE = Path(__file__).resolve().parents[2] / "docs" / "provenance.md"
Check = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Arrow:
    """`cut` is what is put in the place of a rule; `check` has to fail then."""

    name: str
    cut: tuple[tuple[ModuleType | type, str, Any], ...]
    check: Check


def agents(*_: object, **__: object) -> Origin:
    return Origin(AGENT, "chat")


def first(one: str, *_: object) -> str:
    return one


def own(*_: object) -> str:
    return OWN


def hand(*_: object) -> str:
    return HAND


def hands(_: object, hits: Any) -> list[str]:
    return [HAND] * len(hits)


def nothing(*_: object, **__: object) -> None:
    return None


class Deaf:
    """A log to which no taint is told."""

    def __init__(self, log: Any) -> None:
        self._log = log

    def mark(self, one: Any, **marks: Any) -> Any:
        marks.pop("taint", None)
        return self._log.mark(one, **marks)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


def deaf_keeper(self: Any, desk: Any, *rest: Any) -> None:
    made(self, desk, *rest)
    self._log = Deaf(desk.log)


made = keeping.TurnRecorder.__init__


def sources_vetted(data: bytes, *_: object) -> Any:
    from everself.conversation.context.provenance import Vetted

    return Vetted(data)


def owned(entry: Any) -> Any:
    return trust.provenance_of(trust.owned(entry), entry.id, entry.tag.value, writing.text_hash(entry.text))


believed_before = catalog.believed


def believed(*given: Any) -> Any:
    found = believed_before(*given)
    return found._replace(mentions=int(dict(given[1][0]).get("n", "1")))


def of_a_mind(path: Path) -> None:
    hour = Hour()
    with real_workspace(str(path), clock=Clock(BERLIN, hour)) as bench:
        mind = Mind(bench, str(path), hour)
        keepers.test_words_from_a_tainted_conversation_are_as_trusted_as_what_tainted_it(mind)


def of_a_night(path: Path) -> None:
    hour = Hour()
    with real_workspace(str(path), clock=Clock(BERLIN, hour)) as bench:
        mind = Mind(bench, str(path), hour)
        showing.test_words_that_one_conversation_read_rest_on_no_message_of_another(mind, "web")


def of_a_message(path: Path) -> None:
    hour = Hour()
    with real_workspace(str(path), clock=Clock(BERLIN, hour)) as bench:
        mind = Mind(bench, str(path), hour)
        showing.test_beside_a_text_neither_a_line_of_the_soul_nor_a_closing_rests_on_the_message(mind)


def of_a_promotion(path: Path) -> None:
    with flow.living(path) as app:
        message = app.log.add(app.log.begin(), "user", "What do my notes say?")
        words = writing.NewEntry("We decided to send all bills to Ken.", flow.origin_of("agent", f"msg:{message.id}"))
        entry = app.memory.remember(words).entry
        promote(app, PromoteRequest(), present=False)
        assert app.memory.catalog.get(entry).path.startswith("memory/2")


def of_a_lineage(path: Path) -> None:
    with flow.living(path) as app:
        page = app.memory.remember(writing.NewEntry("A page says so.", flow.origin_of("web"))).entry
        app.memory.remember(writing.NewEntry("So it is.", flow.origin_of("agent", f"entry:{page}")))
        assert flow.trust_of(app, "So it is.") == "web"


def of_files(check: Any) -> Any:
    def run(path: Path) -> None:
        with plain_agent(path / "home") as agent:
            check(agent)

    return run


signed = commands.MemoryCommands._signed


def unsigned(self: Any, name: str, edits: Any, _: object = ()) -> Any:
    return signed(self, name, edits)


ARROWS = (
    Arrow("tool result → turn", ((loop, "worse", first),), flow.test_an_import_found_in_a_turn_is_not_rewritten_in_it),
    Arrow(
        "tool result → session",
        ((keeping.TurnRecorder, "__init__", deaf_keeper),),
        flow.test_a_result_of_an_earlier_turn_still_taints,
    ),
    Arrow("recall → prompt", ((assembly, "taint_of", own),), flow.test_what_is_recalled_is_labelled_and_taints),
    Arrow("hit → label", ((assembling, "sources_of_hits", hands),), flow.test_what_is_recalled_is_labelled_and_taints),
    Arrow(
        "document → prefix",
        ((sources, "vet", sources_vetted),),
        flow.test_text_from_outside_is_not_in_the_prefix_and_the_rest_is_labelled,
    ),
    Arrow(
        "document → delta",
        ((sources, "vet", sources_vetted),),
        flow.test_edits_during_a_conversation_bring_nothing_from_outside_into_the_delta_unlabelled,
    ),
    Arrow(
        "prompt → session",
        ((turn.TurnRunner, "_taint", nothing),),
        flow.test_a_guests_words_taint_the_owners_conversation_that_recalls_them,
    ),
    Arrow(
        "guest → session",
        (
            (session_log, "speaker_of", own),
            (session, "speaker_of", own),
            (turn, "speaker_of", own),
            (origin, "speaker_of", own),
        ),
        flow.test_a_guests_words_paraphrased_stay_the_guests,
    ),
    Arrow("shown → session", ((turn, "shown", lambda _: ""),), flow.test_what_the_owner_shows_taints_as_an_import_does),
    Arrow(
        "session → note", ((notes, "concluded_in", agents),), flow.test_a_note_of_a_guests_conversation_is_the_guests
    ),
    Arrow(
        "session → flush",
        ((flushing, "taint_of", own),),
        flow.test_the_silent_turn_before_compaction_writes_no_better_than_what_was_read,
    ),
    Arrow("session → summary", ((turns, "labelled", first),), flow.test_a_summary_is_labelled_with_what_it_rests_on),
    Arrow(
        "result → history",
        ((turns, "labelled", first), (loop, "labelled", first)),
        flow.test_a_result_from_outside_is_labelled_in_this_turn_and_in_the_next,
    ),
    Arrow("session → job's log", ((deeds, "concluded_in", agents),), flow.test_a_job_that_read_a_page_logs_no_better),
    Arrow(
        "sub-agent → report",
        ((keeping.TurnRecorder, "__init__", deaf_keeper),),
        flow.test_what_a_sub_agent_read_comes_back_with_its_report,
    ),
    Arrow("session → keeper", ((keeper_context, "concluded", lambda _: AGENT),), of_a_mind),
    Arrow("shown → evidence", ((keeper_context, "_is_all_said", lambda _: True),), of_a_message),
    Arrow("sessions → Memory Miner", ((keeper_context.KeeperContext, "concluded_from", lambda *_: AGENT),), of_a_night),
    Arrow(
        "wish → core",
        ((remembering, "asks_to_remember", lambda _: True),),
        flow.test_the_model_does_not_say_that_the_owner_asked_to_remember,
    ),
    Arrow("agent → core", ((promotion, "_AWAY", {}),), of_a_promotion),
    Arrow(
        "message → memory_write",
        ((origin, "is_stated", lambda words, message: fold(words).strip(" .") in fold(message)),),
        flow.test_a_cut_out_of_a_sentence_is_not_the_owners,
    ),
    Arrow(
        "question → memory_write",
        ((statements, "stated", lambda message: (message,)),),
        flow.test_a_question_of_the_owners_is_no_statement,
    ),
    Arrow(
        "category → memory_write",
        ((remembering, "_category", first),),
        flow.test_the_model_does_not_choose_the_category_of_the_runtime,
    ),
    Arrow(
        "taint → memory_write",
        ((origin, "concluded_in", agents),),
        flow.test_an_import_that_was_found_cannot_be_rewritten_as_the_agents,
    ),
    Arrow(
        "taint → memory_correct",
        ((remembering, "OWN", "web"),),
        flow.test_a_statement_about_something_else_closes_nothing_once_a_page_was_read,
    ),
    Arrow(
        "words → memory_correct",
        ((remembering, "rank", lambda _: 5),),
        flow.test_an_untainted_model_cannot_word_a_correction_either,
    ),
    Arrow(
        "taint → memory_forget",
        ((forgetting, "OWN", "web"),),
        flow.test_a_page_that_was_read_does_not_choose_what_is_forgotten,
    ),
    Arrow(
        "entry → correction",
        ((correcting, "rank", lambda _: 5),),
        flow.test_a_correction_takes_no_words_of_a_page_along,
    ),
    Arrow("writer → file", ((FileOrigins, "note", nothing),), flow.test_a_plain_file_is_as_trusted_as_who_wrote_it),
    Arrow("file → edit", ((files, "weaker", first),), flow.test_an_edit_keeps_what_the_rest_of_the_file_is_worth),
    Arrow("file → reader", ((files, "source_of_file", hand),), flow.test_a_plain_file_is_as_trusted_as_who_wrote_it),
    Arrow(
        "copy → reader",
        ((FileOrigins, "of_content", lambda *_: ()),),
        flow.test_a_copy_of_a_page_under_another_name_is_known,
    ),
    Arrow(
        "model's file → entry",
        ((commands.MemoryCommands, "_signed", unsigned), (FileOrigins, "of_text", lambda *_: ())),
        of_files(model_files.test_in_a_conversation_with_a_page_they_are_the_pages),
    ),
    Arrow(
        "model's file → edit",
        ((model_documents, "weaker", first),),
        of_files(model_files.test_an_edit_does_not_make_the_words_of_a_page_the_agents),
    ),
    Arrow(
        "model's file → reader",
        ((FileOrigins, "of_lines", lambda *_: {}),),
        of_files(model_files.test_what_is_viewed_tells_whose_words_it_holds_headings_included),
    ),
    Arrow(
        "model's file → copy",
        ((FileOrigins, "of_text", lambda *_: ()),),
        of_files(model_files.test_a_copy_that_a_person_or_a_sync_makes_is_no_hands),
    ),
    Arrow(
        "memory_search → result",
        ((recalling, "taint_of", own),),
        flow.test_an_import_that_was_found_cannot_be_rewritten_as_the_agents,
    ),
    Arrow(
        "memory_get → result",
        ((recalling, "sources_of_lines", lambda *_: []),),
        flow.test_lines_of_memory_that_a_page_wrote_taint_whoever_reads_them,
    ),
    Arrow(
        "import → entry",
        ((importing, "brought", trust.brought_back),),
        flow.test_an_import_is_an_import_whatever_it_claims,
    ),
    Arrow(
        "vouching → entry",
        ((adoption, "_provenance_record", owned), (adoption, "_is_imported", lambda *_: True)),
        flow.test_vouching_makes_nothing_of_the_web_the_owners,
    ),
    Arrow(
        "comment → mentions",
        ((catalog, "believed", believed),),
        flow.test_only_a_vouched_comment_says_how_often_something_was_said,
    ),
    Arrow("lineage → trust", ((memory, "weakest_source", lambda entry, _: entry.source),), of_a_lineage),
)


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: arrow.name)
def test_without_its_rule_an_arrow_lets_trust_rise(
    arrow: Arrow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for where, name, instead in arrow.cut:
        monkeypatch.setattr(where, name, instead)
    with pytest.raises(AssertionError):
        arrow.check(tmp_path)


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: arrow.name)
def test_with_its_rule_it_does_not(arrow: Arrow, tmp_path: Path) -> None:
    arrow.check(tmp_path)


def test_every_arrow_is_on_the_page_and_every_arrow_of_the_page_is_here() -> None:
    rows = [line.split("|")[1].strip() for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    told = {name for name in rows if "→" in name}
    assert told == {arrow.name for arrow in ARROWS}
