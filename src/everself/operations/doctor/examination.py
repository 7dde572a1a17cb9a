"""Runs every check separately, so that one failure does not hide others."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from everself.clock import system_now
from everself.config import Loaded, Places, Vault, check, environment, find_places, load, read_host, read_vault
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.operations.doctor import (
    contents,
    folders,
    gateway,
    identity,
    index,
    jobs,
    leftovers,
    names,
    privacy,
    records,
    settings,
)
from everself.operations.doctor.case import Case
from everself.operations.doctor.repairs import repair
from everself.operations.doctor.words import failed
from everself.values import Finding

Check = Callable[[Case], Iterable[Finding]]

_MODULES = (folders, settings, leftovers, records, identity, jobs, index, privacy, gateway, names, contents)
_CHECKS: tuple[Check, ...] = tuple(
    one
    for module in _MODULES
    for name, one in vars(module).items()
    if name.startswith("check_") and one.__module__ == module.__name__
)
_ORDER = ("error", "warning", "note")
# the number of findings of one code that are shown; a damaged disk causes thousands
_ALIKE = 10


class DoctorReport(Frozen):
    """The findings, worst first, and what `fix` repaired. `workspace` is empty if the settings are unusable."""

    agent: str
    workspace: str
    findings: tuple[Finding, ...]
    fixed: tuple[Finding, ...] = ()


def examine(agent: str = "", *, fix: bool = False, environ: Mapping[str, str] | None = None) -> DoctorReport:
    """Examine one agent. Never raises for a bad state; changes nothing without `fix`."""
    variables = environment() if environ is None else environ
    seen = _look(agent, variables)
    asked = [finding for finding in seen.findings if finding.fixable]
    if not fix or not asked:
        return replace(seen, findings=_ordered(seen.findings))
    failures = tuple(_mend(agent, variables, asked))
    # examined again, to report only real repairs
    again = _look(agent, variables)
    left = {(finding.code, finding.path) for finding in again.findings}
    fixed = _ordered(finding for finding in asked if (finding.code, finding.path) not in left)
    return replace(again, findings=_ordered((*failures, *again.findings)), fixed=fixed)


def _look(agent: str, environ: Mapping[str, str]) -> DoctorReport:
    try:
        places = find_places(environ)
    except EverselfError as error:
        return DoctorReport(agent, "", (failed("environment-wrong", error),))
    loaded, findings = _settings(places, environ)
    try:
        chosen = loaded.config.agent(agent)
    except EverselfError as error:
        return DoctorReport(agent, "", (*findings, failed("agent-unknown", error)))
    # without a readable host file the workspace is unknown, unless it is at the default path
    if any(finding.code == "config-wrong" for finding in findings) and not os.path.isdir(chosen.workspace):
        return DoctorReport(chosen.id, "", findings)
    with Case(loaded, chosen, system_now()) as case:
        findings += tuple(finding for one in _CHECKS for finding in _run(one, case))
    return DoctorReport(chosen.id, chosen.workspace, findings)


def _mend(agent: str, environ: Mapping[str, str], asked: Iterable[Finding]) -> Iterator[Finding]:
    loaded, _ = _settings(find_places(environ), environ)
    with Case(loaded, loaded.config.agent(agent), system_now()) as case:
        yield from repair(case, asked)


def _settings(places: Places, environ: Mapping[str, str]) -> tuple[Loaded, tuple[Finding, ...]]:
    """The settings and their problems; the defaults if they cannot be read."""
    findings: tuple[Finding, ...] = ()
    vault = Vault(environ)
    try:
        vault, findings = read_vault(places, environ)
    except EverselfError as error:
        findings = (failed("secrets-wrong", error, places.secrets_file),)
    try:
        text = read_host(places)
        findings += check(places, text, vault)
        return load(places, text, vault=vault), findings
    except EverselfError as error:
        if not any(finding.code == "config-wrong" for finding in findings):
            findings += (failed("config-wrong", error, places.host_file),)
    return load(places, None), findings


def _run(one: Check, case: Case) -> Iterator[Finding]:
    try:
        yield from one(case)
    except (EverselfError, OSError) as error:
        yield failed(f"{one.__name__.removeprefix('check_')}-unchecked", error)


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort by severity; of many similar findings keep the first few and a count."""
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(finding.code, []).append(finding)
    kept = [finding for found in alike.values() for finding in found[:_ALIKE]]
    for code, found in alike.items():
        if len(found) > _ALIKE:
            words = f"There are {len(found) - _ALIKE:,} more findings of this kind ({code})."
            kept.append(replace(found[-1], message=words, mend="Mend those above first.", path=""))
    return tuple(sorted(kept, key=lambda finding: _ORDER.index(finding.severity)))
