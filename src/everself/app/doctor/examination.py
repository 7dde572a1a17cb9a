"""examine: every check in turn, each on its own, so that one broken thing never hides another."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from everself.app.doctor import contents, grounds, names, privacy, records, settings, sizes, structure, traces
from everself.app.doctor.case import Case
from everself.app.doctor.mending import mend
from everself.app.doctor.words import failed
from everself.clock import system_now
from everself.config import (
    EMPTY_VAULT,
    Loaded,
    Places,
    Vault,
    check,
    environment,
    find_places,
    load,
    read_host,
    read_vault,
)
from everself.errors import EverselfError
from everself.values import Finding

Check = Callable[[Case], Iterable[Finding]]

_CHECKS: tuple[Check, ...] = (
    grounds.check_workspace,
    grounds.check_state,
    grounds.check_space,
    settings.check_key,
    privacy.check_permissions,
    traces.check_locks,
    traces.check_journal,
    records.check_database,
    records.check_ledger,
    records.check_history,
    names.check_spelling,
    contents.check_kinds,
    contents.check_text,
    contents.check_identity,
    structure.check_structure,
    names.check_missing,
    names.check_places,
    names.check_dates,
    grounds.check_neighbours,
    grounds.check_own_git,
    settings.check_tunables,
    sizes.check_budgets,
    sizes.check_limits,
    privacy.check_secrets,
    traces.check_temporaries,
    settings.check_zone,
    contents.check_rest,
)
_ORDER = ("error", "warning", "note")
# So many findings of one code are told one by one; a damaged disk brings thousands.
_ALIKE = 10


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What was found, worst first, and what `fix` mended. `workspace` is empty where the settings do not tell it."""

    agent: str
    workspace: str
    findings: tuple[Finding, ...]
    fixed: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Looked:
    agent: str
    workspace: str
    findings: tuple[Finding, ...]
    failures: tuple[Finding, ...] = ()


def examine(agent: str = "", *, fix: bool = False, environ: Mapping[str, str] | None = None) -> DoctorReport:
    """Look at one agent and all it stands on. Never raises for a bad state, and changes nothing unless `fix`."""
    variables = environment() if environ is None else environ
    first = _look(agent, variables, fix=fix)
    if not fix or not any(finding.fixable for finding in first.findings):
        return DoctorReport(first.agent, first.workspace, _ordered(first.findings))
    # looked at again: what is called mended was seen to be
    second = _look(agent, variables)
    left = {(finding.code, finding.path) for finding in second.findings}
    fixed = [finding for finding in first.findings if finding.fixable and (finding.code, finding.path) not in left]
    return DoctorReport(second.agent, second.workspace, _ordered((*first.failures, *second.findings)), _ordered(fixed))


def _look(agent: str, environ: Mapping[str, str], *, fix: bool = False) -> _Looked:
    try:
        places = find_places(environ)
    except EverselfError as error:
        return _Looked(agent, "", (failed("environment-wrong", error),))
    loaded, findings = _settings(places, environ)
    if loaded is None:
        return _Looked(agent, "", findings)
    try:
        chosen = loaded.config.agent(agent)
    except EverselfError as error:
        return _Looked(agent, "", (*findings, failed("agent-unknown", error)))
    with Case(loaded, chosen, system_now()) as case:
        findings += tuple(finding for one in _CHECKS for finding in _run(one, case))
    # a case of its own: nothing that was looked at before counts, and the database is let go
    failures = tuple(mend(Case(loaded, chosen, system_now()), findings)) if fix else ()
    return _Looked(chosen.id, chosen.workspace, findings, failures)


def _settings(places: Places, environ: Mapping[str, str]) -> tuple[Loaded | None, tuple[Finding, ...]]:
    """The settings, or the defaults where they are broken and an agent lives at the default place all the same."""
    findings: tuple[Finding, ...] = ()
    vault, text = Vault(environ), None
    try:
        vault, findings = read_vault(places, environ)
    except EverselfError as error:
        findings = (failed("secrets-wrong", error, places.secrets_file),)
    try:
        text = read_host(places)
        findings += check(places, text, vault)
        return load(places, text, vault=vault), findings
    except EverselfError as error:
        if not any(finding.severity == "error" for finding in findings):
            findings += (failed("config-wrong", error, places.host_file),)
    try:
        return load(places, None, vault=EMPTY_VAULT), findings
    except EverselfError:
        return None, findings


def _run(one: Check, case: Case) -> Iterator[Finding]:
    try:
        yield from one(case)
    except (EverselfError, OSError) as error:
        yield failed(f"{one.__name__.removeprefix('check_')}-unchecked", error)


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors, warnings, notes; of many alike the first few and a count."""
    alike = Counter[str]()
    kept: list[Finding] = []
    last: dict[str, Finding] = {}
    for finding in findings:
        alike[finding.code] += 1
        if alike[finding.code] <= _ALIKE:
            kept.append(finding)
        last[finding.code] = finding
    for code, number in alike.items():
        if number > _ALIKE:
            words = f"There are {number - _ALIKE:,} more findings of this kind ({code})."
            kept.append(
                Finding(last[code].severity, code, words, "Mend those above first.", fixable=last[code].fixable)
            )
    return tuple(sorted(kept, key=lambda finding: _ORDER.index(finding.severity)))
