"""How far the measures agree with people: Spearman's rho and AUROC of each measure against each rating."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from evaluation.frame import Frame
from evaluation.importers.rated import Rated
from evaluation.measures import MEASURES, measure
from evaluation.scores import Unscored
from evaluation.stats import auroc, spearman
from evaluation.tables import figure, markdown


def agreement(rated: Sequence[Rated], frame: Frame, good: float | None = None) -> str:
    """A table of measures by ratings. A text is good from the rating `good` on; None: above the median.

    A measure for which less is better is turned round. Texts that it could not score are left out for that measure."""
    scored = [measure(one.story, frame) for one in rated]
    names = sorted({name for one in rated for name in one.ratings})
    head = ["Measure", "Kind", "Texts", *(f"{name}: {what}" for name in names for what in ("rho", "AUROC"))]
    body: list[list[str]] = []
    for one in MEASURES:
        if not one.better:
            continue
        cells: list[str] = []
        count = 0
        for name in names:
            pairs = [
                (-score if one.better == "low" else score, text.ratings[name])
                for text, scores in zip(rated, scored, strict=True)
                if name in text.ratings and not isinstance(score := scores[one.key], Unscored)
            ]
            count = max(count, len(pairs))
            values, marks = [value for value, _ in pairs], [mark for _, mark in pairs]
            line = median(marks) if marks else 0.0
            is_good = [mark >= good if good is not None else mark > line for mark in marks]
            cells += [figure(spearman(values, marks), 2), figure(auroc(values, is_good), 2)]
        if count:
            body.append([one.title, one.group, str(count), *cells])
    return markdown(head, body)
