"""Train the ranker of search across kinds of text and write its numbers.

usage: python -m tools.train_recall --data DIR [--lives DIR] [--out FILE] [--questions N] [--left-out DIR] [--measure FILE]
       [--better] [--sealed]

DIR holds the sets of `make bench-recall`. Nothing of them is copied: what is written are at most two hundred numbers. --left-out also
learns without each set in turn, prints what it then finds there and writes DIR/NAME.json for `tools.bench_recall --rankers DIR`. --measure
FILE learns nothing and prints what the numbers in FILE find: `choose` are sets that they were not learnt from. With --sealed it
measures the sealed sets alone: once, when all has been decided. --better makes the vectors of the better model first, which takes an
hour, and learns the second stage from them. Without it that part of the file stays as it is, unless such vectors are in --keep already.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from tools.bench_recall.running import say
from tools.bench_recall.sets import READERS, Dataset, load_sets, thin_out
from tools.bench_recall.systems import House
from tools.train_recall.collecting import Asked, beside_meaning, collect
from tools.train_recall.life_stores import life_sets
from tools.train_recall.lives import Part
from tools.train_recall.ranker import family, figures, learn, learn_second
from tools.train_recall.written_stores import written_sets

from everself.search._weights import Model, load_model, load_second, read_model
from everself.search.ranking import STAGE
from everself.testing.embedder import forbid_model_calls

_RANKER = Path(__file__).parents[2] / "src" / "everself" / "search" / "ranker.json"
_CORPORA = Path(__file__).parents[2] / "tests" / "corpora"
_LIVES = _CORPORA / "lives"
_WRITTEN = _CORPORA / "pages_and_preferences"
# the day from which "yesterday" in a question is counted
_TODAY = date(2025, 1, 1)
_MOST_NUMBERS = 200


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    if chosen.sealed:
        every = _own(chosen, "sealed")
    else:
        every = [*load_sets(Path(chosen.data), tuple(READERS)), *_own(chosen, "train"), *_own(chosen, "choose")]
    asked = _collected([thin_out(one, chosen.questions) for one in every], chosen)
    if chosen.measure:
        text = Path(chosen.measure).read_text(encoding="utf-8")
        beside = [beside_meaning(one) for one in asked]
        _show(f"as {Path(chosen.measure).name} has it", beside, read_model(text, meaning=True))
        return 0
    learning = [one for one in asked if family(one.dataset) != "choose"]
    if chosen.left_out:
        _leave_out(asked, learning, Path(chosen.left_out))
    models = _learn(learning)
    beside = [beside_meaning(one) for one in asked]
    for name, read in (("meaning", beside), ("words", asked)):
        _show(f"{name}, on what it was learnt from", read, models[name])
    _show("second stage, on what it was learnt from", _with_second(beside), models["meaning"], models["second"])
    Path(chosen.out).write_text(render(models), encoding="utf-8")
    say(f"Written: {chosen.out}")
    return 0


def _own(chosen: argparse.Namespace, part: Part) -> list[Dataset]:
    """What was written for this project."""
    return [*life_sets(Path(chosen.lives), part), *written_sets(Path(chosen.written), part)]


def _learn(asked: Sequence[Asked]) -> dict[str, Model]:
    beside = [beside_meaning(one) for one in asked]
    models = {"meaning": learn(beside, meaning=True), "words": learn(asked, meaning=False)}
    return {**models, "second": learn_second(beside, models["meaning"]) or _moved(load_second(), models["meaning"])}


def _moved(second: Model, first: Model) -> Model:
    """The second stage of the file, which was learnt with the file's first stage: its middle moves with that of another first stage."""
    by = second.level.get(STAGE, 1.0) * (first.middle - load_model(meaning=True).middle)
    return Model(second.order, second.level, round(second.middle + by, 3), second.slope)


def _with_second(asked: Sequence[Asked]) -> list[Asked]:
    return [one for one in asked if one.second is not None]


def render(models: dict[str, Model]) -> str:
    told = {
        name: {"order": model.order, "level": model.level, "middle": model.middle, "slope": model.slope}
        for name, model in models.items()
    }
    count = sum(len(model.order) + len(model.level) + 2 for model in models.values())
    if count > _MOST_NUMBERS:
        raise ValueError(f"{count} numbers are more than the {_MOST_NUMBERS} that may be learnt from shared sets.")
    return json.dumps(told, indent=1) + "\n"


def _collected(datasets: Sequence[Dataset], chosen: argparse.Namespace) -> list[Asked]:
    """`--keep`: a folder outside the repository where the embedded workspaces are kept for the next run."""
    if not chosen.keep:
        with tempfile.TemporaryDirectory(prefix="everself-train-") as folder:
            return _collected(datasets, argparse.Namespace(keep=folder, better=chosen.better))
    place = Path(chosen.keep)
    house = House(place)
    if not (place / "everself").exists():
        place.mkdir(exist_ok=True)
        house.found([store for one in datasets for store in one.stores])
    found: list[Asked] = []
    with forbid_model_calls():
        for one in datasets:
            found += collect(one, place, _TODAY, better=chosen.better)
            say(f"{one.name}: {one.asked} questions")
    return found


def _leave_out(asked: Sequence[Asked], learning: Sequence[Asked], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in dict.fromkeys(family(one.dataset) for one in asked):
        if name == "train":
            continue
        others = [one for one in learning if family(one.dataset) != name]
        models = _learn(others)
        (folder / f"{name}.json").write_text(render(models), encoding="utf-8")
        mine = [beside_meaning(one) for one in asked if family(one.dataset) == name]
        _show("left out", mine, models["meaning"])
        _show("left out, second stage", _with_second(mine), models["meaning"], models["second"])


def _show(title: str, asked: Sequence[Asked], model: Model, second: Model | None = None) -> None:
    for name, found in figures(asked, model, second).items():
        print(f"{title}: {name:16} hit@1 {found.hit:.3f}  recall@10 {found.recall:.3f}", flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.train_recall", description="Learn the ranker of search.")
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder with the shared sets")
    parser.add_argument("--lives", default=str(_LIVES), metavar="DIR", help="the invented lives")
    parser.add_argument("--written", default=str(_WRITTEN), metavar="DIR", help="the pages and preferences")
    parser.add_argument("--out", default=str(_RANKER), metavar="FILE", help="where the numbers are written")
    parser.add_argument("--questions", type=int, default=500, metavar="N", help="at most so many of each set")
    parser.add_argument("--keep", default="", metavar="FILE", help="a folder outside the repository for the workspaces")
    parser.add_argument(
        "--measure", default="", metavar="FILE", help="learn nothing; say what the numbers in FILE find"
    )
    parser.add_argument("--better", action="store_true", help="make the better model's vectors first")
    parser.add_argument("--left-out", default="", metavar="DIR", help="learn without each set in turn, too, into DIR")
    parser.add_argument("--sealed", action="store_true", help="with --measure: the sealed sets, and no others")
    chosen = parser.parse_args(arguments)
    if chosen.sealed and not chosen.measure:
        parser.error("--sealed is for measuring: name the numbers with --measure FILE")
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
