"""`millrace trace` of clusters of processes: the file by the trace event format, and what is said where it lacks something."""

import json
import os
import re
import signal
import subprocess

import pytest

import step_clients
import task_servers
from step_clients import StepClient, Stepper, full_name

PS0, PS1, WORKER0, WORKER1 = ("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1)
# Enough that steps of both masters are among them.
STEPS = 200

pytestmark = pytest.mark.skipif(
  not (os.path.exists(task_servers.COMMAND) and os.path.exists(step_clients.STEP_CLIENT)),
  reason="the servers or the client program are not built",
)


def new_cluster():
  return task_servers.Cluster({"ps": 2, "worker": 2})


@pytest.fixture(scope="module")
def cluster():
  with new_cluster() as made:
    yield made


@pytest.fixture(scope="module", params=["cpp", "stock"])
def client(request):
  made = StepClient(request.param)
  yield made
  made.kill()


def trace(cluster, task, path, *flags):
  command = [task_servers.COMMAND, "trace", cluster.address(*task), "--output", str(path), *flags]
  return subprocess.run(command, capture_output=True, text=True, timeout=step_clients.PATIENCE_S, check=False)


def steps_of(client, cluster, session, master, loop, wait):
  """Steps of which each takes a value from `loop` to `wait`, which gives it to the master; until `stop`."""
  client.open(cluster, session, master, loop, wait, master, f"{client.kind}_{session}").value()
  client.run(session, "init").value()
  client.run(session, "step").value()
  return Stepper(lambda: client.run(session, "step"))


# What the format says of each phase: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
NUMBER, TEXT, INT = (int, float), str, int
FIELDS = {
  "M": {"pid": INT, "tid": INT, "name": TEXT, "args": dict},
  "X": {"pid": INT, "tid": INT, "name": TEXT, "cat": TEXT, "ts": NUMBER, "dur": NUMBER},
  "s": {"pid": INT, "tid": INT, "name": TEXT, "cat": TEXT, "ts": NUMBER, "id": INT},
  "f": {"pid": INT, "tid": INT, "name": TEXT, "cat": TEXT, "ts": NUMBER, "id": INT, "bp": TEXT},
}
METADATA = {
  "process_name": ("name", TEXT),
  "thread_name": ("name", TEXT),
  "process_sort_index": ("sort_index", INT),
  "thread_sort_index": ("sort_index", INT),
}


def check_events(events):
  for event in events:
    fields = dict(FIELDS[event["ph"]])
    optional = {"args": dict}
    for name, kind in fields.items():
      assert isinstance(event.get(name), kind), event
    assert set(event) - {"ph"} <= set(fields) | set(optional), event
    if event["ph"] == "M":
      member, kind = METADATA[event["name"]]
      assert isinstance(event["args"][member], kind), event
    if event["ph"] == "X":
      assert event["dur"] >= 0 and event["ts"] >= 0, event
    if event["ph"] == "f":
      assert event["bp"] == "e", event
  names = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
  processes = {e["pid"] for e in events if e["name"] == "process_name"}
  for event in events:
    if event["ph"] != "M":
      assert (event["pid"], event["tid"]) in names and event["pid"] in processes, event


def check_nesting(events):
  """Slices of a track lie one after the other or one within the other, as a viewer needs it."""
  tracks = {}
  for event in events:
    if event["ph"] == "X":
      start = round(1000 * event["ts"])
      tracks.setdefault((event["pid"], event["tid"]), []).append((start, -round(1000 * event["dur"])))
  for track in tracks.values():
    ends = []
    for start, negative in sorted(track):
      while ends and ends[-1] <= start:
        ends.pop()
      assert not ends or start - negative <= ends[-1]
      ends.append(start - negative)


def check_arrows(events):
  """Pairs, each between slices of two tasks, the beginning before the end; gives them as (from, to, bytes)."""
  begins = {e["id"]: e for e in events if e["ph"] == "s"}
  ends = {e["id"]: e for e in events if e["ph"] == "f"}
  assert begins.keys() == ends.keys()
  slices = [e for e in events if e["ph"] == "X" and e["cat"] == "transfer"]

  def slices_at(event):
    return [
      s
      for s in slices
      if (s["pid"], s["tid"]) == (event["pid"], event["tid"])
      and s["ts"] <= event["ts"] + 1e-6
      and event["ts"] <= s["ts"] + s["dur"] + 1e-6
    ]

  arrows = []
  for number, begin in begins.items():
    end = ends[number]
    assert begin["pid"] != end["pid"]
    assert (begin["name"], begin["cat"]) == (end["name"], end["cat"])
    assert begin["args"]["bytes"] == end["args"]["bytes"]
    (send,) = [s for s in slices_at(begin) if s["name"].startswith("send ") and s["ts"] == begin["ts"]][:1]
    receives = [s for s in slices_at(end) if s["name"].startswith("receive ")]
    # One clock on one machine: no tensor comes before it goes.
    assert receives and all(send["ts"] <= r["ts"] + r["dur"] for r in receives), (begin, end)
    arrows.append((begin["pid"], end["pid"], begin["args"]["bytes"]))
  return arrows


def test_a_trace_has_nodes_and_arrows_of_all_tasks(cluster, client, tmp_path):
  steppers = [steps_of(client, cluster, "one", WORKER0, PS0, WORKER1), steps_of(client, cluster, "two", WORKER1, PS1, WORKER0)]
  path = tmp_path / "trace.json"
  done = trace(cluster, PS1, path, "--steps", str(STEPS))
  for stepper in steppers:
    assert stepper.stop().failed is None
  assert done.returncode == 0, done.stderr
  assert done.stderr == ""
  assert re.fullmatch(
    r".*trace\.json: 200 steps, 4 tasks, \d+ nodes, 200 transfers \(800 bytes\), clocks within "
    r"\d+\.\d\d ms; open ui\.perfetto\.dev and load it\n",
    done.stdout,
  ), done.stdout

  content = json.loads(path.read_text())
  events = content["traceEvents"]
  check_events(events)
  check_nesting(events)
  processes = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
  pids = {}
  for task in cluster.names:
    pids[task] = processes[f"{full_name(task)} {cluster.address(*task)}"]

  nodes = [e for e in events if e["ph"] == "X" and e["cat"] == "node"]
  # Each step counts at a ps and negates at a worker.
  for op, places in (("AssignAddVariableOp", (PS0, PS1)), ("Neg", (WORKER0, WORKER1))):
    found = [e for e in nodes if e["args"]["op"] == op]
    assert sorted(e["args"]["step"] for e in found) == list(range(1, STEPS + 1)), op
    assert {e["pid"] for e in found} <= {pids[place] for place in places}, op
  for event in nodes:
    if event["args"]["op"] == "Neg":
      assert (event["name"], event["args"]["outputs"], event["args"]["bytes"]) == ("step", "int32[]", 4), event

  arrows = check_arrows(events)
  assert len(arrows) == STEPS
  assert set(arrows) <= {(pids[PS0], pids[WORKER1], 4), (pids[PS1], pids[WORKER0], 4)}
  masters = [e for e in events if e["ph"] == "X" and e["cat"] == "step" and "step id" in e.get("args", {})]
  assert {e["name"] for e in masters} == {f"step {i + 1}" for i in range(STEPS)}
  assert {e["pid"] for e in masters} <= {pids[WORKER0], pids[WORKER1]}
  other = content["otherData"]
  assert other["missing tasks"] == {} and other["dropped events"] == {}
  assert set(other["clocks"]) == {full_name(task) for task in cluster.names}
  assert all(clock["error_us"] >= 0 for clock in other["clocks"].values())


def test_one_line_of_json(cluster, client, tmp_path):
  stepper = steps_of(client, cluster, "json", WORKER0, PS0, PS1)
  done = trace(cluster, WORKER1, tmp_path / "trace.json", "--steps", "3", "--json")
  assert stepper.stop().failed is None
  assert done.returncode == 0, done.stderr
  said = json.loads(done.stdout)
  assert (said["steps"], said["steps_done"], said["arrows"], said["bytes"]) == (3, 3, 3, 12)
  assert said["missing"] == {} and said["clock_error_ms"] >= 0


def test_no_steps_is_said_and_no_file_written(cluster, tmp_path):
  path = tmp_path / "trace.json"
  done = trace(cluster, PS0, path, "--steps", "2", "--timeout", "0.5")
  assert done.returncode == 1
  assert done.stderr == "0 of 2 steps: no step began within 0.5 s\n"
  assert done.stdout == "" and not path.exists()


def test_a_step_that_hangs_is_named(cluster, tmp_path):
  client = StepClient("cpp")
  try:
    client.open(cluster, "hang", WORKER0, PS1, WORKER1, WORKER0, "hang").value()
    client.run("hang", "init").value()
    path = tmp_path / "trace.json"
    command = [
      task_servers.COMMAND,
      "trace",
      cluster.address(*PS0),
      "--output",
      str(path),
      "--steps",
      "1",
      "--timeout",
      "3",
      "--max_events",
      "1000",
    ]
    taker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # It may begin before the trace does: then another one.
    calls = []
    while taker.poll() is None:
      calls.append(client.run("hang", "loop"))
      try:
        taker.wait(0.5)
      except subprocess.TimeoutExpired:
        pass
    out, err = taker.communicate()
    client.run("hang", "release").value()
    for call in calls:
      call.value()
  finally:
    client.kill()
  assert taker.returncode == 1
  dropped, few, hangs = err.splitlines()
  assert dropped.startswith("dropped: ") and f"of {full_name(PS1)}" in dropped, err
  assert few == "0 of 1 steps ended within 3 s" and hangs.startswith("not ended: step "), err
  assert f" of {full_name(WORKER0)}, for " in hangs and f"waits for RunGraph on {full_name(PS1)}" in hangs, err
  assert "1 step, " in out, out
  events = json.loads(path.read_text())["traceEvents"]
  check_events(events)
  assert any("has not ended" in e.get("args", {}) for e in events)


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_a_task_that_does_not_answer_is_named(how, tmp_path):
  with new_cluster() as cluster:
    client = StepClient("cpp")
    try:
      stepper = steps_of(client, cluster, "lost", WORKER0, PS0, WORKER1)
      if how == "killed":
        cluster.kill(*PS1)
      else:
        task_servers.freeze(cluster.processes[PS1])
      path = tmp_path / "trace.json"
      done = trace(cluster, WORKER0, path, "--steps", "3")
      assert stepper.stop().failed is None
      if how == "frozen":
        cluster.processes[PS1].send_signal(signal.SIGCONT)
    finally:
      client.kill()
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"missing: {full_name(PS1)} ({cluster.address(*PS1)}): "), line
    assert ("did not answer within 3 s" if how == "frozen" else "refused") in line, line
    assert "3 steps, 3 tasks, " in done.stdout
    content = json.loads(path.read_text())
    check_events(content["traceEvents"])
    assert len(check_arrows(content["traceEvents"])) == 3
    assert list(content["otherData"]["missing tasks"]) == [full_name(PS1)]


@pytest.mark.parametrize(
  "flags, said",
  [
    (["--steps", "0"], "--steps is from 1 to"),
    (["--timeout", "0"], "--timeout is in seconds"),
    (["--stepz", "3"], "did you mean --steps?"),
  ],
)
def test_flags_that_make_no_sense(cluster, tmp_path, flags, said):
  done = trace(cluster, PS0, tmp_path / "trace.json", *flags)
  assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_folder_that_is_not_there_is_told_at_once(cluster, tmp_path):
  done = trace(cluster, PS0, tmp_path / "nowhere" / "trace.json", "--timeout", "3600")
  assert done.returncode == 2 and "there is no directory" in done.stderr, done.stderr


def test_nobody_there(tmp_path):
  command = [task_servers.COMMAND, "trace", f"127.0.0.1:{task_servers.free_port()}", "--output", str(tmp_path / "trace.json")]
  done = subprocess.run(command, capture_output=True, text=True, timeout=step_clients.PATIENCE_S, check=False)
  assert done.returncode == 1 and done.stderr.startswith("millrace trace: "), done.stderr
