"""Whatever a page tells a reader to type is run or checked: a new block that is neither fails here.

`console` blocks are run by test_console_blocks.py. Commands of other blocks and of sentences are parsed against the real
commands, options, make targets and settings; settings and Python are read by what reads them for a user.
"""

import importlib.util
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args

import click
import pytest
import ruamel.yaml
from tests.docs.fences import PAGES, TOP, Fence, all_fences, commands, indented_commands, inline_code

from everself.config import find_places
from everself.config.host_edits import set_key
from everself.config.loading import check
from everself.config.plugins import EMBEDDERS, MODELS
from everself.config.sections import Tunables
from everself.conversation.sessions.client_sessions import ClientName
from everself.errors import EverselfError
from everself.interfaces.cli.call import Call
from everself.interfaces.cli.root import everself as root

# Python of these pages is run by the test beside it, which reads the page.
PYTHON = {
    "CONTRIBUTING.md": "tests/docs/test_contributing.py",
    "README.md": "tests/docs/test_python_blocks.py",
    "docs/coming-from.md": "tests/docs/test_python_blocks.py",
    "docs/frameworks.md": "tests/frameworks/test_frameworks.py",
    "docs/gateway.md": "tests/docs/test_python_blocks.py",
    "docs/library.md": "tests/docs/test_library.py",
    "docs/logging.md": "tests/docs/test_python_blocks.py",
    "docs/plugins.md": "tests/models/test_plugins.py",
}
# Programs of others: why a test does not run them here.
OTHERS = {
    "export": "changes the reader's shell",
    "curl": "asks a running gateway; its address is checked",
    "podman": "needs a container engine; what it runs inside is checked",
    "claude": "a paid service",
    "crontab": "changes the machine's timetable",
    "echo": "prints",
    "printf": "prints",
    "git": "the contributor's own repository",
    "pip": "installs from a registry; tests/tools/test_wheel.py installs the wheel. Extras are checked",
    "pipx": "as pip",
    "uvx": "as pip",
    "systemctl": "starts a service of the machine",
    "eval": "changes the reader's shell; what it evaluates is checked",
    "$EDITOR": "the reader's editor",
}
# Blocks that show something and tell nobody to type it.
SHOWN = {"text", "markdown"}
RECORDED = {"docs/conversation-recording.md"}
PLUGINS = {f"everself.{group}" for group in (EMBEDDERS, MODELS)}
# packages that the pages make up: as if they were installed
MADE_UP = {"acme", "lengths"}
# what the example of CONTRIBUTING.md adds
WRITTEN = {"longest"}
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*|…")


def wrong_everself(words: list[str], *, strict: bool) -> str:
    """What the command line would refuse; empty where it takes these words. In a sentence, arguments may be left out."""
    command: click.Command = root
    context: click.Context | None = None
    name, rest = "everself", words
    try:
        while True:
            context = command.make_context(name, rest, parent=context, **({} if context else {"obj": Call(json=False)}))
            # click keeps what the group did not take in these two
            rest = [*context._protected_args, *context.args]
            if not isinstance(command, click.Group) or not rest:
                return ""
            found, inner, rest = command.resolve_command(context, rest)
            if found is None or inner is None:
                return f"no command {rest}"
            name, command = found, inner
    except click.exceptions.Exit:
        return ""
    except (click.MissingParameter, click.BadOptionUsage) as error:
        return error.format_message() if strict else ""
    except click.BadParameter as error:
        stands = [word for word in words if PLACEHOLDER.fullmatch(word)]
        return "" if not strict and stands else error.format_message()
    except (click.ClickException, EverselfError) as error:
        if not strict and words and PLACEHOLDER.fullmatch(words[-1]):
            return ""
        return str(getattr(error, "message", error))


def wrong_make(words: list[str]) -> str:
    makefile = (TOP / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*|[.$][^:\s=]*):", makefile, re.MULTILINE))
    for word in words:
        variable, assigned, _ = word.partition("=")
        known = f"$({variable})" in makefile if assigned else word in targets or word in {"-s", "-j"}
        if not known:
            return f"make has no {word}"
    return ""


def wrong_python(words: list[str]) -> str:
    if words[:1] == ["-m"]:
        # what a reader installs, or has
        if words[1] in {"pip", "build", "venv"}:
            return wrong_extra(words)
        if importlib.util.find_spec(words[1]) is None:
            return f"no module {words[1]}"
        if words[1].startswith("tools."):
            folder = TOP / words[1].replace(".", "/")
            sources = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
            code = "".join(one.read_text("utf-8") for one in sources)
            lost = [word for word in words if word.startswith("--") and f'"{word}"' not in code]
            return f"{words[1]} has no {lost[0]}" if lost else ""
        return ""
    if words[:1] == ["-c"]:
        compile(words[1], "docs", "exec")
        for module, names in re.findall(r"from (\S+) import ([\w, ]+)", words[1]):
            found = importlib.import_module(module)
            if lost := [one for one in names.split(", ") if not hasattr(found, one)]:
                return f"{module} has no {lost[0]}"
        return ""
    return f"python {words}"


