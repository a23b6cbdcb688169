"""What a report says, in its order: first the sentence, then what stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ludus.comparing.judging import Difference, Judgement, Pair, Standing
from ludus.comparing.judging.differences import END, TESTED
from ludus.comparing.judging.figures import Figure as Value
from ludus.comparing.judging.figures import number
from ludus.comparing.report import background, drawings
from ludus.comparing.report.blocks import Block, Document, Grid, Picture, Section, Sure, Text
from ludus.comparing.results import Comparison
from ludus.lab.plots import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def document(comparison: Comparison, judgement: Judgement) -> Document:
    """The report on a comparison."""
    look = drawings.looks([method.label for method in comparison.methods])
    sections = [
        Section("Methods", _methods(judgement)),
        Section("By game", _by_game(comparison, judgement, look)),
        Section("Learning curves", _curves(comparison, look)),
        Section("Performance profiles", _profiles(judgement, look)),
        Section("Probability of improvement", _improvement(comparison, judgement, look)),
        Section("Ratings", _ratings(judgement, look)),
        Section("Against other programs", _encounters(judgement)),
        Section("What games demand", _demands(comparison, judgement, look)),
        Section("What could have been seen", _powers(judgement)),
        Section("Costs", background.costs(comparison, judgement)),
        Section("Self-checks", background.checks(comparison)),
        Section("Failures", background.troubles(judgement)),
        Section("How it was made", background.making(comparison)),
    ]
    names = ", ".join(method.label for method in comparison.methods)
    title = f"{names} on {comparison.suite.title}"
    return Document(title, judgement.sentence, judgement.warnings, [each for each in sections if each.blocks])


def _shown(value: Value | None, digits: int = 2, sign: str = "") -> str:
    return value.text(digits, sign) if value else "–"


def _picture(name: str, title: str, reading: str, figure: Figure | None) -> list[Picture]:
    return [Picture(name, title, reading, svg(figure))] if figure else []


def _methods(judgement: Judgement) -> list[Block]:
    def row(each: Standing) -> list[str]:
        told = [_shown(value) for value in (each.iqm, each.mean, each.median, each.gap)]
        lost = [f"{n} {word}" for n, word in ((each.failed, "failed"), (each.skipped, "skipped")) if n]
        return [str(each.rank or "–"), each.method, *told, ", ".join([str(each.finished), *lost])]

    games = len(judgement.games)
    over = f"{games} games" if games > 1 else "the game" if games else "no game"
    heads = "rank", "method", "interquartile mean", "mean", "median", "optimality gap", "trainings"
    reading = (
        f"Scores over {over}, from 0 (the worst player of the suite) to 1 (the best one), with 95 % intervals over trainings and rounds. The "
        "interquartile mean is that of the middle half of all trainings, the optimality gap what trainings lack to 1 on average. Ranks follow the "
        "interquartile mean; methods whose intervals overlap may well be in another order."
    )
    return [Grid("methods", reading, heads, [row(each) for each in judgement.standings], names=2)]


def _by_game(comparison: Comparison, judgement: Judgement, look: dict[str, drawings.Look]) -> list[Block]:
    by_method = {each.method: each.by_game for each in judgement.standings}
    methods = [method.label for method in comparison.methods]
    rows = [[game.name, *(_shown(by_method[name].get(game.name)) for name in methods)] for game in comparison.games]
    blocks: list[Block] = [
        Grid(
            "games",
            "The mean normalised score of each method in each game, with its 95 % interval.",
            ("game", *methods),
            rows,
        )
    ]
    if asked := [pair for pair in judgement.pairs if pair.differences]:
        blocks.append(_tests(asked))
    blocks += _picture(
        "differences", f"By how much {judgement.first} is ahead in each game",
        "At the right of the line the first method ends stronger. A filled mark is a difference that the corrected test calls sure; an empty one may be luck, "
        "even if its own interval does not cross the line, as many are looked at.",
        drawings.differences(judgement, look, END),
    )  # fmt: skip
    return blocks


def _tests(pairs: Sequence[Pair]) -> Grid:
    def cells(each: Difference | None) -> list[str]:
        if each is None:
            return ["–", "–"]
        told = [each.difference.text(sign="+"), probability(each.corrected)]
        return [Sure(text) for text in told] if each.sure else told

    rows = []
    for pair in pairs:
        found = {(each.game, each.what): each for each in pair.differences}
        for game in pair.games:
            seconds = found.get((game, "seconds"))
            told = [cell for what in TESTED for cell in cells(found.get((game, what)))]
            rows.append([pair.second, game, *told, _shown(seconds.difference if seconds else None, sign="+")])
    reading = (
        f"By how much {pairs[0].first} is ahead, on the scale of the scores. Speed is the mean height of the learning curve where each doubling of the budget counts the same: "
        "before its first point a training counts 0, after its last it keeps its score. p is that of Welch's test after Holm's correction "
        "over all tests of this report; bold is sure (p ≤ 0.05). Over seconds nothing is tested, as measured times differ from run to run."
    )
    heads = ("than", "in", "at the end", "p", "speed over games", "p", "over positions", "p", "over seconds")
    return Grid("tests", reading, heads, rows, names=2)


def probability(p: float) -> str:
    """A p-value for people.

    >>> probability(0.0123), probability(0.00001), probability(1.0)
    ('0.012', '< 0.001', '1.000')
    """
    return "< 0.001" if p < 0.001 else number(p, 3)


def _curves(comparison: Comparison, look: dict[str, drawings.Look]) -> list[Block]:
    pictures: list[Block] = []
    for place, game in enumerate(comparison.games, 1):
        pictures += _picture(
            f"curve{place}", f"Learning curves in {game.name}", "", drawings.curves(comparison, game.name, look)
        )
    if not pictures:
        return []
    reading = (
        "Each line is the mean of a method's trainings, its band the 95 % interval of that mean. Higher is better, and a line farther to the left learns "
        "faster: on the first axis with fewer games, on the second with fewer positions judged, on the third in less processor time. Each step of an axis to the next number is a factor of ten."
    )
    return [Text(reading), *pictures]


def _profiles(judgement: Judgement, look: dict[str, drawings.Look]) -> list[Block]:
    return list(
        _picture(
            "profiles", "Performance profiles",
            "How many trainings reach more than a score: a line that lies higher everywhere belongs to the better method; where lines cross, one method is more often good and the other more often not bad. Bands: 95 % intervals.",
            drawings.profiles(judgement, look),
        )
    )  # fmt: skip


def _improvement(comparison: Comparison, judgement: Judgement, look: dict[str, drawings.Look]) -> list[Block]:
    methods = [method.label for method in comparison.methods]
    if not judgement.pairs:
        return []

    def cell(first: str, second: str) -> str:
        pair = judgement.pair(first, second)
        return pair.improvement.text() if pair else "–"

    rows = [[first, *(cell(first, second) for second in methods)] for first in methods]
    reading = (
        "How probable it is that a training of the method at the left scores higher than one of the method above, on a game drawn from those that both finished; 0.5 "
        "says that neither is better. It counts how often, not by how much."
    )
    picture = _picture(
        "improvement", f"Probability that {judgement.first} is better",
        "Each line is the 95 % interval; right of the middle the first method is better more often than not.",
        drawings.improvements(judgement, look),
    )  # fmt: skip
    return [*picture, Grid("improvement", reading, ("", *methods), rows)]


def _ratings(judgement: Judgement, look: dict[str, drawings.Look]) -> list[Block]:
    if not judgement.ratings:
        return []
    methods = list(dict.fromkeys(name for rated in judgement.ratings for name in rated.methods))
    rows = []
    for rated in judgement.ratings:
        of = dict(zip(rated.methods, rated.elo, strict=True))
        name = rated.game or "over the suite"
        rows.append(
            [f"{name} *" if rated.one_sided else name, rated.model, *(_shown(of.get(each), 0) for each in methods)]
        )
    stars = (
        " * Some never won against some others: half a win was added to both sides of each pairing, and the ratings are the least that they could be."
        if any(rated.one_sided for rated in judgement.ratings)
        else ""
    )
    reading = f"Ratings from the methods' games among each other, whose mean is 0: 100 points more win about 64 % of the games of two. Intervals are 95 % over trainings.{stars}"
    blocks: list[Block] = []
    if not judgement.ratings[-1].game:
        what = "Ratings over the suite, each game counting the same; lines are 95 % intervals."
        blocks += _picture("ratings", "Ratings", what, drawings.rated(judgement.ratings[-1], look))
    blocks.append(Grid("ratings", reading, ("game", "model", *methods), rows, names=2))
    if not judgement.circles:
        return [*blocks, Text("No circle among methods, each beating the next, is sure.")]
    for place, found in enumerate(judgement.circles, 1):
        where = f"In {found.game}" if found.game else "Over the suite"
        rounds = "; ".join(f"{a} beats {b}, {b} beats {c}, and {c} beats {a}" for a, b, c in found.circles)
        blocks.append(
            Text(
                f"{where} methods beat each other in circles, so that no rating tells who is best: {rounds} (p {probability(found.p)})."
            )
        )
        ranked = [
            [name, number(a), number(b)]
            for name, a, b in zip(found.methods, found.alpha_rank, found.lottery, strict=True)
        ]
        reading = "α-rank: how much of the time a population would play like each. Maximal lottery: with which probability to choose each, so that no other is expected to win more than half."
        blocks.append(Grid(f"circle-{place}", reading, ("method", "α-rank", "maximal lottery"), ranked))
    return blocks


def _encounters(judgement: Judgement) -> list[Block]:
    found = judgement.encounters
    if not found:
        return []
    against = list(dict.fromkeys((each.game, each.peer) for each in found))
    points = {(each.game, each.peer, each.method): each.points for each in found}
    methods = list(dict.fromkeys(each.method for each in found))
    rows = [[name, *(_shown(points.get((*pair, name)), sign="+") for pair in against)] for name in methods]
    heads = ("method", *(f"{peer} in {game}" for game, peer in against))
    reading = "Points a game against other people's programs, at the end of training, with 95 % intervals over trainings and rounds. They have no part in scores and ranks, as not everybody has them."
    return [Grid("encounters", reading, heads, rows)]


def _demands(comparison: Comparison, judgement: Judgement, look: dict[str, drawings.Look]) -> list[Block]:
    ranked = [each for each in judgement.standings if each.demands]
    if not ranked:
        return []
    names = list(ranked[0].demands or {})
    reading = (
        "The mean score over games, weighted by what they demand: a game weighs from 0, where the suite demands least of it, to 1, where it demands most; numbers of moves and lengths of games as "
        "logarithms. A demand that is the same in all games is left out. Games that demand several things at once count for each, so read it as a hint, not as a cause."
    )
    rows = [[each.method, *(value.text() for value in (each.demands or {}).values())] for each in ranked]
    games = [
        [game.name, str(need.seats), number(need.chance), number(need.branching, 1), number(need.length, 1), number(need.joint)]
        for game in comparison.games
        for need in [game.demands]
    ]  # fmt: skip
    what = "Farther out is better, on the axis of what games demand."
    return [
        *_picture("radar", "What games demand", what, drawings.radar(judgement, look)),
        Grid("demands", reading, ("method", *names), rows),
        Grid(
            "demanded", "What each game demands, measured with random players: how many bits of chance there are for each decision (a die has 2.6), how many moves in a decision and decisions in a game, and the share of decisions in which all move at once.",
            ("game", "seats", "chance", "moves", "length", "joint"), games,
        ),
    ]  # fmt: skip


def _powers(judgement: Judgement) -> list[Block]:
    if not judgement.powers:
        return []

    def seeds(found: int | None) -> str:
        return f"{found:,}" if found else "> 1,000,000"

    rows = [
        [each.game, str(each.seeds), number(each.spread, 3), number(each.smallest, 3), seeds(each.for_tenth), seeds(each.for_twentieth)]
        for each in judgement.powers
    ]  # fmt: skip
    reading = (
        "The smallest true difference at the end that so many seeds show in 80 % of comparisons, at the level that the correction asks of a single test; and how many seeds show differences of 0.1 and of 0.05. "
        "Spread is the standard deviation among trainings. Of several other methods the one that is hardest to tell apart counts. That no difference is sure does not say that there is none."
    )
    heads = ("game", "seeds", "spread", "smallest difference", "seeds for 0.1", "seeds for 0.05")
    return [Grid("powers", reading, heads, rows)]
