"""One key is set or unset; comments, order and layout of everything else stay."""

import copy

import pyjson5
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.config import find_places, load
from everself.config.display import get_setting
from everself.config.host_edits import set_key, unset_key
from everself.errors import BadConfig, EverselfError, UnknownKey, WrongUse

PLACES = find_places({"HOME": "/people/ada"})

FILE = """// my agents
{
  agents: {
    defaults: {
      workspace: "~/clawd", // the old place
      /* how it looks things up */
      memorySearch: { provider: "ollama", model: "bge-m3" },
    },
    list: [
      { id: "aria", identity: { name: "Aria" } },   // calm
      {
        "agentId": "dev",
        "workspace": "~/dev"
      }
    ],
  },

  // nightly
  hooks: { internal: { entries: { "soul-evil": { enabled: true } } } }
}
"""


def test_a_value_is_replaced_in_its_place() -> None:
    changed = set_key(FILE, "agents.defaults.memorySearch.model", "nomic-embed-text")
    assert changed == FILE.replace('"bge-m3"', '"nomic-embed-text"')


def test_a_value_keeps_the_comment_beside_it() -> None:
    changed = set_key(FILE, "agents.defaults.workspace", "/srv/clawd")
    assert changed == FILE.replace('"~/clawd", // the old', '"/srv/clawd", // the old')


def test_a_new_key_joins_its_group_in_the_groups_layout() -> None:
    changed = set_key(FILE, "agents.defaults.userTimezone", "Asia/Seoul")
    assert changed == FILE.replace('"bge-m3" },\n', '"bge-m3" },\n      userTimezone: "Asia/Seoul",\n')
    inline = set_key(FILE, "agents.defaults.memorySearch.enabled", "false")
    assert inline == FILE.replace('"bge-m3" }', '"bge-m3", enabled: false }')


def test_missing_groups_are_made() -> None:
    changed = set_key(FILE, "soul.policy", "locked")
    assert changed == FILE.replace("true } } } }\n}", 'true } } } },\n  soul: {\n    policy: "locked"\n  }\n}')


def test_an_agent_is_found_by_its_id() -> None:
    changed = set_key(FILE, "agents.list.aria.identity.name", "Ariadne")
    assert changed == FILE.replace('"Aria"', '"Ariadne"')
    older = set_key(FILE, "agents.list[dev].identity.name", "Dev")
    assert load(PLACES, older).config.agent("dev").identity.name == "Dev"
    assert older.startswith(FILE[: FILE.index('"~/dev"')])


def test_a_new_agent_joins_the_list() -> None:
    changed = set_key(FILE, "agents.list.zoe.workspace", "~/zoe")
    config = load(PLACES, changed).config
    assert [agent.id for agent in config.agents] == ["aria", "dev", "zoe"]
    assert config.agent("zoe").workspace == "/people/ada/zoe"
    assert "// calm" in changed


def test_agents_by_id_stay_by_id() -> None:
    text = '{\n  "agents": {\n    "entries": {\n      "aria": {}\n    }\n  }\n}\n'
    changed = set_key(text, "agents.list.dev.workspace", "/w")
    assert '"entries": {\n      "aria": {},\n      "dev": {\n        "workspace": "/w"\n      }\n    }' in changed


