"""The page in a real browser: on a phone and on a TV, by keyboard alone, and when the connection is cut."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.record import read_record
from tests.conftest import ROOT
from th_vision.page.server import Page
from th_vision.page.timeline import Timeline
from th_vision.referee.commands import Spoken, Undo

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not here (apt install chromium chromium-driver)"
)

RECORD = read_record(ROOT / "tests" / "games" / "missions-4-cars-round.jsonl")
FACTS = RECORD.facts[1:]
SHOWN = len(FACTS) - 4
TV, PHONE = (1920, 1080), (390, 844)


class Seen:
    """A browser that looks at a page."""

    def __init__(self, profile: Path) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", f"user-data-dir={profile}"):
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        self.driver.set_script_timeout(10)

    def size(self, size: tuple[int, int]) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def js(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def text(self, name: str) -> str:
        return str(self.js("return document.getElementById(arguments[0]).textContent", name)).strip()

    def until(self, ready: Callable[[], Any], what: str, seconds: float = 10.0) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = ready()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"never came: {what}; the page says {self.text('turn')!r}, {self.text('connection')!r}")

    def steps(self, number: int) -> None:
        self.until(lambda: self.js("return thVision.drawn && thVision.drawn.steps") == number, f"step {number}")

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def wishes() -> queue.Queue[Spoken]:
    return queue.Queue()


@pytest.fixture(scope="module")
def page(wishes: queue.Queue[Spoken]) -> Iterator[Page]:
    page = Page(port=0, commands=wishes)
    page.start()
    page.publish("game", RECORD.game)
    for fact in FACTS[:SHOWN]:
        page.publish("fact", fact)
    yield page
    page.close()


@pytest.fixture(scope="module")
def seen(page: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    seen = Seen(tmp_path_factory.mktemp("browser"))
    seen.size(TV)
    seen.driver.get(page.link)
    seen.steps(SHOWN + 1)
    yield seen
    seen.driver.quit()


@pytest.mark.parametrize("size", [TV, PHONE], ids=["tv", "phone"])
def test_the_whole_board_is_seen_to_scale_and_nothing_sticks_out(seen: Seen, size: tuple[int, int]) -> None:
    seen.size(size)
    seen.until(lambda: seen.js("return innerWidth") == size[0], "the size")
    time.sleep(0.2)
    assert seen.js("return document.documentElement.scrollWidth") <= size[0]
    frame, sticks = seen.js("""
        const box = document.getElementById('board').getBoundingClientRect();
        const lanes = [...document.querySelectorAll('.road:not(.patch) .lane')].map(e => e.getBoundingClientRect());
        return [[box.left, box.top, box.right, box.bottom], lanes.map(r => [r.left, r.top, r.right, r.bottom])]""")
    roads = seen.js("return document.querySelectorAll('.road:not(.patch)').length")
    assert len(sticks) == roads > 15
    for left, top, right, bottom in sticks:
        assert frame[0] <= left
        assert frame[1] <= top
        assert right <= frame[2]
        assert bottom <= frame[3]
    ratio = seen.js("""
        const l = document.querySelector('.road .lane'), d = document.querySelector('.column .disc');
        return +l.getAttribute('stroke-width') / (2 * d.getAttribute('r'))""")
    assert ratio == pytest.approx(10 / 19, abs=0.01)


def test_who_leads_and_why_stands_beside_the_board(seen: Seen) -> None:
    seen.size(TV)
    cards = seen.js("return [...document.querySelectorAll('.player')].map(e => e.textContent)")
    assert len(cards) == 4
    for player, card in zip(RECORD.game.players, cards, strict=True):
        assert player in card
        assert "point" in card
        assert "drive" in card or "stock" in card


def test_which_sides_are_free_is_a_list_too(seen: Seen) -> None:
    seen.js("document.getElementById('free').open = true")
    seen.until(lambda: seen.js("return document.querySelectorAll('#free-rows tr').length") > 15, "the list")
    rows = seen.js(
        "return [...document.querySelectorAll('#free-rows tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    assert len(rows) > 15
    assert {row[2] for row in rows} & {"free"}
    assert any(row[2].startswith("taken by r") or row[3].startswith("taken by r") for row in rows)
    marks = seen.js("return document.querySelectorAll('#world .tag .side.free').length")
    assert marks == sum((row[2] == "free") + (row[3] == "free") for row in rows)


def boxes(seen: Seen) -> dict[str, list[float]]:
    """Where each road's name stands: left, top, right, bottom, px; and how high its letters are."""
    found = seen.js("""
        const named = [...document.querySelectorAll('#world .tag')].filter(tag => tag.querySelector('text'));
        return Object.fromEntries(named.map(tag => {
            const rect = tag.querySelector('rect'), words = tag.querySelector('text'), r = rect.getBoundingClientRect();
            const letters = words.getAttribute('font-size') * r.height / rect.getAttribute('height');
            return [words.textContent, [r.left, r.top, r.right, r.bottom, letters]];
        }))""")
    return {str(name): list(map(float, box)) for name, box in found.items()}


