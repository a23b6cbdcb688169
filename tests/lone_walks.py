"""Rulesheets with one seat, made at random, and what plain recursion says of them: a walk from node to node that ends at some of them, or after some steps."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple


class Walk(NamedTuple):
    """A walk, as a rulesheet and as tables."""

    sheet: str
    ways: list[dict[str, int]]  # by node: where each move leads
    ends: set[int]
    limit: int
    worth: dict[tuple[int, int], int]  # of a node and a number of steps

    def best(self, start: int = 0, steps: int = 0) -> int:
        """The highest goal that a walk can come to from a node after some steps."""

        @cache
        def ahead(node: int, step: int) -> int:
            if node in self.ends or step == self.limit:
                return self.worth[node, step]
            return max(ahead(there, step + 1) for there in self.ways[node].values())

        return ahead(start, steps)

    def score(self, moves: list[str]) -> int:
        """The goal after some moves; the walk must be over then, and not before."""
        node, step = 0, 0
        for move in moves:
            assert node not in self.ends
            assert step < self.limit
            node, step = self.ways[node][move], step + 1
        assert node in self.ends or step == self.limit
        return self.worth[node, step]


def walk(seed: int, nodes: int = 9, limit: int = 8, timed: bool = False) -> Walk:
    """A walk at random. What an end is worth depends on the steps too if it is `timed`, in any way."""
    rng = random.Random(seed)
    ends = {node for node in range(1, nodes) if rng.random() < 0.3}
    ways = [{move: rng.randrange(nodes) for move in "abc"[: rng.randint(1, 3)]} for _ in range(nodes)]
    by_node = [rng.randrange(0, 100, 10) for _ in range(nodes)]
    worth = {
        (node, step): rng.randrange(0, 101) if timed else by_node[node]
        for node in range(nodes)
        for step in range(limit + 1)
    }
    facts = [f"(way {n} {move} {there})" for n in range(nodes) for move, there in ways[n].items()]
    facts += [f"(tick {n} {n + 1})" for n in range(limit)] + [f"(end {node})" for node in ends]
    if timed:
        facts += [f"(worth {node} {step} {value})" for (node, step), value in worth.items()]
        goal = "(<= (goal me ?v) (true (at ?x)) (true (step ?n)) (worth ?x ?n ?v))"
    else:
        facts += [f"(worth {node} {by_node[node]})" for node in range(nodes)]
        goal = "(<= (goal me ?v) (true (at ?x)) (worth ?x ?v))"
    rules = f"""
    (role me) (init (at 0)) (init (step 0))
    (<= (legal me ?m) (true (at ?x)) (way ?x ?m ?y))
    (<= (next (at ?y)) (true (at ?x)) (does me ?m) (way ?x ?m ?y))
    (<= (next (step ?n)) (true (step ?m)) (tick ?m ?n))
    (<= terminal (true (at ?x)) (end ?x))
    (<= terminal (true (step {limit})))
    {goal}
    """
    return Walk("\n".join(facts) + rules, ways, ends, limit, worth)
