"""The report as a browser shows it: the city in 3D is all in the picture, on a phone too."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.th_vision.page.test_browser import CHROMIUM, DRIVER, PHONE, TV, Seen
from tests.th_vision.report_html.test_report import played
from th_vision.report_html.build import report_of

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not here (apt install chromium chromium-driver)"
)


def test_all_of_the_city_is_in_the_picture_however_it_is_turned(tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(report_of(played("missions-4-cars-round"), "en", {}), encoding="utf-8")
    seen = Seen(tmp_path / "browser")
    try:
        seen.driver.get(file.as_uri())
        seen.until(lambda: seen.js("return City.drawn"), "the city")
        for size in (TV, PHONE, (320, 600)):
            seen.size(size)
            time.sleep(0.2)
            assert seen.js("return innerWidth") == size[0]
            for yaw, pitch in ((-0.6, 0.75), (0.9, 0.3), (2.5, 1.5), (4.0, 0.05)):
                seen.js("Object.assign(thReport.city.view, {yaw: arguments[0], pitch: arguments[1]})", yaw, pitch)
                across, up = seen.js("thReport.city.render(); return thReport.city.spread()")
                assert max(across, up) == pytest.approx(0.95, abs=0.04), "it fills the picture, and no more"
        before = seen.js("return thReport.city.spread()")
        key = "document.getElementById('city').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0]}))"
        seen.js(key, "-")
        assert seen.js("return thReport.city.spread()")[0] < before[0] * 0.95, "a step back is one from where it stood"
        assert seen.js("return thReport.city.spread()")[0] > before[0] * 0.6
        seen.js(key, "0")
        assert seen.js("return thReport.city.view.fits")
        assert seen.complaints() == []
    finally:
        seen.driver.quit()
