"""Older and newer statements in one workspace, each in the log of its day: does search rank the newer one first?"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.bench_judgement import baselines
from tools.bench_judgement.tasks import Case
from tools.bench_recall.layout import Turn, plain_day, session_document
from tools.bench_recall.sets import Store
from tools.bench_recall.systems import House

from everself.search.recall import RecallRequest
from everself.values import Hit

_DEPTH = 50


def rank_updates(updates: list[dict[str, Any]]) -> Iterator[Case]:
    """Yield two cases per update: whether the newer one ranks above the older, and whether it ranks first of all."""
    documents = []
    for number, told in enumerate(updates):
        for which in ("old", "new"):
            path = f"memory/{plain_day(told[f'{which}_date']).isoformat()}-update-{number}-{which}.md"
            content, _ = session_document(path, [Turn("user", told[which])])
            documents.append((path, content))
    store = Store("updates", tuple(documents), (), ())
    with tempfile.TemporaryDirectory(prefix="everself-judgement-") as folder:
        house = House(Path(folder))
        house.found([store])
        with house.open(store) as app:
            for number, told in enumerate(updates):
                request = RecallRequest(told["question"], limit=_DEPTH, min_score=0.0, recorded=False)
                hits = app.recall.search(request).hits
                places = [_place(hits, f"-update-{number}-{which}.md") for which in ("old", "new")]
                shared = [baselines.overlap(told["question"], told[which]) for which in ("old", "new")]
                yield Case("above the older", True, places[1] < places[0], shared[1] > shared[0])
                best = max(
                    baselines.overlap(told["question"], one[which]) for one in updates for which in ("old", "new")
                )
                yield Case("first of all", True, places[1] == 0, shared[1] == best)


def _place(hits: Sequence[Hit], ending: str) -> int:
    """The rank of a document. A hit stands for several if identical texts were merged: `also` lists the other places."""
    for at, hit in enumerate(hits):
        if any(place.partition("#")[0].endswith(ending) for place in (hit.path, *hit.also)):
            return at
    return _DEPTH