@pytest.mark.parametrize("size", [TV, PHONE], ids=["tv", "phone"])
def test_every_road_has_its_name_where_it_can_be_read(seen: Seen, size: tuple[int, int]) -> None:
    """Also on a phone with all of the city on it: no name over another, none cut off, letters of 10 pixels."""
    seen.size(size)
    seen.until(lambda: seen.js("return innerWidth") == size[0], "the size")
    time.sleep(0.3)
    seen.js("thVision.frame()")
    names = boxes(seen)
    assert len(names) == seen.js("return document.querySelectorAll('.road:not(.patch)').length")
    frame = seen.js(
        "const b = document.getElementById('board').getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]"
    )
    for name, (left, top, right, bottom, letters) in names.items():
        assert letters >= 9.5, name
        assert frame[0] <= left
        assert frame[1] <= top
        assert right <= frame[2]
        assert bottom <= frame[3]
        for other, box in names.items():
            apart = right <= box[0] or box[2] <= left or bottom <= box[1] or box[3] <= top
            assert name == other or apart, (name, other)


def test_a_finger_beside_a_road_is_told_whose_it_is_and_which_sides_are_free(seen: Seen) -> None:
    """On a phone a road is five pixels wide: what lies nearest is meant."""
    seen.size(PHONE)
    seen.until(lambda: seen.js("return innerWidth") == PHONE[0], "the size")
    time.sleep(0.3)
    touch = """
        thVision.frame();
        const middle = (e) => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
        const lanes = [...document.querySelectorAll('#world .road:not(.patch) .lane')];
        const others = [...document.querySelectorAll('#world .car, #world .column'), ...lanes].map(e => [e, middle(e)]);
        for (const lane of lanes) for (const [dx, dy] of [[8, 0], [-8, 0], [0, 8], [0, -8]]) {
            const [x, y] = middle(lane);
            const place = {clientX: x + dx, clientY: y + dy, bubbles: true, pointerType: 'touch'};
            const alone = others.every(([e, m]) => e === lane || Math.hypot(m[0] - x, m[1] - y) > 17);
            const under = document.elementFromPoint(place.clientX, place.clientY);
            if (!alone || under.closest('[data-piece]')) continue;
            under.dispatchEvent(new PointerEvent('click', place));
            return lane.closest('[data-piece]').dataset.piece;
        }"""
    road = seen.js(touch)
    assert road
    told = seen.until(lambda: seen.text("picked"), "the road in words")
    assert f" {road}: from " in told
    assert "Over: " in told
    assert "Under: " in told
    assert seen.js("return document.querySelector('#world .tag.selected text').textContent") == road
    assert seen.js(touch) == road
    seen.until(lambda: seen.js("return document.getElementById('picked').hidden"), "nothing is meant any more")
    seen.size(TV)


