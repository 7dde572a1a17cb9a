"""A table to assemble at: documents in a dictionary, a clock that stands still, a nonce that is known, memories that are found."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from everself.config.sections import ContextLimits, ContextProfile, Ranking, Tunables
from everself.conversation.context.assembler import Assembler, Prompt
from everself.conversation.context.request import Facts, Parts, PromptRequest
from everself.identity.persona import Speaker
from everself.search.packing import pack
from everself.search.recall import RecallRequest, SearchResult
from everself.search.scopes import Scope, SessionKind, sees
from everself.testing.frozen_time import FrozenTime
from everself.text.tokens import count
from everself.values import Document, Hit, digest

# counted once for all tests: most of each prompt is the same
tokens_of = lru_cache(maxsize=50_000)(count)
NONCE = "0123456789abcdef"
FACTS = Facts("kettle", "reflex", "terminal")
SOUL = "# Soul\n\nYou are Ada. Plain, warm, brief.\n"
TODAY, YESTERDAY, BEFORE = "memory/2026-03-19.md", "memory/2026-03-18.md", "memory/2026-03-17.md"


@dataclass
class Table:
    """Change `files` between two turns to do what somebody else does meanwhile."""

    files: dict[str, str] = field(default_factory=dict)
    tunables: Tunables = field(default_factory=Tunables)
    limits: ContextLimits = field(default_factory=ContextLimits)
    hits: tuple[Hit, ...] = ()
    time: FrozenTime = field(default_factory=FrozenTime)
    soul_file: str = "SOUL.md"
    more: Callable[[Parts], Parts] = field(default=lambda parts: parts)
    asked: list[RecallRequest] = field(default_factory=list)

    def parts(self) -> Parts:
        return self.more(
            Parts(
                find=self.find,
                paths=lambda folder: sorted(path for path in self.files if path.startswith(f"{folder}/")),
                speak=lambda _: self.speaker(),
                clock=self.time.clock(),
                limits=self.limits,
                tunables=self.tunables,
                recall=self.search,
                nonce=lambda: NONCE,
                seal=lambda _: NONCE,
                count=tokens_of,
            )
        )

    def find(self, path: str) -> Document | None:
        return Document(path, self.files[path].encode()) if path in self.files else None

    def speaker(self) -> Speaker:
        data = self.files.get(self.soul_file, "").encode()
        return Speaker(self.soul_file, data, digest(data), "soul")

    def search(self, request: RecallRequest) -> SearchResult:
        self.asked.append(request)
        packed = pack([hit for hit in self.hits if sees(request.scope, hit.path)], request.budget or 0, tokens_of)
        return SearchResult(request.query, packed.kept, "keywords", Ranking.DEFAULT, packed.tokens)

    def assemble(self, kind: SessionKind = SessionKind.MAIN, **more: object) -> Prompt:
        person = more.pop("person", None)
        assert person is None or isinstance(person, str)
        ask = PromptRequest(Scope(kind, person), facts=FACTS)
        return Assembler(self.parts()).assemble(replace(ask, **more))  # type: ignore[arg-type] # fields by name


def profile(name: str, **more: int) -> ContextLimits:
    return replace(ContextLimits(), profile=ContextProfile(name), **more)


def hit(text: str, path: str = "memory/2026-01-05.md", line: int = 3, day: date | None = date(2026, 1, 5)) -> Hit:
    return Hit(path, line, line, 0.8, text, day=day)
