"""Loads a `Config` from texts and collects findings for the user.

Pure except `load_here`, which reads this machine.
"""

from collections.abc import Mapping
from dataclasses import field

from everself.config.assemble import assemble, find_shared
from everself.config.host import parse_json5, read_host, read_vault
from everself.config.places import Places, environment, find_places
from everself.config.reading import Reading, read_settings
from everself.config.secrets import EMPTY_VAULT, Vault
from everself.config.sections import Config
from everself.config.tunables import PATTERNS, TunablesReading, join_patterns, read_tunables
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.values import Finding


class Loaded(Frozen):
    """The settings in force. `reading` and `tunables` keep the values as given, for `config show`."""

    config: Config
    findings: tuple[Finding, ...]
    vault: Vault = EMPTY_VAULT
    reading: Reading = field(default_factory=Reading)
    tunables: TunablesReading = field(default_factory=TunablesReading)


def load(places: Places, host_text: str | None, tunables_text: str | None = None, vault: Vault = EMPTY_VAULT) -> Loaded:
    """The settings of both texts. Raises BadConfig or UnknownKey for the first problem in the host file."""
    reading = _read(places, host_text, vault)
    if reading.problems:
        first, *others = reading.problems
        more = f" More problems: {len(others)}; everself doctor lists them." if others else ""
        raise type(first)(first.detail + more, mend=first.mend)
    return _finish(places, reading, tunables_text, vault)


def with_tunables(loaded: Loaded, text: str | None) -> Loaded:
    """The same settings with the CONFIG.md of a workspace, which is known only after the host file was read."""
    return _finish(loaded.config.places, loaded.reading, text, loaded.vault)


def load_here(environ: Mapping[str, str] | None = None) -> Loaded:
    """The settings of this machine and user, without any CONFIG.md."""
    found = environment() if environ is None else environ
    places = find_places(found)
    vault, findings = read_vault(places, found)
    loaded = load(places, read_host(places), vault=vault)
    return Loaded(loaded.config, (*findings, *loaded.findings), vault, loaded.reading)


def check(places: Places, host_text: str | None, vault: Vault = EMPTY_VAULT) -> tuple[Finding, ...]:
    """All problems and findings of the host file, for `doctor`; never raises for a bad file."""
    try:
        reading = _read(places, host_text, vault)
        if not reading.problems:
            return _finish(places, reading, None, vault).findings
        problems: list[EverselfError] = [*reading.problems]
        findings = reading.findings
    except EverselfError as error:
        problems, findings = [error], []
    wrong = [Finding("error", "config-wrong", str(error), error.mend, places.host_file) for error in problems]
    return (*wrong, *findings)


def _read(places: Places, host_text: str | None, vault: Vault) -> Reading:
    if host_text is None:
        return Reading()
    return read_settings(parse_json5(host_text, places.host_file), host_text, places.host_file, vault)


def _finish(places: Places, reading: Reading, tunables_text: str | None, vault: Vault) -> Loaded:
    tunables = read_tunables(tunables_text) if tunables_text else TunablesReading()
    given = reading.common.get(PATTERNS)
    tunables = tunables if given is None else join_patterns(tunables, given.value)
    config = assemble(reading, tunables.values, places, vault)
    findings = (*reading.findings, *find_shared(config), *tunables.findings)
    return Loaded(config, findings, vault, reading, tunables)
