"""Checks which addresses may be fetched. The host is resolved here, and the connection uses the address that was checked.

A check of the name alone is worth nothing: names point anywhere, and somewhere else a moment later.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from typing import Final

from everself.errors import RefusedByRule

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether it belongs to the internet that everybody sees. IPv6 forms of an IPv4 address count as that address."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        # site-local and Teredo: the one is private, the other names somebody's relay
        if address.is_site_local or address.teredo is not None:
            return False
    return address.is_global and not (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )


def is_named(host: str, port: int, listed: Sequence[str]) -> bool:
    """Whether the settings name this host, or this port of it."""
    plain = host.strip("[]").rstrip(".").lower()
    shown = f"[{plain}]" if ":" in plain else plain
    wanted = {plain, shown, f"{shown}:{port}"}
    return any(entry.lower() in wanted for entry in listed)


async def find_address(host: str, port: int, *, private: bool) -> str:
    """The address to connect to; raises RefusedByRule where any address of that name is not public, unless private ones are let in.

    A public address does not make up for a private one: a host that mixes them hopes for a retry.
    """
    addresses = _written(host) or await _resolved(host, port)
    if not addresses:
        raise RefusedByRule(f"The host {host[:200]} cannot be resolved.")
    if not private and not all(is_public(ipaddress.ip_address(address)) for address in addresses):
        words = f"{host[:200]} is an address of this machine or of a private network and cannot be fetched."
        raise RefusedByRule(words, mend="The owner can name it in tools.web.fetch.privateHosts.")
    # most machines without IPv6 resolve its addresses all the same
    return min(addresses, key=lambda address: ":" in address)


def _written(host: str) -> list[str]:
    """The address that the host itself is, in any of the forms a resolver takes: 127.1, 0x7f000001, 2130706433, [::1]."""
    try:
        return [str(ipaddress.ip_address(host.strip("[]")))]
    except ValueError:
        pass
    try:
        return [socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))]
    except (OSError, ValueError):
        return []


async def _resolved(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # what is too long for a name, or none at all, is a UnicodeError
    except (OSError, UnicodeError, OverflowError):
        return []
    return [str(entry[4][0]) for entry in found]
