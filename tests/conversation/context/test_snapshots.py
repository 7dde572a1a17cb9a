"""Assembled contexts as they are, whole: they are the product. Read the snapshot when one of them changes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from click import unstyle
from syrupy.assertion import SnapshotAssertion
from tests.conversation.context.tables import FACTS, NONCE

from everself.agent import open_runtime
from everself.conversation.context.assembler import Assembler
from everself.conversation.context.request import PromptRequest
from everself.interfaces.rendering.conversation import _explained, _gaps
from everself.interfaces.rendering.lines import render
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.testing.frozen_time import FrozenTime

RULES = "# Rules\n\n- Write to files, not mental notes.\n- Search before you answer.\n"
WEEK = {
    "SOUL.md": """# Soul

You are Ada: plain, warm, brief.

## In company
<!-- share: group, subagent -->

Speak when you are asked. Nothing from home leaves home.

## Learned

- Robin likes the short answer first. (2026-02-11)
""",
    "IDENTITY.md": "# Identity\n\n- **Name:** Ada\n- **Creature:** a lighthouse keeper\n- **Emoji:** 🕯️\n",
    "AGENTS.md": RULES,
    "TOOLS.md": "# Tools\n\n- **kettle:** the machine in the hall; it sleeps at night.\n",
    "HEARTBEAT.md": "# Heartbeat\n\n- Look whether the hives were fed.\n",
    "USER.md": "# User\n\n- **Name:** Robin\n- **Time zone:** Europe/Berlin\n\n## Preferences\n\n- Tea without sugar.\n",
    "MEMORY.md": """# Memory

## People

- Jun is Robin's brother and plays the cello. <!-- everself: id=1G8RAGTCKY0P tag=knowledge conf=0.95 src=owner -->

## House
<!-- share: group -->

- The gate code changes in May.
""",
    "CORRECTIONS.md": """# Corrections

## [09:12:00] correction on 2026-03-17

- **Said:** The vet is on Monday.
- **Right:** The vet is on Tuesday.
- **Trigger:** told directly (confidence 0.95)
- **Re-embedded:** false
""",
    "memory/2026-03-19.md": "# Memory Log: 2026-03-19\n\n## [08:05:00] note\n\nThe swarm left for the pear tree.\n",
    "memory/2026-03-18.md": "# Memory Log: 2026-03-18\n\n## [21:40:00] note\n\nRain on the hives all day.\n",
    "memory/2026-03-18-honey.md": "# Session: honey\n\nRobin wants to sell forty jars in June.\n",
    "memory/2026-02-02.md": "# Memory Log: 2026-02-02\n\n## [10:00:00] note\n\nThe extractor is borrowed from Mrs. Vogel.\n",
    "users/mia/USER.md": "- **Name:** Mia\n",
    "users/mia/MEMORY.md": "- Mia is allergic to bees.\n",
}
CHINESE = {
    "SOUL.md": "# 灵魂\n\n你是小灯：直率、温暖、简短。\n",
    "IDENTITY.md": "# 身份\n\n- **Name:** 小灯\n",
    "AGENTS.md": "# 规则\n\n- 写进文件，不要只记在脑子里。\n",
    "TOOLS.md": "# 工具\n\n- **水壶：** 走廊里的机器。\n",
    "USER.md": "# 用户\n\n- **Name:** 林\n- **时区:** Asia/Shanghai\n",
    "MEMORY.md": "# 记忆\n\n## 人\n\n- 小军是林的弟弟，会拉大提琴。\n",
    "memory/2026-03-19.md": "# Memory Log: 2026-03-19\n\n## [08:05:00] note\n\n蜂群飞到梨树上去了。\n",
    "memory/2026-02-02.md": "# Memory Log: 2026-02-02\n\n## [10:00:00] note\n\n摇蜜机是向王阿姨借的，六月要还。\n",
}
TIGHT = """# Config

