"""The host file: OpenClaw's keys and spellings, and words for what is wrong."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from everself.config import Places, Vault, check, find_places, load, load_here, read_host
from everself.config.sections import Embedding, Ranking, SoulPolicy, WorkspaceAccess
from everself.errors import BadConfig, EverselfError, NoPermission, NotFound, TooLarge, UnknownKey

PLACES = find_places({"HOME": "/people/ada"})


def words_of(text: str) -> str:
    with pytest.raises(EverselfError) as caught:
        load(PLACES, text)
    return caught.value.detail


def test_an_empty_file_and_no_file_mean_the_defaults() -> None:
    for text in ("", "\n", "// nothing yet\n", "{}", "\ufeff{}", "/* x */ {} // y"):
        assert load(PLACES, text).config == load(PLACES, None).config
        assert load(PLACES, text).findings == ()


def test_the_first_seeds_search_settings_work() -> None:
    loaded = load(
        PLACES,
        """{
          "agents": {"defaults": {"memorySearch": {
            "provider": "ollama", "model": "bge-m3",
            "query": {"hybrid": {"temporalDecay": {"enabled": true, "halfLifeDays": 23}}}
          }}}
        }""",
    )
    search = loaded.config.agent().search
    assert (search.provider, search.model, search.decay, search.half_life_days) == (
        Embedding.OLLAMA,
        "bge-m3",
        True,
        23.0,
    )
    assert loaded.findings == ()


def test_the_second_seeds_persona_works() -> None:
    loaded = load(
        PLACES,
        """{ hooks: { internal: { enabled: true, entries: { "soul-evil": {
             enabled: true, file: "SOUL_EVIL.md", chance: 0.1, purge: { at: "23:30", duration: "30m" } } } } } }""",
    )
    persona = loaded.config.hooks.persona
    assert persona.enabled
    assert (persona.file, persona.chance, persona.purge_at) == ("SOUL_EVIL.md", 0.1, "23:30")
    assert persona.purge_for == timedelta(minutes=30)


def test_the_switch_for_all_hooks_turns_each_off() -> None:
    text = '{hooks: {internal: {enabled: false, entries: {"soul-evil": {enabled: true}}}}}'
    hooks = load(PLACES, text).config.hooks
    assert not hooks.persona.enabled
    assert not hooks.session_notes


def test_two_agents_have_folders_and_identities_of_their_own() -> None:
    config = load(
        PLACES,
        """{ agents: { list: [
          { agentId: "aria", workspace: "~/aria-workspace", identity: { name: "Aria", emoji: "🌿" } },
          { id: "devbot", identity: { name: "Dev", avatar: "dev.png" } },
        ] } }""",
    ).config
    aria, devbot = config.agents
    assert (aria.id, aria.workspace, aria.identity.name) == ("aria", "/people/ada/aria-workspace", "Aria")
    assert (devbot.workspace, devbot.identity.avatar) == ("/people/ada/.everself/workspace-devbot", "dev.png")
    assert devbot.state == "/people/ada/.everself/agents/devbot"
    assert devbot.search.store_path == "/people/ada/.everself/agents/devbot/index.db"
    assert config.agent() is aria


def test_an_agents_own_values_stand_before_the_shared_ones() -> None:
    config = load(
        PLACES,
        """{ soul: { policy: "locked" },
             agents: { defaults: { bootstrapMaxChars: 5, memorySearch: { ranking: "tfidf", query: { maxResults: 3 } } },
                       list: [ { id: "a" }, { id: "b", bootstrapMaxChars: 7, soul: { policy: "evolve" },
                                              memorySearch: { query: { maxResults: 9 } } } ] } }""",
    ).config
    a, b = config.agent("a"), config.agent("b")
    assert (a.context.file_chars, a.search.max_results, a.search.ranking) == (5, 3, Ranking.TFIDF)
    assert (b.context.file_chars, b.search.max_results, b.search.ranking) == (7, 9, Ranking.TFIDF)
    assert (a.soul.policy, b.soul.policy) == (SoulPolicy.LOCKED, SoulPolicy.EVOLVE)


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("{}", "main"),
        ('{agents: {list: [{id: "a"}, {id: "b"}]}}', "a"),
        ('{agents: {list: [{id: "a"}, {id: "main"}]}}', "main"),
        ('{agents: {list: [{id: "a"}, {id: "main"}, {id: "c", default: true}]}}', "c"),
    ],
)
def test_one_agent_answers_when_none_is_named(text: str, default: str) -> None:
    assert load(PLACES, text).config.agent().id == default


def test_the_shared_workspace_is_that_of_the_agent_that_answers() -> None:
    config = load(PLACES, '{agents: {defaults: {workspace: "~/clawd"}, list: [{id: "a"}, {id: "b"}]}}').config
    assert config.agent("a").workspace == "/people/ada/clawd"
    assert config.agent("b").workspace == "/people/ada/.everself/workspace-b"


def test_agents_that_share_a_folder_or_an_index_are_found() -> None:
    text = """{agents: {defaults: {memorySearch: {store: {path: "/i.db"}}},
                        list: [{id: "a", workspace: "/w"}, {id: "b", workspace: "/w"}]}}"""
    found = [finding for finding in load(PLACES, text).findings if finding.code == "agents-share"]
    assert [finding.path for finding in found] == ["/w", "/i.db"]
    named = text.replace("/i.db", "/{agentId}.db").replace('"/w"}]', '"/v"}]')
    assert load(PLACES, named).findings == ()
    assert load(PLACES, named).config.agent("b").search.store_path == "/b.db"


def test_the_profile_names_the_agent() -> None:
    places = find_places({"HOME": "/people/ada", "EVERSELF_PROFILE": "b"})
    assert load(places, '{agents: {list: [{id: "a"}, {id: "b"}]}}').config.agent().id == "b"
    with pytest.raises(BadConfig, match="EVERSELF_PROFILE is b, which is not a known agent"):
        load(places, None).config.agent()


def test_an_agent_that_is_not_listed_is_not_found() -> None:
    with pytest.raises(NotFound, match="Known agents: main"):
        load(PLACES, None).config.agent("nobody")


@pytest.mark.parametrize(
    "text",
    [
        '{memorySearch: {model: "x"}}',
        '{memory: {search: {model: "x"}}}',
        '{agents: {defaults: {memorySearch: {model: "x"}}}}',
        '{agents: {list: [{id: "main", memorySearch: {model: "x"}}]}}',
        '{agents: {entries: {main: {memorySearch: {model: "x"}}}}}',
        '{agents: {entries: {main: {memory: {search: {model: "x"}}}}}}',
    ],
)
def test_every_spelling_of_a_search_setting_means_the_same(text: str) -> None:
    loaded = load(PLACES, text)
    assert loaded.config.agent().search.model == "x"
    assert loaded.findings == ()


def test_agents_by_id_mean_the_same_as_the_list() -> None:
    by_id = '{agents: {entries: {a: {workspace: "/w", identity: {name: "A"}}, b: {}}}}'
    listed = '{agents: {list: [{id: "a", workspace: "/w", identity: {name: "A"}}, {id: "b"}]}}'
    assert load(PLACES, by_id).config == load(PLACES, listed).config


def test_a_model_may_be_given_as_openclaw_gives_it() -> None:
    loaded = load(PLACES, '{agents: {defaults: {model: {primary: "anthropic/x", fallbacks: ["y"]}}}}')
    assert loaded.config.agent().model == "anthropic/x"
    assert [finding.code for finding in loaded.findings] == ["setting-unused"]


def test_of_two_spellings_that_differ_the_known_name_counts() -> None:
    loaded = load(PLACES, '{memorySearch: {model: "old"}, agents: {defaults: {memorySearch: {model: "new"}}}}')
    assert loaded.config.agent().search.model == "new"
    assert [finding.code for finding in loaded.findings] == ["setting-twice"]
    assert load(PLACES, "{crm_context_budget: 5, crm_tokens: 5}").findings == ()


def test_sub_agents_never_write() -> None:
    text = '{agents: {defaults: {sandbox: {mode: "all", workspaceAccess: "rw"}}}}'
    assert load(PLACES, text).config.agent().subagent_access is WorkspaceAccess.RO


def test_openclaws_other_settings_are_left_alone_with_a_warning() -> None:
    loaded = load(
        PLACES,
        """{
          $schema: "x", gateway: { mode: "local" }, channels: { irc: {} },
          agents: { defaults: { thinkingDefault: "high", memorySearch: { sync: { watch: true } } },
                    list: [ { id: "a", name: "A", tools: {} } ] },
          hooks: { token: "${T}", internal: { entries: { "boot-md": {} } } },
        }""",
    )
    assert {finding.code for finding in loaded.findings} == {"setting-unused"}
    assert len(loaded.findings) == 8
    assert any(finding.message.startswith("Line 2: gateway.mode ") for finding in loaded.findings)


@pytest.mark.parametrize(
    ("bind", "read"),
    [
        ("loopback", "loopback"),
        ("lan", "lan"),
        ("192.168.1.7", "192.168.1.7"),
        ("::1", "::1"),
        # OpenClaw's; they need what Everself does not have, and so it listens where only this machine reaches it
        *((word, "loopback") for word in ("auto", "tailnet", "custom")),
    ],
)
def test_openclaws_port_and_bind_are_read_and_its_token_is_not(bind: str, read: str) -> None:
    text = f'{{gateway: {{port: 18789, bind: "{bind}", auth: {{mode: "token", token: "gway_x"}}}}}}'
    loaded = load(PLACES, text)
    assert (loaded.config.gateway.port, loaded.config.gateway.bind) == (18789, read)
    assert not loaded.config.gateway.allow_remote
    assert [one.message for one in loaded.findings] == [
        "Line 1: gateway.auth is an OpenClaw setting that Everself does not use; it is ignored."
    ]
    assert "gway_x" not in repr(loaded)


@pytest.mark.parametrize("gateway", ['{bind: "home"}', "{bind: 1}", "{port: 0}", "{port: 65536}", "{openAgents: 0}"])
def test_a_gateway_that_cannot_be_is_refused(gateway: str) -> None:
    with pytest.raises(BadConfig):
        load(PLACES, f"{{gateway: {gateway}}}")


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("{agents: {defaults: {memorysearch: {}}}}", "agents.defaults.memorySearch"),
        ("{memorySearch: {providr: 1}}", "memorySearch.provider"),
        ("{halfLifeDays: 3}", "memorySearch.query.hybrid.temporalDecay.halfLifeDays"),
        ('{agents: {list: [{id: "a", wrkspace: 1}]}}', "agents.list.a.workspace"),
        ("{soul: {polcy: 1}}", "soul.policy"),
        ("{context_budget_token: 1}", "context_budget_tokens"),
        ('{hooks: {internal: {entries: {"soul-evl": {}}}}}', "hooks.internal.entries.soul-evil"),
        ('{"agents.defaults.workspace": "/x"}', "agents.defaults.workspace"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(text: str, nearest: str) -> None:
    with pytest.raises(UnknownKey) as caught:
        load(PLACES, text)
    assert caught.value.detail.endswith(f"Did you mean {nearest}?")
    assert "(line 1)" in caught.value.detail


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{memorySearch: {enabled: 1}}", "memorySearch.enabled (line 1) must be true or false."),
        (
            "{memorySearch:\n {query:\n {minScore: 2}}}",
            "memorySearch.query.minScore (line 3) must be a number from 0 to 1.",
        ),
        ("{memorySearch: {query: {minScore: NaN}}}", "must be a number from 0 to 1."),
        ("{memorySearch: {query: {maxResults: true}}}", "must be a whole number from 1 to 1000."),
        ("{memorySearch: {query: {maxResults: 1.5}}}", "must be a whole number from 1 to 1000."),
        ('{memorySearch: {provider: "me"}}', 'must be one of "auto", "local"'),
        ('{memorySearch: {extraPaths: "x"}}', "must be a list of texts"),
        ('{memorySearch: {extraPaths: [""]}}', "must be a list of texts"),
        ('{agents: {defaults: {workspace: "here"}}}', "must be an absolute path"),
        ('{agents: {defaults: {userTimezone: "Mars/Base"}}}', "must be a time zone"),
        ('{heartbeat: {every: "soon"}}', "must be a duration"),
        ('{heartbeat: {activeHours: {start: "8am"}}}', "must be a time of day"),
        ('{ui: {assistant: {name: "a\\u0000b"}}}', "must be a short text"),
        ('{hooks: {internal: {entries: {"soul-evil": {file: "../../x"}}}}}', "inside the workspace"),
        ("{agents: 3}", "agents (line 1) must be an object"),
        ("{agents: {list: {}}}", "agents.list (line 1) must be a list"),
        ("{agents: {list: [\n3]}}", "agents.list.0 (line 2) must be an object"),
        ("{agents: {list: [{}]}}", "agents.list.0 (line 1) needs an id."),
        ('{agents: {list: [{id: "a/b"}]}}', "other than letters"),
        ('{agents: {list: [{id: "a"}, {id: "A"}]}}', "has the id of another agent."),
        ("{agents: {entries: {a: 1}}}", "must be an object"),
        ('{soul: {policy: "free"}}', 'must be one of "locked", "propose", "evolve".'),
        ('{heartbeat_custom_patterns: [{pattern: "(", route: "miner"}]}', "number 1: RE2 cannot read"),
        (
            '{heartbeat_custom_patterns: [{pattern: "x", route: "miner"}, {pattern: ".*", route: "miner"}]}',
            "number 2: it matches every message",
        ),
        ('{heartbeat_custom_patterns: [{pattern: "x"}]}', "must be a list of"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(text: str, words: str) -> None:
    assert words in words_of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\n  a: 1,\n  b: }\n", "line 3, column 6: unexpected }."),
        ("{\n  agents: {\n", "line 2, column 11: this is not closed."),
        ('{\n  "日本": "🌿🌿",\n  b: ]', "line 3, column 6: unexpected ]."),
        ("{} {}", "more text after the closing brace"),
        ("[" * 100, "nested too deeply"),
        ("[1]", "must contain one object"),
        ("3", "must contain one object"),
    ],
)
def test_broken_json5_is_told_in_words_with_its_place(text: str, words: str) -> None:
    assert words in words_of(text)
    assert words_of(text).startswith(PLACES.host_file)


def test_a_broken_file_does_not_carry_its_secrets_into_the_error() -> None:
    with pytest.raises(BadConfig) as caught:
        load(PLACES, '{provider: {openai: {apiKey: "sk-hidden"}}, x: }')
    seen: BaseException | None = caught.value
    while seen is not None:
        assert "sk-hidden" not in repr(seen.args)
        seen = seen.__cause__ or seen.__context__


def test_a_file_beyond_the_bound_is_not_parsed() -> None:
    with pytest.raises(TooLarge):
        load(PLACES, "{" + " " * 300_000 + "}")


def test_null_means_not_set() -> None:
    assert load(PLACES, "{agents: null, ui: {assistant: {name: null}}}").config == load(PLACES, None).config


def test_a_key_that_stands_twice_is_reported() -> None:
    loaded = load(PLACES, '{ui: {assistant: {name: "a"}},\n ui: {assistant: {name: "b"}}}')
    assert loaded.config.ui.name == "b"
    assert [finding.code for finding in loaded.findings] == ["setting-repeated"]
    assert "Line 2: ui occurs twice" in loaded.findings[0].message


def test_the_check_lists_every_problem_and_never_raises() -> None:
    found = check(PLACES, "{foo: 1, soul: {policy: 3}, channels: {}}")
    assert [finding.severity for finding in found] == ["error", "error", "warning"]
    assert all(finding.path == PLACES.host_file for finding in found)
    assert [finding.code for finding in check(PLACES, "{")] == ["config-wrong"]
    assert check(PLACES, '{agents: {defaults: {workspace: "${NOT_SET}/x"}}}')[0].severity == "error"
    assert check(PLACES, None) == ()


def test_the_first_of_several_problems_says_that_there_are_more() -> None:
    assert "More problems: 1" in words_of("{foo: 1, bar: 2}")


@pytest.mark.slow
def test_a_flood_of_problems_is_cut_short() -> None:
    flood = "{" + ",".join(f"unknown_{number}: 1" for number in range(500)) + "}"
    assert len(check(PLACES, flood)) == 50


def test_variables_may_stand_in_paths_and_texts() -> None:
    vault = Vault({"WHERE": "/data"})
    text = '{agents: {defaults: {workspace: "${WHERE}/w", model: "x/${WHERE}"}}, ui: {assistant: {name: "${"}}}'
    config = load(PLACES, text, vault=vault).config
    assert (config.agent().workspace, config.agent().model, config.ui.name) == ("/data/w", "x//data", "${")
    with pytest.raises(BadConfig, match="environment variable WHERE, which is not set"):
        load(PLACES, text)


def test_extra_paths_may_be_relative_to_the_workspace() -> None:
    text = '{memorySearch: {extraPaths: ["~/notes", "wiki", "/abs"], local: {modelPath: "~/m.gguf"}}}'
    search = load(PLACES, text).config.agent().search
    assert search.extra_paths == ("/people/ada/notes", "wiki", "/abs")
    assert search.model_path == "/people/ada/m.gguf"


def home(tmp_path: Path) -> Places:
    return find_places({"HOME": str(tmp_path), "EVERSELF_HOME": str(tmp_path)})


def test_the_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "everself.json5").write_bytes(b"\xef\xbb\xbf{\r\n}\r\n")
    assert read_host(home(tmp_path)) == "\ufeff{\r\n}\r\n"


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    assert read_host(home(tmp_path)) is None
    (tmp_path / "file").write_text("x")
    assert read_host(find_places({"HOME": "/h", "EVERSELF_CONFIG": str(tmp_path / "file" / "x.json5")})) is None


def test_odd_files_in_its_place_give_words(tmp_path: Path) -> None:
    host = tmp_path / "everself.json5"
    host.write_bytes(b"{\n  a: '\xff'\n}")
    with pytest.raises(BadConfig, match="line 2"):
        read_host(home(tmp_path))
    host.write_bytes(b" " * 300_000)
    with pytest.raises(TooLarge):
        read_host(home(tmp_path))
    host.unlink()
    host.mkdir()
    with pytest.raises(BadConfig, match="not a regular file"):
        read_host(home(tmp_path))
    host.rmdir()
    os.mkfifo(host)
    with pytest.raises(BadConfig, match="not a regular file"):
        read_host(home(tmp_path))


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: str, *_: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    # tests may run as root, whom no mode keeps out
    monkeypatch.setattr(os, "open", deny)
    with pytest.raises(NoPermission, match=r"everself\.json5"):
        read_host(home(tmp_path))


def test_this_machines_settings_are_put_together(tmp_path: Path) -> None:
    (tmp_path / "everself.json5").write_text('{ui: {assistant: {name: "A"}}, provider: {x: {apiKey: "${secret:k}"}}}')
    secrets = tmp_path / "secrets.json"
    secrets.write_text('{"k": "v"}')
    secrets.chmod(0o644)
    loaded = load_here({"HOME": str(tmp_path), "EVERSELF_HOME": str(tmp_path)})
    assert loaded.config.ui.name == "A"
    key = loaded.config.provider("x").api_key
    assert key is not None
    assert key.reveal() == "v"
    assert [finding.code for finding in loaded.findings] == ["secrets-readable"]
    secrets.chmod(0o600)
    assert load_here({"HOME": str(tmp_path), "EVERSELF_HOME": str(tmp_path)}).findings == ()
