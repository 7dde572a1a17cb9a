"""Only what belongs to the internet is public, whatever it looks like."""

import asyncio
import ipaddress
import socket

import pytest

from everself.conversation.tools.outside._fetch import find_address, is_named, is_public
from everself.errors import RefusedByRule


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
        ),
        *("100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2002:7f00:1::1", "2002:a00:1::", "64:ff9b::7f00:1"),
        *("64:ff9b:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    ],
)
def test_these_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"]
)
def test_these_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0",
        "::1",
        "::ffff:127.0.0.1",
    ],
)
def test_no_spelling_of_this_machine_is_fetched(host: str) -> None:
    with pytest.raises(RefusedByRule):
        asyncio.run(find_address(host, 80, private=False))


@pytest.mark.parametrize("failure", [socket.gaierror(-2, "unknown"), UnicodeError("label too long"), OverflowError()])
def test_a_name_without_an_address_is_words(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(RefusedByRule, match="cannot be resolved"):
        asyncio.run(find_address("no-such-name.invalid", 80, private=True))


def test_one_private_address_spoils_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = [(2, 1, 6, "", ("1.1.1.1", 80)), (2, 1, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: mixed)
    with pytest.raises(RefusedByRule):
        asyncio.run(find_address("mixed.example", 80, private=False))
    assert asyncio.run(find_address("mixed.example", 80, private=True)) == "1.1.1.1"


def test_a_private_host_is_named_with_or_without_its_port() -> None:
    assert is_named("Wiki.LAN.", 80, ("wiki.lan",))
    assert is_named("wiki.lan", 8080, ("wiki.lan:8080",))
    assert not is_named("wiki.lan", 80, ("wiki.lan:8080",))
    assert is_named("[::1]", 80, ("::1",))
    assert is_named("::1", 81, ("[::1]:81",))
    assert not is_named("evil-wiki.lan", 80, ("wiki.lan",))
