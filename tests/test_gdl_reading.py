"""Reading rulesheets: the notation, the normal form of rules, macros, and what is said about sheets that are wrong."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl import kif, sheet
from ludus.games.gdl.kif import brief, natural, read_term, read_terms, simple, write
from ludus.games.gdl.macros import without_macros
from ludus.games.gdl.rules import MAX_ALTERNATIVES, Literal, Rule, rules_of
from ludus.games.gdl.sheet import Sheet, components, read_sheet

# --- the notation ----------------------------------------------------------------------------------------------------


def test_terms_come_with_the_line_on_which_they_begin():
    text = "; a comment\n(role\n  white) bare\r\n\n(init (cell 1 ; within\n 2)) last"
    assert list(read_terms(text)) == [
        (("role", "white"), 2),
        ("bare", 3),
        (("init", ("cell", "1", "2")), 5),
        ("last", 6),
    ]


@pytest.mark.parametrize("text", ["", "  \n\t ", "; only a comment", "; one\n;; two\n"])
def test_texts_without_terms(text):
    assert list(read_terms(text)) == []


def test_case_is_folded_and_comments_end_with_their_line():
    assert [t for t, _ in read_terms("(Role WHITE);(role black)\n(F ?X)")] == [("role", "white"), ("f", "?x")]


def test_brackets_need_no_blanks_and_symbols_may_be_of_any_signs():
    assert [t for t, _ in read_terms("(<=(a ?x)(b ?x))(+ 1 -2 x_y a.b été *)")] == [
        ("<=", ("a", "?x"), ("b", "?x")),
        ("+", "1", "-2", "x_y", "a.b", "été", "*"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (")", "line 1: ')' closes nothing"),
        ("(a)\n(b))", "line 2: ')' closes nothing"),
        ("(a)\n\n(b (c)", "line 3: '(' is never closed"),
        ("(", "line 1: '(' is never closed"),
        ("a\n" + "(" * 101, "line 2: lists are nested more than 100 deep"),
        ("(a)\n\0", "line 2: character 0 is none of a text"),
        ("\n\x1b[2J", "line 2: character 27 is none of a text"),
        ("(a \ud800)", "line 1: character 55296 is none of a text"),
    ],
)
def test_broken_texts_are_refused_with_their_line(text, message):
    with pytest.raises(LudusError, match=f"^the sheet, {re.escape(message)}$"):
        list(read_terms(text, "the sheet"))


def test_lists_may_be_nested_as_deep_as_is_said_and_can_be_worked_with():
    deep = "(f " * kif.MAX_DEPTH + "x" + ")" * kif.MAX_DEPTH
    term = read_term(deep)
    assert read_term(write(term)) == term


@pytest.mark.parametrize("text", ["(" * 10_000_000, ")" * 10_000_000, "()" * 5_000_000])
def test_ten_megabytes_of_parentheses_are_refused(text):
    with pytest.raises(LudusError, match=r"the rulesheet has 10,000,000 characters; at most 8,000,000 are read"):
        list(read_terms(text))


@pytest.mark.parametrize("text", ["(" * 8_000_000, "()" * 4_000_000, "(())" * 2_000_000])
def test_as_many_parentheses_as_are_read_are_refused_too(text):
    with pytest.raises(LudusError, match=r"nested more than|neither a fact nor a rule"):
        read_sheet(text)


def test_or_in_many_rules_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(sheet, "MAX_LITERALS", 20_000)
    choice = "(or (a ?x) (b ?x) (c ?x))"
    text = "\n".join(f"(<= (p{i} ?x) {' '.join([choice] * 6)} (d{i} ?x))" for i in range(20))
    with pytest.raises(LudusError, match=r"line \d+: up to here the rules have more than 20,000 conditions"):
        read_sheet(text)


symbols = st.text(
    st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc", "Cs", "Cn"], exclude_characters="();?"), min_size=1
)
words = symbols.map(str.lower).filter(lambda w: w == w.lower() and not re.search(r"\s", w))
terms = st.recursive(
    words | words.map("?{}".format), lambda parts: st.lists(parts, max_size=4).map(tuple), max_leaves=12
)


@given(st.lists(terms, max_size=5))
def test_what_is_written_reads_back(written):
    text = "\n".join(map(write, written))
    assert list(read_terms(text)) == [(term, line) for line, term in enumerate(written, 1)]


@given(terms)
def test_a_list_of_one_is_the_thing_itself(term):
    plain = simple(term)
    assert simple(plain) == plain
    assert simple((term,)) == plain
    assert brief(plain) == write(plain) or len(brief(plain)) == 80


@pytest.mark.parametrize("text", ["", "a b", "(a) (b)"])
def test_one_term_is_one_term(text):
    with pytest.raises(LudusError, match=r"the move must be one term, not [02]"):
        read_term(text, "the move")


def test_numbers_sort_by_their_value_even_huge_ones():
    huge = "9" * 10_000
    assert sorted(["c 10", "c 9", "c"], key=natural) == ["c", "c 9", "c 10"]
    assert sorted([huge, "1"], key=natural) == ["1", huge]


# --- the normal form -------------------------------------------------------------------------------------------------


def normal(text: str) -> list[str]:
    """The rules of a text in normal form, written out: `head < condition, !negated, a=b, a!=b`."""

    def shown(literal: Literal) -> str:
        if literal.is_equation:
            return f"{write(literal.atom[1])}{'=' if literal.positive else '!='}{write(literal.atom[2])}"
        return ("" if literal.positive else "!") + write(simple(literal.atom))

    made = [rule for term, line in read_terms(text) for rule in rules_of(simple(term), line, "the sheet")]
    return [f"{write(simple(r.head))} < {', '.join(map(shown, r.body))}".strip(" <") for r in made]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("a", ["a"]),
        ("(a)", ["a"]),
        ("(a b)", ["( a b )"]),
        ("(<= (a b))", ["( a b )"]),
        ("(<= a b (c) d)", ["a < b, c, d"]),
        ("(<= a b b)", ["a < b"]),
        ("(<= a (and b (and c d)))", ["a < b, c, d"]),
        ("(<= a (or b c) d)", ["a < b, d", "a < c, d"]),
        ("(<= a (or b (and c (or d e))))", ["a < b", "a < c, d", "a < c, e"]),
        ("(<= a (or b c) (or d e))", ["a < b, d", "a < b, e", "a < c, d", "a < c, e"]),
        ("(<= a (not b))", ["a < !b"]),
        ("(<= a (not (not b)))", ["a < b"]),
        ("(<= a (not (not (not b))))", ["a < !b"]),
        ("(<= a (not (and b c)))", ["a < !b", "a < !c"]),
        ("(<= a (not (or b c)))", ["a < !b, !c"]),
        ("(<= a (not (or b (not (and c d)))))", ["a < !b, c, d"]),
        ("(<= a (or))", []),
        ("(<= a (and))", ["a"]),
        ("(<= a (not (or)))", ["a"]),
        ("(<= a (b ?x) (distinct ?x c))", ["a < ( b ?x ), ?x!=c"]),
        ("(<= a (distinct b c))", ["a"]),
        ("(<= a (distinct b b))", []),
        ("(<= a (distinct (f b) (f c)) d)", ["a < d"]),
        ("(<= (a ?x) (b ?x) (not (distinct ?x c)))", ["( a c ) < ( b c )"]),
        ("(<= (a ?x ?y) (b ?x) (not (distinct ?y (f ?x))))", ["( a ?x ( f ?x ) ) < ( b ?x )"]),
        ("(<= (a ?x) (b ?x) (not (distinct ?x (f ?x))))", []),
        ("(<= (a ?x) (b ?x ?y) (= ?x ?y))", ["( a ?y ) < ( b ?y ?y )"]),
        ("(<= (a ?x) (b ?x ?y) (not (= ?x ?y)))", ["( a ?x ) < ( b ?x ?y ), ?x!=?y"]),
        ("(<= a (b ?x ?y) (not (or (distinct ?x c) (distinct ?y d))))", ["a < ( b c d )"]),
    ],
)  # fmt: skip
def test_the_normal_form_of_rules(text, rules):
    assert normal(text) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("()", "( ) is neither a fact nor a rule"),
        ("?x", "?x is neither a fact nor a rule"),
        ("(<=)", "'<=' needs a head: write (<= head condition ...)"),
        ("(<= ?x a)", "a variable, ?x, can't stand for a relation"),
        ("(?f a)", "( ?f a ) has no name of a relation in front"),
        ("(<= a (?f b))", "( ?f b ) has no name of a relation in front"),
        ("(<= a ?x)", "a variable, ?x, can't stand for a relation"),
        ("(<= a ((b c) d))", "( ( b c ) d ) has no name of a relation in front"),
        ("(a (?f b))", "( ?f b ) has no name of a function in front"),
        ("(a () b)", "( ) has no name of a function in front"),
        ("(<= a (not))", "'not' takes one condition"),
        ("(<= a (not b c))", "'not' takes one condition"),
        ("(<= a (distinct))", "'distinct' takes two terms"),
        ("(<= a (distinct b))", "'distinct' takes two terms"),
        ("(<= a (distinct b c d))", "'distinct' takes two terms"),
        ("(<= a (= b))", "'=' takes two terms"),
        ("(<= a (= b c d))", "'=' takes two terms"),
        ("(true (a))", "'true' can't be the head of a rule"),
        ("(<= (does a b) c)", "'does' can't be the head of a rule"),
        ("(<= (not a) b)", "'not' can't be the head of a rule"),
        ("(distinct a b)", "'distinct' can't be the head of a rule"),
        ("(or a b)", "'or' can't be the head of a rule"),
        ("(= a b)", "'=' can't be the head of a rule"),
        ("(<= (<= a b) c)", "'<=' can't be the head of a rule"),
        ("(<= a " + "(or b c) " * 11 + ")", f"'or' makes more than {MAX_ALTERNATIVES:,} rules of this one"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_line(text, message):
    # The line is that of the rule, wherever in it the fault lies.
    with pytest.raises(LudusError, match=f"^the sheet, line 3: {re.escape(message)}$"):
        read_sheet("(role a)\n\n" + text, "the sheet")


def test_messages_do_not_repeat_a_whole_sheet():
    with pytest.raises(LudusError) as error:
        read_sheet("(" + "(a) " * 100_000 + ")")
    assert len(str(error.value)) < 300


# --- macros ----------------------------------------------------------------------------------------------------------


def expanded(text: str) -> list[str]:
    made = [rule for term, line in read_terms(text) for rule in rules_of(simple(term), line, "the sheet")]

    def shown(rule: Rule) -> str:
        names: dict[str, str] = {}

        def renamed(term: kif.Term) -> kif.Term:
            if isinstance(term, str):
                return names.setdefault(term, f"?{len(names)}") if term.startswith("?") else term
            return tuple(map(renamed, term))

        body = [("" if lit.positive else "!") + write(renamed(lit.atom)) for lit in rule.body]
        return f"{write(renamed(rule.head))} < {', '.join(body)}"

    return [shown(rule) for rule in without_macros(made)]


def test_a_relation_for_all_terms_is_put_in_place_of_its_uses():
    assert expanded("(<= (other ?a ?b) (distinct ?a ?b)) (<= (h ?x) (a ?x) (a ?y) (other ?x ?y))") == [
        "( h ?0 ) < ( a ?0 ), ( a ?1 ), !( = ?0 ?1 )"
    ]


def test_a_macro_with_several_rules_makes_several():
    assert expanded("(<= (m ?a) (not (p ?a))) (m c) (<= (h ?x) (a ?x) (m ?x))") == [
        "( h ?0 ) < ( a ?0 ), !( p ?0 )",
        "( h c ) < ( a c )",
    ]


def test_macros_under_negation():
    # not (same x y) is distinct x y; not (m x) is: p holds of x, and x is not c.
    assert expanded("(same ?a ?a) (<= (h ?x) (a ?x) (a ?y) (not (same ?x ?y)))") == [
        "( h ?0 ) < ( a ?0 ), ( a ?1 ), !( = ?1 ?0 )"
    ]
    assert expanded("(<= (m ?a) (not (p ?a))) (m c) (<= (h ?x) (a ?x) (not (m ?x)))") == [
        "( h ?0 ) < ( a ?0 ), ( p ?0 ), !( = ?0 c )"
    ]


def test_macros_within_macros():
    text = "(<= (m ?a ?b) (n ?a ?b)) (<= (n ?a ?b) (distinct ?a ?b)) (<= (h ?x) (a ?x) (m ?x c))"
    assert expanded(text) == ["( h ?0 ) < ( a ?0 ), !( = ?0 c )"]


@pytest.mark.parametrize(
    "macros",
    [
        "(<= (m ?a) (m ?b) (not (p ?a)))",  # one that needs itself
        "(<= (m (f ?a ?b)) (not (p ?a)))",  # its negation has no such form
        "(<= (m ?a ?b) (not (p ?a)) (q ?c))",
        "".join(f"(<= (m ?a) (not (p{i} ?a)) (not (q{i} ?a)) (not (r{i} ?a)))" for i in range(40)),  # 3 to the power of 40 ways
    ],
)  # fmt: skip
def test_macros_that_cannot_be_put_in_place_stay_an_error(macros):
    use = "(m ?x ?x)" if "(m ?a ?b)" in macros else "(m ?x)"
    with pytest.raises(LudusError, match="has no value"):
        read_sheet(f"{GOOD} {macros} (<= (h ?x) (role ?x) (not {use})) (<= (next (f ?x)) (h ?x))", "the sheet")


# --- checks ----------------------------------------------------------------------------------------------------------

GOOD = "(role a)\n(init on)\n(legal a go)\n(<= (next on) (true on))\n(<= terminal (true off))\n(goal a 100)"


def test_a_sheet_in_order():
    read = read_sheet(GOOD)
    assert isinstance(read, Sheet)
    assert read.roles == ("a",)
    assert read.remarks == []
    assert {("next", 1), ("terminal", 0), ("true", 1)} <= read.dynamic
    assert ("legal", 2) not in read.dynamic


@pytest.mark.parametrize("word", ["role", "legal", "terminal", "goal"])
def test_what_a_game_needs(word):
    lines = [line for line in GOOD.splitlines() if f"({word} " not in line and f" {word} " not in line]
    assert len(lines) == 5
    message = f"the sheet does not say what '{word}' is: a game needs role, legal, terminal, goal"
    with pytest.raises(LudusError, match=f"^{message}$"):
        read_sheet("\n".join(lines), "the sheet")


@pytest.mark.parametrize("word", ["init", "next"])
def test_what_a_game_may_lack(word):
    lines = [line for line in GOOD.splitlines() if f"({word} " not in line]
    assert read_sheet("\n".join(lines)).remarks == [f"nothing is said of '{word}'"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("(role a b)", "'role' takes 1 argument, not 2"),
        ("(init)", "'init' takes 1 argument, not 0"),
        ("(legal go)", "'legal' takes 2 arguments, not 1"),
        ("(goal a 10 20)", "'goal' takes 2 arguments, not 3"),
        ("(terminal yes)", "'terminal' takes 0 arguments, not 1"),
        ("(<= (next a b) c)", "'next' takes 1 argument, not 2"),
        ("(<= (next a) (true a b))", "'true' takes 1 argument, not 2"),
        ("(<= (next a) (does a))", "'does' takes 2 arguments, not 1"),
        ("(<= (next a) (not (does go)))", "'does' takes 2 arguments, not 1"),
        ("(<= (goal a ?x) (q ?y))", "variable ?x in the head of the rule for 'goal' has no value: it must also stand in a condition that is not negated"),
        ("(<= (next ?x) (not (true ?x)))", "variable ?x in the head of the rule for 'next' has no value: it must also stand in a condition that is not negated"),
        ("(<= (next b) (not (true ?x)))", "variable ?x in 'not' of the rule for 'next' has no value: it must also stand in a condition that is not negated"),
        ("(<= (next b) (true ?y) (distinct ?y ?x))", "variable ?x in 'distinct' of the rule for 'next' has no value: it must also stand in a condition that is not negated"),
        ("(init (f ?x))", "variable ?x in the head of the rule for 'init' has no value: it must also stand in a condition that is not negated"),
        ("(<= (role ?x) (player ?x))", "roles must be given as facts, as in (role white)"),
        ("(role (f a))", "roles must be given as facts, as in (role white)"),
        ("(goal a 101)", "a goal must be a number from 0 to 100, not 101"),
        ("(goal a -1)", "a goal must be a number from 0 to 100, not -1"),
        ("(goal a win)", "a goal must be a number from 0 to 100, not win"),
        ("(goal a (f 1))", "a goal must be a number from 0 to 100, not ( f 1 )"),
        ("(goal a 0.5)", "a goal must be a number from 0 to 100, not 0.5"),
    ],
)  # fmt: skip
def test_faults_are_named_with_the_line_of_the_rule(rule, message):
    with pytest.raises(LudusError, match=f"^the sheet, line 8: {re.escape(message)}$"):
        read_sheet(f"{GOOD}\n; the fault:\n{rule}\n(init b)", "the sheet")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("(<= (legal a x) (does a go))", "'legal' depends on 'does': it may depend on the state only"),
        ("(<= (legal a x) p) (<= p q) (<= q (not (does a go)))", "'legal' depends on 'does': it may depend on the state only"),
        ("(<= (goal a 1) (does a go))", "'goal' depends on 'does': it may depend on the state only"),
        ("(<= terminal (does a go))", "'terminal' depends on 'does': it may depend on the state only"),
        ("(<= (init x) (true y))", "'init' depends on 'true' or 'does': the first state can't depend on a state"),
        ("(<= (init x) p) (<= p (does a go))", "'init' depends on 'true' or 'does': the first state can't depend on a state"),
    ],
)  # fmt: skip
def test_faults_of_several_rules_together(rules, message):
    with pytest.raises(LudusError, match=f"^the sheet: {re.escape(message)}$"):
        read_sheet(f"{GOOD} {rules}", "the sheet")


@pytest.mark.parametrize(
    ("rules", "relation", "by_way_of"),
    [
        ("(<= p (not p)) (<= (next z) p)", "p", "p"),
        ("(<= (p ?x) (q ?x)) (<= (q ?x) (r ?x) (not (p ?x))) (r 1) (<= (next z) (p 1))", "q", "p"),
        ("(<= p q) (<= q r) (<= r (not p)) (<= (next z) p)", "r", "p"),
    ],
)
def test_facts_must_not_depend_on_their_own_negation(rules, relation, by_way_of):
    message = f"'{relation}' depends on its own negation, by way of '{by_way_of}': the rules have no single meaning"
    assert read_sheet(f"{GOOD} {rules}", "the sheet").tangle == f"the sheet: {message}"
    with pytest.raises(LudusError, match=f"^the sheet: {re.escape(message)}$"):
        gdl.load(f"{GOOD} {rules}", "the sheet")


def test_a_relation_may_depend_on_its_negation_if_no_fact_does():
    game = gdl.load(
        "(role a) (legal a go) (<= (next x) (does a go)) (<= terminal (true x)) (<= (goal a 50) (true x)) (<= (goal a 0) (not (goal a 50)))"
    )
    assert game.goals(game.advance(game.first(), ["go"])) == [50]


def test_chance_alone_plays_no_game():
    with pytest.raises(LudusError, match="'random' is the only role"):
        read_sheet(GOOD.replace(" a", " random"))


def test_loops_without_negation_are_in_order():
    text = f"{GOOD} (<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (q 1) (<= (next (f ?x)) (p ?x) (not (r ?x)))"
    read = read_sheet(text)
    assert read.tangle == ""


def test_a_rule_that_names_no_role_is_meant_for_all():
    read = read_sheet("(role a) (role b) (legal ?p noop) (<= (goal ?p 50) (not (true x))) (<= terminal (true x))")
    heads = {rule.relation: rule.body for rule in read.rules if rule.body}
    assert heads[("legal", 2)] == (Literal(("role", "?p")),)
    assert heads[("goal", 2)][0] == Literal(("role", "?p"))


def test_remarks():
    text = f"{GOOD}\n(<= (next x) (lost ?y) (not (gone)))\n(p 1) (p 1 2)"
    assert read_sheet(text).remarks == [
        "line 7: nothing is said of 'lost' with 1 arguments, so it never holds",
        "line 7: nothing is said of 'gone' with 0 arguments, so it never holds",
        "'p' is used with 1 and 2 arguments",
    ]


def test_a_rule_that_is_said_twice_counts_once():
    assert len(read_sheet(f"{GOOD} {GOOD}").rules) == len(read_sheet(GOOD).rules)


@given(st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4)))
def test_components_are_what_reaches_each_other_and_come_in_order(edges):
    graph = {node: edges.get(node, []) for node in range(8)}
    reach = {node: {node} for node in graph}
    for _ in graph:
        for node, others in graph.items():
            reach[node] |= set().union(*(reach[o] for o in others)) if others else set()
    found = components(graph)
    assert sorted(node for group in found for node in group) == list(range(8))
    seen: set[int] = set()
    for group in found:
        for node in group:
            assert group == {other for other in reach[node] if node in reach[other]}
            assert reach[node] <= seen | group
        seen |= group
