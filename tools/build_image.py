"""Build the container image of the gateway with podman, buildah or docker, whichever works here.

usage: python -m tools.build_image [--if-possible]

With `--if-possible`, a machine without a builder, or one that cannot fetch the base image, is reported and does not
fail; CI runs it so.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FILE = TOP / "Containerfile"
NAME = "everself"
BUILDERS = ("podman", "buildah", "docker")


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction of a Containerfile and its words; a line that ends with a backslash continues on the next one."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n", " ", "\n".join(lines))
    found = [line.split(None, 1) for line in whole.splitlines() if line.strip()]
    return [(word.upper(), " ".join(rest.split())) for word, rest in found]


def base_images(text: str) -> list[str]:
    """The images to fetch, without duplicates and without stages of the file itself."""
    stages = {words.split()[2] for word, words in instructions(text) if word == "FROM" and " AS " in words}
    named = (words.split()[0] for word, words in instructions(text) if word == "FROM")
    return list(dict.fromkeys(one for one in named if one not in stages))


def find_builder() -> str:
    """The first builder that is installed and responds; docker's command is often installed without its daemon. Empty if there is none."""
    for name in BUILDERS:
        if shutil.which(name) and not subprocess.run([name, "info"], capture_output=True, check=False).returncode:
            return name
    return ""


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--if-possible"]):
        sys.exit(__doc__)
    excused = 0 if arguments else 1
    builder = find_builder()
    if not builder:
        print(f"No container builder works here ({', '.join(BUILDERS)}): the image is not built.")
        return excused
    for image in base_images(FILE.read_text(encoding="utf-8")):
        if subprocess.run([builder, "pull", image], stdout=subprocess.DEVNULL, check=False).returncode:
            print(f"{builder} cannot fetch {image}: the image is not built.")
            return excused
    # docker looks for a Dockerfile unless told otherwise
    done = subprocess.run([builder, "build", "--tag", NAME, "--file", str(FILE), str(TOP)], check=False)
    print(f"The image {NAME} is built." if not done.returncode else f"{builder} failed; the lines above say why.")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
