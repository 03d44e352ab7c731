"""Running a command-line program well: statuses, errors in one line, Ctrl-C, and readers that go away.

Imports nothing heavy: it is loaded for ``--help`` too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from rules.outcome import Outcome

NAME = "th-vision"
BAD_INPUT = 2
OWN_FAULT = 70  # a fault of the program's own, as BSD's sysexits count
STOPPED = 130  # as a shell reports a program that Ctrl-C ended
UNWRITTEN = -1  # standard output took not all of it; the status is BAD_INPUT's
READER_GONE = 141  # as a shell reports a program whose output nobody reads any more


_asked: str | None = None
"""The language that was asked for; None: the system's. A process speaks one."""
_stop_asked = False
"""Whether Ctrl-C came: a library that is just being loaded makes an error of its own out of it."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    global _stop_asked  # a signal handler has no other place
    _stop_asked = True
    raise KeyboardInterrupt


def run_and_exit(app: Callable[..., object]) -> NoReturn:
    """Run the program with the process's own words, and end the process with its status."""
    status = OWN_FAULT
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the shell has it ignored
        signal.signal(signal.SIGINT, _stop)
    _open_what_is_closed()
    _write_what_can_be_written()
    if not sys.warnoptions:  # a library's warnings are for developers: python -W default cli.py ... shows them
        warnings.simplefilter("ignore")
    try:
        status = run(app, sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _stopped()
    except BrokenPipeError:
        status = READER_GONE
    except OSError as error:  # what was printed did not fit on the disk
        if status != UNWRITTEN:  # else it was said when it happened
            _note_unwritten(error)
        status = UNWRITTEN
    if status in (READER_GONE, UNWRITTEN):
        # Python flushes once more on its way out, and would complain about the closed pipe or the full disk.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    raise SystemExit(BAD_INPUT if status == UNWRITTEN else status)


def _note_unwritten(error: OSError) -> None:
    note(f"standard output: can't be written ({error.strerror}); make room or send it elsewhere")


def _open_what_is_closed() -> None:
    """Python has None for a standard stream that the shell closed: reading it gives nothing, writing goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the program


def _write_what_can_be_written() -> None:
    """A letter that the terminal's encoding does not have is written by its number, and ends nothing."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")  # as standard error has it


def run(app: Callable[..., object], words: list[str]) -> int:
    """Run one command and give its exit status; what went wrong is said on standard error."""
    speak(_asked_for(words))  # before the command's own words are read: they may be wrong themselves
    try:
        status = app(words, prog_name=NAME, standalone_mode=False)
    except SystemExit as error:
        return READER_GONE if isinstance(error.__context__, BrokenPipeError) else _status(error.code)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:
        return _report(error)
    return _stopped() if status == STOPPED else _status(status)


def speak(language: str | None) -> None:
    """Say everything from now on in the language, or in the system's."""
    global _asked  # the streams of a process are global too
    _asked = language


def _asked_for(words: list[str]) -> str | None:
    for number, word in enumerate(words):
        if word == "--lang":
            return next(iter(words[number + 1 :]), None)
        if word.startswith("--lang="):
            return word.removeprefix("--lang=")
    return None


def _in_words(text: str) -> str:
    from th_vision.languages import spoken

    language = spoken(_asked)
    if language == "en":
        return text
    from th_vision.said import said_lines

    return said_lines(text, language)


def note(text: str) -> None:
    """A line on standard error."""
    with contextlib.suppress(OSError):
        typer.echo(f"{NAME}: {_in_words(text)}", err=True)


def progress(text: str) -> None:
    """A line of progress on standard error."""
    typer.echo(_in_words(text), err=True)


def say(text: str) -> None:
    """A line on standard output, at once."""
    typer.echo(_in_words(text))
    sys.stdout.flush()


def emit(data: bytes) -> None:
    """Bytes to standard output."""
    sys.stdout.buffer.write(data)


def finish(outcome: Outcome) -> None:
    """Print what a command hands back, and end with its status."""
    for line in outcome.notes:
        note(line)
    typer.echo(outcome.text if outcome.is_data else _in_words(outcome.text), nl=False)
    if outcome.status:
        raise typer.Exit(outcome.status)


def _status(code: object) -> int:
    return code if isinstance(code, int) else 0


def _stopped() -> int:
    note("stopped")
    return STOPPED


def _report(error: Exception) -> int:
    """One line for what a user can mend; for a fault of our own, where it is."""
    if hasattr(error, "format_message"):  # the parser's own errors
        _report_usage(error)
        return BAD_INPUT
    from calibration.errors import CalibrationError
    from rules.errors import RulesError
    from th_vision.errors import VisionError

    if isinstance(error, RulesError | CalibrationError | VisionError):
        note(" ".join(str(error).split()))
        return BAD_INPUT
    if isinstance(error, OSError) and error.filename is None and error.errno == errno.ENOSPC:
        _note_unwritten(error)  # no file of ours has no name: it is what was printed
        return UNWRITTEN
    if isinstance(error, OSError):
        what = error.filename or "a file"
        note(f"{what}: can't be used ({error.strerror or error}); check its name, and who may read and write it")
        return BAD_INPUT
    if _stop_asked:
        return _stopped()
    if os.environ.get("TH_VISION_DEBUG"):
        raise error
    note(
        f"a fault of th-vision itself: {type(error).__name__}: {' '.join(str(error).split())[:300]}; please report it "
        "(TH_VISION_DEBUG=1 shows where)"
    )
    return OWN_FAULT


def _report_usage(error: Exception) -> None:
    message = str(getattr(error, "format_message", lambda: error)())
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help
        typer.echo(message, err=True)
        return
    context = getattr(error, "ctx", None)
    note(f"{' '.join(message.split()).rstrip('.')} (see {context.command_path if context else NAME} --help)")
