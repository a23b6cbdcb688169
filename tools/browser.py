"""The Chromium that the page is tested in: which one there is, and how it gets here.

python tools/browser.py            # installs Debian's where that is possible, or says in a line what is missing
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no Chromium: apt-get install chromium"


def find() -> str | None:
    """The path of a Chromium on this machine, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def arguments() -> list[str]:
    """What it must be told: root may not use its sandbox."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def install() -> bool:
    """Debian's package, if we may install packages here; whether there is a browser afterwards."""
    if find() is None and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, check=False, **quiet)
    return find() is not None


if __name__ == "__main__":
    if not install():
        print(f"{MISSING} (the tests of the page are left out)", file=sys.stderr)
