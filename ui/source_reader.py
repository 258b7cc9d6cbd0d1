"""Reads the last source line of a growing text: what kind it is, and which code block it belongs to."""

from __future__ import annotations

from ui.code_colours import LINE_LIMIT, CodeColours
from ui.pieces import CodeBlock, Piece
from ui.source_lines import Fence, LineKind, is_right_to_left, kind_of


class SourceReader:
    """Attributes:
    block: the code block that is open, or was the last one.
    """

    def __init__(self) -> None:
        self.block: CodeBlock | None = None
        self._line = ""  # as far as anybody needs it
        self._fence: Fence | None = None  # open before the line

    def grow(self, piece: Piece, text: str) -> None:
        """Add text without line feeds to the line's last piece."""
        piece.text += text
        self._line += text[: LINE_LIMIT + 1 - len(self._line)]
        piece.kind, _ = kind_of(self._line, self._fence)
        piece.block = None
        if piece.opens:
            piece.right_to_left = piece.kind is LineKind.PROSE and is_right_to_left(self._line)
        if piece.kind is LineKind.CODE and self.block is not None:
            piece.block, piece.line = self.block, len(self.block.starts) - 1
            self.block.colours.set_line(piece.line, self._line)

    def end_line(self, next_start: int) -> None:
        """The line is complete; the next one starts at this UTF-16 offset."""
        kind, self._fence = kind_of(self._line, self._fence)
        if kind is LineKind.FENCE_OPEN and self._fence is not None:
            self.block = CodeBlock(CodeColours(self._fence.language))
        if self._fence is not None and self.block is not None:
            self.block.starts.append(next_start)
        self._line = ""
