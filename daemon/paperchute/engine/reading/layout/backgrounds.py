"""Pictures that are a page's background, in one piece or cut into strips."""

from __future__ import annotations

from paperchute.engine.reading.layout.marks import PageMarks, Picture
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def is_background(picture: Picture, marks: PageMarks) -> bool:
    """Tell if a picture is the background of a page that also has text: it covers most of it, or is a strip of that."""
    if not marks.words:
        return False
    least = TYPOGRAPHY.nearly_all * marks.width * marks.height
    return picture.box.area > least or _area_in_strips(picture, marks) > least


def _area_in_strips(picture: Picture, marks: PageMarks) -> float:
    """Return how much the pictures cover that are as wide as this one and stand one under the other with it."""
    own = picture.box
    if own.width < TYPOGRAPHY.nearly_all * marks.width:
        return own.area
    reach = TYPOGRAPHY.rounding
    strips = sorted(
        (other.box for other in marks.pictures if _alike(other, picture)), key=lambda box: (box.top, box.bottom)
    )
    area = 0.0
    inside = False
    end: float | None = None
    for box in strips:
        if end is not None and not -reach <= box.top - end <= reach:
            if inside:
                return area
            area, inside = 0.0, False
        area += box.area
        inside = inside or box == own
        end = box.bottom
    return area if inside else own.area


def _alike(one: Picture, other: Picture) -> bool:
    reach = TYPOGRAPHY.rounding
    return abs(one.box.left - other.box.left) <= reach and abs(one.box.right - other.box.right) <= reach
