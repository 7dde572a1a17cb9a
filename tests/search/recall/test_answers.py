"""A turn that says nothing alone comes back with the turn it answers, to whoever may see both."""

from pathlib import Path

from tests.search.recall.world import Searchable, searchable

from everself.config.sections import Ranking
from everself.search.recall import RecallRequest
from everself.search.scopes import Scope, SessionKind

TALK = """# Talk

**Anna:** Where will you spend the winter, and with whom?
**Ben:** In Rome!
**Anna:** That sounds wonderful, I would love to see the old city one day with my sister.
**Ben:** The flat in Trastevere has two rooms and a balcony above the bakery on the corner.
"""


def test_a_short_answer_comes_with_its_question(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01-talk.md", TALK)
        hit = next(one for one in world.search("Rome").hits if "In Rome!" in one.text)
        assert hit.text == "**Anna:** Where will you spend the winter, and with whom?\n**Ben:** In Rome!"
        assert (hit.first_line, hit.last_line) == (3, 4)


def test_what_says_enough_or_answers_no_question_comes_alone(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01-talk.md", TALK)
        hit = next(one for one in world.search("balcony bakery").hits if "balcony" in one.text)
        assert hit.text.startswith("**Ben:** The flat")
        world.write("memory/notes.md", "- Where is the key?\n- Under the pot!\n")
        assert "Under the pot!" in world.texts("pot")


def test_a_question_of_another_file_does_not_come(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01-a.md", "# A\n\n**Anna:** Hello there, dear Ben.\n**Anna:** Where will you go?\n")
        world.write("memory/2026-03-02-b.md", "# B\n\n**Ben:** In Rome!\n**Anna:** Good.\n")
        assert "**Ben:** In Rome!" in world.texts("Rome")


def found(world: Searchable, request: RecallRequest | None = None) -> list[str]:
    return [hit.text for hit in world.search("Rome", request).hits]


def test_a_session_that_may_not_see_the_question_gets_the_answer_alone(tmp_path: Path) -> None:
    guest = RecallRequest("x", scope=Scope(SessionKind.GUEST, "max"))
    with searchable(tmp_path) as world:
        world.write("users/max/memory/2026-03-01-talk.md", TALK)
        assert any("Where will" in text for text in found(world, guest))
        own = (
            "# Talk\n\n## Between us\n\n**Anna:** Hello Ben, dear.\n**Anna:** Where is the secret winter?\n\n"
            "## In company\n<!-- share: group -->\n\n**Ben:** In Rome!\n**Anna:** Good for you, Ben.\n"
        )
        world.write("memory/2026-03-01-own.md", own)
        group = found(world, RecallRequest("x", scope=Scope(SessionKind.GROUP)))
        assert any("In Rome!" in text for text in group)
        assert not any("secret" in text for text in group)
        assert any("secret" in text for text in found(world))


def test_seeds_formula_returns_what_it_always_did(tmp_path: Path) -> None:
    with searchable(tmp_path) as world:
        world.write("memory/2026-03-01-talk.md", TALK)
        assert "**Ben:** In Rome!" in world.texts("Rome", RecallRequest("x", ranking=Ranking.TFIDF))
