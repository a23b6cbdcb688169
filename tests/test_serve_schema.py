"""The OpenAPI document says what the server does: schemathesis asks for all of it, rightly and wrongly, and believes no word of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from serving import Serving

EXAMPLES = int(os.environ.get("LUDUS_SCHEMA_EXAMPLES", "15"))  # for each operation, right ones and wrong ones


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    server = Serving(tmp_path_factory.mktemp("serve"))
    server.new("tictactoe", "person", "person")
    schema = schemathesis.openapi.from_url(f"{server.url}api/openapi.json")
    yield [found.ok() for found in schema.get_all_operations()]
    server.stop()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_operation_answers_as_the_document_says(operations: list[Any], mode: GenerationMode) -> None:
    problems = []
    for operation in operations:
        if mode == GenerationMode.NEGATIVE and not (operation.body or any(operation.iter_parameters())):
            continue  # nothing can be wrong about it

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            # What games and moves there are is not for a schema to say: what fits it may still be refused.
            case.call_and_validate(timeout=120, excluded_checks=[positive_data_acceptance])

        try:
            ask()
        except Exception as problem:
            problems.append(f"{operation.method} {operation.path}: {str(problem)[:600]}")
    assert not problems, "\n\n".join(problems)


def test_the_document_names_every_way_in(operations: list[Any]) -> None:
    named = {operation.path for operation in operations}
    assert {"/api/tables", "/api/tables/{table_id}/moves", "/api/matches", "/api/import"} <= named
