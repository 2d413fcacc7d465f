"""benchmarks/protocol: what its cases say of themselves, and how one of them is run."""

import argparse
import inspect
import os
import re
import sys

import pytest
from task_servers import COMMAND

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "protocol")
sys.path.append(FOLDER)
import case_process  # noqa: E402
import cases  # noqa: E402, F401
import goals  # noqa: E402
import verdicts  # noqa: E402
from harness import CASES  # noqa: E402


def options(tmp_path, **changes):
  return argparse.Namespace(**{**dict(data_dir=str(tmp_path), scale=0.01, timeout=120, log_dir=None), **changes})


def test_every_case_has_goals_and_every_goal_a_case():
  assert len(goals.read(CASES)) > len(CASES)


@pytest.mark.parametrize("name", CASES)
def test_says_whether_it_takes_turns(name):
  timed = re.search(r"\bb\.(latency|rate|millis)\(", inspect.getsource(CASES[name]["fn"])) is not None
  assert CASES[name]["turns"] == timed


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")
def test_a_case_gives_its_rows(tmp_path):
  servers = f"{COMMAND} server --log_level=error --job {{job}} --task {{task}} --cluster {{cluster}}"
  records = case_process.run_case("queues", servers, options(tmp_path))
  assert not verdicts.incomplete(records, goals.of_cases(goals.read(CASES), ["queues"]))


def test_a_server_that_ends_fails_the_case(tmp_path):
  script = tmp_path / "server.py"
  script.write_text("raise SystemExit(3)")
  last = case_process.run_case("null_step", f"{sys.executable} {script}", options(tmp_path))[-1]
  assert last["metric"] == case_process.FAILED and "servers ended with exit codes [3]" in last["error"]


def test_a_server_that_is_not_there_fails_the_case(tmp_path):
  (last,) = case_process.run_case("null_step", "/nonexistent/server", options(tmp_path))
  assert last["metric"] == case_process.FAILED and "there is no program /nonexistent/server" in last["error"]


def test_a_server_that_is_silent_fails_the_case(tmp_path):
  script = tmp_path / "server.py"
  script.write_text("import signal\nsignal.pause()")
  last = case_process.run_case("null_step", f"{sys.executable} {script}", options(tmp_path, timeout=3))[-1]
  assert last["metric"] == case_process.FAILED and "not done after 3 s" in last["error"]
