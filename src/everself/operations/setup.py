"""Operation: setup of a new or existing agent, saved in the host file.

Checks where a workspace may be. The created documents are defined in `workspace.setup`.
"""

import os
from collections.abc import Iterator
from typing import Annotated, Final

from everself.config import AgentSettings, Config, Loaded, Places, load, read_host
from everself.config.host_edits import Edited, plan_set
from everself.config.installation import install_command
from everself.config.places import MAIN, is_agent_id
from everself.errors import RefusedByRule, UnsafePath, WrongUse
from everself.memory.adoption import AdoptionReport
from everself.operations.caller import Caller
from everself.operations.declaration import Option, Request, Result, terminal_writes
from everself.operations.home import Home
from everself.operations.memory import adopt_workspace
from everself.operations.settings import AGENT, need_utf8, save_edit
from everself.runtime import Runtime
from everself.storage.host_files import ensure_folder, is_inside
from everself.values import Applied, Conflict, FileKind, Refused
from everself.workspace.disk_workspace import DiskWorkspace, Recovery
from everself.workspace.setup import BOOTSTRAP, SETUP, plan_folders, plan_setup


class SetupReport(Result):
    """The result of setup. `change` is empty if nothing was missing."""

    agent: str
    workspace: str
    state: str
    created: tuple[str, ...]
    kept: int
    folders: tuple[str, ...]
    removed_by_you: tuple[str, ...]
    change: str = ""


def set_up(app: Runtime, *, restore: bool = False) -> SetupReport:
    """Create every missing file and folder. Files that a person removed stay removed unless `restore`."""
    target = app.agent.workspace
    if os.path.lexists(target) and not os.path.isdir(target):
        raise UnsafePath(f"{target} exists and is not a folder.", mend="everself setup --workspace PATH")
    ensure_folder(app.places.home)
    ensure_folder(target)
    workspace = app.workspace
    workspace.note_outside()
    for _ in range(5):
        existing = _names(workspace)
        over = app.ritual.is_over()
        removed = tuple(path for path in _removed(workspace, existing) if not (over and path == BOOTSTRAP))
        plan = plan_setup(existing, removed=removed, ritual_done=over, restore=restore)
        outcome = workspace.apply(plan) if plan else None
        if isinstance(outcome, Refused):
            raise RefusedByRule("; ".join(outcome.reasons))
        if not isinstance(outcome, Conflict):
            break
    folders = plan_folders(_names(workspace))
    workspace.make_folders(folders)
    # the present documents are accepted; later changes by others are detected
    app.integrity.look()
    created = outcome.paths if isinstance(outcome, Applied) else ()
    return SetupReport(
        agent=app.agent.id,
        workspace=target,
        state=app.agent.state,
        created=created,
        kept=sum(kind != "directory" for kind in existing.values()),
        folders=folders,
        removed_by_you=() if restore else removed,
        change=outcome.id if isinstance(outcome, Applied) else "",
    )


def _names(workspace: DiskWorkspace) -> dict[str, FileKind]:
    return {one.path: one.kind for one in workspace.walk()}


def _removed(workspace: DiskWorkspace, existing: dict[str, FileKind]) -> tuple[str, ...]:
    """Documents that an earlier setup created and that are gone."""
    made = [path for record in workspace.changes(limit=1_000_000) if record.reason == SETUP for path in record.paths]
    return tuple(sorted({path for path in made if path not in existing}))


_ELSEWHERE = "everself setup --workspace PATH"
FOLDER: Final = Option("The folder to use; remembered in the host file.", "PATH")


class SetupResult(Result):
    """The result of setup, the settings saved to the host file, and all documents.

    `adopted` describes a workspace that existed before this installation.
    """

    report: SetupReport
    remembered: tuple[str, ...]
    documents: tuple[str, ...]
    recovered: Recovery
    adopted: AdoptionReport | None = None
    host_file: str = ""
    # the command that installs it, if it would be used and is missing
    better_model: str = ""


class Prepared(Result):
    """An agent as it will be with `keys` in the host file. Nothing is created or written yet."""

    home: Home
    app: Runtime
    keys: dict[str, str]

    def remember(self) -> tuple[str, ...]:
        """Save the settings. Called last, so that an unusable folder is not saved."""
        if self.keys:
            save_edit(self.home, "agents.list", lambda host, secrets: _plan_all(host, secrets, self.keys))
        return tuple(self.keys)


class SetupRequest(Request):
    agent: Annotated[str, AGENT] = ""
    workspace: Annotated[str, FOLDER] = ""
    restore: Annotated[bool, Option("Create again what you removed since an earlier setup.")] = False


