"""What a correction is worth is what CONFIG.md says, and the explanation of a search shows it."""

from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.config.sections import Tunables
from everself.operations.caller import AT_TERMINAL
from everself.operations.search import SearchRequest, WhyRequest, explain_search, search_memory
from everself.operations.setup import set_up
from everself.storage.state.searches import HitRecord

USUAL = Tunables().correction_relevance_boost


def explained(boost: float) -> tuple[float, list[float]]:
    """The score that a correction was found with, and what the explanation says it is worth."""
    with open_runtime() as app:
        if not Path(app.agent.workspace, "SOUL.md").exists():
            set_up(app)
            log = Path(app.agent.workspace, "memory", "2026-03-18.md")
            log.parent.mkdir(exist_ok=True)
            log.write_text(
                "# 2026-03-18\n\n- The kiln fires pots at nine hundred degrees <!-- everself: id=0123456789AC tag=correction -->\n"
                "- The glaze dries for a day beside the window\n",
                "utf-8",
            )
        config = Path(app.agent.workspace, "CONFIG.md")
        lines = config.read_text("utf-8").splitlines()
        name = "correction_relevance_boost:"
        changed = [f"{name} {boost}" if line.startswith(name) else line for line in lines]
        config.write_text("\n".join(changed), "utf-8")
    with open_runtime() as app:
        answer = search_memory(
            app, AT_TERMINAL, SearchRequest(query="what dries the clay beside a kiln", min_score=0.0)
        )
        return told(explain_search(app, AT_TERMINAL, WhyRequest(search=answer.id)).hits)


def told(hits: tuple[HitRecord, ...]) -> tuple[float, list[float]]:
    found = next(one for one in hits if one.first_line == 3)
    return found.score, [value for name, value in found.parts if name == "correction"]


def test_the_boost_of_config_md_decides_the_explained_score() -> None:
    (plain, nothing), (usual, half), (most, thrice) = explained(1), explained(USUAL), explained(3)
    assert (nothing, half, thrice) == ([], [1.5], [3.0])
    assert usual == pytest.approx(1.5 * plain)
    # nobody is surer than sure
    assert most == pytest.approx(min(1.0, 3 * plain))
    assert plain < usual < most
