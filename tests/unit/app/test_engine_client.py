"""The client against small processes that speak the real protocol and fail on request."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import logs
from app.engine_client import EngineClient, EngineState, Job, Patience
from engine.errors import EngineError, ErrorKind
from engine.protocol import Event, Failed, Finished, Loaded, LoadProgress, Quantized, Started, Weighed
from engine.stats import ReplyFold
from engine.types import DraftRound, EndReason, GenerationRequest, LoadRequest
from tests.fakes import scripted_engine

# Long enough for a busy machine where the engine answers; short where a test waits for it to run out.
PATIENCE = Patience(ready_s=60.0, cancel_s=60.0, reply_s=60.0, close_s=30.0)
LITTLE_PATIENCE = replace(PATIENCE, cancel_s=0.1, reply_s=0.1)

ROOT = Path(__file__).parents[3]

MakeClient = Callable[..., EngineClient]


@pytest.fixture
def make_client(tmp_path: Path) -> Iterator[MakeClient]:
    """Clients that are closed at the end of the test."""
    with ExitStack() as stack:

        def make(target: object = scripted_engine.scripted_engine, patience: Patience = PATIENCE) -> EngineClient:
            client = EngineClient(tmp_path / "logs", target=target, patience=patience)  # type: ignore[arg-type]
            stack.callback(client.close)
            return client

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> EngineClient:
    return make_client()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file whose text is what the scripted engine does when it loads it."""
    file = tmp_path / "model.gguf"
    file.write_text("load well")
    return file


def request(prompt: str) -> GenerationRequest:
    return GenerationRequest(job=0, prompt=prompt)


def ending(job: Job) -> Event:
    return list(job)[-1]


def text(events: list[Event]) -> str:
    fold = ReplyFold()
    for event in events:
        if isinstance(event, Started | DraftRound | Finished):
            fold.add(event)
    return fold.text


def failure(event: Event) -> ErrorKind:
    assert isinstance(event, Failed)
    return event.report.kind


def wait_until_answering(job: Job) -> None:
    """Blocks until the job's first event, so that the engine is surely at work on it."""
    assert job.next_event() is not None


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def states_of(client: EngineClient) -> SimpleQueue[EngineState]:
    """The states to come, for waiting."""
    states: SimpleQueue[EngineState] = SimpleQueue()
    client.subscribe(states.put)
    return states


def wait_for(states: SimpleQueue[EngineState], state: EngineState) -> None:
    while states.get() is not state:
        pass


def test_load_and_reply(client: EngineClient) -> None:
    """The first job starts the engine; a load and a reply give their events in order, the ending last."""
    loading = list(client.load(LoadRequest("a.gguf", draft="b.gguf")))
    assert [type(event) for event in loading] == [LoadProgress, Loaded]
    assert client.pair is not None
    assert client.pair.target.path == "a.gguf"
    events = list(client.generate(request("one two")))
    assert [type(event) for event in events] == [Started, DraftRound, DraftRound, Finished]
    assert text(events) == "one two "


def test_info_starts_the_engine(client: EngineClient) -> None:
    """Asking what the engine is starts it, once."""
    info = client.info()
    assert info.system_info == "scripted"
    assert client.info() == info
    assert client.pid == info.pid


def test_job_is_exhausted_by_its_ending(client: EngineClient) -> None:
    """Iterating again after the ending gives nothing and does not block."""
    job = client.load(LoadRequest("a.gguf"))
    assert list(job)
    assert list(job) == []
    assert job.next_event() is None


def test_next_event_gives_up_after_its_timeout(client: EngineClient) -> None:
    """A job that says nothing lets its reader go on."""
    client.load(LoadRequest("a.gguf"))
    job = client.generate(request("wait"))
    wait_until_answering(job)
    assert job.next_event(timeout_s=0.01) is None
    job.cancel()
    assert ending(job) == Finished(job.id, EndReason.CANCELLED, "", 0.02, 0.01)


def test_reply_without_a_pair_is_refused_by_the_engine(client: EngineClient) -> None:
    """Nothing loaded is the engine's answer, not a guess of the client."""
    assert failure(ending(client.generate(request("hello")))) is ErrorKind.NOT_LOADED


def test_quantize(client: EngineClient, tmp_path: Path) -> None:
    """Quantising ends with the path of the file."""
    made = tmp_path / "made.gguf"
    job = client.quantize(tmp_path / "from.gguf", made, "F32")
    assert ending(job) == Quantized(job.id, str(made))
    assert made.read_bytes() == b"GGUF"


