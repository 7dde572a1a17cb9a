"""Lives the week, or its first parts, in the home that is named, and prints what came of it as JSON. A process of its own."""

import dataclasses
import json
import sys
from pathlib import Path

from tests.golden.life import begin
from tests.golden.normal import normal_case, render_files
from tests.golden.week import DAYS


def main(home: str, parts: str) -> None:
    life = begin(Path(home))
    for part in DAYS[: int(parts)]:
        part(life)
    cases = [normal_case(dataclasses.asdict(one), home) for one in life.cases]
    print(json.dumps({"cases": cases, "files": render_files(life.home)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
