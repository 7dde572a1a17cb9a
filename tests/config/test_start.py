"""What is not needed is not imported: settings are read at the start of every command."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
HEAVY = ("pyjson5", "ruamel", "re2", "json5", "pydantic", "tzlocal")


def imported_by(step: str) -> set[str]:
    code = f"import sys\nimport everself.config as c\np = c.find_places({{'HOME': '/h'}})\n{step}\nprint(*sys.modules)"
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()} & set(HEAVY)


def test_without_files_no_parser_is_imported() -> None:
    assert imported_by("c.load(p, None)") == set()


def test_each_file_imports_its_own_parser_only() -> None:
    assert imported_by("c.load(p, '{crm_tokens: 1}', '# no block')") == {"pyjson5"}
    assert imported_by("c.load(p, None, '```yaml\\ncrm_tokens: 1\\n```')") == {"ruamel"}
