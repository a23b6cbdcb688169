"""Grounds a program with clingo, in a process of its own: what is too large can be stopped from outside, whatever it does.

Run as a script, without the package: the two programs come on standard input, the ground rules go to standard output as ASPIF. Exit code
3 says that there are too many atoms, 4 that there is not enough memory.
"""

import os
import sys
import tempfile

import clingo

try:
    import resource
except ImportError:  # not on Windows, where only the clock stops it
    resource = None  # type: ignore[assignment]


class Grounder(clingo.Application):
    """clingo's own program, as far as it is needed here."""

    program_name = "ground"


def main() -> int:
    """Read the programs, ground them within the limits of the command line, write the result; the exit code."""
    megabytes, most_atoms, seconds = map(int, sys.argv[1:4])
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(
            resource.RLIMIT_CPU, (seconds, seconds + 1 if hard == resource.RLIM_INFINITY else min(seconds + 1, hard))
        )
    relaxed, exact = sys.stdin.read().split("\0")
    # Which propositions and moves can ever be reached, if nothing that holds once stops holding?
    control = clingo.Control(["--warn=none"])
    control.add("base", [], relaxed)
    control.ground([("base", [])])
    reached = [
        f"{{{atom.symbol}}}.\n"
        for word, arity in (("t", 1), ("d", 2))
        for atom in control.symbolic_atoms.by_signature(word, arity)
    ]
    del control
    if len(reached) > most_atoms:
        return 3
    # clingo reads standard input: a file without a name, of which nothing is left if this process is stopped.
    with tempfile.TemporaryFile("w") as file:
        file.write(exact)
        file.writelines(reached)
        file.flush()
        del reached
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        os.dup2(file.fileno(), 0)
        return int(clingo.clingo_main(Grounder(), ["--mode=gringo", "--warn=none", "-"]))


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except MemoryError:
        code = 4
    except RuntimeError as problem:  # clingo says so of many things
        print(problem, file=sys.stderr)
        code = 4 if "bad_alloc" in str(problem) else 5
    sys.stderr.flush()
    os._exit(code)
