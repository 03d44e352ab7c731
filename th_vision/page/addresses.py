"""Names and addresses under which this machine is reached."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from typing import Final

LOCAL: Final = "127.0.0.1"
_EVERYWHERE: Final = ("0.0.0.0", "::")
_SOMEWHERE: Final = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses that no machine has (RFC 5737, RFC 3849): asking for the way there sends nothing."""


def hosts_of(host: str) -> frozenset[str]:
    """Every name by which a page that listens at ``host`` may be called."""
    names = {host.lower(), LOCAL, "localhost", "::1"}
    if host != LOCAL:
        name = socket.gethostname().lower()
        names |= {name, f"{name}.local"}
    if host in _EVERYWHERE:
        names |= own_addresses()
    return frozenset(names - set(_EVERYWHERE))


def reachable(host: str) -> str:
    """The address to print for ``host``, ready for a link."""
    if host in _EVERYWHERE:
        found = sorted(address for address in own_addresses() if ":" not in address and not address.startswith("127."))
        host = found[0] if found else LOCAL
    return f"[{host}]" if ":" in host else host


def own_addresses() -> set[str]:
    """The addresses of this machine, as far as it tells them."""
    found = {LOCAL, "::1"}
    with contextlib.suppress(OSError):
        found |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)}
    for far, family in _SOMEWHERE:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            found.add(str(probe.getsockname()[0]))
    return {address for address in found if _is_address(address)}


def _is_address(text: str) -> bool:
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(text)
        return True
    return False
