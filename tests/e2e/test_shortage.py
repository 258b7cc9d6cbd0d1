"""Memory that runs out in earnest: the real engine with less address space than it needs."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from app.engine_client import EngineClient, Job
from app.fit.desk import FitDesk
from app.fit.loads import LoadJudge
from app.messages import message_for
from app.paths import Paths
from engine.errors import ErrorKind
from engine.protocol import Failed, Finished, Loaded
from engine.types import GenerationRequest, LoadRequest
from tests.conftest import StarterFiles
from tests.e2e.program import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")

MB = 1_000_000
STORY = "Once upon a time there was a lighthouse, and "


class Short:
    """An engine whose memory can be limited, and what the user is told of it."""

    def __init__(self, client: EngineClient, desk: FitDesk) -> None:
        self.client = client
        self._judge = LoadJudge(desk, client)

    def leave(self, size_bytes: int | None) -> None:
        """What the engine may take beside what it has; None for all there is."""
        pid = self.client.info().pid
        held = psutil.Process(pid).memory_info().vms
        limit = resource.RLIM_INFINITY if size_bytes is None else held + size_bytes
        resource.prlimit(pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))

    def load(self, request: LoadRequest) -> None:
        assert isinstance(list(self.client.load(request))[-1], Loaded)

    def told(self, job: Job, request: LoadRequest) -> str:
        """What the user reads of a job that ran out of memory, which always comes with settings that take less."""
        ending = list(job)[-1]
        assert isinstance(ending, Failed)
        explained = self._judge.explain(ending.report, request)
        assert explained.report.kind in (ErrorKind.OUT_OF_MEMORY, ErrorKind.ENGINE_DIED)
        assert explained.remedy is not None
        assert explained.report.fact("need_bytes")
        return message_for(explained.report).text


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Short]:
    with closing(EngineClient(tmp_path / "logs")) as client, closing(FitDesk(Paths(tmp_path))) as desk:
        yield Short(client, desk)


def request(starter: StarterFiles, ctx: int = 512) -> LoadRequest:
    return LoadRequest(str(starter.target), str(starter.draft), ctx=ctx, threads=1)


def test_loads(short: Short, starter: StarterFiles) -> None:
    """Out of memory while weights or a context are loaded: figures, less is proposed, and the next load works."""
    small, large = request(starter), request(starter, 65_536)
    short.leave(300 * MB)
    text = short.told(short.client.load(small), small)
    assert text.startswith("Memory ran out while SmolLM2-135M-Instruct.F32.gguf was loaded. With a context of 512")
    short.leave(1_000 * MB)
    text = short.told(short.client.load(large), large)
    assert text.startswith("Memory ran out while the context of SmolLM2-135M-Instruct.F32.gguf was set up.")
    short.leave(None)
    short.load(small)


def test_replies_take_nothing_more(short: Short, starter: StarterFiles) -> None:
    """What a reply needs is taken when the pair is loaded: one is written although nothing at all is left."""
    short.load(request(starter))
    short.leave(-500 * MB)
    job = short.client.generate(GenerationRequest(0, prompt=STORY, max_tokens=32))
    assert isinstance(list(job)[-1], Finished)


def test_decoding(short: Short, starter: StarterFiles) -> None:
    """Out of memory in the middle of a job costs that job; the next message is answered by the same pair."""
    pair = request(starter)
    short.load(pair)
    short.leave(-500 * MB)
    text = short.told(short.client.generate(GenerationRequest(0, prompt=20_000 * STORY)), pair)
    assert "ran out" in text
    short.leave(None)
    assert isinstance(list(short.client.generate(GenerationRequest(0, prompt=STORY, max_tokens=4)))[-1], Finished)


def test_command_line(starter_words: list[str]) -> None:
    """A load that cannot fit is refused with its figures, with what would fit, and with the way to overrule it."""
    result = run("generate", *starter_words, "--prompt", "Hello", "--ctx", "4000000")
    assert result.status == 1
    assert result.out == ""
    assert "This does not fit into memory\nWith a context of 4,000,000 tokens" in result.err
    assert "This would fit: context " in result.err
    assert "--anyway" in result.err
