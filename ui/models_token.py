"""What became of a hub token that the user gave, as a line below the field where it was typed."""

from __future__ import annotations

from app.messages import message_for
from app.translate import translate
from engine.errors import ErrorReport
from ui.models_parts import TokenState
from ui.wrapped_label import WrappedLabel


class AnswerLine(WrappedLabel):
    """A line that answers what was just typed; hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "small")
        self.hide()

    def show_words(self, words: str, *, failed: bool = False) -> None:
        self.setProperty("tone", "warn" if failed else "muted")
        self.style().unpolish(self)  # the style looks at it again
        self.style().polish(self)
        self.setText(words)
        self.setVisible(bool(words))

    def show_error(self, report: ErrorReport | None) -> None:
        self.show_words(message_for(report).line if report is not None else "", failed=True)

    def show_token(self, token: TokenState) -> None:
        if token.error is not None:
            self.show_error(token.error)
        elif token.keeping:
            self.show_words(translate("model_settings", "Keeping the token…"))
        else:
            self.show_words(translate("model_settings", "The token is kept.") if token.given else "")
