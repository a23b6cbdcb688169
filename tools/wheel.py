"""Build a wheel with compiled code, in dist/: whoever installs it on this kind of machine compiles nothing. Levels of processors that this machine
doesn't have can't be built here, as all code is run once.

    python tools/wheel.py                        # for all levels from x86-64-v3 on that this machine has
    python tools/wheel.py --levels x86-64-v3
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from llvmlite import binding

from ludus.kernel.store import SHIPPED
from ludus.kernel.target import LEVELS

ROOT = Path(__file__).parent.parent
USUAL = ("x86-64-v3", "x86-64-v4")


def main() -> None:
    """Compile for each level, then pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    has = binding.get_host_cpu_features()
    can = [level for level in USUAL if platform.machine() == "x86_64" and all(has.get(each) for each in LEVELS[level])]
    parser.add_argument(
        "--levels", nargs="*", default=can, choices=list(LEVELS), help=f"default: {' '.join(can) or 'none'}"
    )
    levels = parser.parse_args().levels
    shutil.rmtree(SHIPPED, ignore_errors=True)
    for level in levels:
        print(f"Compiling for {level}", flush=True)
        told = {"LUDUS_CACHE_DIR": str(SHIPPED), "NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
        subprocess.run([sys.executable, "-m", "ludus", "warmup"], env={**os.environ, **told}, check=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."], cwd=ROOT, check=True
    )
    made = max((ROOT / "dist").glob("ludus-*-py3-none-any.whl"), key=lambda path: path.stat().st_mtime)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    kind = f"{sys.platform}_{platform.machine()}"
    tags = ["--python-tag", python, "--abi-tag", python, "--platform-tag", kind, "--remove"]
    subprocess.run([sys.executable, "-m", "wheel", "tags", *tags, str(made)], check=True)


if __name__ == "__main__":
    main()
