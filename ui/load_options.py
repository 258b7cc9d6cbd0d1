"""The options with which a pair is loaded, as a group of fields."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.amounts import count
from app.translate import translate
from engine.types import FlashAttention, KvType, LoadRequest
from ui.form import Choice, Whole, name_field
from ui.translated import Translated

CONTEXTS = (None, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
UBATCHES = (None, 32, 64, 128, 256, 512, 1_024, 2_048)
FLASH = (FlashAttention.AUTO, FlashAttention.ON, FlashAttention.OFF)


class LoadOptions(Translated, QWidget):
    """What has no field here (a split over several GPUs) stays as it is in the request."""

    def __init__(self) -> None:
        super().__init__()
        self._contexts: tuple[int | None, ...] = CONTEXTS
        self._ubatches: tuple[int | None, ...] = UBATCHES
        self._ctx: Choice[int | None] = Choice(CONTEXTS)
        self._kv: Choice[KvType] = Choice(tuple(KvType))
        self._kv.show_value(KvType.F16)
        self._flash: Choice[FlashAttention] = Choice(FLASH)
        self._layers, self._draft_layers = Whole(-1, 999), Whole(-1, 999)
        self._layers.setValue(-1)
        self._draft_layers.setValue(-1)
        self._threads = Whole(0, 512)
        self._ubatch: Choice[int | None] = Choice(UBATCHES)
        self._experts: Choice[bool] = Choice((False, True))
        self._fields: list[tuple[QLabel, QWidget]] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        widgets = (self._ctx, self._layers, self._kv, self._draft_layers, self._flash, self._threads)
        widgets += (self._ubatch, self._experts)
        for place, widget in enumerate(widgets):
            label = QLabel()
            label.setProperty("tone", "muted")
            if isinstance(widget, Whole):
                widget.setMinimumWidth(120)
            grid.addWidget(label, place // 2, place % 2 * 2)
            grid.addWidget(widget, place // 2, place % 2 * 2 + 1)
            self._fields.append((label, widget))
        grid.setColumnStretch(4, 1)
        self.retranslate()

    def apply(self, request: LoadRequest) -> LoadRequest:
        """`request` with the options as they stand here."""
        return replace(
            request,
            ctx=self._ctx.value,
            kv_type=self._kv.value,
            flash_attention=self._flash.value,
            gpu_layers=self._layers.value(),
            draft_gpu_layers=self._draft_layers.value(),
            threads=self._threads.value() or None,
            ubatch=self._ubatch.value,
            experts_on_cpu=self._experts.value,
        )

    def show_request(self, request: LoadRequest) -> None:
        self._contexts, self._ubatches = _with(request.ctx, CONTEXTS), _with(request.ubatch, UBATCHES)
        self._ctx.offer(self._contexts)
        self._ubatch.offer(self._ubatches)
        self.retranslate()
        self._ctx.show_value(request.ctx)
        self._ubatch.show_value(request.ubatch)
        self._experts.show_value(request.experts_on_cpu)
        self._kv.show_value(request.kv_type)
        self._flash.show_value(request.flash_attention)
        self._layers.setValue(request.gpu_layers)
        self._draft_layers.setValue(request.draft_gpu_layers)
        self._threads.setValue(request.threads or 0)

    def retranslate(self) -> None:
        automatic = translate("load_options", "automatic")
        everything = translate("load_options", "all")
        rest = translate("load_options", "The rest runs on the CPU")
        names = (
            (translate("load_options", "Context"), translate("load_options", "Tokens of the whole conversation")),
            (translate("load_options", "Target layers on the GPU"), rest),
            (
                translate("load_options", "KV cache"),
                translate("load_options", "Smaller types save memory and cost a little accuracy"),
            ),
            (translate("load_options", "Draft layers on the GPU"), rest),
            (translate("load_options", "Flash attention"), translate("load_options", "Needed by quantised KV caches")),
            (translate("load_options", "Threads"), translate("load_options", "Automatic takes the physical cores")),
            (
                translate("load_options", "Prompts in pieces of"),
                translate(
                    "load_options", "Tokens computed at once; smaller pieces save memory, and prompts take longer"
                ),
            ),
            (
                translate("load_options", "Experts"),
                translate(
                    "load_options",
                    "Of a mixture; in the computer's memory they leave room on the GPU and cost speed",
                ),
            ),
        )
        for (label, field), (name, help_text) in zip(self._fields, names, strict=True):
            name_field(label, field, name, help_text)
        self._ctx.name_values([automatic, *(count(ctx) for ctx in self._contexts if ctx)])
        self._ubatch.name_values([automatic, *(count(size) for size in self._ubatches if size)])
        self._experts.name_values(
            [translate("load_options", "with layers"), translate("load_options", "in memory")]
        )
        self._kv.name_values([kind.value for kind in KvType])
        self._flash.name_values(
            (automatic, translate("load_options", "on"), translate("load_options", "off")),
        )
        self._layers.setSpecialValueText(everything)
        self._draft_layers.setSpecialValueText(everything)
        self._threads.setSpecialValueText(automatic)


def _with(value: int | None, offered: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The usual values and the one that is set, in their order."""
    return (None, *sorted({number for number in (*offered, value) if number is not None}))
