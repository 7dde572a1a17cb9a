"""Where somebody lives, in the words they have for it."""

import pytest

from everself.errors import BadConfig
from everself.identity.time_zone import find_place, user_zone


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("São Paulo", "America/Sao_Paulo"),
        ("Port au Prince", "America/Port-au-Prince"),
        ("UTC", "UTC"),
    ],
)
def test_a_city_names_its_zone(said: str, zone: str) -> None:
    assert find_place(said).key == zone


@pytest.mark.parametrize("said", ["Atlantis", "", "../etc", "Berlin am See"])
def test_a_place_without_a_zone_of_its_name_is_none(said: str) -> None:
    with pytest.raises(BadConfig):
        find_place(said)


@pytest.mark.parametrize("written", ["Berlin", "Europe/Berlin", "Berlin (CET)", "Europe/Berlin, in winter too"])
def test_the_profile_may_say_it_so_too(written: str) -> None:
    assert user_zone("", f"- **Time zone:** {written}\n".encode()).key == "Europe/Berlin"


def test_two_words_are_one_city() -> None:
    assert user_zone("", b"- **Time zone:** New York, usually\n").key == "America/New_York"
