"""Addresses of machines, told from version numbers, slices and hex dumps that look like them.

An address that names no machine in particular is left alone: loopback, unspecified, multicast, and
what RFC 6890 reserves, netmasks among it.
"""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv6Address

from agentcheck.model.pattern import lazy_re

_HEX = lazy_re(r"[0-9a-fA-F]+")


def is_ipv4(text: str) -> bool:
    """Whether four numbers are the address of a machine.

    Four numbers below ten are taken for a version or a chapter.
    """
    try:
        found = IPv4Address(text)
    except AddressValueError:
        return False
    vague = found.is_loopback or found.is_multicast or found.is_reserved or found.packed[0] == 0
    return not vague and any(part > 9 for part in found.packed)


def is_ipv6(text: str) -> bool:
    """Whether groups joined by colons are a global, local or link address (RFC 4291, RFC 4193).

    A short one needs three groups at least: `2000::2` is a slice in Python.
    """
    try:
        found = IPv6Address(text)
    except AddressValueError:
        return False
    head = found.packed[0]
    local = head in (0xFC, 0xFD) or (head == 0xFE and found.is_link_local)
    return local or (head in range(0x20, 0x40) and len(_HEX.findall(text)) >= 3)


def is_mac(text: str) -> bool:
    """Whether six bytes are the address of an interface (IEEE 802), not nobody's or everybody's."""
    return len(set(filter(str.isalnum, text.lower()))) > 1