def test_a_step_back_shows_the_table_as_it_stood_and_the_evidence_of_then(seen: Seen) -> None:
    seen.js("document.getElementById('turns').open = true")
    seen.until(lambda: seen.js("return document.querySelectorAll('#turn-list button').length") > 15, "the list")
    number = seen.js("""
        const list = [...document.querySelectorAll('#turn-list button')];
        for (let i = list.length - 1; i > 0; i--) {
            list[i].click(); thVision.frame();
            if (document.querySelectorAll('#evidence img').length) return i;
        }""")
    assert number
    assert "looking back" in seen.text("turn")
    loaded = "return [...document.querySelectorAll('#evidence img')].every(i => i.complete && i.naturalWidth > 100)"
    seen.until(lambda: seen.js(loaded), "the pictures")
    assert "gap" in seen.js("return document.querySelector('#evidence img').alt")
    assert seen.js("return document.querySelectorAll('#world .spot').length") > 0
    seen.js("document.getElementById('now').click()")


def test_everything_can_be_done_with_the_keyboard_alone(seen: Seen) -> None:
    from selenium.webdriver.common.keys import Keys

    seen.js("document.body.focus(); scrollTo(0, 0); document.getElementById('language').focus()")
    reached: list[str] = []
    for _ in range(60):
        seen.press(Keys.TAB)
        reached.append(seen.js("const e = document.activeElement; return e.id || e.dataset.view || e.tagName"))
        if reached[-1] == "BODY":
            break
    wanted = {"board", "show-sides", "in", "all", "back", "steps", "now", "code"} - {"back"}
    assert wanted <= set(reached)
    seen.js("document.getElementById('board').focus()")
    seen.press("n")
    seen.until(lambda: "ramp r1" in seen.text("picked"), "the first road in words")
    seen.js("document.getElementById('steps').focus()")
    seen.press(Keys.ARROW_LEFT)
    seen.until(lambda: seen.js("return thVision.drawn.step") == SHOWN - 1, "one step back")
    seen.press(Keys.END)
    seen.until(lambda: seen.js("return thVision.drawn.step") == SHOWN, "the newest step")


def test_a_wrong_code_opens_nothing_and_the_right_one_lets_a_wish_through(
    seen: Seen, page: Page, wishes: queue.Queue[Spoken]
) -> None:
    from selenium.webdriver.common.keys import Keys

    seen.js("document.getElementById('code').focus()")
    wrong = "000000" if page.code != "000000" else "111111"
    seen.press(wrong, Keys.ENTER)
    seen.until(lambda: seen.text("control-said") == "Wrong code.", "the refusal")
    assert seen.js("return document.getElementById('buttons').hidden")
    seen.js("const c = document.getElementById('code'); c.value = ''; c.focus()")
    seen.press(page.code, Keys.ENTER)
    seen.until(lambda: not seen.js("return document.getElementById('buttons').hidden"), "the buttons")
    seen.js("document.querySelector('[data-do=undo]').click()")
    assert isinstance(wishes.get(timeout=5).command, Undo)
    seen.until(lambda: seen.text("control-said") == "The referee has it.", "the answer")


def test_what_happens_now_is_seen_at_once_and_after_a_cut_connection(seen: Seen, page: Page) -> None:
    page.publish("live", {"state": "hand in view"})
    seen.until(lambda: "a hand is over the table" in seen.text("state"), "the hand")
    page.publish("fact", FACTS[SHOWN])
    seen.steps(SHOWN + 2)
    assert page.process_id is not None
    os.kill(page.process_id, signal.SIGKILL)
    seen.until(lambda: "connection lost" in seen.text("connection"), "that the connection is lost")
    page.publish("fact", FACTS[SHOWN + 1])
    page.publish("fact", FACTS[SHOWN + 2])
    seen.until(lambda: seen.text("connection") == "live", "the connection", 15)
    seen.steps(SHOWN + 4)


