"""The report as one HTML document that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from rules.events import KnockFact, MoveFact, RampFact
from rules.phrases import MISSIONS
from th_vision import phrases as say
from th_vision.closeup_drawing import draw_closeup, measure_of, title_of
from th_vision.page.html import BOARD, words_of_page
from th_vision.page.html import asset as page_asset
from th_vision.page.service import game_data
from th_vision.page.timeline import Step, Timeline
from th_vision.report_html.city_model import packed, solids_of
from th_vision.report_html.statistics import figures
from th_vision.words import Words, words_in


def report_of(timeline: Timeline, language: str, crops: Mapping[str, bytes] | None = None) -> str:
    """The report of a game from its steps. ``crops``: the camera's picture (JPEG) of a ruling, by road.

    Raises:
        RulesError: no such language.
    """
    words = words_in(language)
    style = f"{page_asset('board.css')}\n{_asset('report.css')}"
    script = "\n".join((*map(page_asset, BOARD), _asset("city.js"), _asset("report.js")))
    data = {
        "game": game_data(timeline),
        "steps": [{"newest": step.newest, "board": step.board, "spots": _spots(step)} for step in timeline.steps],
        "words": words_of_page(words) | {key: words.text(text) for key, text in say.REPORT.items()},
        "city": packed(solids_of(timeline.game, timeline.pieces)),
    }
    parts = {
        "LANG": language,
        "TITLE": html.escape(_title(timeline, words)),
        "CSS": style,
        "JS": script,
        "POLICY": html.escape(_policy(style, script)),
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        "RESULT": _result(timeline, words),
        "SCORES": _scores(timeline, words),
        "FIGURES": _figures(timeline, language),
        "TURNS": "".join(_turn(step, timeline, language, crops or {}) for step in timeline.steps if _told(step)),
    }
    return re.sub(r"%(w:)?([\w.]+)%", lambda found: _part(found, parts, words), _asset("report.html"))


def _asset(name: str) -> str:
    return (resources.files("th_vision.report_html") / "assets" / name).read_text(encoding="utf-8")


def _part(found: re.Match[str], parts: Mapping[str, str], words: Words) -> str:
    if found[1]:
        text = say.REPORT.get(found[2]) or say.PAGE[found[2]]
        return html.escape(words.text(text))
    return parts.get(found[2], found[0])


def _policy(style: str, script: str) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    return f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data:"


def _spots(step: Step) -> list[dict[str, Any]]:
    return [
        {"at": [round(look.at[0], 1), round(look.at[1], 1)], "call": look.call, "pays": look.pays, "rule": look.rule}
        for look in step.closeups
    ]


def _told(step: Step) -> bool:
    """The game's first line is in the heading."""
    return step.number > 0


# --- the parts --------------------------------------------------------------------------------------------------------


def _title(timeline: Timeline, words: Words) -> str:
    players = words.listed(words.player(name) for name in timeline.game.players)
    return words.fill(say.REPORT_TITLE, players=players)


def _result(timeline: Timeline, words: Words) -> str:
    game = timeline.game
    rules = html.escape(words.fill(say.PLAYED_BY, rules=game.fact.rules))
    if not timeline.ranking:
        return f"<p>{html.escape(words.text(say.NOT_OVER))}</p><p>{rules}</p>"
    rows, place = [], 1
    for shared in timeline.ranking:
        for name in shared:
            rows.append(f'<li value="{place}">{_name(name, timeline, words)}</li>')
        place += len(shared)
    return f'<ol class="ranking">{"".join(rows)}</ol><p>{rules}</p>'


def _name(player: str, timeline: Timeline, words: Words) -> str:
    return f'<span class="name" data-player="{html.escape(player)}">{html.escape(words.player(player))}</span>'


def _scores(timeline: Timeline, words: Words) -> str:
    game = timeline.game
    heads = "".join(f'<th scope="col">{_name(player, timeline, words)}</th>' for player in game.players)
    rows: list[tuple[str, Iterable[object], str]] = []
    entries = timeline.board["players"]
    if game.rules.missions:
        for mission, named in MISSIONS.items():
            points = [entries[player].get("score", {}).get(mission, 0) for player in game.players]
            if any(points):
                rows.append((words.word(*named), points, ""))
        same = [entries[player].get("score", {}).get("same_type", 0) for player in game.players]
        if any(same):
            rows.append((words.text(say.PAGE["mission.same_type"]), same, ""))
        rows.append((words.text(say.REPORT["total"]), [entries[p].get("total", 0) for p in game.players], "total"))
    held = (("on.roads", "on_roads"), ("held.cars", "cars"), ("held.gray", "gray"), ("held.yellow", "yellow"))
    for key, name in (*held, ("held.sticks", "sticks")):
        label = words.text(say.REPORT["cars.on.roads"] if key == "on.roads" else say.PAGE[key])
        rows.append((label, [entries[player][name] for player in game.players], "held"))
    body = ""
    for label, values, kind in rows:
        cells = "".join(f"<td>{value}</td>" for value in values)
        body += f'<tr class="{kind}"><th scope="row">{html.escape(label)}</th>{cells}</tr>'
    return f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _figures(timeline: Timeline, language: str) -> str:
    found = figures(timeline.steps, timeline.game, language)
    return "".join(
        f"<div><dt>{html.escape(one.heading)}</dt><dd>{html.escape(one.text)}"
        + (f' <a href="#step-{one.step}">→</a>' if one.step is not None else "")
        + "</dd></div>"
        for one in found
    )


def _turn(step: Step, timeline: Timeline, language: str, crops: Mapping[str, bytes]) -> str:
    said = "".join(
        f'<p class="say {message.kind}">{html.escape(message.text)}'
        + (f"<small>{html.escape(message.reason)}</small>" if message.reason else "")
        + "</p>"
        for message in step.said(language)
    )
    words = words_in(language, step.owners, step.kinds)
    looks = "".join(
        f"<figure>{draw_closeup(look, timeline.pieces, language).to_svg()}"
        f"<figcaption>{html.escape(f'{title_of(look, words)} ({measure_of(look, words)})')}</figcaption></figure>"
        for look in step.closeups
    )
    crop = crops.get(step.road or "")
    if crop is not None and step.road is not None:
        source = f"data:image/jpeg;base64,{base64.b64encode(crop).decode()}"
        looks += f'<figure><img src="{source}" alt="{html.escape(words.text(say.PAGE["camera.picture"]))}"></figure>'
    picture = isinstance(step.line, MoveFact | RampFact | KnockFact) or bool(step.board.get("roads"))
    head = html.escape(step.head(language))
    board = f'<svg class="board" data-step="{step.number}" role="img" aria-label="{head}"></svg>'
    return (
        f'<section class="turn {step.call}" id="step-{step.number}"><h3>{head}</h3>'
        f'<div class="row">{board if picture else ""}<div class="words">{said}</div></div>'
        + (f'<div class="looks">{looks}</div>' if looks else "")
        + "</section>"
    )
