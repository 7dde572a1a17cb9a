"""What the gateways of browser tests remember: nothing, two hundred days, or a stranger's texts. Written as plain files, which is quick."""

from datetime import timedelta
from pathlib import Path

from everself.clock import system_now

DAYS = 200
TOPICS = ("garden", "boat", "parser", "kitchen", "choir", "rent", "dentist", "heron")
PEOPLE = ("Ana", "Bob", "Carla", "Dev")
# every one of them is to be shown as text
HOSTILE = (
    "<script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "<svg onload=\"document.title='run'\"><use href='http://elsewhere.example/x#y'/></svg>",
    "<a href=\"javascript:document.title='run'\">press here</a> javascript:alert(1) data:text/html,<script>1</script>",
    "![pixel](http://elsewhere.example/pixel.png) [link](http://elsewhere.example/) http://elsewhere.example/plain",
    "<style>@import url(http://elsewhere.example/x.css); body{display:none}</style><link rel=stylesheet href=//elsewhere.example/y.css>",
    "<iframe src=http://elsewhere.example/></iframe><object data=//elsewhere.example></object><base href=//elsewhere.example/>",
    "<form action=http://elsewhere.example/><button>send</button></form><meta http-equiv=refresh content='0;url=//elsewhere.example'>",
    "</textarea></title></pre></bdi><script>document.title='run'</script>",
    "\" autofocus onfocus=\"document.title='run'\" x=\"' onmouseover='document.title=1",
    "{{ 7*7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %>",
    "<div hx-get='http://elsewhere.example/' hx-trigger='load'>x</div><div hx-on::load=\"document.title='run'\"></div>",
    "right \u202eto left\u202c and \u2066isolated\u2069, zero\u200bwidth, tag \U000e0041\U000e0042, \u0007bell, \u001b[31mred",
    "مرحبا \u202bעברית\u202c mixed שלום 123",
    "W" * 5_000,
    "a" + "\u0301" * 300 + " zalgo",
    "&lt;already&gt; &amp;amp; &#x3c;script&#x3e;",
)


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def fill_days(root: Path, days: int = DAYS, a_day: int = 5) -> None:
    """So many days of an ordinary life up to yesterday, with a core, people, a project and topics."""
    first = system_now().date() - timedelta(days=days)
    for number in range(days):
        day = first + timedelta(days=number)
        notes = [f"## [{8 + i:02}:15:00] note\n\n{_sentence(number, i)}\n" for i in range(a_day)]
        write(root, f"memory/{day}.md", f"# Memory Log: {day}\n\n" + "\n".join(notes))
    core = "".join(f"- {_fact(i)}\n" for i in range(24))
    write(root, "MEMORY.md", f"# Memory\n\n## Facts\n\n{core}")
    write(root, "users/bob/MEMORY.md", "# Bob\n\n- Bob prefers short answers.\n- Bob sails on Sundays.\n")
    write(root, "projects/parser/MEMORY.md", "# Parser\n\n- The parser reads one line at a time.\n")
    write(root, "bank/entities/ana.md", "# Ana\n\n- Ana is the owner's sister.\n")


def _sentence(day: int, at: int) -> str:
    topic, person = TOPICS[(day + at) % len(TOPICS)], PEOPLE[(day * 3 + at) % len(PEOPLE)]
    said = (
        f"{person} asked about the {topic}; we agreed to look at it again in {2 + (day + at) % 9} days.",
        f"Decided that the {topic} comes first this week.",
        f"{person} moved the {topic} meeting to {9 + at} o'clock.",
        f"The {topic} costs {40 + (day * 7 + at) % 300} euros a month.",
        f"Remember to thank {person} for the help with the {topic}.",
    )
    return said[at % len(said)]


def _fact(at: int) -> str:
    return (
        f"{PEOPLE[at % len(PEOPLE)]} lives in {('Lisbon', 'Oslo', 'Bern', 'Kiel', 'Porto', 'Mainz')[at % 6]} since {2005 + at}.",
        f"The {TOPICS[at % len(TOPICS)]} is looked after on {('Mondays', 'Fridays', 'Sundays')[at % 3]}.",
    )[at % 2]


def fill_hostile(root: Path) -> None:
    """The same texts wherever a page may show them."""
    notes = "".join(f"## [09:{i:02}:00] note\n\n{text}\n\n" for i, text in enumerate(HOSTILE))
    write(root, "memory/2026-05-01.md", f"# Memory Log: 2026-05-01\n\n{notes}")
    lines = "".join(f"- {text}\n" for text in HOSTILE)
    write(root, "MEMORY.md", f"# Memory\n\n## {HOSTILE[0]}\n\n{lines}")
    write(root, "memory/topics/strange.md", f"# {HOSTILE[1]}\n\n{lines}")
    write(root, "users/bob/MEMORY.md", f"# {HOSTILE[0]}\n\n{lines}")
    write(root, "bank/entities/strange.md", f"# {HOSTILE[3]}\n\n{lines}")
    write(root, "bank/world.md", f"# World\n\n{lines}")
    write(root, "quarantine/2026-05-01.md", f"# Quarantine\n\n{lines}")
    write(root, "memory/2026-05-02.md", "# Memory Log\n\n## [09:00:00] note\n\n" + "huge " * 400_000 + "\n")
    with (root / "SOUL.md").open("a", encoding="utf-8") as soul:
        soul.write(f"\n## Strange\n\n{lines}")
