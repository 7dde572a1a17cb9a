"""R12 over memory: what is remembered stands in the person's day, under the time on their wall, and is dated so. The C library judges."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from random import Random

from tests.trust.rows.r12 import (
    FIRST,
    LAST,
    PATIENCE,
    TRANSITION_STEP,
    chosen_zones,
    find_steps,
    judge_by,
    judged,
    moments_of,
    zone_folder,
)
from tests.trust.worlds import LightWorld

from everself.clock import Clock, find_zone
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of

# moments of each zone, drawn from those around its transitions and midnights
SAMPLE = 16


def live_through(zone: str, random: Random) -> int:
    judge_by(zone)
    moments = moments_of(list(find_steps(FIRST, LAST, TRANSITION_STEP, "offset")))
    now = [datetime.fromtimestamp(FIRST, UTC)]
    world = LightWorld(Clock(find_zone(zone), lambda: now[0]))
    try:
        chosen = sorted(random.sample(moments, min(SAMPLE, len(moments))))
        for number, moment in enumerate(chosen):
            now[0] = datetime.fromtimestamp(moment, UTC)
            day, wall, _ = judged(moment)
            explicit = number % 4 == 3
            done = world.mind.memory.remember(NewEntry(f"At {moment}.", origin_of("owner"), explicit=explicit))
            where = f"{zone} at {moment}"
            log = world.mind.bench.workspace.read(f"memory/{day}.md").data.decode()
            assert f"## [{wall}] note\n\n" in log, f"{where}: not under {wall}"
            assert (f"entry:{done.entry}" if explicit else f"At {moment}.") in log, f"{where}: not in the log of {day}"
            entry = world.mind.catalog.get(done.entry)
            assert (entry.day, entry.seen) == (day, day), f"{where}: dated {entry.day}, seen {entry.seen}, not {day}"
        return len(chosen)
    finally:
        world.close()


def judge_in_this_process(count: int, seed: int, start: int) -> dict[str, int]:
    zones = chosen_zones(seed)[start : start + count]
    return {"zones": len(zones), "moments": sum(live_through(zone, Random(f"{seed} {zone}")) for zone in zones)}


def run_r12_memory(count: int, seed: int, start: int = 0) -> str:
    """Remember in `count` zones from number `start` of the seed's order on."""
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.rows.r12_memory", str(count), str(seed), str(start)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONTZPATH": str(zone_folder())},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise AssertionError(f"R12 (memory) seed {seed}: {done.stderr.strip().rpartition('AssertionError: ')[2]}")
    told = json.loads(done.stdout)
    return f"R12 (memory) {told['zones']} zones, {told['moments']} moments, 0 entries in the wrong day, seed {seed}"


if __name__ == "__main__":
    print(json.dumps(judge_in_this_process(*(int(one) for one in sys.argv[1:4]))))