```yaml
context_budget_tokens: 900
identity_tokens: 60
user_profile_tokens: 60
corrections_tokens: 90
recent_memory_tokens: 160
semantic_recall_tokens: 200
crm_tokens: 100
longterm_memory_tokens: 80
```
"""


@contextmanager
def living(home: Path, files: Mapping[str, str], **hooks: object) -> Iterator[Runtime]:
    """An agent whose files these are, on the morning of 19 March 2026, with words and no vectors."""
    workspace = home / ".everself" / "workspace"
    for path, text in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, "utf-8")
    workspace.mkdir(parents=True, exist_ok=True)
    if hooks:
        told = {"hooks": {"internal": {"entries": {"soul-evil": hooks}}}}
        (home / ".everself" / "everself.json5").write_text(json.dumps(told), "utf-8")
    environ = {"HOME": str(home), "EVERSELF_HOME": f"{home}/.everself", "EVERSELF_KEYS": f"{home}/keys"}
    with open_runtime(environ=environ) as app:
        vars(app)["clock"] = FrozenTime().clock("Europe/Berlin")
        vars(app)["embedder"] = None
        yield app


def shown(app: Runtime, ask: PromptRequest) -> str:
    inputs = app.prompt_inputs()
    vars(inputs.sources).update(nonce=lambda: NONCE, seal=lambda _: NONCE)
    made = Assembler(inputs).assemble(replace(ask, facts=FACTS))
    notices = [f"Note: {notice}" for notice in made.receipt.notices]
    lines = (*_explained(made.receipt), *_gaps(made.receipt))
    return "\n".join([made.text, *(unstyle(render(line)) for line in lines), *notices]) + "\n"


def test_an_empty_workspace(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, {}) as app:
        assert shown(app, PromptRequest(message="Who are you?")) == snapshot


def test_an_ordinary_week(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, WEEK) as app:
        assert shown(app, PromptRequest(message="From whom is the extractor borrowed?")) == snapshot


def test_everything_over_budget(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    more = {
        "CONFIG.md": TIGHT,
        "USER.md": WEEK["USER.md"] + "".join(f"- Likes the tea number {at} of the shop.\n" for at in range(12)),
        "MEMORY.md": WEEK["MEMORY.md"] + "".join(f"- Jar number {at} went to a neighbour.\n" for at in range(40)),
        "CORRECTIONS.md": WEEK["CORRECTIONS.md"] * 3,
        "memory/2026-03-19.md": WEEK["memory/2026-03-19.md"]
        + "".join(f"\n## [09:{at:02}:00] note\n\nThe extractor turned {at} times.\n" for at in range(30)),
    }
    with living(tmp_path, WEEK | more) as app:
        assert shown(app, PromptRequest(message="From whom is the extractor borrowed?")) == snapshot


def test_a_chinese_workspace(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, CHINESE) as app:
        assert shown(app, PromptRequest(message="摇蜜机是向谁借的？")) == snapshot


def test_a_group(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, WEEK) as app:
        assert shown(app, PromptRequest(Scope(SessionKind.GROUP), "When does the gate code change?")) == snapshot


def test_a_sub_agent(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, WEEK) as app:
        assert (
            shown(app, PromptRequest(Scope(SessionKind.SUBAGENT), "From whom is the extractor borrowed?")) == snapshot
        )


def test_a_guest(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, WEEK) as app:
        assert shown(app, PromptRequest(Scope(SessionKind.GUEST, "mia"), "Am I allergic to bees?")) == snapshot


def test_a_heartbeat(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with living(tmp_path, WEEK) as app:
        assert shown(app, PromptRequest(Scope(SessionKind.HEARTBEAT))) == snapshot


def test_an_alternate_persona(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    files = {**WEEK, "SOUL_EVIL.md": "# Soul\n\nYou are Ada's shadow: sharp, theatrical, harmless.\n"}
    with living(tmp_path, files, enabled=True, chance=1) as app:
        assert shown(app, PromptRequest(session="evening", turn=1)) == snapshot
        assert [spoke.file for spoke in app.state.personas.list()] == ["SOUL_EVIL.md"]
