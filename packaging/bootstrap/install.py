"""The set-up itself: a .venv with the locked libraries, the starter weights and the right engine."""

from __future__ import annotations

import importlib.util
import os

from bootstrap import engine, engine_builds, machine, system_packages
from bootstrap.environment import Environment, StepError
from bootstrap.only_one import only_one
from bootstrap.stamp import LOCKS, UNFINISHED, Stamp, is_ready, key
from bootstrap.talk import say

ENGINE = "engine"  # in the stamp: the name of the build that is installed


def set_up(environment: Environment, purpose: str) -> None:
    """Makes .venv ready for "program", or for "test" as well. Raises SetupError."""
    with only_one(environment.root / ".venv.lock") as descriptor:
        if not is_ready(environment, purpose):  # it is when another start, which we waited for, did it
            environment.lock_fd = descriptor
            _install(environment, purpose)


def _install(environment: Environment, purpose: str) -> None:
    stamp = Stamp(environment.folder)
    before = stamp.read()
    if UNFINISHED in before or not environment.has_working_python():
        say(f"Setting up in {environment.folder}; this happens once and takes some minutes.")
        if importlib.util.find_spec("ensurepip") is None:
            system_packages.provide_venv(environment)
        environment.create()
        before = {}
    stamp.mark_unfinished()
    _install_libraries(environment, LOCKS[purpose])
    stamp.write({})  # from here on a start that comes after a failure needs the libraries no second time
    build = engine.install(environment, _engine_plan(environment), before.get(ENGINE))
    covered = {name: key(environment, name) for name in LOCKS if set(LOCKS[name]) <= set(LOCKS[purpose])}
    stamp.write({**before, **covered, ENGINE: build})


def _install_libraries(environment: Environment, locks: list[str]) -> None:
    files = [option for lock in locks for option in ("-r", str(environment.locks / lock))]
    try:
        environment.pip("Installing the libraries and the starter model", "--require-hashes", *files)
    except StepError as failure:
        raise environment.explained("The libraries could not be installed", failure) from failure


def _engine_plan(environment: Environment) -> engine_builds.Plan:
    """What suits this machine, unless the user asks for a build by name in DRAFTLIGHT_ENGINE."""
    if wish := os.environ.get("DRAFTLIGHT_ENGINE"):
        return engine_builds.named(wish)
    plan = engine_builds.plan(machine.look())
    if plan.builds == (engine_builds.PLAIN,) and system_packages.may_install():
        system_packages.provide_compiler(environment)
        plan = engine_builds.plan(machine.look())
    return plan
