"""Prepares a text for patterns: straight quotes, half-width forms, simplified Chinese, no quoted passages.

Every step keeps the length of the text, so that positions stay the same.
"""

from typing import Final

# replaces quoted or pasted passages: no pattern matches it, and it still counts as a name
HIDDEN: Final = "\u25a1"
# a longer text in quotes is a sentence, not a name or a title
_SENTENCE: Final = 14
_SENTENCE_CJK: Final = 3

_STRAIGHT: Final = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
    | {"–": "-", "—": "-", "\u00a0": " ", "\u3000": " ", "、": ",", "…": ","}
    # this full stop always ends a sentence, while a dot may be part of a number
    | {"。": "\n", "｡": "\n"}
    | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
)
_TRADITIONAL: Final = (
    "對錯說記這沒還時誤講過個變換給後來經幾麼當訴應該實準確舊顛問題認為們嗎邊從話聽號樣請別"
    "嚴謂點筆錄單開關動養誰讓現補戶帳總種隻條張兩會國學長裡裏歲麵週禮專無並與將"
    "覺愛稱爾畢業結離爭議訂購買賣貓車門東馬魚鳥龍電腦網糾煩職寫選調轉師親媽"
)
_SIMPLIFIED: Final = (
    "对错说记这没还时误讲过个变换给后来经几么当诉应该实准确旧颠问题认为们吗边从话听号样请别"
    "严谓点笔录单开关动养谁让现补户账总种只条张两会国学长里里岁面周礼专无并与将"
    "觉爱称尔毕业结离争议订购买卖猫车门东马鱼鸟龙电脑网纠烦职写选调转师亲妈"
)
_ONE_SCRIPT: Final = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_PAIRS: Final = {'"': '"', "「": "」", "『": "』", "《": "》", "【": "】"}
_FENCE: Final = "```"


def whole(text: str) -> str:
    """The text with lone surrogates replaced, which RE2 does not accept; the length stays."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold_in_place(text: str) -> str:
    """Unlike `normalise.fold`, which is for comparing, this keeps case, line breaks and positions."""
    return whole(text).translate(_STRAIGHT)


def one_script(text: str) -> str:
    """The text in simplified Chinese, for the characters that patterns use."""
    return text.translate(_ONE_SCRIPT)


def hide_quoted(folded: str) -> str:
    """The text with sentences in quotes, code blocks and lines with `>` hidden: they are not the user's own words."""
    chars = list(folded)
    _hide_fences(folded, chars)
    at = 0
    while at < len(folded):
        close = _PAIRS.get(folded[at])
        end = -1 if close is None else folded.find(close, at + 1)
        if end < 0:
            at += 1
            continue
        passage = folded[at + 1 : end]
        if len(passage) > (_SENTENCE if passage.isascii() else _SENTENCE_CJK) or _is_sentence(passage):
            chars[at + 1 : end] = HIDDEN * len(passage)
        at = end + 1
    return "".join(chars)


def without_quoted(text: str) -> str:
    """The user's own words: the text without quoted passages."""
    shown = hide_quoted(fold_in_place(text))
    return "".join(own if seen != HIDDEN else "" for own, seen in zip(text, shown, strict=True)).strip()


def _is_sentence(passage: str) -> bool:
    return passage.rstrip().endswith((".", "!", "?", ",")) or "\n" in passage


def _hide_fences(folded: str, chars: list[str]) -> None:
    inside, at = False, 0
    for line in folded.splitlines(keepends=True):
        fence = line.lstrip().startswith(("'''", _FENCE))
        if inside or fence or line.lstrip().startswith(">"):
            for place in range(at, at + len(line.rstrip("\r\n"))):
                chars[place] = HIDDEN
        inside ^= fence
        at += len(line)
