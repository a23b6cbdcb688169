"""The messages of the GGP protocol: what is understood, in which spellings, and what is said about the rest."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.ggp import functional, messages
from ludus.ggp.messages import MAX_DEPTH, Style, items, read, term


@pytest.mark.parametrize(
    "text", ["(INFO)", "( info )", "info", "INFO", "Info ", "info()", "(info 17)", "; hello\n(INFO)"]
)
def test_info_in_all_spellings(text: str) -> None:
    assert read(text).kind == "info"


def test_start() -> None:
    text = "(START Match.7 White ((role white) ; one\n (role black)) 30 10)"
    message = read(text)
    assert message[:3] == ("start", "match.7", "white")
    assert message.rules == "(role white) ; one\n (role black)"  # as it was written, so that errors can name lines
    assert (message.start_clock, message.play_clock) == (30.0, 10.0)
    assert message.style == Style()


def test_start_may_have_more_arguments_than_are_known() -> None:
    assert read("(START m white ((role white)) 30 10 (and more) 5)").play_clock == 10


@pytest.mark.parametrize("nothing", ["NIL", "nil", "Nil", "()", "( )", ""])
def test_no_moves_yet(nothing: str) -> None:
    assert read(f"(PLAY m {nothing})").moves is None


def test_moves_are_terms_in_lower_case() -> None:
    assert read("( PLAY m ( (MARK 1 1)  NoOp ((f)) ) )".replace("((f))", "(f)")).moves == ("( mark 1 1 )", "noop", "f")
    assert read("stop m ((a (b c)))").moves == ("( a ( b c ) )",)


@pytest.mark.parametrize(
    ("text", "upper"),
    [
        ("(START M WHITE ((ROLE WHITE) (<= (LEGAL ?P A1) (ROLE ?P))) 1 1)", True),
        ("( START m white ((role white)) 1 1)", False),  # ggp-base writes keywords, and only those, in capitals
        ("(START M WHITE ((ROLE WHITE) ; comments don't count\n) 1 1)", True),
        ("(start m WHITE ((role WHITE)) 1 1)", False),
    ],
)
def test_a_controller_that_writes_in_upper_case_is_noticed(text: str, upper: bool) -> None:
    assert read(text).style.upper is upper
    assert read(text).role == "white"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the message is empty"),
        ("()", "the message is empty"),
        ("((((", "4 '(' are never closed"),
        ("(PLAY m NIL", "1 '(' is never closed"),
        ("(INFO))", "the ')' at character 7 closes nothing"),
        ('(INFO "oops)', "opens a text that never ends"),
        ("(HELLO)", "unknown message 'HELLO'"),
        ("(PLY m NIL)", "did you mean 'PLAY'"),
        ("(START m white)", "START with 2 arguments; it is written (START match role (rules) startclock playclock)"),
        ("(START m white ((role white)) ten 5)", "the start clock must be a number of seconds, not 'ten'"),
        ("(START m white ((role white)) 10 -5)", "the play clock must be a number of seconds"),
        ("(START m white ((role white)) nan 5)", "the start clock must be a number of seconds"),
        ("(START m white rules 10 5)", "the rules in START must stand in parentheses"),
        ("(START (m) white ((role white)) 10 5)", "the match id must be a word"),
        ("(PLAY m mark)", "the moves must be a list in parentheses or NIL"),
        ("(PLAY m (()))", "'()' is no term"),
        ("(ABORT)", "ABORT with 0 arguments"),
        ("GET / HTTP/1.0", "unknown message"),
        ("play(m,[", "expected a name"),
        ("play(m,[a b])", "expected ','"),
        ("info() and more", "expected the end"),
    ],
)
def test_what_is_wrong_with_a_message(text: str, complaint: str) -> None:
    with pytest.raises(LudusError, match=re.escape(complaint)):
        read(text)


@pytest.mark.parametrize("sign", ["(", "()", "(a", "f(", "[", "~", "a(["])
def test_limits_hold_for_every_spelling(sign: str) -> None:
    for text in (sign * 1_000_000, f"(PLAY m {sign * 1_000_000}", f"play({sign * 1_000_000}"):
        with pytest.raises(LudusError):
            read(text)


def test_deep_but_not_too_deep() -> None:
    deep = "(f " * (MAX_DEPTH - 2) + "a" + ")" * (MAX_DEPTH - 2)
    assert len(read(f"(PLAY m ({deep}))").moves or ()) == 1
    with pytest.raises(LudusError, match="parentheses are open"):
        read(f"(PLAY m ((f {deep})))")


def test_endless_clocks_are_cut() -> None:
    assert read("(START m white ((role white)) 1e300 inf)").play_clock == messages.MAX_CLOCK


# --- the functional spelling -----------------------------------------------------------------------------------------


def test_the_functional_spelling_says_the_same() -> None:
    rules = "[role(white), init(cell(1,b)), legal(W,mark(X)) :- true(cell(X,b)) & true(control(W)) & ~blocked(X) & distinct(X,W)]"
    message = read(f"start(m23, white, {rules}, 10, 5)")
    assert message[:3] == ("start", "m23", "white")
    assert (message.start_clock, message.play_clock) == (10.0, 5.0)
    assert message.style == Style(functional=True)
    assert items(message.rules) == [
        "( role white )",
        "( init ( cell 1 b ) )",
        "( <= ( legal ?w ( mark ?x ) ) ( true ( cell ?x b ) ) ( true ( control ?w ) ) ( not ( blocked ?x ) ) ( distinct ?x ?w ) )",
    ]
    assert read("play(m23,[mark(1),noop])") == read("(PLAY m23 ((mark 1) noop))")
    assert read("play(m23,nil)").moves is read("play(m23,[])").moves is None
    assert read("abort(m23)") == read("(abort m23)")


def test_or_and_parentheses_in_the_functional_spelling() -> None:
    assert "( <= a ( or b ( not c ) ) d )" in functional.to_kif("preview([a :- (b | ~c) & d], 1)")


# --- properties ------------------------------------------------------------------------------------------------------


def terms_of(names: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Symbols and functions of terms, as `term` writes them."""
    functions = lambda inner: st.builds(  # noqa: E731
        lambda name, arguments: f"( {' '.join([name, *arguments])} )", names, st.lists(inner, min_size=1, max_size=3)
    )
    return st.recursive(names, functions, max_leaves=8)


terms = terms_of(st.text("abz019_+.-", min_size=1, max_size=5))
named_terms = terms_of(st.text("abz", min_size=1, max_size=5))


@given(terms)
def test_terms_are_read_as_they_are_written(text: str) -> None:
    assert term(text) == text
    assert term(text.upper().replace(" ", "\n ")) == text
    assert term(text.replace("( ", "(").replace(" )", ")")) == text


@given(st.lists(terms, max_size=4), st.sampled_from(["PLAY", "STOP"]))
def test_messages_are_read_as_they_are_written(moves: list[str], kind: str) -> None:
    assert read(messages.write_moves(kind, "m", moves)).moves == (tuple(moves) or None)


@given(named_terms)
def test_the_two_spellings_are_translated_both_ways(text: str) -> None:
    assert term(functional.to_kif(functional.from_kif(text))) == text


@given(st.text(alphabet='()[]~&|:-,.;"\n fFaA1?playstrno', max_size=60))
def test_whatever_is_sent_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(LudusError):  # nothing else is ever raised
        assert read(text).kind in ("info", "ping", "preview", "start", "play", "stop", "abort")


@given(st.text(max_size=200))
def test_an_error_answer_is_one_expression(text: str) -> None:
    assert len(items(messages.write_error(text))) == 1
