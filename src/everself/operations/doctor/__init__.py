"""Operation: doctor. Examines everything an agent depends on, reports problems, and repairs what is safe to repair.

Works on any state, however broken. Without `fix` it changes nothing.
"""

from typing import Annotated

from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, owner_writes
from everself.operations.doctor.examination import DoctorReport, examine
from everself.operations.home import Home

__all__ = ["DoctorReport", "DoctorRequest", "examine", "examine_agent"]


class DoctorRequest(Request):
    fix: Annotated[bool, Option("Fix what can be fixed without your decision.")] = False
    agent: Annotated[str, Option("The agent to use, if there are several.", "NAME")] = ""


@owner_writes(
    "doctor",
    # an agent that cannot be opened is examined as well
    on="home",
)
def examine_agent(home: Home, _: Caller, request: DoctorRequest) -> DoctorReport:
    """Find problems, and say how to fix them.

    The exit code is 0 when all is well, 6 when there are warnings, 1 when there are errors.

    $ everself doctor  # look, and change nothing
    $ everself doctor --fix  # fix what needs no decision of yours
    """
    return examine(request.agent, fix=request.fix, environ=home.environ)
