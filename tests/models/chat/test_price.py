"""What a request costs."""

from everself.models.chat.model_table import Price, cost_of
from everself.models.chat.protocol import Usage


def test_a_dollar_for_a_million_is_a_millionth_for_one() -> None:
    assert cost_of(Price(sent=3.0, received=15.0), Usage(sent=1_000, received=100)) == 3_000 + 1_500


def test_what_the_vendor_had_in_its_cache_is_cheaper_and_what_it_stored_is_dearer() -> None:
    price = Price(sent=3.0, received=15.0, cached=0.3, stored=3.75)
    assert cost_of(price, Usage(sent=1_000, cached=800, stored=100)) == 300 + 240 + 375


def test_cached_tokens_cost_as_much_as_others_where_no_price_is_told() -> None:
    assert cost_of(Price(sent=2.0, received=1.0), Usage(sent=1_000, cached=400)) == 2_000


def test_counts_that_do_not_add_up_never_cost_less_than_nothing() -> None:
    assert cost_of(Price(sent=1.0, received=1.0, cached=0.5), Usage(sent=100, cached=900, stored=900)) == 50
