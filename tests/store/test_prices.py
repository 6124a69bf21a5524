"""The price table of the package, and files of contract prices."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from tokaudit.model import ConfigError
from tokaudit.model.prices import Usage, cost_of, decimal_of, price_on
from tokaudit.store import prices as store
from tokaudit.store.price_file import parse_prices
from tokaudit.store.prices import TABLE, own_prices, packed, read_prices, unpacked

DAY = date(2026, 12, 1)
OWN = own_prices()
CHINESE = {"bytedance", "deepseek", "minimax", "moonshot", "qwen", "zhipu"}
HEAD = "schema: tokaudit-prices/1\nprices:\n"
ROW = "  - {model: m, currency: USD, rates: [{fresh: 2.5, out: 10}], source: contract 7, checked_on: 2026-11-30}\n"


def test_the_table_has_every_vendor_in_the_currency_of_its_bill():
    currencies = {currency: {price.model for price in OWN if price.currency == currency} for currency in ("USD", "CNY")}
    assert len(currencies["USD"]) >= 60
    assert len(currencies["CNY"]) >= 40
    assert {price.provider for price in OWN if price.currency == "CNY"} == CHINESE
    assert not {price.provider for price in OWN if price.currency == "USD"} & CHINESE


@pytest.mark.parametrize("price", OWN, ids=lambda price: f"{price.model}@{price.valid_from}")
def test_every_row_has_a_source_a_date_and_prices_that_fit_together(price):
    assert price.source
    assert date(2026, 6, 1) <= date.fromisoformat(price.checked_on) <= DAY
    for rate in price.rates:
        rates = rate.rates
        assert rates.out is not None
        assert 0 < rates.fresh <= rates.out
        assert rates.read is None or 0 < rates.read <= rates.fresh
        assert rates.write_5m is None or rates.fresh <= rates.write_5m <= (rates.write_1h or rates.write_5m)


def test_the_built_table_is_the_written_one(tmp_path, monkeypatch):
    store.compile_prices(tmp_path)
    monkeypatch.setattr(store, "COMPILED", tmp_path / "prices.json")
    assert own_prices() == parse_prices(TABLE.read_text("utf-8"), TABLE.name)
    built = json.loads((tmp_path / "prices.json").read_bytes())
    built["prices"][0]["currency"] = "EUR"
    (tmp_path / "prices.json").write_text(json.dumps(built), encoding="utf-8")
    assert own_prices()[0].currency == "EUR"  # it is read, while it is of the very file
    (tmp_path / "prices.json").write_text(json.dumps({**built, "sha256": "0"}), encoding="utf-8")
    assert own_prices()[0].currency == "USD"


def test_prices_survive_packing():
    assert [unpacked(json.loads(json.dumps(packed(price)))) for price in OWN] == OWN


def test_prices_of_a_thousand_tokens():
    (price,) = parse_prices(HEAD + ROW.replace("rates:", "unit: 1000, rates:").replace("2.5", "0.0008"), "p")
    cost = cost_of(Usage(1_000_000), price.rates[0].rates, price.currency)
    assert str(decimal_of(cost.total).normalize()) == "0.8"


def test_json_is_a_price_table_too(tmp_path):
    row = {
        "model": "m", "currency": "CNY", "rates": [{"fresh": 1}], "source": "s", "checked_on": "2026-11-30",
    }  # fmt: skip
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"schema": "tokaudit-prices/1", "prices": [row]}, indent=1), encoding="utf-8")
    assert [price.currency for price in read_prices(str(path))] == ["CNY"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("fresh: 2.5", "fresh: -2.5", "-2.5", "'fresh' must be a price, such as 2.5"),
        ("fresh: 2.5", "fresh: .nan", ".nan", "'fresh' must be a price, such as 2.5"),
        ("fresh: 2.5", "frsh: 2.5", "frsh", "unknown key 'frsh'; did you mean 'fresh'?"),
        ("fresh: 2.5", "fresh: 0.0000000000001", "0.000", "'fresh' has more than 12 decimal places"),
        ("fresh: 2.5, out", "out", "{out", "a rate lacks 'fresh'"),
        ("USD", "usd", "usd", "'currency' is three capital letters"),
        ("source: contract 7, ", "", "{model", "a price lacks 'source'"),
        ("2026-11-30", "2026-13-30", "2026-13", "'checked_on' must be a day"),
        ("{fresh: 2.5, out: 10}", "", "[]", "'rates' begins with the standard price"),
        ("fresh: 2.5", "context: batch, fresh: 2.5", "[{context", "'rates' begins with the standard price"),
        ("fresh: 2.5, out: 10}", "fresh: 2.5}, {window: peak, fresh: 5}", "[{fresh", "needs the hours in 'window'"),
        ("fresh: 2.5, out: 10}", "fresh: 2.5}, {context: slow, fresh: 5}", "slow", "'context' is one of standard"),
        ("fresh: 2.5, out: 10}", "fresh: 2.5}, {tier_from_input: 0, fresh: 5}", "0, ", "'tier_from_input' is a"),
        ("fresh: 2.5, out: 10}", "fresh: 2.5}, {fresh: 5}", "[{fresh", "two rates for the same input"),
        ("model: m,", "model: m, model: n,", "model: n", "the key 'model' is given twice"),
        ("model: m,", "model: m, unit: 10,", "10, ", "'unit' is the tokens"),
        ("tokaudit-prices/1", "tokaudit-prices/9", "tokaudit-prices/9", "the schema must be tokaudit-prices/1"),
        (ROW, ROW + ROW, "{model", "a second price of m; the first is in line 3"),
        (ROW, "  - x\n", "x", "a price is a mapping"),
        (ROW, "  - {a: [}\n", "}", "not valid YAML"),
    ],
)
def test_a_wrong_table_is_an_error_with_its_place(old, new, place, message):
    text = HEAD + ROW
    assert old in text
    with pytest.raises(ConfigError, match=message.replace("?", r"\?").replace("'", ".")) as caught:
        parse_prices(text.replace(old, new, 1), "p.yaml")
    line = text.replace(old, new, 1).splitlines()[caught.value.line - 1]
    assert line[caught.value.column - 1 :].startswith(place)


WINDOW = "{days: [mon], hours: ['09:00-12:00'], utc_offset: '+08:00'}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mon", "monday", "'days' are among"),
        ("09:00-12:00", "12:00-09:00", "'hours' are such as"),
        ("09:00-12:00", "9-12", "'hours' are such as"),
        ("+08:00", "Beijing", "'utc_offset' is such as"),
        ("hours: ['09:00-12:00'], ", "", "a window lacks 'hours'"),
    ],
)
def test_a_wrong_window_is_an_error(old, new, message):
    row = ROW.replace("rates:", f"window: {WINDOW.replace(old, new)}, rates:")
    with pytest.raises(ConfigError, match=message.replace("'", ".")):
        parse_prices(HEAD + row, "p.yaml")


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(ConfigError, match="the prices cannot be read"):
        read_prices(str(tmp_path / "none.yaml"))
    (tmp_path / "gbk.yaml").write_bytes("# 价格\n".encode("gb18030"))
    with pytest.raises(ConfigError, match="not in UTF-8"):
        read_prices(str(tmp_path / "gbk.yaml"))


DIFFERENT = {
    ("claude-sonnet-4-5", 300_000): "its premium above 200,000 tokens: two other tables have dropped it",
}
"""Models and inputs that genai-prices 0.2.3 prices otherwise, and why ours stands."""
MOMENT = datetime(2026, 11, 28, 12, tzinfo=UTC)


def test_prices_are_those_of_genai_prices_where_it_knows_the_model():
    genai = pytest.importorskip("genai_prices")
    equal, differing = 0, {}
    models = {price.model: price.provider for price in OWN if price.currency == "USD"}
    for model, provider in models.items():
        price = price_on([one for one in OWN if one.model == model], MOMENT.date())
        for tokens, read in ((1000, 0), (1000, 500), (300_000, 0)):
            usage = genai.Usage(input_tokens=tokens, cache_read_tokens=read, output_tokens=1000)
            try:
                theirs = genai.calc_price(
                    usage,
                    model_ref=model,
                    provider_id={"xai": "x-ai"}.get(provider, provider),
                    genai_request_timestamp=MOMENT,
                )
            except LookupError:
                break
            if theirs.model.id != model:
                break  # it matches by prefix
            ours = cost_of(Usage(tokens, read=read, output=1000), price.rate(tokens).rates, "USD")
            if abs(decimal_of(ours.total) - theirs.total_price) <= theirs.total_price / 10**6:
                equal += 1
            else:
                differing[model, tokens] = (decimal_of(ours.total), theirs.total_price)
    assert differing.keys() == DIFFERENT.keys(), differing
    assert equal > 150