@terminal_writes(
    "setup",
    idempotent=True,
    on="home",
    question="{plan} Take them over as they are?",
    agreed_by=("adopt", "Take over a folder that already holds notes, without asking."),
    needs_yes="This folder holds notes already",
)
def set_up_agent(home: Home, caller: Caller, request: SetupRequest) -> SetupResult:
    """Create an agent's workspace, or its missing parts.

    No existing file is changed, and what you removed stays removed. A folder that already holds notes, such as a clone, is taken over after
    one question, or with --adopt.

    $ everself setup  # your agent, in its usual place
    $ everself setup --workspace ~/notes/agent  # in a folder of yours; what is there is not touched
    $ everself setup --workspace ~/clone --adopt  # a folder with notes in it, taken over as it is
    $ everself setup --agent aria  # one more agent, with a workspace of its own
    """
    prepared = prepare(home, request.agent, request.workspace)
    with prepared.app as app:
        adopted = adopt_workspace(app, caller)
        report = set_up(app, restore=request.restore)
        documents = tuple(one.path for one in app.workspace.list())
        recovered = app.recovered
    offer = _offer_better_model(prepared.app)
    return SetupResult(report, prepared.remember(), documents, recovered, adopted, home.places.host_file, offer)


def _offer_better_model(app: Runtime) -> str:
    from everself.models.embedding import misses_second

    return install_command("quality") if misses_second(app.agent.search, app.loaded.config.provider) else ""


def prepare(home: Home, agent: str, workspace: str) -> Prepared:
    """Determine the agent and its folders, without creating anything."""
    loaded = home.load()
    keys = dict(_plan_keys(loaded, agent, _absolute(loaded.config.places, workspace) if workspace else ""))
    planned = _with_keys(loaded, keys)
    chosen = planned.config.agent(agent)
    _check_place(planned.config, chosen)
    _check_move(loaded.config, chosen)
    return Prepared(home, Runtime(planned.config.places, planned, chosen), keys)


def _plan_keys(loaded: Loaded, agent: str, workspace: str) -> Iterator[tuple[str, str]]:
    """The settings that register the agent and its folder."""
    config = loaded.config
    known = {one.id for one in config.agents}
    if agent and agent not in known:
        if not is_agent_id(agent):
            raise WrongUse(
                f'"{agent[:64]}" cannot name an agent.', mend="Use letters, digits, - and _, a letter or digit first."
            )
        # an empty list means one agent; if it exists already, the list must name it or it would be lost
        if not loaded.reading.agents and agent != MAIN and os.path.isdir(config.agent(MAIN).state):
            yield f"agents.list.{MAIN}.id", MAIN
        yield f"agents.list.{agent}.id", agent
    if not workspace:
        return
    named = agent or config.agent().id
    usual = config.agent(named).workspace if named in known else config.places.default_workspace_of(named)
    if workspace != usual:
        yield f"agents.list.{named}.workspace", workspace


def _with_keys(loaded: Loaded, keys: dict[str, str]) -> Loaded:
    if not keys:
        return loaded
    places = loaded.config.places
    return load(places, _plan_all(read_host(places), None, keys).host, vault=loaded.vault)


def _plan_all(host: str | None, secrets: str | None, keys: dict[str, str]) -> Edited:
    for key, value in keys.items():
        host = plan_set(host, secrets, key, value).host
    return Edited(host or "")


def _absolute(places: Places, path: str) -> str:
    need_utf8(path)
    if "\0" in path:
        raise WrongUse("A path holds no NUL.")
    if path.startswith("~"):
        return places.expand(path, "--workspace")
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise WrongUse("The current folder is gone, so a relative path means nothing.", mend=_ELSEWHERE) from None


def _check_place(config: Config, agent: AgentSettings) -> None:
    """The whole workspace is read, watched and shown to models, so it must not overlap with private folders."""
    places, target = config.places, os.path.realpath(agent.workspace)
    for path in (agent.workspace, agent.state, places.key_folder):
        _check_folder(path)
    for path, what in ((places.user_home, "your home folder"), ("/", "the whole machine")):
        if path and target == os.path.realpath(path):
            raise RefusedByRule(f"{agent.workspace} is {what}; a workspace needs its own folder.", mend=_ELSEWHERE)
    for path, what in ((os.path.dirname(agent.state), "Everself keeps its state"), (places.key_folder, "the keys are")):
        if is_inside(target, path) or is_inside(path, target):
            raise RefusedByRule(f"{agent.workspace} and {path}, where {what}, must be apart.", mend=_ELSEWHERE)
    for other in config.agents:
        if other.id != agent.id and (is_inside(target, other.workspace) or is_inside(other.workspace, target)):
            raise RefusedByRule(
                f"{agent.workspace} and {other.workspace}, the workspace of {other.id}, must be apart.", mend=_ELSEWHERE
            )


def _check_move(config: Config, agent: AgentSettings) -> None:
    """An agent's state belongs to its workspace: it cannot use another folder while the old one exists."""
    before = next((one for one in config.agents if one.id == agent.id), agent)
    if before.workspace != agent.workspace and os.path.isdir(before.state) and os.path.isdir(before.workspace):
        raise RefusedByRule(
            f"The agent {agent.id} already lives in {before.workspace}.",
            mend=f"Move that folder to {agent.workspace} first, or add another agent: everself setup --agent NAME",
        )


def _check_folder(path: str) -> None:
    """Raises UnsafePath unless the path is a folder or can become one."""
    there = path
    while not os.path.lexists(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise UnsafePath(f"{there} exists and is not a folder.", mend=_ELSEWHERE)
