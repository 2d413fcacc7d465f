"""Clients in processes of their own, of ours and of stock, that run the steps of tests/programs/step_client.cc."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import forked_python
import task_servers

PROGRAMS = pathlib.Path(__file__).parent.parent / "programs"
STEP_CLIENT = os.path.join(os.environ.get("MILLRACE_BUILD", "build/dev"), "tests", "step_client")
# Far above what any call of these tests should take, on the slowest machine.
PATIENCE_S = 180
LOST = ("UNAVAILABLE", "ABORTED")


def full_name(task):
  return f"/job:{task[0]}/replica:0/task:{task[1]}"


def device(task):
  return f"/job:{task[0]}/task:{task[1]}"


def status(cluster, task):
  """What `millrace status --json` says of a task."""
  return json.loads(cluster.status(*task, options=["--json", "--waits", "100"]))


def await_status(cluster, task, condition, seconds=PATIENCE_S):
  """Until `condition` holds of the task's status; gives the status."""
  last = {}

  def holds():
    try:
      last.update(status(cluster, task))
    except AssertionError as e:  # a busy machine
      last["error"] = str(e)
      return False
    return condition(last)

  task_servers.wait_for(holds, lambda: f"{full_name(task)} has {last}", seconds)
  return last


# gRPC starts and ends threads of its own as it likes, and pools of a fixed size grow when they are used first.
POOL_THREADS = (
  "default-execut",
  "event_engine",
  "grpc",
  "resolver-execut",
  "timer_manager",
  "inter-op-",
  "intra-op-",
  "blocking-",
  "control-",
  "timer",
)


def thread_names(process):
  """Of the threads of a server's process, without those of pools, sorted."""
  names = [p.read_text().strip() for p in pathlib.Path(f"/proc/{process.pid}/task").glob("*/comm")]
  return sorted(name for name in names if not name.startswith(POOL_THREADS))


def rests(process):
  """Whether none of its threads computes."""

  def ticks():
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])

  before = ticks()
  time.sleep(0.2)  # what it computes in this time is counted
  return ticks() - before <= 3


def is_idle(counts):
  """No step, and nothing at a rendezvous."""
  return counts["running_steps"] == 0 and counts["rendezvous_entries"] == 0


class _Lateness:
  """How late the machine runs threads that are ready, measured by one that sleeps."""

  TICK_S = 0.05
  # What every machine may be late by.
  USUAL_S = 0.02

  def __init__(self):
    self._late = []  # (when, seconds)
    threading.Thread(target=self._run, daemon=True).start()

  def _run(self):
    while True:
      start = time.monotonic()
      time.sleep(self.TICK_S)  # how much longer it takes is what is measured
      now = time.monotonic()
      late = now - start - self.TICK_S
      if late > self.USUAL_S:
        self._late.append((now, late))

  def between(self, start, end):
    return sum(late for when, late in self._late if start <= when <= end + self.TICK_S)


_lateness = _Lateness()


def seconds_between(start, end):
  """On a machine that is busy with something else, less what it was late by: limits are meant for the program."""
  return end - start - _lateness.between(start, end)


class Call:
  """One command of a client, in progress or ended."""

  def __init__(self, words):
    self.words = words
    self.started = time.monotonic()
    self.ended = None
    self.code = self.text = None
    self.client_ms = None  # how long it took the client
    self._over = threading.Event()

  def end(self, code, ms, text):
    self.ended = time.monotonic()
    self.code, self.client_ms, self.text = code, int(ms), text
    self._over.set()

  @property
  def done(self):
    return self._over.is_set()

  @property
  def seconds(self):
    return seconds_between(self.started, self.ended)

  def wait(self, seconds=PATIENCE_S):
    assert self._over.wait(seconds), f"{self} has not ended"
    return self

  def value(self):
    """Waits; the call must succeed."""
    self.wait()
    assert self.code == "OK", str(self)
    return self.text

  def __str__(self):
    end = f"{self.seconds:.2f} s: {self.code} {self.text}" if self.done else "in progress"
    return f"[{' '.join(self.words)}] {end}"


class StepClient:
  """`kind` is "cpp" or "stock". The thread that makes it must outlive it."""

  def __init__(self, kind):
    self.kind = kind
    streams = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if kind == "cpp":
      self.process = subprocess.Popen([STEP_CLIENT], text=True, bufsize=1, preexec_fn=task_servers._die_with_parent, **streams)
    else:
      self.process = forked_python.start([PROGRAMS / "step_client.py"], **streams)
    self._ready = threading.Event()
    self._lock = threading.Lock()
    self._calls = {}
    self._last_id = 0
    threading.Thread(target=self._read, daemon=True).start()

  def command(self, *words):
    """Starts a command."""
    assert self._ready.wait(PATIENCE_S), f"no {self.kind} client: its end is {self.process.poll()}"
    call = Call([str(w) for w in words])
    with self._lock:
      self._last_id += 1
      number = str(self._last_id)
      self._calls[number] = call
    try:
      self.process.stdin.write(" ".join([number, *call.words]) + "\n")
      self.process.stdin.flush()
    except OSError:
      call.end("CLIENT_LOST", 0, "")
    return call

  def open(self, cluster, session, master, loop, wait, aside, name, timeout_s=PATIENCE_S):
    """Makes a session; the call is its first step, with which the client calls the server."""
    self.command(
      "open", session, cluster.address(*master), device(loop), device(wait), device(aside), name, int(1000 * timeout_s)
    ).value()
    return self.run(session, "near")

  def run(self, session, fetch):
    return self.command("run", session, fetch)

  def close(self, session):
    return self.command("close", session)

  def reset(self, cluster, master, container):
    return self.command("reset", cluster.address(*master), container)

  def freeze(self):
    task_servers.freeze(self.process)

  def thaw(self):
    self.process.send_signal(signal.SIGCONT)

  def kill(self):
    self.process.kill()
    self.process.wait()

  def _read(self):
    for line in self.process.stdout:
      if line.strip() == "ready":
        self._ready.set()
        continue
      parts = line.rstrip("\n").split("\t", 3)
      if len(parts) == 4:
        with self._lock:
          call = self._calls.pop(parts[0])
        call.end(*parts[1:])
    with self._lock:
      open_calls, self._calls = self._calls, {}
    for call in open_calls.values():
      call.end("CLIENT_LOST", 0, "")


class Stepper:
  """Makes one short call after the other, by a thread, until one fails or `stop`. `call` starts one; `text` is what each
  gives."""

  def __init__(self, call, text=None):
    self._call = call
    self._text = text
    self._stopping = threading.Event()
    self.steps = 0
    self.slowest = None  # the call
    self.failed = None  # the call
    self._thread = threading.Thread(target=self._run)
    self._thread.start()

  def _run(self):
    while not self._stopping.is_set():
      call = self._call().wait()
      if call.code != "OK" or self._text not in (None, call.text):
        self.failed = call
        return
      self.steps += 1
      if self.slowest is None or call.seconds > self.slowest.seconds:
        self.slowest = call

  def ask_to_stop(self):
    self._stopping.set()

  @property
  def stopped(self):
    return not self._thread.is_alive()

  def stop(self):
    self.ask_to_stop()
    self.join()
    return self

  def join(self):
    """Until it stops or fails."""
    self._thread.join(PATIENCE_S)
    assert not self._thread.is_alive()
