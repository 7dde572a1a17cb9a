"""Jobs and keepers as the owner runs them at a terminal, for tests that are about what they do."""

from everself.keepers.keeper import RunReport
from everself.keepers.scheduler import TickResult
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.jobs import JobRequest
from everself.operations.jobs import run_job as run
from everself.operations.jobs import tick as run_due
from everself.operations.keepers import KeeperRequest
from everself.operations.keepers import run_keeper as keep
from everself.runtime import Runtime
from everself.values import JobRun


def run_job(app: Runtime, name: str) -> JobRun:
    return run(app, AT_TERMINAL, JobRequest(name=name))


def tick(app: Runtime) -> TickResult:
    return run_due(app, AT_TERMINAL, NoRequest()).done


def run_keeper(app: Runtime, name: str) -> RunReport:
    return keep(app, AT_TERMINAL, KeeperRequest(name=name))