def wrong_extra(words: list[str]) -> str:
    known = set(tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    named = {one for word in words for found in re.findall(r"everself\[([\w,]+)\]", word) for one in found.split(",")}
    return f"no extra {named - known}" if named - known else ""


def wrong_container(words: list[str]) -> str:
    """What stands behind the name of the image runs inside."""
    inside = words[words.index("everself") + 1 :] if "everself" in words else []
    if inside[:2] == ["sh", "-c"]:
        return next(filter(None, (wrong(one, strict=True) for one in commands(inside[2]))), "")
    return wrong(inside, strict=True) if inside and inside != ["."] else ""


CHECKS: dict[str, Callable[[list[str]], str]] = {
    "make": wrong_make,
    "python": wrong_python,
    "python3": wrong_python,
    ".venv/bin/python": wrong_python,
    ".venv-peers/bin/python": wrong_python,
    "pip": wrong_extra,
    "podman": wrong_container,
}


def wrong(words: list[str], *, strict: bool) -> str:
    program, *rest = words
    if program in {"everself", ".venv/bin/everself"}:
        return wrong_everself(rest, strict=strict) or wrong_value(rest)
    if program in CHECKS:
        return CHECKS[program](rest)
    return "" if program in OTHERS else f"neither run nor checked: {program}"


def wrong_value(words: list[str]) -> str:
    """What only the operation checks: a client's name, and whether there is a setting and it takes that value."""
    if words[:1] in (["connect"], ["disconnect"]):
        known = {*get_args(ClientName), "status"}
        return "".join(word for word in words[1:2] if word not in known and not PLACEHOLDER.fullmatch(word))
    if words[:2] != ["config", "set"] or len(words) < 4 or PLACEHOLDER.fullmatch(words[2]):
        return ""
    value = "1" if PLACEHOLDER.fullmatch(words[3]) else "auto" if words[3] in MADE_UP else words[3]
    owner = f"agents.list.{words[5]}." if words[4:5] == ["--agent"] else ""
    try:
        set_key("", owner + re.sub(r"\b[A-Z]+\b", "name", words[2]), value)
    except EverselfError as error:
        return str(error)
    return ""


def wrong_block(one: Fence) -> Iterable[str]:
    match one.language:
        case "console":
            return
        case "sh":
            for words in commands(one.text):
                if said := wrong(words, strict=True):
                    yield f"{' '.join(words)}: {said}"
        case "python":
            if one.page not in PYTHON:
                yield "no test runs it"
            else:
                test = (TOP / PYTHON[one.page]).read_text("utf-8")
                if one.page.rpartition("/")[2] not in test:
                    yield f"{PYTHON[one.page]} does not read this page"
        case "json5":
            yield from (finding.message for finding in check(find_places(), one.text))
        case "yaml":
            for key in ruamel.yaml.YAML(typ="safe").load(one.text):
                if key not in Tunables.__dataclass_fields__:
                    yield f"no such tunable: {key}"
        case "toml":
            groups = tomllib.loads(one.text).get("project", {}).get("entry-points", {})
            yield from (f"no group of plugins: {name}" for name in groups if name not in PLUGINS)
        case "json":
            ruamel.yaml.YAML(typ="safe").load(one.text)
        case language if language in SHOWN:
            if one.page not in RECORDED and re.search(r"^(\$ |everself |make |pip |python3? )", one.text, re.MULTILINE):
                yield "a command in a block that nothing checks: make it `console` or `sh`"
        case _:
            yield f"a block of the kind {one.language!r}: nothing checks it"


@pytest.mark.parametrize("one", [pytest.param(one, id=str(one)) for one in all_fences()])
def test_every_block_is_run_or_checked(one: Fence) -> None:
    assert list(wrong_block(one)) == []


@pytest.mark.parametrize(
    "page", [pytest.param(one, id=str(one.relative_to(TOP))) for one in PAGES if one.name != "CHANGELOG.md"]
)
def test_every_command_in_a_sentence_exists(page: Path) -> None:
    found = []
    for line, code in inline_code(page):
        if not re.match(r"(everself|make|python -m) \S", code):
            continue
        # `agents list|show|add`: the first of them
        for words in commands(re.sub(r"(?<=\w)\|[\w|]+", "", code)):
            said = "" if set(words) & WRITTEN else wrong(words, strict=False)
            if said:
                found.append(f"line {line}: {code}: {said}")
    assert found == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("sh", "everself memroy add x"),
        ("sh", "everself memory add --kep x"),
        ("sh", "everself memory supersede only-one"),
        ("sh", "everself setup && everself connect vim"),
        ("sh", 'podman run everself sh -c "everself config set gateway.bnd lan"'),
        ("sh", "everself config set gateway.bind 3 # a comment"),
        ("sh", "make caht"),
        ("sh", "make chat NOTHING=1"),
        ("sh", "python -m tools.nothing"),
        ("sh", "python -m tools.install_costs --nothing"),
        ("sh", "pip install 'everself[nothing]'"),
        ("sh", "brew install everself"),
        ("json5", "{ gateway: { prt: 1 } }"),
        ("yaml", "nothing_of_the_kind: 1"),
        ("toml", '[project.entry-points."everself.nothing"]\nx = "y"'),
        ("text", "$ everself chat"),
        ("python", "import everself"),
        ("", "anything"),
        ("ruby", "puts 1"),
    ],
)
def test_what_nobody_checks_or_what_does_not_exist_is_found(language: str, text: str) -> None:
    assert list(wrong_block(Fence("docs/page.md", 1, language, text)))


def test_no_command_stands_in_a_block_without_a_language() -> None:
    assert {page.name: found for page in PAGES if (found := indented_commands(page))} == {}


def test_every_exception_is_needed() -> None:
    used = {words[0] for one in all_fences() if one.language == "sh" for words in commands(one.text)}
    assert set(OTHERS) - used == set()
    assert set(PYTHON) == {one.page for one in all_fences() if one.language == "python"}
