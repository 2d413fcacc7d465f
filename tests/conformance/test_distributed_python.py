"""examples/distributed_python: every script prints the same on stock servers and, under `millrace run`, on ours."""

import os
import pathlib
import subprocess

import pytest

import forked_python
from task_servers import COMMAND

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "distributed_python"
SHARED = {"local_cluster.py", "network.py"}
LIMIT_S = 240
# Much of these is in others too.
LONG = {"csv_readers", "ensemble_in_graph", "multithreaded_readers", "preloading", "producers"}
SCRIPTS = sorted(p.stem for p in FOLDER.glob("*.py") if p.name not in SHARED)

pytestmark = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")


@pytest.mark.parametrize("name", [pytest.param(s, marks=pytest.mark.long if s in LONG else ()) for s in SCRIPTS])
def test_prints_the_same_on_both(name):
  script = str(FOLDER / (name + ".py"))
  streams = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
  processes = [
    forked_python.start_run(COMMAND, ["--log_level=error", script], **streams),
    forked_python.start([script], **streams),
  ]
  (ours, our_errors), (stock, stock_errors) = [p.communicate(timeout=LIMIT_S) for p in processes]
  assert processes[1].returncode == 0, stock_errors
  assert processes[0].returncode == 0, our_errors
  assert ours == stock, our_errors
  assert ours.count("\n") >= 1
