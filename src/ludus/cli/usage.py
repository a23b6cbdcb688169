"""How a command line ends: well, or with one line on stderr that names what is wrong and the nearest that would be right.

Typer's own complaints are brought into the same form as ours (`ludus.errors`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from ludus.errors import LudusError, brief, unknown
from ludus.waiting import Notice

LONGEST = 1000  # characters of a complaint


class Commands(TyperGroup):
    """The commands; the name of one that does not exist gets the same answer as any other unknown name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first argument names."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise unknown("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def run(app: typer.Typer, arguments: Sequence[str] | None) -> None:
    """Run the command that the arguments name, and exit with 0, 1 (could not go on), 2 (bad input) or 130 (interrupted)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without some sign shows '?' in its place
    command = typer.main.get_command(app)
    code = 0
    try:
        # Not command.main(), which keeps the words of a KeyboardInterrupt to itself.
        words = list(sys.argv[1:] if arguments is None else arguments)
        with Notice(), command.make_context("ludus", words) as context:
            command.invoke(context)
    except typer.Exit as ended:
        code = ended.exit_code
    except LudusError as error:
        code = _complain(str(error), getattr(error, "exit_code", 2))
    except KeyboardInterrupt as error:
        code = _complain(str(error) or "interrupted", 130)
    except MemoryError as error:
        code = _complain(f"there is not enough memory for this: {error}", 2)
    except BrokenPipeError:  # whoever read our output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except Exception as error:
        # Typer's complaints about usage; older versions take their classes from click.
        if not hasattr(error, "format_message"):
            raise
        code = _complain(_usage(error), 2)
    sys.exit(code)


def _complain(text: str, code: int) -> int:
    print(f"ludus: {brief(' '.join(text.split()), LONGEST)}", file=sys.stderr)
    return code


def _usage(error: Any) -> str:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "ludus"
    if hasattr(error, "option_name") and hasattr(error, "possibilities") and context is not None:
        known = [name for option in context.command.get_params(context) for name in option.opts if name.startswith("-")]
        return str(unknown(f"option of '{where}'", error.option_name, known))
    return f"{error.format_message().rstrip('.')}; see '{where} --help'"
