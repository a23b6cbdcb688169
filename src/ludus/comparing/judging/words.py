"""What a judgement comes to, in words: the sentence that stands first. It claims only what the corrected tests say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ludus.comparing.judging.differences import END, Pair
from ludus.comparing.judging.figures import plain
from ludus.comparing.judging.standing import Standing
from ludus.comparing.results import Comparison
from ludus.errors import brief

if TYPE_CHECKING:
    from rich.table import Table

LISTED = 3  # other methods, of which each gets a figure in the sentence
SPEED = "games"  # "learns faster" means: over games learned from


def sentence(comparison: Comparison, standings: Sequence[Standing], pairs: Sequence[Pair]) -> str:
    """What can be said of the first method, in a sentence or two."""
    first = comparison.methods[0].label
    by_name = {each.method: each for each in standings}
    if not any(each.by_game for each in standings):
        begun = any(each.finished for each in standings)
        fault = "No method has two finished trainings in a game" if begun else "No training came to its end"
        return f"{fault}: there is nothing to compare yet."
    if not by_name[first].by_game:
        return f"Nothing can be said of {first}: in no game two of its trainings came to their end."
    if len(standings) == 1:
        return _alone(comparison, standings[0])
    own = [pair for pair in pairs if pair.first == first]
    lost = [method.label for method in comparison.methods[1:] if method.label not in {pair.second for pair in own}]
    no_word = (
        f"Of {_and(lost)} nothing can be said, as {first} shares no finished game with {'it' if len(lost) == 1 else 'them'}."
        if lost
        else ""
    )
    if not own:
        return no_word
    said = _two(comparison, own[0]) if len(own) == 1 else _many(comparison, own)
    return f"{said} {no_word}".strip()


def _alone(comparison: Comparison, standing: Standing) -> str:
    games = len(standing.by_game)
    figure = standing.iqm
    assert figure is not None  # who is alone is ranked on all that it finished
    over = f"over {games} games" if games > 1 else f"on {next(iter(standing.by_game))}"
    seen = "" if games == len(comparison.games) else f" of {len(comparison.games)}, those that it finished"
    return (
        f"{standing.method} reaches {figure.text()} on the scale from the worst (0) to the best player (1): "
        f"the interquartile mean {over}{seen}. There is no other method to compare it with."
    )


def _two(comparison: Comparison, pair: Pair) -> str:
    games = _Games(comparison, pair)
    speed, end = pair.signs(SPEED), pair.signs(END)
    faster = _clause("learns", ("faster", "slower"), speed, f" than {pair.second}", games.told)
    if faster and any(end):
        join = ", and" if 1 in speed and -1 in speed else " and"
        what = f"{pair.first} {faster}{join} {_clause('ends', ('stronger', 'weaker'), end, '', games.told_again)}"
    elif faster:
        what = f"{pair.first} {faster}, and no difference at the end is sure"
    elif any(end):
        rest = ", and no difference in how fast they learn is sure" if speed else ""
        what = f"{pair.first} {_clause('ends', ('stronger', 'weaker'), end, f' than {pair.second}', games.told)}{rest}"
    else:
        what = f"Between {pair.first} and {pair.second} no difference is sure {games.any()}"
    return f"{what}; probability that {pair.first} is better over the suite: {pair.improvement.text()}."


class _Games:
    """How to speak of the games that two methods share."""

    def __init__(self, comparison: Comparison, pair: Pair) -> None:
        self.count = len(pair.games)
        self.name = pair.games[0]
        shared = self.count < len(comparison.games)
        self.the, self.that = ("the ", " that both finished") if shared else ("", "")

    def told(self, some: int) -> str:
        """In how many of them."""
        if self.count == 1:
            return f" on {self.name}" + (", the one game that both finished," if self.that else "")
        if some == self.count:
            return f" on {'both' if some == 2 else f'all {some}'} games{self.that}"
        return f" on {some} of {self.the}{self.count} games{self.that}"

    def told_again(self, some: int) -> str:
        """In how many, where it was said before of how many."""
        if self.count == 1:
            return ""
        return f" on {some}" if some < self.count else " on both" if some == 2 else f" on all {some}"

    def any(self) -> str:
        """Where nothing is to be said of any."""
        if self.count == 1:
            return self.told(1).strip().removesuffix(",")
        return f"on any of {self.the}{self.count} games{self.that}"


def _clause(verb: str, good: tuple[str, str], signs: Sequence[int], than: str, where: Callable[[int], str]) -> str:
    """What is sure of one respect: "learns faster than traces on 3 of 7 games and slower on 1"; empty if nothing is."""
    counts = signs.count(1), signs.count(-1)
    parts = [f"{word}{{}}{where(count)}" for word, count in zip(good, counts, strict=True) if count]
    if not parts:
        return ""
    if len(parts) == 2:
        parts[1] = f"{good[1]} on {counts[1]}"
    return f"{verb} {parts[0].format(than)}" + "".join(f" and {part}" for part in parts[1:])


def _many(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    first = pairs[0].first
    ends = _groups(comparison, pairs, END, ("stronger", "weaker"))
    learns = _groups(comparison, pairs, SPEED, ("faster", "slower"))
    if ends or learns:
        said = [
            f"{first} ends {ends}." if ends else f"No difference between {first} and the others at the end is sure."
        ]
        name = "It" if ends else first
        said.append(f"{name} learns {learns}." if learns else "No difference in how fast they learn is sure.")
    else:
        others = _and([pair.second for pair in pairs]) if len(pairs) <= LISTED else f"{len(pairs)} other methods"
        said = [f"Between {first} and each of {others} no difference is sure."]
    order = sorted(pairs, key=lambda pair: pair.improvement.value)
    if len(pairs) <= LISTED:
        chances = ", ".join(f"{pair.improvement.text()} against {pair.second}" for pair in pairs)
    else:
        chances = " to ".join(f"{pair.improvement.text()} against {pair.second}" for pair in (order[0], order[-1]))
        chances = f"from {chances}"
    return " ".join([*said, f"Probability that {first} is better over the suite: {chances}."])


def _groups(comparison: Comparison, pairs: Sequence[Pair], what: str, good: tuple[str, str]) -> str:
    """Than whom the first is better and worse for sure; empty if than nobody. With many methods only how many they are."""
    few = len(pairs) <= LISTED
    parts = []
    for word, sign in zip(good, (1, -1), strict=True):
        counts = [(pair, pair.signs(what).count(sign)) for pair in pairs]
        names = [f"{pair.second} ({_Games(comparison, pair).told(n).strip(' ,')})" for pair, n in counts if n]
        if names:
            number = "all" if len(names) == len(pairs) else f"{len(names)} of"
            parts.append(f"{word} than {_and(names) if few else f'{number} {len(pairs)} other methods'}")
    none = [pair.second for pair in pairs if not any(pair.signs(what))]
    rest = ""
    if none and parts:
        rest = f"; no difference to {_and(none) if few else len(none)} is sure"
    return " and ".join(parts) + ("" if few or not parts else ", on one game or more each") + rest


def _and(names: Sequence[str]) -> str:
    """A list in words.

    >>> _and(["a"]), _and(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def table(standings: Sequence[Standing], pairs: Sequence[Pair], first: str) -> Table:
    """The methods for rich's console, in 80 columns."""
    from rich import box  # takes time to import, and JSON needs none of it
    from rich.markup import escape
    from rich.table import Table

    chances = {pair.second: pair.improvement for pair in pairs if pair.first == first}
    out = Table(box=box.SIMPLE_HEAD, width=80)
    out.add_column("rank", justify="right")
    out.add_column("method", overflow="fold", ratio=1)
    out.add_column("IQM [95 %]", justify="right", no_wrap=True)
    out.add_column(f"P({escape(brief(plain(first), 12))} better)", justify="right", no_wrap=True)
    out.add_column("failed", justify="right", no_wrap=True)
    for each in standings:
        chance = chances.get(each.method)
        trouble = [f"{n}{mark}" for n, mark in ((each.failed, ""), (each.skipped, " skipped")) if n]
        out.add_row(
            str(each.rank or "–"), escape(plain(each.method)), each.iqm.text() if each.iqm else "–",
            chance.text() if chance else "–", ", ".join(trouble) or "0",
        )  # fmt: skip
    return out
