"""Promotion as the owner asks for it at a terminal, for tests that are about what it does."""

from dataclasses import replace

from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import Tell
from everself.operations.promotion import Asking, Promoted, PromoteRequest, Proposed
from everself.operations.promotion import promote as run
from everself.runtime import Runtime


def find_candidates(app: Runtime, request: PromoteRequest, tell: Tell | None = None) -> tuple[Proposed, ...]:
    found = run(app, AT_TERMINAL, request, tell)
    assert isinstance(found, Promoted)
    return found.candidates


def promote(app: Runtime, request: PromoteRequest, tell: Tell | None = None, *, present: bool = True) -> Promoted:
    done = run(app, replace(AT_TERMINAL, present=present), replace(request, apply=True), tell)
    assert isinstance(done, Promoted)
    return done


def review_week(app: Runtime, tell: Tell | None = None) -> Asking:
    asked = run(app, AT_TERMINAL, PromoteRequest(review=True), tell)
    assert isinstance(asked, Asking)
    return asked