@pytest.mark.parametrize(
    ("text", "key", "value", "expected"),
    [
        ("", "ui.assistant.name", "A", '{\n  ui: {\n    assistant: {\n      name: "A"\n    }\n  }\n}\n'),
        ("{}", "history.enabled", "false", "{\n  history: {\n    enabled: false\n  }\n}"),
        ("// mine\n", "identity_tokens", "5", "// mine\n{\n  identity_tokens: 5\n}\n"),
        ("// mine", "identity_tokens", "5", "// mine\n{\n  identity_tokens: 5\n}\n"),
        ("{\n\tcrm_tokens: 1\n}", "identity_tokens", "5", "{\n\tcrm_tokens: 1,\n\tidentity_tokens: 5\n}"),
        ('{"crm_tokens": 1}', "identity_tokens", "5", '{"crm_tokens": 1, "identity_tokens": 5}'),
        ("{crm_tokens: 1,}", "identity_tokens", "5", "{crm_tokens: 1, identity_tokens: 5,}"),
        (
            "{\r\n  crm_tokens: 1\r\n}\r\n",
            "identity_tokens",
            "5",
            "{\r\n  crm_tokens: 1,\r\n  identity_tokens: 5\r\n}\r\n",
        ),
        ("{\n  crm_tokens: 1 // x\n}", "identity_tokens", "5", "{\n  crm_tokens: 1, // x\n  identity_tokens: 5\n}"),
        (
            "{\n  crm_tokens: 1 /* , */\n}",
            "identity_tokens",
            "5",
            "{\n  crm_tokens: 1, /* , */\n  identity_tokens: 5\n}",
        ),
        ("{ // none yet\n}", "identity_tokens", "5", "{ // none yet\n  identity_tokens: 5\n}"),
        ("\ufeff{crm_tokens: 1}", "crm_tokens", "2", "\ufeff{crm_tokens: 2}"),
        ("{memorySearch: {}}", "agents.defaults.memorySearch.model", "m", '{memorySearch: {\n  model: "m"\n}}'),
        ("{crm_context_budget: 3}", "crm_tokens", "4", "{crm_context_budget: 4}"),
        ("{soul: null}", "soul.policy", "evolve", '{soul: {\n  policy: "evolve"\n}}'),
        ("{crm_tokens: 1, crm_tokens: 2}", "crm_tokens", "3", "{crm_tokens: 1, crm_tokens: 3}"),
        (
            '{agents: {defaults: {model: {primary: "a", fallbacks: ["b"]}}}}',
            "agents.defaults.model",
            "c",
            '{agents: {defaults: {model: {primary: "c", fallbacks: ["b"]}}}}',
        ),
    ],
)
def test_every_layout_is_kept(text: str, key: str, value: str, expected: str) -> None:
    assert set_key(text, key, value) == expected


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("ui.assistant.name", "Aria 🌿", "Aria 🌿"),
        ("ui.assistant.name", '"Aria"', "Aria"),
        ("ui.assistant.name", "42", "42"),
        ("ui.assistant.name", "true", "true"),
        ("ui.assistant.name", "", ""),
        ("ui.assistant.name", 'say "hi" \\ bye', 'say "hi" \\ bye'),
        ("memorySearch.query.maxResults", "0x10", 16),
        ("memorySearch.query.minScore", "1", 1),
        ("memorySearch.extraPaths", "['a', \"b\"]", ("a", "b")),
        ("heartbeat.every", "45", "45"),
        ("soul.policy", "evolve", "evolve"),
        ("soul.policy", "'evolve'", "evolve"),
    ],
)
def test_what_a_person_types_is_understood(key: str, typed: str, value: object) -> None:
    assert get_setting(load(PLACES, set_key("{}", key, typed)), key).value == value


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("soul.polcy", "locked", UnknownKey),
        ("gateway.auth", "1", UnknownKey),
        ("soul", "locked", WrongUse),
        ("soul.policy", "free", BadConfig),
        ("agents.defaults.workspace", "here", BadConfig),
        ("memorySearch.query.maxResults", "many", BadConfig),
        ("agents.list.a/b.workspace", "/w", WrongUse),
        ("agents.list[].workspace", "/w", EverselfError),
        ("agents.list.aria.id", "other", WrongUse),
        ("provider.*.baseUrl", "x", EverselfError),
        ("", "x", UnknownKey),
        ("a..b", "x", UnknownKey),
    ],
)
def test_what_makes_no_sense_is_refused(key: str, value: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        set_key(FILE, key, value)


def test_an_unknown_key_names_the_nearest_one() -> None:
    with pytest.raises(UnknownKey, match=r"Did you mean soul\.policy"):
        set_key(FILE, "soul.polcy", "locked")


def test_a_file_that_cannot_be_read_is_not_changed() -> None:
    for text in ("{", "[]", "{a: 1,,}"):
        with pytest.raises(BadConfig):
            set_key(text, "soul.policy", "locked")


def test_nothing_is_set_inside_what_is_no_group() -> None:
    with pytest.raises(BadConfig, match="soul in the host file is not a group"):
        set_key("{soul: 3}", "soul.policy", "locked")


def test_an_edit_that_would_not_mean_what_it_says_is_refused() -> None:
    # here a carriage return ends the comment, so that the new key would land inside it
    with pytest.raises(BadConfig, match="safely"):
        set_key("{crm_tokens: 1 // note\r}", "identity_tokens", "5")


def test_unsetting_removes_the_line_and_nothing_else() -> None:
    changed = unset_key(FILE, "agents.defaults.workspace")
    assert changed == FILE.replace('      workspace: "~/clawd", // the old place\n', "")


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("{crm_tokens: 1}", "crm_tokens", "{}"),
        ("{crm_tokens: 1, identity_tokens: 2}", "crm_tokens", "{identity_tokens: 2}"),
        ("{crm_tokens: 1, identity_tokens: 2}", "identity_tokens", "{crm_tokens: 1 }"),
        ("{\n  crm_tokens: 1,\n  identity_tokens: 2\n}\n", "identity_tokens", "{\n  crm_tokens: 1\n}\n"),
        (
            "{\n  crm_tokens: 1, // a\n  // b\n  identity_tokens: 2,\n}\n",
            "identity_tokens",
            "{\n  crm_tokens: 1, // a\n  // b\n}\n",
        ),
        ("{crm_tokens: 1, crm_context_budget: 2}", "crm_tokens", "{}"),
        ("{crm_tokens: 1, crm_tokens: 2}", "crm_tokens", "{}"),
        ("{foo: {bar: 1}, crm_tokens: 2}", "foo.bar", "{foo: {}, crm_tokens: 2}"),
        (
            '{agents: {defaults: {model: {primary: "a", fallbacks: []}}}}',
            "agents.defaults.model",
            "{agents: {defaults: {model: {fallbacks: []}}}}",
        ),
        ("{}", "crm_tokens", "{}"),
        ("", "crm_tokens", ""),
    ],
)
def test_unsetting_keeps_the_rest(text: str, key: str, expected: str) -> None:
    assert unset_key(text, key) == expected


