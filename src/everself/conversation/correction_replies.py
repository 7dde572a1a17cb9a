"""The owner's replies and questions about a correction, in each language of replies."""

from typing import Final

from everself.text.sentences import Language

DONE: Final[dict[Language, str]] = {
    "en": 'Corrected: "{old}" is closed, "{new}" holds now ({where}).',
    "zh": "已更正：“{old}”不再成立，现在是“{new}”（{where}）。",
    "ko": "고쳤어요: “{old}” 대신 이제 “{new}” ({where}).",
    "ja": "訂正しました：「{old}」ではなく「{new}」です（{where}）。",
}
KEPT: Final[dict[Language, str]] = {
    "en": 'Noted: "{new}" ({where}).',
    "zh": "已记下：“{new}”（{where}）。",
    "ko": "적어 두었어요: “{new}” ({where}).",
    "ja": "「{new}」と書き留めました（{where}）。",
}
WHICH: Final[dict[Language, str]] = {
    "en": "Which of these no longer holds: {all}? Answer with its number, or no.",
    "zh": "这几条里哪一条不对了：{all}？请回答编号，都对就回答不是。",
    "ko": "이 중에서 이제 틀린 것은 어느 것인가요: {all}? 번호로, 없으면 아니요로 답해 주세요.",
    "ja": "このうちもう正しくないのはどれですか：{all}。番号か「いいえ」で答えてください。",
}
STILL: Final[dict[Language, str]] = {
    "en": "Does this still hold: {all}? Answer yes or no.",
    "zh": "这条还对吗：{all}？请回答是或不是。",
    "ko": "이건 아직 맞나요: {all}? 네 또는 아니요로 답해 주세요.",
    "ja": "これはまだ正しいですか：{all}。「はい」か「いいえ」で答えてください。",
}
WHAT: Final[dict[Language, str]] = {
    "en": "What exactly is wrong, and what is right? Nothing was changed.",
    "zh": "具体哪里不对，正确的是什么？目前没有改动任何内容。",
    "ko": "정확히 무엇이 틀렸고 무엇이 맞나요? 아직 아무것도 바꾸지 않았어요.",
    "ja": "何が間違っていて、正しくは何でしょうか。まだ何も変えていません。",
}
