"""Reads CONFIG.md: the fenced YAML in the workspace, checked against the settings that it may contain.

Pure. Every problem becomes a finding and leaves the default in force: a broken CONFIG.md never stops the agent.
"""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal

from everself.config.kinds import Misfit, Plain, patterns
from everself.config.schema import find_spot, is_group, nearest_key
from everself.config.sections import CustomPattern
from everself.frozen import Frozen
from everself.values import Finding

FILE = "CONFIG.md"
LIMIT = 256 * 1024
# limit of keys and blocks: more than enough, and few enough to find the nearest key for each
_MOST = 100
_LANGUAGES = ("yaml", "yml")
PATTERNS = "heartbeat_custom_patterns"
_ALL_PATTERNS = patterns(CustomPattern)
_SAFE_PATTERNS = patterns(CustomPattern, programs=False)


class TunablesReading(Frozen):
    values: dict[str, Plain] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def read_tunables(text: str) -> TunablesReading:
    """The values of all YAML blocks; a later block overrides an earlier one."""
    if len(text) > LIMIT:
        words = f"the file is larger than {LIMIT // 1024} KB and was not read; the defaults are used."
        return TunablesReading(findings=_broken(1, words))
    values: dict[str, Plain] = {}
    findings = [found for first, block in _find_blocks(text)[:_MOST] for found in _read_block(first, block, values)]
    return TunablesReading(values, tuple(findings))


def join_patterns(found: TunablesReading, host: object) -> TunablesReading:
    """Append the patterns of CONFIG.md to those of the host file, which a workspace cannot remove."""
    own = found.values.get(PATTERNS)
    if not isinstance(host, tuple) or not host or not isinstance(own, tuple):
        return found
    others = {key: value for key, value in found.values.items() if key != PATTERNS}
    more = tuple(one for one in own if one not in host)
    if not more:
        return replace(found, values=others)
    joined = _ALL_PATTERNS.take((*host, *more))
    if not isinstance(joined, Misfit):
        return replace(found, values={**others, PATTERNS: joined})
    words = f"{PATTERNS}, after those of the host file, {joined.words} Only those of the host file are used."
    finding = Finding("error", "tunable-wrong", words, f"Edit {FILE}.", FILE)
    return TunablesReading(others, (*found.findings, finding))


def _find_blocks(text: str) -> list[tuple[int, str]]:
    """The content of every YAML fence, with the number of its first line."""
    blocks: list[tuple[int, str]] = []
    fence, language, inside, first = "", "", [""], 0
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.removesuffix("\r")
        mark = line.lstrip(" ")
        run = mark[: len(mark) - len(mark.lstrip(mark[:1]))] if mark[:1] in ("`", "~") else ""
        indented = len(line) - len(mark) > 3
        if fence:
            if run[:1] == fence[0] and len(run) >= len(fence) and not indented and not mark[len(run) :].strip():
                if language in _LANGUAGES:
                    blocks.append((first, "\n".join(inside)))
                fence = ""
            else:
                inside.append(line)
        elif len(run) >= 3 and not indented:
            fence, inside, first = run, [], number + 1
            language = (mark[len(run) :].split() or [""])[0].lower().strip("{}.")
    if fence and language in _LANGUAGES:
        blocks.append((first, "\n".join(inside)))
    return blocks


def _read_block(first: int, text: str, values: dict[str, Plain]) -> Sequence[Finding]:
    """Add the values of a block to `values`; returns the findings."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML(typ="safe", pure=True)
    try:
        data = yaml.load(text) or {}
        keys = [key for key, _ in yaml.compose(text).value] if data and isinstance(data, dict) else []
        lines = {str(key.value): key.start_mark.line for key in keys}
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        line = first + (mark.line if mark is not None else 0)
        return _broken(line, "invalid YAML; the defaults are used.")
    if not isinstance(data, dict) or len(data) > _MOST:
        return _broken(first, "the YAML must consist of KEY: VALUE lines, not too many; the defaults are used.")
    findings: list[Finding] = []
    own: dict[str, Plain] = {}
    for name, value in data.items():
        _take(str(name), value, first + lines.get(str(name), 0), own, findings)
    values.update(own)
    return findings


def _take(name: str, value: object, line: int, values: dict[str, Plain], findings: list[Finding]) -> None:
    def note(severity: Literal["error", "warning"], code: str, words: str, mend: str) -> None:
        findings.append(Finding(severity, code, f"Line {line}: {name} {words}", mend, FILE))

    spot = find_spot((name,))
    if spot is None and is_group((name,)):
        note("error", "tunable-refused", "is only allowed in the host file.", "everself config show")
    elif spot is None:
        words = f"is not a setting. Did you mean {nearest_key((name,))}?"
        note("warning", "tunable-unknown", words, f"Edit {FILE}.")
    elif spot.setting.place == "host":
        # the template contains the key with an empty value, which is allowed
        if value not in ("", None):
            words = "is only allowed in the host file: a workspace may not name programs to run."
            note("error", "tunable-refused", words, f"everself config set {name} VALUE")
    elif value is not None:
        key = spot.setting.key
        taken = (_SAFE_PATTERNS if key == PATTERNS else spot.setting.kind).take(value)
        if isinstance(taken, Misfit):
            note("error", "tunable-wrong", f"{taken.words} The default is used.", f"Edit line {line} of {FILE}.")
        elif not spot.alias or key not in values:
            values[key] = taken
        elif values[key] != taken:
            note(
                "warning", "tunable-twice", f"is the same setting as {key}, which is used.", f"Remove one from {FILE}."
            )


def _broken(line: int, words: str) -> tuple[Finding]:
    return (Finding("error", "tunables-broken", f"Line {line}: {words}", f"Edit line {line} of {FILE}.", FILE),)