def shown(seen: Seen, page: Page, name: str, stop: Callable[[Timeline], bool] = lambda _: False) -> Timeline:
    """Show another game, up to where ``stop`` says; the steps that it has."""
    record = read_record(ROOT / "tests" / "games" / f"{name}.jsonl")
    timeline = Timeline(record.game)
    page.publish("game", record.game)
    for fact in record.facts[1:]:
        timeline.take(fact)
        page.publish("fact", fact)
        if stop(timeline):
            break
    seen.steps(len(timeline.steps))
    return timeline


def test_who_leads_and_what_the_last_penalty_was_for_is_told(seen: Seen, page: Page) -> None:
    """Without missions who has the fewest cars left is ahead; a penalty leads to its turn and what stood where."""
    timeline = shown(seen, page, "camera-3-late")
    players = timeline.board["players"]
    texts = seen.js("return [...document.querySelectorAll('.player')].map(e => e.innerText)")
    cards = dict(zip(timeline.game.fact.players, texts, strict=True))
    fewest = min(players[player]["cars"] for player in cards)
    for player, card in cards.items():
        assert (f"leads: {fewest} cars left to place" in card) == (players[player]["cars"] == fewest), card
    paid = {}
    for step in timeline.steps:
        paid |= {a.from_: (step.turn, a.to) for a in step.answers if a.type == "penalty" and a.discs}
    assert len(paid) == 3
    for player, (turn, owner) in paid.items():
        assert f"last penalty: one disc to {owner} in turn {turn}" in cards[player]
    seen.js("document.querySelector('.player .note .link').click(); thVision.frame()")
    assert "knocks down" in seen.text("said")
    assert "looking back" in seen.text("turn")
    assert seen.js("return document.querySelectorAll('#world .ghost').length") > 0
    seen.js("document.getElementById('now').click()")


def test_what_is_in_doubt_or_a_fault_stands_in_one_place_and_leads_to_its_ruling(seen: Seen, page: Page) -> None:
    def open_calls(timeline: Timeline) -> dict[str, str]:
        roads = timeline.board.get("roads", {})
        return {id: road["call"] for id, road in roads.items() if road["call"] in ("fault", "too_close")}

    timeline = shown(seen, page, "camera-2-doubts", lambda timeline: "too_close" in open_calls(timeline).values())
    calls = open_calls(timeline)
    items = seen.js("return [...document.querySelectorAll('#open li')].map(e => e.innerText)")
    assert len([text for text in items if "'s road " in text]) == len(calls) > 0
    for road, call in calls.items():
        words = "a fault" if call == "fault" else "too close to call"
        assert any(text.endswith(f"road {road}: {words}") for text in items), (road, items)
    seen.js("document.querySelector('#open .too_close button').click(); thVision.frame()")
    assert "Too close to call" in seen.text("said")
    assert "r17" not in seen.text("said"), "that move was taken back"
    seen.js("document.getElementById('now').click()")


def test_another_language_and_the_dark(seen: Seen) -> None:
    light = seen.js("return getComputedStyle(document.body).backgroundColor")
    seen.js("const t = document.getElementById('theme'); t.value = 'dark'; t.dispatchEvent(new Event('change'))")
    assert seen.js("return getComputedStyle(document.body).backgroundColor") != light
    seen.js("const l = document.getElementById('language'); l.value = 'es'; l.dispatchEvent(new Event('change'))")
    seen.until(lambda: seen.js("return document.documentElement.lang") == "es", "Spanish")
    seen.until(lambda: "Decisión" in seen.text("ruling"), "the ruling in Spanish")
    assert seen.js("return document.documentElement.dataset.theme") == "dark", "the look is remembered"


def test_the_browser_had_nothing_to_complain_of(seen: Seen) -> None:
    # The wrong code's refusal, the cut connection and the pictures of a game that was shown before another: what the
    # tests above made.
    made = ("/code", "/events", "/picture/")
    assert [text for text in seen.complaints() if not any(part in text for part in made)] == []
