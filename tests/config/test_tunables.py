"""CONFIG.md: what it may say, and that it never stops the agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.config import find_places, load, with_tunables
from everself.config.sections import CustomPattern
from everself.config.tunables import read_tunables

PLACES = find_places({"HOME": "/people/ada"})
DEFAULTS = load(PLACES, None).config.tunables


def block(*lines: str) -> str:
    return "# Config\n\n```yaml\n" + "\n".join(lines) + "\n```\n"


def test_values_of_the_fenced_block_count() -> None:
    loaded = load(PLACES, None, block("context_budget_tokens: 9000", 'cron_compactor_weekly: "Monday 04:15"'))
    assert loaded.config.tunables.context_budget_tokens == 9000
    assert loaded.config.tunables.cron_compactor_weekly == "Monday 04:15"
    assert loaded.config.tunables.identity_tokens == 800
    assert loaded.findings == ()


def test_config_md_stands_before_the_host_file() -> None:
    host = "{identity_tokens: 700, user_profile_tokens: 500}"
    tunables = load(PLACES, host, block("identity_tokens: 900")).config.tunables
    assert (tunables.identity_tokens, tunables.user_profile_tokens) == (900, 500)


def test_it_can_be_added_once_the_workspace_is_known() -> None:
    loaded = load(PLACES, "{user_profile_tokens: 500}")
    later = with_tunables(loaded, block("identity_tokens: 900"))
    assert (later.config.tunables.identity_tokens, later.config.tunables.user_profile_tokens) == (900, 500)
    assert with_tunables(later, None).config == loaded.config


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain prose, context_budget_tokens: 1\n",
        "```\ncontext_budget_tokens: 700\n```\n",
        "```json\n{}\n```\n",
        "````md\n```yaml\ncontext_budget_tokens: 700\n```\n````\n",
        "    ```yaml\n    context_budget_tokens: 700\n    ```\n",
        "```yaml\n# nothing\n```\n",
    ],
)
def test_only_fenced_yaml_is_read(text: str) -> None:
    loaded = load(PLACES, None, text)
    assert loaded.config.tunables == DEFAULTS
    assert loaded.findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "~~~yml\nidentity_tokens: 1\n~~~\n",
        "```` YAML title\nidentity_tokens: 1\n````\n",
        "```yaml\r\nidentity_tokens: 1\r\n```\r\n",
        "\ufeff```yaml\nidentity_tokens: 1\n```",
        "```yaml\nidentity_tokens: 1\n",
        "```yaml\nidentity_tokens: 5\n```\n\n```yaml\nidentity_tokens: 1\n```\n",
    ],
)
def test_fences_of_every_kind_are_read_and_the_last_counts(text: str) -> None:
    assert load(PLACES, None, text).config.tunables.identity_tokens == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("identity_tokens: many", "identity_tokens must be a whole number from 0 to 1000000."),
        ("identity_tokens: -1", "identity_tokens must be a whole number"),
        ("identity_tokens: true", "identity_tokens must be a whole number"),
        ("identity_tokens: [1]", "identity_tokens must be a whole number"),
        ("confidence_floor: 3", "confidence_floor must be a number from 0 to 1."),
        ("confidence_floor: .nan", "confidence_floor must be a number from 0 to 1."),
        ("cron_soul_keeper: 25:00", "cron_soul_keeper must be a time of day"),
        ('cron_soul_keeper: "2"', "cron_soul_keeper must be a time of day"),
        ("cron_memory_miner: 2026-01-01", "cron_memory_miner must be a time of day"),
        ("cron_compactor_weekly: 03:00", "cron_compactor_weekly must be a day and time"),
        ("cron_compactor_weekly: Someday 03:00", "cron_compactor_weekly must be a day and time"),
        ("correction_overflow_strategy: newest", 'must be "prioritize_unverified".'),
        ("heartbeat_custom_patterns: x", "must be a list of"),
        ("heartbeat_custom_patterns: [{pattern: '(', route: miner}]", "missing )"),
    ],
)
def test_a_wrong_value_leaves_the_default_and_names_the_line(line: str, words: str) -> None:
    loaded = load(PLACES, None, block("user_profile_tokens: 1", line))
    assert loaded.config.tunables.user_profile_tokens == 1
    assert loaded.config.tunables.identity_tokens == 800
    (finding,) = loaded.findings
    assert (finding.severity, finding.path) == ("error", "CONFIG.md")
    assert finding.message.startswith("Line 5: ")
    assert words in finding.message


@pytest.mark.parametrize(
    ("name", "value"), [("recall_external_handler", "./run.sh"), ("crm_hook", "/bin/true"), ("crm_hook", "[]")]
)
def test_programs_belong_into_the_host_file(name: str, value: str) -> None:
    loaded = load(PLACES, None, block(f"{name}: {value}"))
    (finding,) = loaded.findings
    assert finding.code == "tunable-refused"
    assert "only allowed in the host file" in finding.message
    assert getattr(loaded.config.programs, name) == ""
    assert getattr(load(PLACES, f'{{{name}: "/opt/run"}}').config.programs, name) == "/opt/run"


def test_a_pattern_may_route_to_a_program_only_from_the_host_file() -> None:
    lines = ("heartbeat_custom_patterns:", "  - {pattern: 'ship(ped)?', route: miner}")
    loaded = load(PLACES, None, block(*lines))
    assert loaded.config.tunables.heartbeat_custom_patterns == (CustomPattern("ship(ped)?", "miner"),)
    refused = load(PLACES, None, block(*lines, "  - {pattern: x, route: /opt/run}"))
    assert refused.config.tunables.heartbeat_custom_patterns == ()
    assert "only the host file may do that" in refused.findings[0].message
    host = '{heartbeat_custom_patterns: [{pattern: "x", route: "/opt/run"}]}'
    assert load(PLACES, host).config.tunables.heartbeat_custom_patterns == (CustomPattern("x", "/opt/run"),)


HOSTS = '{heartbeat_custom_patterns: [{pattern: "storm", route: "/opt/run"}, {pattern: "shipped", route: "miner"}]}'
STORM, SHIPPED = CustomPattern("storm", "/opt/run"), CustomPattern("shipped", "miner")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[]", (STORM, SHIPPED)),
        ("[{pattern: frost, route: validator}]", (STORM, SHIPPED, CustomPattern("frost", "validator"))),
        ("[{pattern: shipped, route: miner}]", (STORM, SHIPPED)),
        ("[{pattern: shipped, route: validator}]", (STORM, SHIPPED, CustomPattern("shipped", "validator"))),
    ],
)
def test_patterns_of_both_files_add_up_those_of_the_host_file_first(
    line: str, expected: tuple[CustomPattern, ...]
) -> None:
    text = block(f"heartbeat_custom_patterns: {line}", "identity_tokens: 900")
    for loaded in (load(PLACES, HOSTS, text), with_tunables(load(PLACES, HOSTS), text)):
        assert loaded.config.tunables.heartbeat_custom_patterns == expected
        assert (loaded.config.tunables.identity_tokens, loaded.findings) == (900, ())


@pytest.mark.slow
def test_the_patterns_of_the_host_file_stay_where_both_together_are_too_many() -> None:
    many = ", ".join(f"{{pattern: 'word{number}', route: miner}}" for number in range(255))
    loaded = load(PLACES, HOSTS, block(f"heartbeat_custom_patterns: [{many}]", "identity_tokens: 900"))
    assert loaded.config.tunables.heartbeat_custom_patterns == (STORM, SHIPPED)
    assert loaded.config.tunables.identity_tokens == 900
    (finding,) = loaded.findings
    assert (finding.severity, finding.path) == ("error", "CONFIG.md")
    assert "Only those of the host file are used." in finding.message
    alone = load(PLACES, None, block(f"heartbeat_custom_patterns: [{many}]"))
    assert (len(alone.config.tunables.heartbeat_custom_patterns), alone.findings) == (255, ())


def test_other_settings_of_the_host_file_are_refused() -> None:
    loaded = load(PLACES, None, block("soul:", "  policy: evolve"))
    assert [finding.code for finding in loaded.findings] == ["tunable-refused"]
    assert loaded.config.agent().soul.policy == "propose"


def test_an_unknown_key_is_named_with_the_nearest_one() -> None:
    (finding,) = load(PLACES, None, block("identity_token: 5")).findings
    assert finding.severity == "warning"
    assert "Did you mean identity_tokens?" in finding.message


def test_both_names_of_the_crm_budget_mean_the_same() -> None:
    assert load(PLACES, None, block("crm_context_budget: 7")).config.tunables.crm_tokens == 7
    both = load(PLACES, None, block("crm_tokens: 8", "crm_context_budget: 7"))
    assert both.config.tunables.crm_tokens == 8
    assert [finding.code for finding in both.findings] == ["tunable-twice"]
    assert load(PLACES, None, block("crm_tokens: 8", "crm_context_budget: 8")).findings == ()


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["identity_tokens: 1", "user_profile_tokens: ["], 5),
        (["identity_tokens: 1", "identity_tokens: 2"], 5),
        (["- identity_tokens"], 4),
        (["just text"], 4),
        ([f"key_{number}: 1" for number in range(101)], 4),
        (["identity_tokens: !!python/object:os.system 1"], 4),
        (["identity_tokens: 2026-13-45"], 4),
        pytest.param(["a: " + "[" * 1500], 4, marks=pytest.mark.slow),
        (["identity_tokens: 1", "---", "identity_tokens: 2"], None),
    ],
)
def test_a_broken_block_leaves_all_defaults_with_one_finding(lines: list[str], line: int | None) -> None:
    loaded = load(PLACES, None, block(*lines))
    assert loaded.config.tunables == DEFAULTS
    (finding,) = loaded.findings
    assert finding.code == "tunables-broken"
    assert line is None or finding.message.startswith(f"Line {line}: ")


def test_a_huge_file_is_not_read() -> None:
    loaded = load(PLACES, None, block("identity_tokens: 1") + "x" * 300_000)
    assert loaded.config.tunables == DEFAULTS
    assert [finding.code for finding in loaded.findings] == ["tunables-broken"]


@given(st.text(alphabet=st.sampled_from("abc_:-[]{}#&*!|>'\"%@` \n\t0123.,\u00e9"), max_size=120))
def test_no_yaml_stops_the_agent(text: str) -> None:
    reading = read_tunables(f"```yaml\n{text}\n```")
    assert all(finding.path == "CONFIG.md" for finding in reading.findings)


@given(st.text(max_size=200))
def test_no_markdown_stops_the_agent(text: str) -> None:
    read_tunables(text)
