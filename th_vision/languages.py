"""Which language is spoken. Imports nothing heavy: it is asked at every start."""

from __future__ import annotations

import os
from collections.abc import Mapping


def chosen(language: str | None, environment: Mapping[str, str] | None = None) -> str:
    """The language to use: the one asked for, or the system's where there is one of ours, or English.

    The system's is that of the first of LC_ALL, LC_MESSAGES and LANG that is set, as POSIX has it; LANGUAGE, GNU's
    list, comes before them. Chinese of Taiwan, Hong Kong and Macao is ``zh-Hant``, and so is other Chinese: it is
    closer than English.
    """
    if language:
        return language
    environment = os.environ if environment is None else environment
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    if locale in ("", "C", "POSIX") or locale.startswith("C."):
        return "en"
    from rules.catalog import LANGUAGES

    for wanted in (*environment.get("LANGUAGE", "").split(":"), locale):
        short = wanted.replace("-", "_").partition(".")[0].partition("_")[0].lower()
        if short == "zh":
            return "zh-Hant"
        if short in LANGUAGES:
            return short
    return "en"


def spoken(language: str | None, environment: Mapping[str, str] | None = None) -> str:
    """As :func:`chosen`, but the system's for a language that there is not."""
    wanted = chosen(language, environment)
    if wanted == "en":
        return wanted
    from rules.catalog import LANGUAGES

    return wanted if wanted in LANGUAGES else chosen(None, environment)
