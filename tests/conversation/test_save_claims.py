"""Which replies promise to remember. Typographic apostrophes are the rule, not the exception."""

import pytest

from everself.conversation.save_claims import claims_saving

CLAIMS = (
    "I’ll remember that.",
    "Got it, I'll keep that in mind for next time.",
    "Noted!",
    "Sure. I've made a note of it.",
    "I've saved your preference for tea.",
    "I won’t forget it.",
    "Okay, I have written that down. Anything else?",
    "Your birthday has been saved.",
    "Understood. I'm adding this to my memory.",
    "I'll make sure to remember your sister's name.",
    "好的，我记住了。",
    "我會記得你喜歡茶。",
    "已经帮你记下来了！",
    "已保存到我的记忆。",
    "네, 기억해 둘게요.",
    "메모해 두었습니다.",
    "잊지 않을게요.",
    "기억하겠습니다.",
    "はい、覚えておきます。",
    "メモしておきました。",
    "記録しました。",
    "忘れません。",
    "覚えておくね。",
)
HARMLESS = (
    "I remember that you like tea.",
    "Would you like me to remember that?",
    "I can't save that.",
    "I don't remember your name.",
    "If you want, I'll remember it.",
    "You told me that you live in Lyon.",
    "Remember to drink water.",
    "Nothing was saved.",
    "You can save the file with Ctrl-S.",
    "I haven't noted anything about it.",
    "The weather is nice.",
    "```\nI'll remember that.\n```",
    "> I'll remember that.",
    "你喜欢茶。",
    "要我记住吗？",
    "我不记得了。",
    "如果你愿意，我会记住。",
    "무엇을 좋아하세요?",
    "기억해 둘까요?",
    "기억나지 않아요.",
    "覚えていません。",
    "覚えておきましょうか？",
    "お茶が好きなんですね。",
    "",
)


@pytest.mark.parametrize("reply", CLAIMS)
def test_a_promise_is_heard(reply: str) -> None:
    assert claims_saving(reply)


@pytest.mark.parametrize("reply", HARMLESS)
def test_what_promises_nothing_is_left_alone(reply: str) -> None:
    assert not claims_saving(reply)


def test_a_promise_is_heard_at_both_ends_of_a_long_reply() -> None:
    filler = "The harbour is quiet today. " * 2_000
    assert claims_saving(f"I'll remember that. {filler}")
    assert claims_saving(f"{filler} I'll remember that.")
    assert not claims_saving(filler)