def test_weigh(client: EngineClient) -> None:
    """Weighing needs a pair, and ends with what the target said."""
    assert failure(ending(client.weigh(request("one"), (1, 2), (3, 4)))) is ErrorKind.NOT_LOADED
    list(client.load(LoadRequest("a.gguf")))
    job = client.weigh(request("one"), (1, 2), (3, 4))
    assert ending(job) == Weighed(job.id, (1.0, 0.75), 3, 0.25)


def test_weighing_after_a_death_loads_again(client: EngineClient) -> None:
    """As a reply does; one that kills the engine ends with the reason, and one that is cancelled as such."""
    list(client.load(LoadRequest("a.gguf")))
    assert failure(ending(client.weigh(request("die"), (), (3, 4)))) is ErrorKind.ENGINE_DIED
    assert [type(event) for event in client.weigh(request("one"), (), (3, 4))] == [LoadProgress, Weighed]
    job = client.weigh(request("wait"), (), (3, 4))
    job.cancel()
    assert failure(ending(job)) is ErrorKind.LOAD_CANCELLED


def test_large_prompt_passes_while_the_engine_starts(client: EngineClient) -> None:
    """A command larger than any pipe's buffer, given before the engine can read, is not lost."""
    client.load(LoadRequest("a.gguf"))
    job = client.generate(request("x" * 3_000_000))
    assert len(text(list(job))) == 3_000_001


