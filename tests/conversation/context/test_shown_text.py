"""What a model is shown of a document: words, and none of what is only for Everself or for whoever fills in a form."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conversation.context.tables import SOUL, TODAY, Table, hit, profile

from everself.config.sections import Tunables
from everself.conversation.context._shown_text import beyond_template, shown_text, without_gaps
from everself.conversation.context.budget import Slot
from everself.conversation.context.request import COMPACT_TOKENS, SMALL_WINDOW
from everself.text.tokens import count
from everself.workspace.setup import templates

FORM = "# User\n\n<!-- Fill this in. -->\n\n- **Name:** Robin\n- **Pronouns:** _(they will say)_\n- **Languages:** _(which)_\n"


def home(**files: str) -> dict[str, str]:
    names = ("AGENTS.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md")
    return {**dict.fromkeys(names, "# Title\n\n- Something.\n"), "SOUL.md": SOUL, **files}


def shown(path: str, text: str) -> str:
    data = shown_text(path, text.encode())
    assert data.count(b"\n") == text.count("\n"), "citations use line numbers"
    return data.decode()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- b --> c\n", "a  c\n"),
        ("- Tea. <!-- was: “coffee” -->\n", "- Tea.\n"),
        ("<!-- one\ntwo -->\nthree\n", "\n\nthree\n"),
        ("## In company\n<!-- share: group -->\n\nQuiet.\n", "## In company\n\n\nQuiet.\n"),
        # a comment in code is text
        ("```\n<!-- kept -->\n```\n", "```\n<!-- kept -->\n```\n"),
        ("    <!-- kept -->\n", "    <!-- kept -->\n"),
        ("Write `<!-- kept -->` so.\n", "Write `<!-- kept -->` so.\n"),
        ("A tick ` and <!-- gone --> on.\n", "A tick ` and  on.\n"),
        # what is never closed hides nothing
        ("before <!-- open\nafter\n", "before <!-- open\nafter\n"),
        # Everself's own tell where an entry ends, and go when the document is laid out
        ("- Tea. <!-- everself: id=1G8RAGTCKY0P -->\n", "- Tea. <!-- everself: id=1G8RAGTCKY0P -->\n"),
        (
            "<!-- observed: 2026-03-01 | status: superseded -->\n- Prefer tea.\n",
            "(superseded)\n- Prefer tea.\n",
        ),
    ],
)
def test_comments_are_no_words(text: str, left: str) -> None:
    assert shown("AGENTS.md", text) == left


def test_what_nobody_filled_in_is_named_on_one_line() -> None:
    assert shown("USER.md", FORM) == "# User\n\n\n\n- **Name:** Robin\n\n(Not known yet: pronouns, languages.)\n"
    # elsewhere a value in brackets is a value
    assert shown("TOOLS.md", "- **nas:** _(under the stairs)_\n") == "- **nas:** _(under the stairs)_\n"
    # a label behind it does not fill it in
    assert "they will say" not in shown("USER.md", "- **Pronouns:** _(they will say)_ [hand]\n")
    assert shown("USER.md", "- **Pronouns:** _(they will say)_ she\n") == "- **Pronouns:** _(they will say)_ she\n"


def test_a_correction_is_what_was_said_and_what_is_right() -> None:
    record = "## [09:12:00] correction on 2026-03-17\n\n- **Said:** Monday.\n- **Right:** Tuesday.\n- **Trigger:** no\n"
    record += "- **Entries:** entry:A → entry:B\n- **Re-embedded:** true\n"
    left = shown("CORRECTIONS.md", record)
    assert "Said" in left
    assert "Right" in left
    assert not any(word in left for word in ("Trigger", "Entries", "Re-embedded"))
    assert shown("MEMORY.md", "- **Trigger:** the red lamp\n") == "- **Trigger:** the red lamp\n"


def test_a_line_of_a_log_that_only_says_where_an_entry_went_is_left_out() -> None:
    log = "# Memory Log\n\n## [09:00:00] correction\n\n→ MEMORY.md (entry:GD38B7BTYWGA)\n\n## [10:00:00] note\n\nTea.\n"
    left = shown("memory/2026-03-19.md", log)
    assert "entry:" not in left
    assert "09:00:00" not in left
    assert "10:00:00" in left
    # a heading with more below it stays
    mixed = "## [09:00:00] note\n\n→ MEMORY.md (entry:GD38B7BTYWGA)\n\nAnd this.\n"
    assert "09:00:00" in shown("memory/2026-03-19.md", mixed)


def test_a_correction_that_stands_in_the_prompt_is_not_recalled_once_more() -> None:
    record = "- **Said:** Monday.\n- **Right:** Tuesday.\n- **Trigger:** no\n- **Re-embedded:** true"
    log = f"# Corrections\n\n## [09:12:00] correction on 2026-03-17\n\n{record}\n"
    table = Table(home(**{"CORRECTIONS.md": log}), hits=(hit(record, "CORRECTIONS.md", 5),))
    made = table.assemble(message="When is it?")
    assert made.text.count("**Right:** Tuesday.") == 1
    assert [one.reason for one in made.receipt.not_recalled] == ["already in the prompt"]
    # one that came since the conversation began is told in the same words
    later = log.replace("Tuesday", "Wednesday").replace("true", "false")
    table.files["CORRECTIONS.md"] = later
    told = table.assemble(message="When is it?", prefix=made.prefix).delta
    assert "Wednesday" in told
    assert "Re-embedded" not in told
    # that it was embedded again is no news
    table.files["CORRECTIONS.md"] = log.replace("true", "false")
    assert "CORRECTIONS.md" not in table.assemble(prefix=made.prefix).delta


def test_blank_lines_do_not_stand_in_rows_but_for_those_in_a_fence() -> None:
    assert without_gaps("a\n\n\n\nb\n") == "a\n\nb\n"
    assert without_gaps("```\na\n\n\nb\n```\n\n\nc") == "```\na\n\n\nb\n```\n\nc"


def test_beyond_its_template_a_file_is_what_was_added() -> None:
    rules = dict(templates())["AGENTS.md"]
    assert not beyond_template("AGENTS.md", shown_text("AGENTS.md", rules)).strip()
    added = rules + b"\n- No meetings on Friday.\n"
    left = beyond_template("AGENTS.md", shown_text("AGENTS.md", added))
    assert left.split(b"\n")[-4:] == [b"", b"", b"- No meetings on Friday.", b""]
    assert left.split() == b"## Our own rules - No meetings on Friday.".split()


def test_the_prompt_of_a_new_workspace_holds_no_form_no_comment_and_each_rule_once() -> None:
    files = {path: text.decode() for path, text in templates() if "/" not in path}
    said = Table(home(**files)).assemble().text
    assert "<!--" not in said
    assert "_(" not in said
    assert said.count("`memory_search`, then") == 1
    assert "\n>\n" not in said


def test_a_block_larger_than_its_room_is_cut_at_a_line_and_the_gap_is_named() -> None:
    rules = "# Rules\n\n" + "\n".join(f"Rule number {at} of the house is to close the gate." for at in range(2_000))
    made = Table(home(**{"AGENTS.md": rules})).assemble()
    said = made.text.partition("## AGENTS.md")[2].partition("\n## TOOLS.md")[0]
    assert 19_000 < len(said.strip()) <= 20_000
    assert "Rule number 0 of" in said
    last = max(at for at in range(2_000) if f"Rule number {at} of" in said)
    gap = next(one for one in made.receipt.omissions if one.path == "AGENTS.md")
    assert gap.lines == (3 + last + 1, 2_002)
    assert f"AGENTS.md lines {3 + last + 1}–2002" in made.text


def test_a_fence_that_is_cut_is_closed() -> None:
    rules = "# Rules\n\n```\n" + "\n".join(f"step {at} of the script" for at in range(2_000)) + "\n```\n"
    said = Table(home(**{"AGENTS.md": rules})).assemble().text
    assert "step 0 of" in said
    assert said.count("```") == 2
    assert said.index("\n## TOOLS.md") > said.rindex("```")


def test_an_entry_of_memory_is_never_cut() -> None:
    long = "- One fact.\n- " + "\n  ".join(f"line {at} of one long entry" for at in range(900)) + "\n"
    said = Table(home(**{"MEMORY.md": long}), replace(Tunables(), context_budget_tokens=2_000)).assemble().text
    assert "One fact." in said
    assert "line 0 of one long entry" not in said
    # nor where files stand as they are
    said = Table(home(**{"MEMORY.md": long}), limits=profile("verbatim")).assemble().text
    assert "One fact." in said
    assert "line 0 of one long entry" not in said


def test_a_small_window_gets_a_compact_prompt() -> None:
    files = {path: text.decode() for path, text in templates() if "/" not in path}
    files["AGENTS.md"] += "\n- No meetings on Friday.\n"
    files["MEMORY.md"] += "".join(f"- Jar number {at} of the honey went to a neighbour.\n" for at in range(300))
    log = "".join(f"\n## [09:{at:02}:00] note\n\nThe extractor turned {at} times.\n" for at in range(60))
    files[TODAY] = f"# Memory Log: 2026-03-19\n{log}"
    files["USER.md"] += "".join(f"- Likes the tea number {at} of the shop.\n" for at in range(80))
    small = Table(home(**files)).assemble(window=8_192)
    beside = sum(part.tokens for part in small.receipt.parts if part.name in ("soul", "base", "files"))
    assert beside <= COMPACT_TOKENS
    assert "No meetings on Friday." in small.text
    assert sum(part.tokens for part in small.receipt.parts if part.name == "memory") <= 8_192 // 6
    # what recall may use is kept free in proportion
    assert small.prefix.kept[Slot.SEMANTIC] > 200
    large = Table(home(**files)).assemble(window=SMALL_WINDOW)
    assert count(large.prefix.text) > 2 * count(small.prefix.text)
    assert "Write to files, not mental notes" in large.text


def test_rules_of_ones_own_are_cut_to_what_a_compact_prompt_holds() -> None:
    rules = "# Rules\n\n" + "".join(f"- Rule number {at} of the house is to close the gate.\n" for at in range(400))
    made = Table(home(**{"AGENTS.md": rules})).assemble(window=8_192)
    assert sum(part.tokens for part in made.receipt.parts if part.name in ("soul", "base", "files")) <= COMPACT_TOKENS
    assert "Rule number 0 " in made.text
    assert "AGENTS.md lines" in made.text


def test_a_model_without_tools_is_told_of_none() -> None:
    said = Table(home()).assemble(window=SMALL_WINDOW, tools=False).text
    assert "memory_search" not in said
    assert "memory_get" not in said
    assert "you have no tools" in said


def test_every_text_of_the_base_prompt_is_used() -> None:
    folder = Path(__file__).parents[3] / "src/everself/conversation/context"
    code = (folder / "_prompt.py").read_text("utf-8")
    assert all(f'"{one.stem}"' in code for one in (folder / "prompts").glob("*.md"))
