"""The voice for real: its process, and the sound that espeak-ng makes where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest

from rules.pieces import CAR_TYPES
from tests.rules.tables import Table
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.follow_events import Told
from th_vision.voice.synthesizer import ESPEAK, VOICES, Clips, Silent, espeak_command
from th_vision.voice.utterance import Utterance
from th_vision.voice.voice import Voice

speaks = pytest.mark.skipif(shutil.which(ESPEAK) is None, reason=f"{ESPEAK} is not installed")


def seconds(path: Path) -> float:
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()


@speaks
def test_a_game_is_spoken_into_files_in_its_order(tmp_path: Path) -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=4)
    table.move("blue", "base", "new", (100, 0), gray=5, road="b")
    voice = Voice("en", wav=tmp_path)
    started = time.monotonic()
    voice.hear(Told(table.game.facts[-1], tuple(table.answers), 0.0), table.game)
    voice.say(Line("The camera has moved.", "(4.2 mm)", "too_close"))
    voice.say(Line("The camera has moved.", "(4.2 mm)", "too_close"))
    voice.say(Line("Turn 3: blue builds.", kind="head"))
    assert time.monotonic() - started < 0.1, "nothing waits for a word"
    voice.close()
    files = sorted(tmp_path.glob("*.wav"))
    assert len(files) == 2, "the crossing, and the camera once; no head of a turn"
    assert all(0.5 < seconds(file) < 8 for file in files)


@speaks
@pytest.mark.parametrize(
    ("language", "text", "sounds"),
    [
        ("en", "one car", "w'0n k'A"),
        ("es", "un coche", "k'otS"),
        ("nl", "één auto", "VUto:"),
        ("zh-Hant", "一輛車", "ts.h'o-55"),
    ],
)
def test_each_language_is_spoken_by_its_own_voice(language: str, text: str, sounds: str, tmp_path: Path) -> None:
    phonemes = subprocess.run(
        [ESPEAK, "-q", "-x", "-v", VOICES[language], text], capture_output=True, text=True, check=True
    ).stdout
    assert sounds in phonemes, phonemes
    wav = tmp_path / "x.wav"
    subprocess.run(espeak_command(language, wav), input=text.encode(), check=True)
    assert 0.3 < seconds(wav) < 4


@speaks
def test_chinese_is_not_spelt_as_english() -> None:
    """espeak-ng's `cmn` reads pinyin letters as English words; the voice that is used has tones."""
    text = subprocess.run(
        [ESPEAK, "-q", "-x", "-v", VOICES["zh-Hant"], "藍色"], capture_output=True, text=True, check=True
    ).stdout
    assert any(tone in text for tone in "12345"), text
    assert "(en)" not in text


def test_without_any_voice_the_user_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(VisionError, match="espeak-ng is not installed; install it"):
        Voice("en")
    with pytest.raises(VisionError, match="is no folder of clips"):
        Voice("en", clips=Path("/nowhere"))


def player(log: Path) -> list[str]:
    """A player of sound files that writes their names down instead."""
    return [sys.executable, "-c", f"import sys; open({str(log)!r}, 'a').write(sys.argv[1].split('/')[-1] + '\\n')"]


def finish(clips: Clips) -> None:
    until = time.monotonic() + 5
    while clips.busy() and time.monotonic() < until:
        time.sleep(0.02)


def test_clips_are_played_one_after_the_other(tmp_path: Path) -> None:
    for name in ("player-blue.wav", "over.ogg", "player-pink.wav"):
        (tmp_path / name).touch()
    log = tmp_path / "log"
    clips = Clips(tmp_path, None, player(log))
    clips.start(Utterance("Blue crosses over pink's road.", clips=("player-blue", "over", "player-pink", "cars-1")))
    finish(clips)
    assert log.read_text().split() == ["player-blue.wav", "over.ogg", "player-pink.wav"]


def test_what_no_clip_says_is_spoken(tmp_path: Path) -> None:
    class Other(Silent):
        said: tuple[str, ...] = ()

        def start(self, utterance: Utterance) -> None:
            self.said = (*self.said, utterance.text)

    (tmp_path / "player-blue.wav").touch()
    other = Other()
    clips = Clips(tmp_path, other, player(tmp_path / "log"))
    clips.start(Utterance("Blue is out.", clips=("player-blue", "out")))
    clips.start(Utterance("The camera has moved."))
    assert other.said == ("Blue is out.", "The camera has moved.")
    assert not (tmp_path / "log").exists()


def test_a_clip_is_cut_off_and_the_rest_of_it_never_comes(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        (tmp_path / name).touch()
    clips = Clips(tmp_path, None, [sys.executable, "-c", "import time; time.sleep(30)"])
    clips.start(Utterance("x", clips=("a", "b")))
    assert clips.busy()
    clips.stop()
    assert not clips.busy()


@speaks
def test_a_speaker_that_dies_is_started_again_and_the_game_goes_on(tmp_path: Path) -> None:
    voice = Voice("en", wav=tmp_path)
    voice.say(Line("one."))
    until = time.monotonic() + 5
    while not list(tmp_path.glob("*.wav")) and time.monotonic() < until:
        time.sleep(0.05)
    assert voice._process is not None
    voice._process.kill()
    voice._process.wait()
    (tmp_path / "001.wav").unlink()
    voice.say(Line("two."))
    voice.close()
    assert (tmp_path / "001.wav").exists()


def test_every_type_of_car_has_a_word_to_be_spoken() -> None:
    from rules.phrases import CAR_TYPE_NAMES

    assert set(CAR_TYPE_NAMES) == set(CAR_TYPES)