@pytest.mark.parametrize(("word", "exit_code", "name"), [("die", 7, ""), ("abort", -signal.SIGKILL, "SIGKILL")])
def test_death_in_a_reply(client: EngineClient, tmp_path: Path, word: str, exit_code: int, name: str) -> None:
    """A death ends the reply with its cause and the log's tail, after the text that was already written."""
    list(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    events = list(client.generate(request(f"so far {word} never")))
    assert text(events) == "so far "
    assert failure(events[-1]) is ErrorKind.ENGINE_DIED
    assert isinstance(events[-1], Failed)
    report = events[-1].report
    assert report.fact("exit_code") == exit_code
    assert report.fact("signal") == name
    assert report.detail == f"process {pid} started"
    assert Path(str(report.fact("log_path"))) == logs.last_crash(tmp_path / "logs")
    assert client.pair is None
    assert client.pid is None


def test_death_ends_every_open_job(client: EngineClient) -> None:
    """Jobs that wait behind the one that killed the engine end too, each once."""
    list(client.load(LoadRequest("a.gguf")))
    jobs = [client.generate(request("die")), client.generate(request("hello")), client.load(LoadRequest("b"))]
    assert [failure(ending(job)) for job in jobs] == [ErrorKind.ENGINE_DIED] * 3


def test_reply_after_a_death_reloads_the_pair(client: EngineClient) -> None:
    """The next reply starts a new engine and loads the same pair again, and shows it as its own progress."""
    list(client.load(LoadRequest("a.gguf", ctx=64)))
    old = client.pair, client.pid
    list(client.generate(request("die")))
    job = client.generate(request("again"))
    events = list(job)
    assert [type(event) for event in events] == [LoadProgress, Started, DraftRound, Finished]
    assert {event.job for event in events} == {job.id}  # type: ignore[union-attr]
    assert text(events) == "again "
    assert client.pair == old[0]
    assert client.pid != old[1]


def test_reload_that_fails_ends_its_reply(client: EngineClient, model: Path) -> None:
    """An engine that dies while it loads the pair again ends the reply, and nothing hangs."""
    list(client.load(LoadRequest(str(model))))
    list(client.generate(request("die")))
    model.write_text("die")
    for _ in range(2):
        job = client.generate(request("again"))
        assert failure(ending(job)) is ErrorKind.ENGINE_DIED


def test_load_after_a_death_takes_the_new_pair(client: EngineClient) -> None:
    """A load after a death loads what it says, not what was lost."""
    list(client.load(LoadRequest("a.gguf")))
    list(client.generate(request("die")))
    assert isinstance(ending(client.load(LoadRequest("b.gguf"))), Loaded)
    assert client.pair is not None
    assert client.pair.target.path == "b.gguf"
    assert [type(event) for event in client.generate(request("hello"))] == [Started, DraftRound, Finished]


def test_death_while_idle(client: EngineClient) -> None:
    """An engine that dies between two replies is noticed, and the next reply starts it again."""
    states = states_of(client)
    list(client.load(LoadRequest("a.gguf")))
    assert client.pid is not None
    os.kill(client.pid, signal.SIGKILL)
    wait_for(states, EngineState.DIED)
    assert text(list(client.generate(request("hello")))) == "hello "


def test_states_are_told_in_order(client: EngineClient) -> None:
    """Listeners hear each state once, in the order of a life."""
    states: list[EngineState] = []
    client.subscribe(states.append)
    list(client.load(LoadRequest("a.gguf")))
    list(client.generate(request("hello")))
    list(client.generate(request("die")))
    client.close()
    s = EngineState
    assert states == [s.STARTING, s.LOADING, s.READY, s.BUSY, s.READY, s.BUSY, s.DIED]


def test_ready_again_when_the_ending_arrives(client: EngineClient) -> None:
    """Who holds an ending sees a client that is ready for the next job."""
    list(client.load(LoadRequest("a.gguf")))
    assert client.state is EngineState.READY
    list(client.generate(request("hello")))
    assert client.state is EngineState.READY


def test_cancel_a_reply(client: EngineClient) -> None:
    """A cancelled reply ends as cancelled and keeps its text; the engine and its pair stay."""
    list(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    job = client.generate(request("one wait two"))
    wait_until_answering(job)
    job.cancel()
    job.cancel()
    events = list(job)
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is EndReason.CANCELLED
    assert client.pid == pid
    assert text(list(client.generate(request("next")))) == "next "


def test_late_answer_goes_nowhere(client: EngineClient) -> None:
    """A second ending of a job that has ended reaches nobody and disturbs nothing."""
    list(client.load(LoadRequest("a.gguf")))
    job = client.generate(request("late wait"))
    wait_until_answering(job)
    job.cancel()
    assert isinstance(ending(job), Finished)
    assert text(list(client.generate(request("next")))) == "next "
    assert job.next_event(timeout_s=0.01) is None


def test_cancel_a_load(client: EngineClient, model: Path) -> None:
    """An engine that answers the cancel of a load lives on."""
    pid = client.info().pid
    model.write_text("wait")
    job = client.load(LoadRequest(str(model)))
    wait_until_answering(job)
    job.cancel()
    assert failure(ending(job)) is ErrorKind.LOAD_CANCELLED
    assert client.pair is None
    assert client.info().pid == pid


def test_cancel_of_a_hanging_load_kills_the_engine(make_client: MakeClient, model: Path, tmp_path: Path) -> None:
    """An engine that does not answer the cancel is killed, which frees its memory, and that is no crash."""
    client = make_client(patience=LITTLE_PATIENCE)
    pid = client.info().pid
    model.write_text("hang")
    job = client.load(LoadRequest(str(model)))
    wait_until_answering(job)
    job.cancel()
    assert failure(ending(job)) is ErrorKind.LOAD_CANCELLED
    assert gone(pid)
    assert client.state is EngineState.STOPPED
    assert logs.last_crash(tmp_path / "logs") is None
    assert isinstance(ending(client.load(LoadRequest("a.gguf"))), Loaded)


def test_cancel_of_a_hanging_reply_kills_the_engine(make_client: MakeClient, tmp_path: Path) -> None:
    """The reply keeps its text and ends as cancelled; the pair is lost, and the next reply reloads it."""
    client = make_client(patience=LITTLE_PATIENCE)
    pair = ending(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    assert pid is not None
    job = client.generate(request("one hang two"))
    events = [event for event in (job.next_event(), job.next_event()) if event is not None]
    assert isinstance(events[-1], DraftRound)
    job.cancel()
    events += job
    assert events[-1] == Finished(job.id, EndReason.CANCELLED, "", 0.0, 0.0)
    assert text(events) == "one "
    assert gone(pid)
    assert client.state is EngineState.DIED
    assert client.death is not None
    assert client.death.fact("reason") == "no answer"
    assert logs.last_crash(tmp_path / "logs") is None
    assert [type(event) for event in client.generate(request("next"))] == [LoadProgress, Started, DraftRound, Finished]
    assert isinstance(pair, Loaded)
    assert client.pair == pair.pair


def test_cancel_of_a_load_behind_a_hanging_reply(client: EngineClient) -> None:
    """What waits for its turn ends at once when it is cancelled, and the loaded pair stays."""
    list(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    hanging, load = client.generate(request("hang")), client.load(LoadRequest("b.gguf"))
    wait_until_answering(hanging)
    load.cancel()
    assert failure(ending(load)) is ErrorKind.LOAD_CANCELLED
    assert client.pid == pid
    assert client.pair is not None
    client.unload()
    assert isinstance(ending(hanging), Finished)


def test_reply_waiting_behind_a_cancelled_reload(make_client: MakeClient, model: Path) -> None:
    """Cancelling a reply that waits for a hung reload kills that; the reply behind it tries anew."""
    client = make_client(patience=LITTLE_PATIENCE)
    list(client.load(LoadRequest(str(model))))
    list(client.generate(request("die")))
    model.write_text("hang")
    cancelled, patient = client.generate(request("first")), client.generate(request("second"))
    wait_until_answering(cancelled)
    cancelled.cancel()
    assert ending(cancelled) == Finished(cancelled.id, EndReason.CANCELLED, "", 0.0, 0.0)
    wait_until_answering(patient)  # its own reload, in a new engine
    patient.cancel()
    assert isinstance(ending(patient), Finished)


def test_cancel_before_the_engine_is_ready(make_client: MakeClient) -> None:
    """Work that was never sent ends as cancelled at once."""
    client = make_client(scripted_engine.never_ready, Patience(close_s=0.1))
    load, reply = client.load(LoadRequest("a.gguf")), client.generate(request("hello"))
    load.cancel()
    reply.cancel()
    assert failure(ending(load)) is ErrorKind.LOAD_CANCELLED
    assert ending(reply) == Finished(reply.id, EndReason.CANCELLED, "", 0.0, 0.0)


def test_engine_that_dies_before_it_is_ready(make_client: MakeClient) -> None:
    """Its exit code and its last words come back, for jobs and for `info`."""
    client = make_client(scripted_engine.dies_before_ready)
    event = ending(client.load(LoadRequest("a.gguf")))
    assert isinstance(event, Failed)
    assert event.report.kind is ErrorKind.ENGINE_START_FAILED
    assert event.report.fact("exit_code") == 3
    assert event.report.detail == "no usable library"
    with pytest.raises(EngineError) as caught:
        client.info()
    assert caught.value.report.kind is ErrorKind.ENGINE_START_FAILED


def test_fault_of_the_client_itself(make_client: MakeClient) -> None:
    """What ends the client's thread is the ending of the job in flight and of every later one, never a cancel."""
    client = make_client(scripted_engine.speaks_nonsense)
    pid = client.info().pid
    for job in (client.load(LoadRequest("a.gguf")), client.generate(request("hello"))):
        event = ending(job)
        assert isinstance(event, Failed)
        assert event.report.kind is ErrorKind.INTERNAL
        assert "UnpicklingError" in str(event.report.fact("reason"))
    client.close()
    late = ending(client.load(LoadRequest("a.gguf")))
    assert failure(late) is ErrorKind.INTERNAL
    with pytest.raises(EngineError) as caught:
        client.info()
    assert caught.value.report.kind is ErrorKind.INTERNAL
    assert client.pid is None
    assert gone(pid)


def test_engine_that_is_never_ready(make_client: MakeClient) -> None:
    """An engine without an answer is killed, and the job says so."""
    client = make_client(scripted_engine.never_ready, Patience(ready_s=0.1))
    others = set(psutil.Process().children())
    event = ending(client.load(LoadRequest("a.gguf")))
    assert failure(event) is ErrorKind.ENGINE_START_FAILED
    begun = set(psutil.Process().children()) - others
    assert all("resource_tracker" in " ".join(child.cmdline()) for child in begun)


def test_no_place_for_the_log(tmp_path: Path) -> None:
    """A folder that cannot be made is an error of the job, not of the thread."""
    (tmp_path / "logs").write_text("a file where the folder should be")
    client = EngineClient(tmp_path / "logs", target=scripted_engine.scripted_engine)
    assert failure(ending(client.load(LoadRequest("a.gguf")))) is ErrorKind.FOLDER_UNWRITABLE
    client.close()


def test_unload_ends_the_engine_and_what_it_was_doing(client: EngineClient) -> None:
    """Unload gives everything back at once: a reply ends as cancelled, and no pair and no process remain."""
    states: SimpleQueue[EngineState] = SimpleQueue()
    client.subscribe(states.put)
    list(client.load(LoadRequest("a.gguf")))
    reply = client.generate(request("wait"))
    wait_until_answering(reply)
    client.unload()
    last = ending(reply)
    assert isinstance(last, Finished)
    assert last.reason is EndReason.CANCELLED
    while states.get() is not EngineState.STOPPED:
        pass
    assert client.pair is None
    assert client.pid is None
    assert failure(ending(client.generate(request("hello")))) is ErrorKind.NOT_LOADED


def test_load_right_after_an_unload(client: EngineClient) -> None:
    """A load that is asked for while the old engine is going waits for the new one."""
    list(client.load(LoadRequest("a.gguf")))
    client.unload()
    assert isinstance(ending(client.load(LoadRequest("b.gguf"))), Loaded)
    assert text(list(client.generate(request("hello")))) == "hello "


def test_unload_ends_the_engine(client: EngineClient, tmp_path: Path) -> None:
    """Unloading ends what runs as cancelled, ends the engine and forgets the pair; it is no crash."""
    list(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    assert pid is not None
    reply = client.generate(request("wait"))
    wait_until_answering(reply)
    states = states_of(client)
    client.unload()
    assert isinstance(ending(reply), Finished)
    wait_for(states, EngineState.STOPPED)
    assert gone(pid)
    assert client.pair is None
    assert logs.last_crash(tmp_path / "logs") is None
    assert failure(ending(client.generate(request("hello")))) is ErrorKind.NOT_LOADED


def test_load_right_after_an_unload_waits_for_the_next_engine(client: EngineClient) -> None:
    """Nothing is sent to an engine that is on its way out."""
    pid = client.info().pid
    client.unload()
    assert isinstance(ending(client.load(LoadRequest("a.gguf"))), Loaded)
    assert client.pid != pid
    client.unload()
    assert client.info().pid != pid


def test_close_ends_open_jobs_as_cancelled(client: EngineClient) -> None:
    """Closing shows nobody an error: each open job ends as cancelled, once, and the engine is gone."""
    list(client.load(LoadRequest("a.gguf")))
    pid = client.pid
    assert pid is not None
    reply, load = client.generate(request("wait")), client.load(LoadRequest("b.gguf"))
    wait_until_answering(reply)
    client.close()
    event = ending(reply)
    assert isinstance(event, Finished)
    assert event.reason is EndReason.CANCELLED
    assert isinstance(ending(load), Failed | Loaded)
    assert gone(pid)


def test_close_is_idempotent_and_final(client: EngineClient) -> None:
    """Closing again does nothing; later jobs end as cancelled and start nothing."""
    client.info()
    client.close()
    client.close()
    assert failure(ending(client.load(LoadRequest("a.gguf")))) is ErrorKind.LOAD_CANCELLED
    assert isinstance(ending(client.generate(request("hello"))), Finished)
    with pytest.raises(EngineError):
        client.info()
    assert client.pid is None


def test_close_without_a_start(tmp_path: Path) -> None:
    """A client that was never used leaves nothing, not even its folder."""
    EngineClient(tmp_path / "logs", target=scripted_engine.scripted_engine).close()
    assert not (tmp_path / "logs").exists()


def test_close_does_not_wait_for_an_engine_that_still_starts(make_client: MakeClient) -> None:
    """It would not hear; nothing in it is worth waiting for."""
    client = make_client(scripted_engine.never_ready, Patience(close_s=60.0))
    load = client.load(LoadRequest("a.gguf"))
    begin = time.monotonic()
    client.close()
    assert time.monotonic() - begin < 20
    assert failure(ending(load)) is ErrorKind.LOAD_CANCELLED


def test_an_interrupt_in_the_close_leaves_no_engine_behind(tmp_path: Path) -> None:
    """A second Ctrl-C comes before the engine was told to leave; the interpreter's exit closes once more."""
    client = EngineClient(tmp_path / "logs", target=scripted_engine.scripted_engine)
    pid = client.info().pid

    def interrupted(request: object) -> bool:
        raise KeyboardInterrupt

    forgotten: list[object] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(client, "_post", interrupted)
        patched.setattr(atexit, "unregister", forgotten.append)
        with pytest.raises(KeyboardInterrupt):
            client.close()
    assert forgotten == []
    client.close()
    assert gone(pid)


def test_close_kills_an_engine_that_stays(make_client: MakeClient) -> None:
    """Shutdown is a request with a limit."""
    client = make_client(scripted_engine.stays_after_shutdown, Patience(close_s=0.1))
    pid = client.info().pid
    client.close()
    assert gone(pid)


def test_close_while_the_pipe_is_full(make_client: MakeClient) -> None:
    """An engine that reads nothing, with a command stuck in its pipe, is still ended."""
    client = make_client(scripted_engine.stays_after_shutdown, Patience(close_s=0.1))
    pid = client.info().pid
    job = client.generate(request("x" * 3_000_000))
    client.close()
    assert gone(pid)
    assert isinstance(ending(job), Finished | Failed)


def test_close_from_two_threads(client: EngineClient) -> None:
    """Both return, after the engine is gone."""
    pid = client.info().pid
    threads = [threading.Thread(target=client.close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gone(pid)


ACTIONS = [
    "load",
    "load that hangs",
    "reply",
    "reply that waits",
    "reply that hangs",
    "reply that dies",
    "quantize",
    "cancel",
    "unload",
]


@settings(max_examples=25)
@given(actions=st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=8), data=st.data())
def test_every_job_ends_once(tmp_path_factory: pytest.TempPathFactory, actions: list[str], data: st.DataObject) -> None:
    """Whatever is asked for, in whatever order, each job gets one ending and the close returns."""
    folder = tmp_path_factory.mktemp("sequence")
    hanging = folder / "hangs.gguf"
    hanging.write_text("hang")
    client = EngineClient(folder / "logs", target=scripted_engine.scripted_engine, patience=LITTLE_PATIENCE)
    jobs: list[Job] = []
    with closing(client):  # in any case: hypothesis may give up an example in the middle
        for action in actions:
            match action:
                case "load":
                    jobs.append(client.load(LoadRequest("a.gguf")))
                case "load that hangs":
                    jobs.append(client.load(LoadRequest(str(hanging))))
                case "reply":
                    jobs.append(client.generate(request("one two")))
                case "reply that waits":
                    jobs.append(client.generate(request("wait")))
                case "reply that hangs":
                    jobs.append(client.generate(request("hang")))
                case "reply that dies":
                    jobs.append(client.generate(request("die")))
                case "quantize":
                    jobs.append(client.quantize(folder / "a", folder / "b", "F32"))
                case "cancel" if jobs:
                    data.draw(st.sampled_from(jobs)).cancel()
                case "unload":
                    client.unload()
        for job in jobs:  # what hangs or waits ends only so
            job.cancel()
        for job in jobs:
            endings = [event for event in job if isinstance(event, Finished | Loaded | Quantized | Failed)]
            assert [event.job for event in endings] == [job.id]
    assert all(job.next_event(timeout_s=0) is None for job in jobs)
    assert client.pid is None


PROGRAM = """
import subprocess, sys, time
from pathlib import Path
from app.engine_client import EngineClient
from tests.fakes.scripted_engine import scripted_engine

if __name__ == "__main__":
    clients = [EngineClient(Path(sys.argv[1]), target=scripted_engine) for _ in range(2)]
    pids = [client.info().pid for client in clients]
    if sys.argv[2] == "stay":
        pids.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid)
    print(*pids, flush=True)
    if sys.argv[2] == "stay":
        time.sleep(3600)
"""


def start_program(tmp_path: Path, what: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A program with two engines of its own, and the process ids that it tells."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "logs"), what],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert program.stdout is not None
    with program.stdout:
        return program, [int(word) for word in program.stdout.readline().split()]


def test_engines_leave_with_a_killed_program(tmp_path: Path) -> None:
    """After kill -9 of the program its engines and their helper leave by themselves, although another child
    of the program lives on: no end of a pipe has leaked into any of them."""
    program, pids = start_program(tmp_path, "stay")
    other = psutil.Process(pids.pop())
    family = [child for child in psutil.Process(program.pid).children() if child != other]
    assert {child.pid for child in family} > set(pids)
    program.kill()
    program.wait()
    try:
        _, alive = psutil.wait_procs(family, timeout=30)
        assert not alive
        assert other.is_running()
    finally:
        other.kill()


def test_engines_leave_with_a_program_that_forgets_to_close(tmp_path: Path) -> None:
    """The interpreter's exit closes what was not closed, and does not hang."""
    program, pids = start_program(tmp_path, "leave")
    assert program.wait(timeout=60) == 0
    assert all(gone(pid) for pid in pids)
