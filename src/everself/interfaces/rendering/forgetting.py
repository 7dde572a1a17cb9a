"""Output of `everself memory forget`: the plan and the proof."""

import json
from collections.abc import Iterable
from typing import Final

from everself.interfaces.rendering.view import Look, View, degraded_if
from everself.memory.forgetting.proof import ForgetPlan, ForgetProof


def _lines(found: ForgetPlan | ForgetProof, look: Look) -> Iterable[str]:
    planned = isinstance(found, ForgetPlan) and not look.asking
    return [*found.lines(), *(["Nothing was changed."] if planned else [])]


def _data(found: ForgetPlan | ForgetProof) -> object:
    return json.loads(found.to_json()) if isinstance(found, ForgetProof) else found


VIEWS: Final = {
    "memory.forget": View(
        _lines, code=degraded_if(lambda found: isinstance(found, ForgetProof) and found.degraded), data=_data
    )
}
