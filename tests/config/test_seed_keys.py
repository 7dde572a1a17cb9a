"""Every key of the seeds is accepted, with the default it has here."""

import pytest

from everself.config import find_places, load
from everself.config.display import get_setting
from everself.config.schema import get_spot
from everself.config.sections import SETTINGS

PLACES = find_places({"HOME": "/people/ada"})

HOST = {
    "agents.defaults.workspace": "/people/ada/.everself/workspace",
    "agents.defaults.compaction.memoryFlush.enabled": True,
    "agents.defaults.compaction.memoryFlush.softThresholdTokens": 4000,
    "agents.defaults.bootstrapMaxChars": 20000,
    "agents.defaults.bootstrapTotalMaxChars": 60000,
    "agents.defaults.sandbox.workspaceAccess": "ro",
    "agents.defaults.userTimezone": "",
    "agents.defaults.heartbeat.every": "30m",
    "memorySearch.enabled": True,
    "memorySearch.provider": "auto",
    "memorySearch.model": "",
    "memorySearch.fallback": "none",
    "memorySearch.store.path": "",
    "memorySearch.local.modelPath": "",
    "memorySearch.extraPaths": (),
    "agents.defaults.memorySearch.provider": "auto",
    "agents.defaults.memorySearch.query.maxResults": 6,
    "agents.defaults.memorySearch.query.minScore": 0.35,
    "agents.defaults.memorySearch.query.hybrid.vectorWeight": 0.7,
    "agents.defaults.memorySearch.query.hybrid.textWeight": 0.3,
    "agents.defaults.memorySearch.query.hybrid.temporalDecay.enabled": False,
    "agents.defaults.memorySearch.query.hybrid.temporalDecay.halfLifeDays": 30,
    "agents.list.aria.id": "main",
    "agents.list.aria.agentId": "main",
    "agents.list.aria.workspace": "/people/ada/.everself/workspace",
    "agents.list.aria.identity.name": "",
    "agents.list.aria.identity.emoji": "",
    "agents.list.aria.identity.avatar": "",
    "ui.assistant.name": "",
    "ui.assistant.avatar": "",
    "hooks.internal.enabled": True,
    "hooks.internal.entries.soul-evil.enabled": False,
    "hooks.internal.entries.soul-evil.file": "SOUL_EVIL.md",
    "hooks.internal.entries.soul-evil.chance": 0,
    "hooks.internal.entries.soul-evil.purge.at": "",
    "hooks.internal.entries.soul-evil.purge.duration": "",
    "hooks.internal.entries.session-memory.messages": 15,
    "provider.anthropic.apiKey": "",
    "soul.policy": "propose",
    "soul.integrity": "notice",
    "context.profile": "budget",
}

CONFIG_MD = {
    "context_budget_tokens": 6000,
    "identity_tokens": 800,
    "user_profile_tokens": 600,
    "corrections_tokens": 400,
    "recent_memory_tokens": 1200,
    "semantic_recall_tokens": 1500,
    "crm_tokens": 1000,
    "longterm_memory_tokens": 500,
    "memory_retention_hours": 48,
    "compaction_age_days": 30,
    "correction_archive_days": 14,
    "correction_overflow_strategy": "prioritize_unverified",
    "corrected_embedding_grace_days": 7,
    "confidence_decay_interval_days": 30,
    "confidence_decay_amount": 0.05,
    "confidence_floor": 0.2,
    "confidence_boost_per_mention": 0.05,
    "correction_relevance_boost": 1.5,
    "soul_max_tokens": 800,
    "soul_history_retention_days": 90,
    "cron_soul_keeper": "02:30",
    "cron_memory_miner": "06:00",
    "cron_conflict_detector": "07:00",
    "cron_compactor_weekly": "Sunday 03:00",
    "external_context_budget": 0,
    "external_context_source": "",
    "recall_external_handler": "",
    "heartbeat_custom_patterns": (),
    "crm_context_budget": 1000,
}


@pytest.mark.parametrize(("key", "default"), [*HOST.items(), *CONFIG_MD.items()])
def test_a_key_of_the_seeds_has_its_default(key: str, default: object) -> None:
    shown = get_setting(load(PLACES, None), key)
    assert shown.value == default
    assert shown.origin == "default"


@pytest.mark.parametrize("key", sorted(CONFIG_MD.keys() - {"recall_external_handler"}))
def test_a_tunable_may_stand_in_both_places(key: str) -> None:
    assert get_spot(key).setting.place == "both"


def test_the_template_of_the_fourth_seed_is_taken_without_a_word() -> None:
    lines = "\n".join(f"{key}: {_yaml(value)}" for key, value in CONFIG_MD.items() if key != "crm_context_budget")
    loaded = load(PLACES, None, f"# CONFIG\n\n```yaml\n# ── Budgets ──\n{lines}\n```\n")
    assert loaded.findings == ()
    assert loaded.config == load(PLACES, None).config
    assert len(loaded.tunables.values) == len(CONFIG_MD) - 2


def test_the_defaults_of_the_table_are_the_defaults_of_the_sections() -> None:
    for setting in SETTINGS:
        taken = setting.kind.take(setting.default)
        assert taken == setting.default, setting.key


def _yaml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else "[]" if value == () else str(value)
