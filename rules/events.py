"""The lines of a game record: facts (what happened on the table) and answers (what the rule book says to them).

One pydantic model a line type, keys as in the record's contract (version 1). The models live in ``rules.facts`` and
``rules.answers``; everybody takes them from here.
"""

from __future__ import annotations

from typing import Final, TypeAlias, get_args

from rules.answers import (
    AlertLine,
    CarsLine,
    Crossing,
    EndLine,
    Fault,
    OutLine,
    PenaltyLine,
    RulingLine,
    SameType,
    Score,
    ScoreLine,
    SupplyLine,
)
from rules.facts import (
    CarsFact,
    CityFact,
    CorrectionFact,
    DiscardStickFact,
    FactCar,
    FactColumn,
    FactObject,
    FactPieces,
    FactRoad,
    GameFact,
    KnockFact,
    Material,
    MoveFact,
    PassFact,
    RampFact,
    RestoredFact,
    SaidFact,
    UndoFact,
)
from rules.lines import (
    VERSION,
    AlertKind,
    CarType,
    CityKind,
    Count,
    CrossingReason,
    Discs,
    Expansion,
    FaultRule,
    LineModel,
    MoveCall,
    Player,
    RuleCall,
    Side,
    Switch,
    Turn,
)

Fact: TypeAlias = (
    GameFact
    | CityFact
    | RampFact
    | MoveFact
    | CarsFact
    | KnockFact
    | RestoredFact
    | PassFact
    | DiscardStickFact
    | CorrectionFact
    | UndoFact
    | SaidFact
)
Answer: TypeAlias = RulingLine | CarsLine | PenaltyLine | SupplyLine | ScoreLine | OutLine | EndLine | AlertLine
Line: TypeAlias = Fact | Answer

FACTS: Final[tuple[type[LineModel], ...]] = get_args(Fact)
ANSWERS: Final[tuple[type[LineModel], ...]] = get_args(Answer)
LINE_TYPES: Final[dict[str, type[LineModel]]] = {model.model_fields["type"].default: model for model in FACTS + ANSWERS}
"""The model of each ``type``."""

__all__ = [
    "ANSWERS",
    "FACTS",
    "LINE_TYPES",
    "VERSION",
    "AlertKind",
    "AlertLine",
    "Answer",
    "CarType",
    "CarsFact",
    "CarsLine",
    "CityFact",
    "CityKind",
    "CorrectionFact",
    "Count",
    "Crossing",
    "CrossingReason",
    "DiscardStickFact",
    "Discs",
    "EndLine",
    "Expansion",
    "Fact",
    "FactCar",
    "FactColumn",
    "FactObject",
    "FactPieces",
    "FactRoad",
    "Fault",
    "FaultRule",
    "GameFact",
    "KnockFact",
    "Line",
    "LineModel",
    "Material",
    "MoveCall",
    "MoveFact",
    "OutLine",
    "PassFact",
    "PenaltyLine",
    "Player",
    "RampFact",
    "RestoredFact",
    "RuleCall",
    "RulingLine",
    "SaidFact",
    "SameType",
    "Score",
    "ScoreLine",
    "Side",
    "SupplyLine",
    "Switch",
    "Turn",
    "UndoFact",
]
