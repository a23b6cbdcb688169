"""What figures look like: a value with its 95 % interval, and the form in which programs read everything."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np


class Figure(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float

    def within(self, low: float, high: float) -> Figure:
        """The same, where only values from `low` to `high` are possible."""
        return Figure(*(min(max(x, low), high) for x in self))

    def turned(self) -> Figure:
        """Of a difference, from the other side."""
        return Figure(-self.value, -self.high, -self.low)

    def text(self, digits: int = 2, sign: str = "") -> str:
        """For people.

        >>> Figure(0.314, 0.22, 0.409).text(), Figure(-0.1, -0.2, 0.001).text(sign="+")
        ('0.31 [0.22, 0.41]', '−0.10 [−0.20, +0.00]')
        """
        value, low, high = (number(x, digits, sign) for x in self)
        return f"{value} [{low}, {high}]"


def number(x: float, digits: int = 2, sign: str = "") -> str:
    """A number for people; a dash where there is none, and never "−0.00".

    >>> number(-0.001), number(float("nan")), number(-1234.5, 0)
    ('0.00', '–', '−1,234')
    """
    if not math.isfinite(x):
        return "–"
    text = f"{x:{sign},.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = f"{0:{sign}.{digits}f}"
    return text.replace("-", "−")


def plain(text: str) -> str:
    """A text on one line, without characters that steer terminals or turn the direction of writing.

    >>> plain("two\\n lines\\x1b[31m")
    'two lines [31m'
    """
    return re.sub(
        r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+", " ", text
    ).strip()


@dataclass(frozen=True)
class Profile:
    """The share of trainings above each threshold, with its interval."""

    thresholds: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


def as_json(thing: Any) -> Any:
    """A judgement, or a part of it, in plain lists, tables, numbers and texts; null for NaN."""
    if is_dataclass(thing):
        return {field.name: as_json(getattr(thing, field.name)) for field in fields(thing)}
    if isinstance(thing, Mapping):
        return {key: as_json(value) for key, value in thing.items()}
    if isinstance(thing, np.ndarray):
        return as_json(thing.tolist())
    if isinstance(thing, (list, tuple)):
        return [as_json(value) for value in thing]
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    return thing
