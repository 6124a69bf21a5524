"""Near-duplicate passages: what is one, and what only looks like one."""

from __future__ import annotations

import pytest

from tokaudit.features.passages import Choice, Likeness, passages_of
from tokaudit.model.request import Content, Request, RequestMessage

RETURNS = (
    "退货政策规定，商品签收后七天内可以申请无理由退货，来回运费由买家承担，定制商品和生鲜商品除外，"
    "退款会在仓库收到商品并检查完好以后的三个工作日以内原路退回，具体的范围和流程请以商品页面上的说明为准。"
)
ENGLISH = (
    "Goods may be returned within seven days of delivery if the seal is intact and the invoice is enclosed. "
    "The buyer pays for the parcel both ways, and the refund reaches the same account within three working days "
    "after the warehouse has checked what came back."
)


def tagged(*texts: str) -> str:
    return "\n".join(f'<document index="{at}">\n{text}\n</document>' for at, text in enumerate(texts))


def request(*texts: str, form: str = "openai-chat") -> Request:
    messages = [
        RequestMessage("user", [Content("text", text, f"$.messages[{at}].content")], f"$.messages[{at}]", turn=1)
        for at, text in enumerate(texts)
    ]
    return Request(form, messages)


def reasons(*texts: str, top_k: int | None = None) -> list[str]:
    return [removal.reason for removal in Choice(request(*texts), top_k).removals(frozenset())]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RETURNS, RETURNS),
        (RETURNS, RETURNS.replace("，", ", ")),
        (RETURNS, RETURNS.replace("具体的范围", "有关范围")),
        (ENGLISH, ENGLISH.upper()),
        (ENGLISH, f"All {ENGLISH}"),
        (ENGLISH, f"<source>b.md</source>\n{ENGLISH}"),
    ],
)
def test_what_says_the_same_stands_once(first: str, second: str) -> None:
    assert reasons(f"{tagged(first, second)}\n怎么退货？") == ["duplicate"]


@pytest.mark.parametrize(
    "second",
    [
        RETURNS.replace("七天", "九天"),
        RETURNS.replace("可以申请", "不可以申请"),
        RETURNS.replace("三个工作日", "5个工作日"),
        RETURNS[: len(RETURNS) // 2],
    ],
)
def test_another_number_or_negation_is_another_passage(second: str) -> None:
    assert reasons(f"{tagged(RETURNS, second)}\n怎么退货？") == []


def test_fenced_blocks_go_only_where_they_are_equal() -> None:
    block = f"```text\n{ENGLISH}\n```\n"
    assert reasons(f"{block}{block}What differs?") == ["duplicate"]
    assert reasons(f"{block}{block.replace('the seal is', 'its seal is')}What differs?") == []
    assert reasons("```\nls\n```\nand\n```\nls\n```\n") == []


def test_the_first_passages_of_each_message_stay() -> None:
    texts = [f"Passage about the city number {word} and what is there." for word in "abcde"]
    assert reasons(f"{tagged(*texts)}\nWhich?", top_k=3) == ["top-k"] * 2
    assert reasons(f"{tagged(*texts)}\nWhich?", f"{tagged(*texts)}\nAnd?", top_k=5) == ["duplicate"] * 5


def test_a_passage_is_no_duplicate_of_one_that_goes_itself() -> None:
    texts = [f"Passage about the city number {word} and what is there." for word in "abc"]
    found = reasons(f"{tagged(*texts)}\nWhich?", f"{tagged(texts[2])}\nAnd?", top_k=2)
    assert found == ["top-k"]


def test_no_message_is_left_empty() -> None:
    assert reasons(tagged(ENGLISH), tagged(ENGLISH)) == []


def test_the_best_three_of_fifty() -> None:
    """Of fifty passages the first three stay, in the order that they were given in."""
    texts = [f"Passage {at} tells of {word * 3}." for at, word in enumerate(map(str, range(100, 150)))]
    question = f"{tagged(*texts)}\nWhich?"
    assert len(reasons(question, top_k=3)) == 47


def test_only_users_have_passages_in_their_texts() -> None:
    text = f"{tagged(ENGLISH, ENGLISH)}\nNo."
    messages = [RequestMessage(role, [Content("text", text, "$.a")], "$.messages[0]") for role in ("system", "tool")]
    assert list(passages_of(Request("openai-chat", messages))) == []


def test_likeness_of_nothing_is_none() -> None:
    passages = list(passages_of(request(f"{tagged('!', '?')}\nWhat?")))
    assert not Likeness(passages).covers(0, 1)
