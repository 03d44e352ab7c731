"""What measuring a set's pieces found: values for pieces.toml with where they come from, and a report in words."""

from __future__ import annotations

from dataclasses import dataclass

from rules.pieces import Box, Pieces
from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.enroll.arrange import Laid
from th_vision.enroll.layout_plan import STACK_DISCS, LayoutPlan
from th_vision.enroll.palette import colors_of, look_alike
from th_vision.enroll.sizes import Size, Sizes

Value = float | str


@dataclass(frozen=True)
class Entry:
    """One value of pieces.toml: its dotted key, the value, a comment, and whether it was measured."""

    key: str
    value: Value
    comment: str
    measured: bool


@dataclass(frozen=True)
class Enrolled:
    """``entries`` for pieces.toml; ``doubts``: what was asked for and not found or not well measured, with what to do;
    ``lines``: the report."""

    entries: tuple[Entry, ...]
    doubts: tuple[str, ...]
    lines: tuple[str, ...]


def judge(plan: PlanView, laid: Laid, sizes: Sizes, layout: LayoutPlan, usual: Pieces, usual_name: str) -> Enrolled:
    """Decide what is good enough to be used; what isn't keeps the value of ``usual``, called ``usual_name``."""
    entries: list[Entry] = []
    doubts = [f"{text}: lay it too, or {usual_name} stays" for text in laid.missing]
    size_lines: list[str] = []
    wrong_stack = _wrong_stack(sizes)
    for key in _size_keys(layout):
        size, before = sizes.sizes.get(key), _value(usual, key)
        reason = _why_not(sizes, key)
        if size is not None:
            size_lines.append(f"{key}: {size.mm:.2f} +- {size.sigma_mm:.2f} mm ({size.source})")
            bad = wrong_stack if wrong_stack is not None and key == "disc.height" else _bad(key, size)
            if bad is None:
                entries.append(Entry(key, round(size.mm, 2), _measured(size), True))
                doubts += _unusual(key, size)
                continue
            reason = bad
            if before is None and size.mm > 0:  # better than nothing
                entries.append(Entry(key, round(size.mm, 2), f"unsure: {_measured(size)}", True))
                doubts.append(f"{key}: {bad}; it is written all the same, better measure it by hand")
                continue
            doubts.append(f"{key}: {bad}; {_kept(before, usual_name)}, better measure it by hand")
        elif reason != _NOT_LAID:
            text = f"{reason}; {_kept(before, usual_name)}, lay it again or measure it by hand"
            whole = key.rpartition(".")[0]
            if whole in sizes.failed:  # one word for all of its sizes
                key = whole
            if f"{key}: {text}" not in doubts:
                doubts.append(f"{key}: {text}")
        if before is not None:
            entries.append(Entry(key, before, f"{reason}: {usual_name}", False))
    entries, halves = _whole_boxes(entries)
    doubts += [f"{box}: not all of its sizes are known; it is left out, measure it by hand" for box in halves]
    entries.append(_ends(sizes, usual, usual_name, doubts))
    color_entries, color_lines, color_doubts = _colors(plan, sizes, layout, usual, usual_name)
    doubts += color_doubts
    doubts += [f"{what}: {reason}" for what, reason in sizes.failed.items() if " " in what]
    verdict = f"pieces: measured, but {_count(doubts)} to look at" if doubts else "pieces: all measured"
    ends = [f"stick.ends: {sizes.ends}"] if sizes.ends else []
    lines = [verdict, *size_lines, *ends, *color_lines, *(f"doubt: {text}" for text in doubts)]
    return Enrolled((*entries, *color_entries), tuple(doubts), tuple(lines))


_NOT_LAID = "not laid out"


def _size_keys(layout: LayoutPlan) -> list[str]:
    keys = ["stick.length", "stick.width", "stick.thickness", "disc.diameter", "disc.height"]
    boxes = [f"cars.{kind}" for kind in layout.cars] + [f"city.{kind}" for kind in layout.city]
    return keys + [f"{box}.{side}" for box in boxes for side in ("length", "width", "height")]


def _value(pieces: Pieces, key: str) -> float | None:
    """The value of a dotted key, None where there is none."""
    part, *names = key.split(".")
    if part in ("cars", "city"):
        box: Box | None = (pieces.cars if part == "cars" else pieces.city).get(names[0])
        return None if box is None else float(getattr(box, names[1]))
    return float(getattr(getattr(pieces, part), names[0]))


def _why_not(sizes: Sizes, key: str) -> str:
    """Why a size is missing."""
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        reason = sizes.failed.get(".".join(parts[:length]))
        if reason is not None:
            return reason
    if parts[0] == "cars":
        for name, reason in sizes.failed.items():
            if name.endswith(f"({parts[1]})"):
                return reason
    if key == "disc.diameter" and any(name.startswith("disc.diameter") for name in sizes.failed):
        return "the rims can't be seen in colour"
    return _NOT_LAID


