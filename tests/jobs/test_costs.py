"""The prices of the models of a run, and the options about costs."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

import pytest

from tokaudit.jobs.costs import cost_options, costing_of
from tokaudit.model import ModelColumn, TokenizerRef, UsageError
from tokaudit.model.prices import Part

TODAY = date(2026, 12, 1)


def found(name, tokenizer="o200k_base", **more):
    """The price of a column: model and currency, or None."""
    column = ModelColumn(name, TokenizerRef(tokenizer, "byte-bpe", "", exact=True), 0)
    prices = costing_of([column], cost_options(today=TODAY, **more.pop("asked", {})), **more).prices[name]
    return (prices[-1].model, prices[-1].currency) if prices else None


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4o", ("gpt-4o", "USD")),
        (" GPT-4o ", ("gpt-4o", "USD")),
        ("openai/gpt-4o", ("gpt-4o", "USD")),
        ("gpt-4o-2024-08-06", ("gpt-4o", "USD")),
        ("gpt-4o-2024-05-13", ("gpt-4o-2024-05-13", "USD")),
        ("claude-sonnet-4-5-20250929", ("claude-sonnet-4-5", "USD")),
        ("claude-sonnet-4.5", ("claude-sonnet-4-5", "USD")),
        ("dashscope/qwen-plus", ("qwen-plus", "CNY")),
        ("zai/glm-4.6", ("glm-4.6", "CNY")),
        ("minimax/MiniMax-M2.5", ("minimax-m2.5", "CNY")),
        ("deepseek/deepseek-v4-pro", ("deepseek-v4-pro", "CNY")),
        ("models/gemini-2.5-pro", ("gemini-2.5-pro", "USD")),
        ("azure/gpt-4o", None),  # another one's bill
        ("openrouter/openai/gpt-4o", None),
        ("ft:gpt-4o:mine", None),
        ("deepseek/gpt-4o", None),
        ("gpt-4o-something", None),
        ("glm-4.5-airx", None),  # the catalog counts it as glm-4.5; its price is another
        ("o200k_base", None),
        ("./tokenizer.json", None),
    ],
)
def test_a_name_has_the_price_of_its_vendor_or_none(name, model):
    assert found(name) == model


def test_contract_prices_go_before_the_configuration_and_that_before_the_list(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(
        "schema: tokaudit-prices/1\nprices:\n- {model: gpt-4o, currency: EUR, rates: [{fresh: 1}], source: s,"
        " checked_on: 2026-11-01}\n",
        encoding="utf-8",
    )
    assert found("gpt-4o", asked={"file": str(path)}, configured={"gpt-4o": 2.0}) == ("gpt-4o", "EUR")
    assert found("gpt-4o", configured={"gpt-4o": 2.0}, currency="GBP") == ("gpt-4o", "GBP")
    assert found("gpt-4o", configured={"o200k_base": 2.0}) == ("o200k_base", "USD")
    assert found("mine", configured={"*": 2.0}) == ("*", "USD")


def test_options_as_they_are_written():
    options = cost_options(
        today=TODAY, at="2026-11-30T10:00", cached="33.5%", written="1,000", currency="cny", exchange=["CNY/USD=7.1"]
    )
    assert (options.day, options.at) == (date(2026, 11, 30), datetime(2026, 11, 30, 10, 0))  # noqa: DTZ001
    assert (options.cached, options.written) == (Part(share=Fraction(335, 1000)), Part(tokens=1000))
    assert options.currency == "CNY"
    assert options.exchange == {("CNY", "USD"): Fraction(71, 10), ("USD", "CNY"): Fraction(10, 71)}
    assert cost_options(today=TODAY, at="2026-11-30").at is None
    assert cost_options(today=TODAY).day == TODAY


@pytest.mark.parametrize(
    "asked",
    [
        {"at": "tomorrow"}, {"at": "2026-13-01"}, {"context": "slow"}, {"cached": "101%"}, {"cached": "-1"},
        {"written": "many"}, {"output": -1}, {"per_day": -1}, {"currency": "yuan"}, {"exchange": ["CNY/USD=0"]},
        {"exchange": ["CNY/CNY=1"]}, {"exchange": ["7.1"]}, {"exchange": ["CNY/USD=7.1", "USD/CNY=7.1"]},
    ],
)  # fmt: skip
def test_options_that_mean_nothing_are_errors(asked):
    with pytest.raises(UsageError):
        cost_options(today=TODAY, **asked)
