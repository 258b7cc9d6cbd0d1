"""The stylesheet and palette of a theme. Widgets name their part in it with the properties `role` and `tone`."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from ui.theme import Theme, theme, theme_notifier


def install_style(application: QApplication) -> None:
    """Style the program now and whenever the theme changes."""

    def apply() -> None:
        # Replacing one style sheet by another costs four times as much as taking it away and setting a new one: widgets
        # are then styled one by one, each with what it hands on to all below it. Nothing is painted in between.
        application.setStyleSheet("")
        application.setPalette(palette(theme()))
        application.setStyleSheet(stylesheet(theme()))

    application.setStyle("Fusion")
    theme_notifier().changed.connect(apply)
    apply()


def set_role(widget: QWidget, role: str) -> None:
    """Give `widget` another role and style it at once."""
    _set(widget, "role", role)


def set_tone(widget: QWidget, tone: str) -> None:
    """The same for its tone."""
    _set(widget, "tone", tone)


def _set(widget: QWidget, name: str, value: str) -> None:
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def palette(t: Theme) -> QPalette:
    """Colours for what the stylesheet does not reach: text documents, selections, native parts."""
    colours = QPalette()
    role = QPalette.ColorRole
    for part, value in {
        role.Window: t.background,
        role.Base: t.surface,
        role.AlternateBase: t.raised,
        role.Button: t.raised,
        role.ToolTipBase: t.raised,
        role.WindowText: t.text,
        role.Text: t.text,
        role.ButtonText: t.text,
        role.ToolTipText: t.text,
        role.PlaceholderText: t.muted,
        role.Highlight: t.accent,
        role.HighlightedText: t.on_accent,
        role.Link: t.accent,
        role.Accent: t.accent,
        role.Mid: t.border,
    }.items():
        colours.setColor(part, QColor(value))
    for part in (role.WindowText, role.Text, role.ButtonText):
        colours.setColor(QPalette.ColorGroup.Disabled, part, QColor(t.muted))
    return colours


def stylesheet(t: Theme) -> str:
    return f"""