def _bad(key: str, size: Size) -> str | None:
    """Why a size is not good enough, or None."""
    part, side = key.split(".")[0], key.split(".")[-1]
    good = {
        "stick.thickness": tolerances.ENROLL_GOOD_THICK_MM,
        "disc.height": tolerances.ENROLL_GOOD_DISC_MM,
    }.get(key)
    if good is None and side == "height":
        good = tolerances.ENROLL_GOOD_CAR_MM if part == "cars" else tolerances.ENROLL_GOOD_CITY_MM
    if good is None:
        good = tolerances.ENROLL_GOOD_BOX_MM if part in ("cars", "city") else tolerances.ENROLL_GOOD_PLAN_MM
    if size.sigma_mm > good:
        return f"{size.mm:.1f} +- {size.sigma_mm:.1f} mm is too unsure (good: {good:g})"
    if size.mm <= 2 * size.sigma_mm or size.mm <= 0:
        return f"{size.mm:.1f} +- {size.sigma_mm:.1f} mm can't be told from nothing"
    return None


def _unusual(key: str, size: Size) -> list[str]:
    """A word where a stick or disc is far from what sets of the game have."""
    if key.split(".")[0] not in ("stick", "disc"):
        return []
    usual = _value(Pieces(), key)
    if usual is None or abs(size.mm - usual) <= tolerances.ENROLL_USUAL_SHARE * usual + 2 * size.sigma_mm:
        return []
    return [f"{key}: {size.mm:.1f} mm is far from the usual {usual:g}: is it the piece it should be? Check by hand"]


def _wrong_stack(sizes: Sizes) -> str | None:
    """A stack of another number of discs shows against single ones: what to say of it, or None."""
    single, disc = sizes.single_disc, sizes.sizes.get("disc.height")
    if single is None or disc is None or disc is single:
        return None
    sigma = (single.sigma_mm**2 + disc.sigma_mm**2) ** 0.5
    count = round(STACK_DISCS * disc.mm / single.mm) if single.mm > 0 else STACK_DISCS
    if abs(single.mm - disc.mm) <= tolerances.ENROLL_AGREE_SIGMAS * sigma or count == STACK_DISCS:
        return None
    return (
        f"the stack says {disc.mm:.1f} mm a disc, single discs {single.mm:.1f}: it is to be {STACK_DISCS} discs high, "
        f"and looks like {count}"
    )


def _whole_boxes(entries: list[Entry]) -> tuple[list[Entry], list[str]]:
    """The entries without cars and city objects that lack one of their three sizes, and the names of those."""
    boxes = [entry.key.rpartition(".")[0] for entry in entries if entry.key.startswith(("cars.", "city."))]
    halves = sorted({box for box in boxes if boxes.count(box) < 3})
    return [entry for entry in entries if entry.key.rpartition(".")[0] not in halves], halves


def _ends(sizes: Sizes, usual: Pieces, usual_name: str, doubts: list[str]) -> Entry:
    if sizes.ends is not None:
        return Entry("stick.ends", sizes.ends, "measured: outline in colour", True)
    reason = sizes.failed.get("stick.ends", sizes.failed.get("stick", _NOT_LAID))
    doubts.append(f"stick.ends: {reason}; {_kept(usual.stick.ends, usual_name)}, look and correct it by hand")
    return Entry("stick.ends", usual.stick.ends, f"{reason}: {usual_name}", False)


def _colors(
    plan: PlanView, sizes: Sizes, layout: LayoutPlan, usual: Pieces, usual_name: str
) -> tuple[list[Entry], list[str], list[str]]:
    """Entries of colours, lines of the report, and doubts."""
    learned = colors_of(plan, sizes.tops)
    entries, lines, doubts = [], [], []
    before = {f"colors.{name}": getattr(usual.colors, name) for name in ("stick", "gray", "yellow")}
    before |= {f"players.{name}": usual.players.get(name) for name in layout.players}
    for key, old in before.items():
        color = learned.get(key)
        if color is not None:
            entries.append(Entry(key, color.hex, f"measured: middle of its top, +- {color.spread:.0f} steps", True))
            lines.append(f"{key}: {color.hex} +- {color.spread:.0f} steps of 255")
            continue
        if key.startswith("players.") and old is None:
            old = "#808080"
        if old is not None:
            entries.append(Entry(key, old, f"not measured: {usual_name}", False))
        if key.startswith("players.") or key == "colors.stick":
            doubts.append(f"{key}: its colour could not be seen; lay it again")
    now = {entry.key: str(entry.value) for entry in entries}
    doubts += [f"{text}: another light, or other colours" for text in look_alike(now)]
    return entries, lines, doubts


def _measured(size: Size) -> str:
    return f"measured: +- {size.sigma_mm:.2f}, {size.source}"


def _kept(before: float | str | None, usual_name: str) -> str:
    if before is None:
        return "it is left out"
    return f"{usual_name} stays ({before:g})" if isinstance(before, float) else f"{usual_name} stays"


def _count(doubts: list[str]) -> str:
    return f"{len(doubts)} thing{'' if len(doubts) == 1 else 's'}"
