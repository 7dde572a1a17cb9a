"""Sharing tokens: the rules one by one, and what holds for all needs, budgets and totals."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everself.config.sections import Tunables
from everself.conversation.context.budget import (
    SLOTS,
    Allotment,
    Offer,
    Slot,
    Theft,
    allot,
    budgets_of,
    demands,
    scaled,
)
from everself.errors import ContextTooSmall, WrongUse

BUDGETS = budgets_of(Tunables())
FULL = dict(BUDGETS)

sizes = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 4_000))
shares = st.fixed_dictionaries({}, optional=dict.fromkeys(SLOTS, sizes))


def needing(**needs: int) -> dict[Slot, int]:
    return FULL | {Slot(name): tokens for name, tokens in needs.items()}


def below(slot: Slot) -> tuple[Slot, ...]:
    return SLOTS[SLOTS.index(slot) + 1 :]


def test_the_budgets_of_the_settings_fill_the_default_total() -> None:
    assert sum(BUDGETS.values()) == Tunables().context_budget_tokens == 6_000
    assert tuple(BUDGETS) == SLOTS


def test_slots_that_need_no_more_than_their_budget_get_what_they_need() -> None:
    shared = allot(needing(recent=700), BUDGETS, 6_000)
    assert shared.given == needing(recent=700)
    assert (shared.stolen, shared.offered, shared.unused) == ((), (), 500)


def test_a_slot_in_need_robs_the_lowest_first_and_goes_on_upwards() -> None:
    shared = allot(needing(user=1_900), BUDGETS, 6_000)
    assert shared.stolen == (
        Theft(Slot.USER, Slot.LONGTERM, 500, used=True),
        Theft(Slot.USER, Slot.CRM, 800, used=True),
    )
    assert shared.given == needing(user=1_900, longterm=0, crm=200)


def test_room_that_stays_empty_is_taken_before_anybody_is_robbed() -> None:
    shared = allot(needing(recent=1_500, user=450, crm=900), BUDGETS, 6_000)
    assert shared.offered == (Offer(Slot.USER, Slot.RECENT, 150),)
    assert shared.stolen == (Theft(Slot.RECENT, Slot.CRM, 100), Theft(Slot.RECENT, Slot.LONGTERM, 50, used=True))


def test_nobody_robs_a_slot_above_it() -> None:
    shared = allot(needing(longterm=9_000), BUDGETS, 6_000)
    assert shared.given == FULL
    assert shared.stolen == ()


def test_without_a_crm_the_long_term_memory_gets_its_share_however_long_the_diary_is() -> None:
    asked = demands(needing(crm=0, recent=50_000, longterm=1_300), BUDGETS)
    shared = allot(asked.needs, BUDGETS, 6_000, wants=asked.wants)
    assert shared.given[Slot.LONGTERM] == 1_300
    assert Offer(Slot.CRM, Slot.LONGTERM, 800) in shared.offered
    assert shared.given[Slot.RECENT] == 1_400, "what the long-term memory leaves goes up again"
    assert shared.stolen == (Theft(Slot.RECENT, Slot.CRM, 200),)


def test_with_everything_over_budget_only_the_soul_the_profile_and_unseen_corrections_rob() -> None:
    whole = dict.fromkeys(SLOTS, 50_000) | {Slot.IDENTITY: 900}
    asked = demands(whole, BUDGETS, unverified=500)
    shared = allot(asked.needs, BUDGETS, 6_000, wants=asked.wants)
    assert shared.given == {
        Slot.IDENTITY: 900,
        Slot.USER: 1_200,
        Slot.CORRECTIONS: 500,
        Slot.RECENT: 1_200,
        Slot.SEMANTIC: 1_500,
        Slot.CRM: 700,
        Slot.LONGTERM: 0,
        Slot.EXTERNAL: 0,
    }


def test_where_the_total_does_not_hold_all_budgets_the_lowest_lose_theirs() -> None:
    shared = allot(FULL, BUDGETS, 4_700)
    assert shared.own == needing(crm=200, longterm=0)
    assert shared.given == shared.own
    assert shared.stolen == ()


def test_room_beyond_all_budgets_belongs_to_whoever_needs_it_first() -> None:
    shared = allot(needing(longterm=900, recent=1_300), BUDGETS, 6_300)
    assert shared.offered == (Offer(None, Slot.RECENT, 100), Offer(None, Slot.LONGTERM, 200))
    assert shared.given == needing(longterm=700, recent=1_300)


def test_a_soul_takes_everything_before_it_is_cut() -> None:
    shared = allot(needing(identity=6_000), BUDGETS, 6_000)
    assert shared.given == dict.fromkeys(SLOTS, 0) | {Slot.IDENTITY: 6_000}


def test_a_soul_that_does_not_fit_is_an_error_that_says_what_helps() -> None:
    with pytest.raises(ContextTooSmall, match="6001 tokens, and there is room for 6000") as caught:
        allot(needing(identity=6_001), BUDGETS, 6_000)
    assert "SOUL.md" in caught.value.mend


def test_a_window_that_is_full_already_leaves_nothing() -> None:
    assert allot({Slot.USER: 5}, BUDGETS, -300).given == dict.fromkeys(SLOTS, 0)
    with pytest.raises(ContextTooSmall):
        allot({Slot.IDENTITY: 5}, BUDGETS, -300)


def test_less_than_nothing_cannot_be_needed() -> None:
    with pytest.raises(WrongUse):
        allot({Slot.USER: -1}, BUDGETS, 100)


def gained(shared: Allotment, slot: Slot) -> int:
    thefts = sum(theft.tokens for theft in shared.stolen if theft.taker is slot)
    return thefts + sum(offer.tokens for offer in shared.offered if offer.taker is slot)


def check_sums(shared: Allotment, total: int) -> None:
    """Nothing beyond the total, and every token that moved is in the books."""
    assert sum(shared.given.values()) + shared.unused == shared.total == max(0, total)
    assert shared.unused >= 0
    for slot in SLOTS:
        robbed = sum(theft.tokens for theft in shared.stolen if theft.giver is slot and theft.used)
        lent = sum(theft.tokens for theft in shared.stolen if theft.giver is slot and not theft.used)
        lent += sum(offer.tokens for offer in shared.offered if offer.giver is slot)
        assert 0 <= shared.given[slot] <= shared.own[slot] + gained(shared, slot) - robbed - lent
    assert all(theft.giver in below(theft.taker) and theft.tokens > 0 for theft in shared.stolen)
    assert all(offer.giver is None or offer.taker in below(offer.giver) for offer in shared.offered)


def check_priorities(shared: Allotment, needs: Mapping[Slot, int]) -> None:
    for slot in SLOTS:
        if shared.given[slot] < needs.get(slot, 0):
            assert shared.unused == 0, f"{slot} starves beside empty room"
            assert not any(shared.given[lower] for lower in below(slot)), f"{slot} starves while a lower slot eats"
    for theft in shared.stolen:
        if theft.used:
            spared = [lower for lower in below(theft.giver) if shared.given[lower]]
            assert not spared, f"{theft.giver} was robbed before {spared}"


@given(needs=shares, budgets=shares, total=st.integers(-50, 9_000))
def test_needs_are_met_by_priority_within_the_total(
    needs: dict[Slot, int], budgets: dict[Slot, int], total: int
) -> None:
    if needs.get(Slot.IDENTITY, 0) > max(0, total):
        with pytest.raises(ContextTooSmall):
            allot(needs, budgets, total)
        return
    shared = allot(needs, budgets, total)
    assert shared.given[Slot.IDENTITY] == needs.get(Slot.IDENTITY, 0), "the soul is whole"
    assert all(shared.given[slot] <= needs.get(slot, 0) for slot in SLOTS)
    check_sums(shared, total)
    check_priorities(shared, needs)


@given(whole=shares, budgets=shares, total=st.integers(0, 9_000), unverified=sizes)
def test_wants_take_no_token_from_any_need(
    whole: dict[Slot, int], budgets: dict[Slot, int], total: int, unverified: int
) -> None:
    asked = demands(whole, budgets, unverified=min(unverified, whole.get(Slot.CORRECTIONS, 0)))
    if asked.needs[Slot.IDENTITY] > total:
        return
    strict = allot(asked.needs, budgets, total)
    shared = allot(asked.needs, budgets, total, wants=asked.wants)
    check_sums(shared, total)
    check_priorities(shared, asked.needs)
    assert all(strict.given[slot] <= shared.given[slot] <= asked.wants[slot] for slot in SLOTS)
    hungry = any(shared.given[slot] < asked.wants[slot] for slot in SLOTS)
    assert not (hungry and shared.unused), "room stays empty while somebody wants it"
    # what was robbed was robbed for a need; wants rob nobody
    assert [theft for theft in shared.stolen if theft.used] == [theft for theft in strict.stolen if theft.used]


@given(whole=shares, budgets=shares)
def test_only_the_soul_needs_more_than_twice_its_budget(whole: dict[Slot, int], budgets: dict[Slot, int]) -> None:
    asked = demands(whole, budgets, unverified=whole.get(Slot.CORRECTIONS, 0))
    assert asked.needs[Slot.IDENTITY] == whole.get(Slot.IDENTITY, 0)
    for slot in SLOTS[1:]:
        reach = 2 if slot in (Slot.USER, Slot.CORRECTIONS) else 1
        assert asked.needs[slot] == min(whole.get(slot, 0), reach * budgets.get(slot, 0))


def test_the_table_of_the_decision_is_right() -> None:
    whole = needing(identity=950, user=400, corrections=900, recent=5_000, crm=0, longterm=2_000)
    asked = demands(whole, BUDGETS, unverified=500)
    shared = allot(asked.needs, BUDGETS, 6_000, wants=asked.wants)
    assert shared.given == needing(identity=950, user=400, corrections=600, crm=0, longterm=1_350)
    assert shared.stolen == (Theft(Slot.IDENTITY, Slot.CRM, 150),)
    assert shared.offered == (Offer(Slot.USER, Slot.CORRECTIONS, 200), Offer(Slot.CRM, Slot.LONGTERM, 850))

    asked = demands(whole | {Slot.IDENTITY: 1_000, Slot.USER: 900, Slot.CRM: 1_000}, BUDGETS, unverified=500)
    assert allot(asked.needs, BUDGETS, 6_000, wants=asked.wants).stolen == (
        Theft(Slot.IDENTITY, Slot.LONGTERM, 200, used=True),
        Theft(Slot.USER, Slot.LONGTERM, 300, used=True),
        Theft(Slot.CORRECTIONS, Slot.CRM, 100, used=True),
    )


def test_budgets_are_scaled_in_proportion_and_the_souls_stays() -> None:
    budgets = budgets_of(Tunables())
    small = scaled(budgets, 1_300)
    assert small[Slot.IDENTITY] == budgets[Slot.IDENTITY]
    others = sum(tokens for slot, tokens in small.items() if slot is not Slot.IDENTITY)
    assert 1_290 <= others <= 1_300
    assert small[Slot.SEMANTIC] == 1_500 * 1_300 // 5_200
    assert scaled(budgets, 5_200) == budgets
