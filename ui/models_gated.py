"""A repository asks for its licence to be accepted: where to do that, and a field for the hub token."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from app.messages import message_for
from app.translate import translate
from engine.errors import ErrorReport
from ui.models_parts import TokenState
from ui.models_token import AnswerLine
from ui.translated import Translated
from ui.wrapped_label import WrappedLabel


class GatedCard(Translated, QFrame):
    """Signals:
    token_given(str): what the user typed. It is not kept here.
    """

    token_given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._report: ErrorReport | None = None
        self._title, self._text = WrappedLabel(), WrappedLabel()
        self._title.setProperty("role", "strong")
        self._text.setProperty("tone", "muted")
        self._browse, self._use = QPushButton(), QPushButton()
        self._token = QLineEdit()
        self._token.setEchoMode(QLineEdit.EchoMode.Password)
        self._use.setEnabled(False)
        self._token.textChanged.connect(lambda text: self._use.setEnabled(bool(text.strip())))
        self._token.returnPressed.connect(self._give)
        self._use.clicked.connect(self._give)
        self._browse.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self.url)))
        field = QHBoxLayout()
        field.setSpacing(8)
        field.addWidget(self._token, 1)
        field.addWidget(self._use)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(9)
        for widget in (self._title, self._text, self._browse):
            column.addWidget(widget)
        self._answer = AnswerLine()
        self._token_state = TokenState()
        column.addLayout(field)
        column.addWidget(self._answer)
        self.hide()
        self.retranslate()

    @property
    def url(self) -> str:
        """Where the licence is accepted."""
        return str(self._report.fact("url")) if self._report else ""

    def show_report(self, report: ErrorReport | None) -> None:
        """A REPO_GATED report; None hides the card."""
        if report != self._report:
            self._report = report
            self._token.clear()
            self.retranslate()
        self.setVisible(report is not None)

    @property
    def answer(self) -> str:
        """What became of the token."""
        return self._answer.text()

    def show_token(self, token: TokenState) -> None:
        self._token_state = token
        self.setEnabled(not token.keeping)
        self._answer.show_token(token)

    def retranslate(self) -> None:
        self._answer.show_token(self._token_state)
        if self._report is not None:
            message = message_for(self._report)
            self._title.setText(message.title)
            self._text.setText(message.text)
        self._browse.setText(translate("models", "Open the page in a browser"))
        self._token.setPlaceholderText(translate("models", "Hub token, hf_…"))
        self._token.setAccessibleName(translate("models", "Hub token"))
        self._use.setText(translate("models", "Use it"))

    def _give(self) -> None:
        text = self._token.text().strip()
        if text:
            self._token.clear()
            self.token_given.emit(text)