@pytest.mark.parametrize(
    ("key", "error"), [("foo", UnknownKey), ("agents", WrongUse), ("agents.list.aria.id", WrongUse)]
)
def test_unsetting_what_is_no_setting_is_refused(key: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        unset_key(FILE, key)


KEYS = {
    "ui.assistant.name": "A",
    "agents.defaults.memorySearch.query.minScore": "0.5",
    "agents.list.aria.soul.policy": "locked",
    "agents.list.zoe.identity.emoji": "🌿",
    "hooks.internal.entries.soul-evil.purge.at": "23:30",
    "provider.x.baseUrl": "http://x",
    "crm_tokens": "7",
    "agents.defaults.memorySearch.extraPaths": '["a"]',
}
blanks = st.sampled_from(["", " ", "\n", "\n  ", " // note, {\n", "/* } */", "\r\n"])
pieces = {
    "ui": ["{}", '{assistant: {name: "old", emoji: "e"}}', "{assistant: {}}", "null"],
    "agents": ['{list: [{id: "aria"}]}', '{entries: {aria: {}}}', "{defaults: {memorySearch: {query: {}}}, list: []}", "{}"],
    "memorySearch": ["{}", "{query: {minScore: .1}}", '{model: "m"}'],
    '"hooks"': ["{internal: {entries: {'soul-evil': {chance: .5, purge: {}}}}}", "{}"],
    "gateway": ["{port: 1, x: [1, {y: NaN}, ]}"],
    "crm_context_budget": ["3"],
    "provider": ["{x: {}}", "{}"],
}  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(sorted(pieces)), unique=True))
    if "agents" in names and "memorySearch" in names:
        names.remove("memorySearch")
    members = []
    for name in names:
        value = draw(st.sampled_from(pieces[name]))
        # blanks after every sign of the value, where no text can be hit by them
        value = "".join(char + (draw(blanks) if char in "{[," else "") for char in value)
        members.append(f"{draw(blanks)}{name}{draw(blanks)}:{draw(blanks)}{value}{draw(blanks)}")
    comma = "," if members and draw(st.booleans()) else ""
    return draw(blanks) + "{" + ",".join(members) + comma + draw(blanks) + "}" + draw(blanks)


@given(files(), st.sampled_from(sorted(KEYS)))
def test_setting_changes_one_setting_and_unsetting_gives_the_rest_back(text: str, key: str) -> None:
    before = load(PLACES, text)
    changed = set_key(text, key, KEYS[key])
    after = load(PLACES, changed)
    assert get_setting(after, key).origin == "host file"
    rest_before, rest_after = copy.deepcopy(pyjson5.decode(text)), pyjson5.decode(changed)
    assert _flat(rest_before).keys() - _flat(rest_after).keys() <= _emptied(rest_before)
    for note in ("// note, {", "/* } */"):
        assert changed.count(note) == text.count(note)
    assert set_key(changed, key, KEYS[key]) == changed
    unset = load(PLACES, unset_key(changed, key))
    shared = {"agents.list.aria.soul.policy": "soul.policy"}.get(key, key)
    assert get_setting(unset, key).origin == "default" or shared != key
    assert unset.config.hooks.enabled == before.config.hooks.enabled
    assert unset.config.agent("aria" if "aria" in text else "").heartbeat == before.config.agent().heartbeat


def _flat(value: object, where: tuple[object, ...] = ()) -> dict[tuple[object, ...], str]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if not members:
        return {where: repr(value)}
    return {place: leaf for name, inner in members for place, leaf in _flat(inner, (*where, name)).items()}


def _emptied(value: object) -> set[tuple[object, ...]]:
    """Places of groups without members, which a new key may fill."""
    return {place for place, leaf in _flat(value).items() if leaf in ("{}", "[]", "None")}
