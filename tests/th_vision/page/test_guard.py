"""Who may do what on the page."""

from __future__ import annotations

import pytest

from th_vision.errors import VisionError
from th_vision.page.addresses import hosts_of, own_addresses, reachable
from th_vision.page.commands import parse_command, spoken
from th_vision.page.guard import SECONDS_A_TRY, TRIES, Lock, Places, new_code, new_token
from th_vision.referee import commands as referee

PLACES = Places(frozenset({"127.0.0.1", "localhost", "::1", "192.168.1.5"}), 8087)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8087", True),
        ("LOCALHOST:8087", True),
        ("localhost", True),
        ("[::1]:8087", True),
        ("192.168.1.5:8087", True),
        ("evil.example:8087", False),
        ("127.0.0.1.evil.example:8087", False),
        ("127.0.0.1:80", False),
        ("127.0.0.1:8087:1", False),
        ("127.0.0.1:\uff18\uff10\uff18\uff17", False),
        ("[::1", False),
        ("", False),
        (None, False),
    ],
)
def test_only_our_own_names_are_known(host: str | None, known: bool) -> None:
    assert PLACES.knows(host) == known


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:8087", True),
        ("https://127.0.0.1:8087", False),
        ("http://evil.example:8087", False),
        ("null", False),
        (None, False),
    ],
)
def test_a_wish_must_come_from_the_page_itself(origin: str | None, own: bool) -> None:
    assert PLACES.own(origin) == own


def test_the_right_code_gives_a_key_and_a_wrong_one_does_not() -> None:
    lock = Lock("123456")
    key = lock.open("123456", 0.0)
    assert key is not None
    assert lock.fits(key)
    assert lock.open("123457", 0.0) is None
    assert lock.open("", 0.0) is None
    assert lock.open("12345\ud800", 0.0) is None
    assert not lock.fits("")
    assert not lock.fits("123456")


def test_who_tries_codes_is_slowed_down_and_keys_go_on() -> None:
    lock = Lock("123456")
    key = lock.open("123456", 0.0)
    for _ in range(TRIES):
        assert lock.open("000000", 0.0) is None
    assert lock.shut(0.0)
    assert lock.open("123456", 0.0) is None, "even the right code has to wait"
    assert key is not None
    assert lock.fits(key), "who has a key is not slowed down by others"
    assert lock.open("123456", SECONDS_A_TRY) is not None


def test_who_tries_codes_does_not_lock_the_others_out() -> None:
    lock = Lock("123456")
    for second in range(3600):
        lock.open("000000", float(second), "10.0.0.66")
    assert lock.shut(3599.5, "10.0.0.66")
    assert lock.open("123456", 3599.5, "10.0.0.7") is not None


@pytest.mark.parametrize("addresses", [1, 1000])
def test_a_million_codes_take_longer_than_any_game(addresses: int) -> None:
    lock, tried, now = Lock("999999"), 0, 0.0
    while now < 3600:
        who = f"10.0.{now % addresses}"
        if not lock.shut(now, who):
            tried += 1
        lock.open("000000", now, who)
        now += 1.0
    assert tried < 1000


def test_a_key_is_known_to_a_server_that_is_started_again_with_its_secret_and_to_no_other() -> None:
    lock = Lock("123456")
    key = lock.open("123456", 0.0)
    assert key is not None
    assert Lock("123456", lock.secret).fits(key)
    assert not Lock("123456").fits(key)
    assert not Lock("654321", lock.secret).fits(key), "another code, other keys"
    word, _, sign = key.partition(".")
    for forged in (word, f"{word}.", f".{sign}", f"{word}x.{sign}", f"{word}.{sign[:-1]}", f"{key}.{sign}", "\ud800.x"):
        assert not lock.fits(forged)


def test_codes_and_tokens_differ_each_time() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert all(len(code) == 6 and code.isdigit() for code in (new_code() for _ in range(100)))


def test_a_page_for_this_machine_is_known_by_no_other_name() -> None:
    assert hosts_of("127.0.0.1") == {"127.0.0.1", "localhost", "::1"}
    everywhere = hosts_of("0.0.0.0")
    assert own_addresses() <= everywhere
    assert "0.0.0.0" not in everywhere
    assert reachable("::1") == "[::1]"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"do":"undo"}',
        b'{"do":"shell","seen":1}',
        b'{"do":"undo","seen":-1}',
        b'{"do":"undo","seen":"1"}',
        b'{"do":"undo","seen":true}',
        b'{"do":"whose_turn","seen":1}',
        b'{"do":"penalty","seen":1,"giver":"blue"}',
        b'{"do":"correct","seen":1,"turn":3}',
        b'{"do":"correct","seen":1,"cars_due":1}',
        b'{"do":"correct","seen":1,"turn":3,"cars_due":1e9}',
        b'{"do":"recount","seen":1}',
        b'{"do":"undo","seen":1,"path":"/etc/passwd"}',
        b"[" * 3000,
        b'{"do":"whose_turn","seen":1,"player":"' + b"x" * 100 + b'"}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_command_is_refused(body: bytes) -> None:
    with pytest.raises(VisionError, match=r"command: .*; see the page"):
        parse_command(body)


def test_a_command_as_the_page_sends_it() -> None:
    wish = parse_command(b'{"do":"correct","seen":12,"turn":9,"cars_due":2,"call":"legal"}')
    told = spoken(wish)
    assert told.command == referee.Correct({"cars_due": 2, "call": "legal"}, 9)
    assert told.words == "page: correct turn=9 cars_due=2 call=legal"


@pytest.mark.parametrize(
    ("body", "command"),
    [
        (b'{"do":"next","seen":1}', referee.Next()),
        (b'{"do":"accept","seen":1}', referee.Accept()),
        (b'{"do":"yes","seen":1}', referee.Answer(True)),
        (b'{"do":"no","seen":1}', referee.Answer(False)),
        (b'{"do":"pass","seen":1}', referee.Pass()),
        (b'{"do":"undo","seen":1,"turn":4}', referee.Undo(4)),
        (b'{"do":"pause","seen":1}', referee.Pause()),
        (b'{"do":"resume","seen":1}', referee.GoOn()),
        (b'{"do":"reread","seen":1}', referee.Reread()),
        (b'{"do":"whose_turn","seen":1,"player":"pink"}', referee.WhoseTurn("pink")),
        (b'{"do":"penalty","seen":1,"giver":"pink","taker":"blue","discs":2}', referee.Penalty("pink", "blue", 2)),
        (b'{"do":"recount","seen":1,"levels":3,"yellow":true}', referee.Recount(None, 3, True)),
    ],
)
def test_every_wish_is_a_command_of_the_referee(body: bytes, command: referee.Command) -> None:
    assert spoken(parse_command(body)).command == command
