"""What is selected in a conversation: one stretch of text, which may run over several turns."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from ui.text_view import TextView
from ui.turn_stack import TurnStack
from ui.turn_view import TurnView


class Selection:
    """Joins the selections of the views in a stack. Rendered replies keep theirs to themselves."""

    def __init__(self, stack: TurnStack) -> None:
        self._stack = stack

    def begin(self, part: QWidget) -> None:
        """Something is selected in `part`, and nothing anywhere else."""
        for view in self._stack.views:
            view.clear_selection(but=part)

    def drag(self, origin: TextView, place: QPoint) -> None:
        """The mouse was pressed in `origin` and is at a place on the screen now."""
        views = self._views()
        begun = next(index for index, view in enumerate(views) if view.text_view is origin)
        reached = sum(_top(view) <= place.y() for view in views[1:])
        forward = reached > begun
        for index, view in enumerate(views):
            text = view.text_view
            if not min(begun, reached) <= index <= max(begun, reached):
                text.clear_selection()
                continue
            view.fill()
            end = text.flow.length
            start = text.anchor_offset if index == begun else 0 if forward else end
            if index == reached:
                text.select(start, text.offset_at(text.mapFromGlobal(place).toPointF()))
            else:
                text.select(start, end if forward else 0)

    def text(self) -> str:
        """The source of all that is selected, an empty line between two turns."""
        return "\n\n".join(filter(None, (view.text_view.selected_text() for view in self._views())))

    def _views(self) -> list[TurnView]:
        """The turns whose text can be selected here, in order."""
        return [view for view in self._stack.views if view.text_view.isVisibleTo(view)]


def _top(view: TurnView) -> int:
    return view.mapToGlobal(QPoint(0, 0)).y()
