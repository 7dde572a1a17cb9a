"""What the fences let pass, each with its reason. An allowance that is no longer needed fails the tests."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """`items` are what the violations name: functions, names or libraries; one empty item is the whole file."""

    rule: str
    file: str
    items: tuple[str, ...]
    reason: str


ALLOWED: tuple[Allowance, ...] = (
    Allowance(
        "broad-excepts",
        "workspace/watch.py",
        ("_Watcher._tell",),
        "the fence of the watcher: a reaction of somebody else's that fails is reported and does not end the watch",
    ),
    Allowance(
        "broad-excepts",
        "keepers/scheduler.py",
        ("Scheduler._carry_out",),
        "the fence of the job worker: what breaks in a job is written down as its failure and does not end the others",
    ),
    Allowance(
        "broad-excepts",
        "models/plugins.py",
        ("fenced",),
        "the fence around packages of others: what they raise becomes an error that names the package",
    ),
    Allowance(
        "broad-excepts",
        "interfaces/cli/entry.py",
        ("run",),
        "the outermost fence of the command line: a mistake of ours becomes words and an exit code, never a traceback",
    ),
    Allowance(
        "broad-excepts",
        "interfaces/http/guard.py",
        ("Guard.__call__",),
        "the fence of the gateway: a mistake of ours ends one request with a code, not the process",
    ),
    Allowance(
        "broad-excepts",
        "interfaces/http/job_runner.py",
        ("JobRunner.run", "JobRunner._work"),
        "the fence of the gateway's loop: what breaks for one agent is logged and tried again, and the jobs of the others go on",
    ),
    Allowance(
        "broad-excepts",
        "interfaces/client_hooks/entry.py",
        ("Hook.work",),
        "the fence of a coding agent's hook: whatever is wrong here, the client's own turn goes on",
    ),
    Allowance(
        "broad-excepts",
        "interfaces/mcp/server.py",
        ("_handle",),
        "the fence of the MCP server: a mistake of ours ends one request, and its words do not reach the client",
    ),
    Allowance(
        "paths",
        "conversation/tools/outside/_pipe_reader.py",
        ("open",),
        "the reading end of a pipe, by its number: asyncio wants a file, and there is no path",
    ),
    Allowance(
        "hidden-imports",
        "interfaces/rendering/view.py",
        ("view_of",),
        "the view of an operation stands in the module named like the operation's own, and is loaded when there is a result to show",
    ),
    Allowance(
        "hidden-imports",
        "interfaces/cli/root.py",
        ("Root.get_command",),
        "a table names the module of each group of commands, so that `--help` loads none of them",
    ),
    Allowance(
        "hidden-imports",
        "operations/registry.py",
        ("get_operation",),
        "the generated index names the module of an operation, so that `--help` loads none of them",
    ),
    Allowance(
        "logs",
        "interfaces/cli/log_output.py",
        ("logging.getLogger",),
        "sets levels by name, and logs nothing itself",
    ),
    Allowance(
        "logs",
        "interfaces/http/access_log.py",
        ("logging.getLogger",),
        "adds a handler to our own loggers and silences those of the server, whose records hold traces",
    ),
    Allowance("logs", "models/chat/vendors.py", ("logging.getLogger",), "silences a vendor's own logger"),
    Allowance(
        "logs",
        "conversation/tools/outside/mcp/_connection.py",
        ("logging.getLogger",),
        "silences the loggers of the library",
    ),
    Allowance("logs", "interfaces/mcp/server.py", ("logging.getLogger",), "silences the loggers of the library"),
    Allowance("stamps", "storage/journal.py", ("ProvenanceRecord",), "reads back what an intent was written with"),
    Allowance("stamps", "storage/state/provenance.py", ("ProvenanceRecord",), "reads back what is on record"),
    Allowance("stamps", "memory/undo.py", ("ProvenanceRecord",), "undoing brings back what was on record before"),
    Allowance(
        "writers",
        "memory/corrections.py",
        ("log_correction",),
        "the record of a correction, whose origin `correct` has",
    ),
    Allowance("writers", "memory/memory.py", ("supersede",), "takes two ids and no words"),
)