QToolTip, QMenu {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: 6px 28px 6px 24px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.border}; }}
QMenu::item:disabled {{ color: {t.muted}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}

QWidget[role="bar"], QWidget[role="panel"] {{ background: {t.surface}; }}
QWidget[role="work"] {{ background: {t.background}; }}
QFrame[role="line"] {{ background: {t.border}; }}
QFrame[role="card"] {{ background: {t.surface}; border: 1px solid {t.border}; border-radius: 12px; }}
QFrame[role="chip"] {{ background: {t.raised}; border: 1px solid {t.border}; border-radius: 8px; }}
QFrame[role="popover"] {{ background: {t.surface}; border: 1px solid {t.border}; }}

QLabel[tone="muted"] {{ color: {t.muted}; }}
QLabel[tone="good"] {{ color: {t.good}; font-weight: 600; }}
QLabel[tone="warn"] {{ color: {t.warn}; }}
QLabel[tone="caution"] {{ color: {t.caution}; }}
QLabel[role="small"] {{ font-size: 12px; color: {t.muted}; }}
QLabel[role="tiny"] {{ font-size: 11px; color: {t.muted}; }}
QLabel[role="brand"] {{ font-size: 16px; font-weight: 600; }}
QLabel[role="title"] {{ font-size: 32px; font-weight: 600; }}
QLabel[role="lead"] {{ font-size: 15px; color: {t.muted}; }}
QLabel[role="heading"] {{ font-size: 18px; font-weight: 600; }}
QLabel[role="section"] {{ font-size: 11px; font-weight: 600; color: {t.muted}; letter-spacing: 1px; }}
QLabel[role="big"] {{ font-size: 41px; font-weight: 600; }}
QLabel[role="ratio"] {{ font-size: 18px; font-weight: 600; color: {t.text}; }}
QLabel[role="ratio-good"] {{ font-size: 18px; font-weight: 600; color: {t.good}; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="rate"] {{ font-size: 27px; font-weight: 600; color: {t.muted}; }}
QLabel[role="rate-good"] {{ font-size: 27px; font-weight: 600; color: {t.good}; }}

QPushButton, QToolButton {{
    background: {t.raised}; color: {t.text}; border: 1px solid {t.border}; border-radius: 8px;
    padding: 7px 14px; font-weight: 600; outline: none;
}}
QFileDialog QToolButton {{ padding: 2px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {t.muted}; }}
QPushButton::menu-indicator {{ width: 0; }}
QPushButton:pressed, QToolButton:pressed {{ background: {t.border}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {t.accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {t.muted}; }}
QPushButton[role="primary"] {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; }}
QPushButton[role="primary"]:focus {{ border-color: {t.text}; }}
QPushButton[role="primary"]:disabled {{ background: {t.raised}; color: {t.muted}; border-color: {t.border}; }}
QPushButton[role="pair"] {{ font-weight: 400; padding: 0; text-align: left; }}
QPushButton[role="memory"] {{ background: transparent; border-color: transparent; padding: 0; }}
QPushButton[role="memory"]:focus {{ border-color: {t.accent}; }}
QPushButton[role="way"] {{ font-weight: 400; padding: 0; text-align: left; }}
QPushButton[role="chip"] {{ font-weight: 400; }}
QPushButton[role="link"] {{
    background: transparent; border: none; color: {t.accent}; padding: 0; font-weight: 400; text-align: left;
}}
QPushButton[role="link"]:disabled {{ color: {t.muted}; }}
QPushButton[role="link"]:focus {{ text-decoration: underline; }}
QToolButton[role="rail"] {{
    background: transparent; border: 1px solid transparent; border-radius: 8px; padding: 2px 0 3px 0;
    font-size: 10px; font-weight: 400; color: {t.muted};
}}
QToolButton[role="rail"]:hover {{ color: {t.text}; }}
QToolButton[role="rail"]:checked {{ background: {t.raised}; color: {t.text}; }}
QToolButton[role="rail"]:focus {{ border-color: {t.accent}; }}
QToolButton[role="quiet"] {{ background: transparent; border-color: transparent; padding: 5px; }}
QToolButton[role="quiet"]:hover, QToolButton[role="quiet"]:checked {{ background: {t.raised}; }}
QToolButton[role="quiet"]:focus {{ border-color: {t.accent}; }}

QPushButton[role="tab"] {{ background: transparent; border-color: transparent; font-weight: 400; color: {t.muted}; }}
QPushButton[role="tab"]:hover {{ color: {t.text}; }}
QPushButton[role="tab"]:checked {{ background: {t.raised}; font-weight: 600; color: {t.text}; }}
QPushButton[role="tab"]:focus {{ border-color: {t.accent}; }}

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox, QPlainTextEdit[role="field"] {{
    background: {t.background}; color: {t.text}; border: 1px solid {t.border}; border-radius: 6px;
    padding: 5px 8px; selection-background-color: {t.accent}; selection-color: {t.on_accent};
}}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit[role="field"]:focus {{
    border-color: {t.accent};
}}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{ color: {t.muted}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; }}
QAbstractSpinBox QLineEdit {{ border: none; padding: 0 8px; background: transparent; }}
QLineEdit[role="search"] {{ padding: 7px 9px; border-radius: 8px; }}
QComboBox {{ padding-right: 24px; }}
QComboBox[role="head"] {{ background: {t.raised}; padding: 7px 24px 7px 10px; border-radius: 8px; }}
QComboBox::drop-down {{ border: none; width: 22px; }}
QComboBox[role="head"]::drop-down {{ width: 0; }}
QComboBox::down-arrow {{ image: none; }}
QComboBox QAbstractItemView {{
    background: {t.raised}; color: {t.text}; border: 1px solid {t.border}; selection-background-color: {t.border};
    selection-color: {t.text}; outline: none;
}}
QRadioButton {{ spacing: 8px; }}
QRadioButton::indicator {{
    width: 12px; height: 12px; border-radius: 8px; background: {t.background}; border: 2px solid {t.muted};
}}
QRadioButton::indicator:checked {{
    border-color: {t.accent};
    background: qradialgradient(cx:0.5, cy:0.5, radius:0.5, fx:0.5, fy:0.5,
                                stop:0 {t.accent}, stop:0.55 {t.accent}, stop:0.65 {t.background});
}}
QRadioButton:focus {{ color: {t.accent}; }}

QCheckBox {{ spacing: 8px; }}
QCheckBox::indicator {{
    width: 12px; height: 12px; border-radius: 4px; background: {t.background}; border: 2px solid {t.muted};
}}
QCheckBox::indicator:checked {{ background: {t.accent}; border-color: {t.accent}; }}
QCheckBox:focus {{ color: {t.accent}; }}

QTableView[role="history"] {{ background: transparent; border: none; outline: none; }}
QTableView[role="history"] QHeaderView {{ background: transparent; border: none; }}
QTableView[role="history"] QHeaderView::section {{
    background: transparent; color: {t.muted}; border: none; border-bottom: 1px solid {t.border};
    padding: 0 8px 4px 8px; font-size: 12px;
}}
QTableView[role="history"]::item {{ padding: 0 8px; }}
QTableView[role="models"] {{ background: transparent; border: none; outline: none; }}
QTableView[role="models"] QHeaderView {{ background: transparent; border: none; }}
QTableView[role="models"] QHeaderView::section {{
    background: transparent; color: {t.muted}; border: none; border-bottom: 1px solid {t.border};
    padding: 0 0 0 10px; font-size: 12px;
}}
QTableView[role="models"] QHeaderView::section:hover {{ color: {t.text}; }}
QScrollArea[role="reply"] {{ background: {t.code}; border: 1px solid {t.border}; border-radius: 8px; }}
QListView[role="conversations"] {{ background: transparent; border: none; outline: none; }}
QProgressBar {{ background: {t.track}; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 4px; }}

QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {t.border}; border-radius: 4px; min-height: 28px; margin: 1px 2px; }}
QScrollBar::handle:vertical:hover {{ background: {t.muted}; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {t.border}; border-radius: 4px; min-width: 28px; margin: 2px 1px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
