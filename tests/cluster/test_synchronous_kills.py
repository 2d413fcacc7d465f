"""Synchronous training by the stock client while workers, the chief and ps are killed and come back: it goes on, no update is lost or
made twice, whoever waits is seen, and what is learned is what is learned without kills.

A worker is its server and its client; both are killed, or one of them. The figures: pytest -s -k learns
"""

import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

import numpy as np
import pytest

import forked_python
import step_clients
import task_servers

tf = pytest.importorskip("tensorflow")
import synchronous_replicas as sync  # noqa: E402

if not os.path.exists(task_servers.COMMAND):
  pytest.skip(f"{task_servers.COMMAND} is not built", allow_module_level=True)

PROGRAM = pathlib.Path(task_servers.__file__).with_name("synchronous_training.py")
WORKERS = 2
BOTH = ("server", "client")
# Of a step: what a stock client, a busy machine and its own pauses may take.
PATIENCE_S = 180
# Twice what servers take at most, for a busy machine.
LIMIT_S = 10.0
# The client says so of ABORTED and UNAVAILABLE only; others end it. The chief may hear of it from its queue runner, between two steps.
RAISED = re.compile(r"An error was raised( while considering whether the session is complete)?\. This may be due to a preemption")


class Client:
  """One worker's training process; its output is of all its lives."""

  def __init__(self, job, index):
    self.job, self.index = job, index
    self.output = job.folder / f"client{index}.log"
    self.output.touch()
    self.process = None

  def start(self):
    spec = self.job.cluster.spec()
    flags = dict(
      ps_hosts=",".join(spec["ps"]),
      worker_hosts=",".join(spec["worker"]),
      task_index=self.index,
      checkpoint_dir=self.job.folder / "checkpoints",
      **self.job.flags,
    )
    with open(self.output, "ab") as output:
      self.process = forked_python.start(
        [PROGRAM, "--led", *(f"--{k}={v}" for k, v in flags.items())], subprocess.PIPE, output, output
      )
    self.lead()

  def lead(self):
    if self.process is not None and self.process.poll() is None:
      self.process.stdin.write(f"{self.job.limit}\n")

  def kill(self):
    if self.process is not None:
      self.process.stdin.close()
      self.process.kill()
      self.process.wait()
      self.process = None

  def text(self):
    return self.output.read_text(errors="replace")

  def steps(self):
    return [int(n) for n in re.findall(r"^step (\d+) loss \S+$", self.text(), re.M)]

  def raised(self):
    return len(RAISED.findall(self.text()))


class Job:
  """Two ps and workers with a client each, trained by a chief that saves each ten steps. They go as far as they are let, so
  that one that is left alone does not go on to the end: with the tokens of two it may make both gradients."""

  def __init__(self, last_step, kind="millrace", limit=None, **flags):
    self.flags = dict(last_step=last_step, **flags)
    self.limit = limit or last_step + 10
    self.cluster = task_servers.Cluster({"ps": 2, "worker": WORKERS}, kind=kind)
    self._folder = tempfile.TemporaryDirectory(prefix="millrace_")
    self.folder = pathlib.Path(self._folder.name)
    self.clients = [Client(self, i) for i in range(WORKERS)]
    try:
      for client in self.clients:
        client.start()
    except BaseException:
      self.stop()
      raise

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.stop()

  def stop(self):
    for client in self.clients:
      client.kill()
    self.cluster.stop()
    self._folder.cleanup()

  def describe(self):
    parts = [f"--- client {c.index}\n{c.text()[-3000:]}" for c in self.clients]
    if self.cluster.kind == "millrace":
      parts += [f"--- {job} {i}\n{self.cluster.status(job, i)}" for job, i in self.cluster.processes]
    return "\n".join(parts)

  def check_alive(self):
    for client in self.clients:
      if client.process is not None and client.process.poll() not in (None, 0):
        pytest.fail(f"client {client.index} has ended with {client.process.returncode}\n{self.describe()}")

  def wait(self, condition, what, seconds=PATIENCE_S):
    def holds():
      self.check_alive()
      return condition()

    task_servers.wait_for(holds, lambda: f"{what}\n{self.describe()}", seconds)

  def await_step(self, step):
    self.wait(lambda: max(self.clients[0].steps(), default=-1) >= step, f"no step {step}")

  def let(self, limit):
    """Up to this step from now on."""
    self.limit = limit
    for client in self.clients:
      client.lead()

  def rests(self, index):
    """What is left of a worker is at the limit, or waits for a token and is seen."""
    return (self.clients[index].steps() or [0])[-1] >= self.limit or is_seen(self, index)

  def made(self):
    """How many steps each worker has made."""
    return [len(c.steps()) for c in self.clients]

  def await_steps_after(self, made):
    """Each worker makes a step more. Perhaps no other: it can be far behind the others, which are at the limit."""

    def has_made_one(index):
      if len(self.clients[index].steps()) > made[index]:
        return True
      # The others may have made its gradients, too, and rest with the last token; its own was of a step that is over.
      if self.cluster.kind == "millrace" and is_seen(self, index):
        self.let(self.limit + 1)
      return False

    self.wait(lambda: all(has_made_one(i) for i in range(WORKERS)), "a worker makes no steps")

  def kill_worker(self, index, parts):
    if "server" in parts:
      self.cluster.kill("worker", index)
    if "client" in parts:
      self.clients[index].kill()

  def start_worker(self, index, parts):
    if "server" in parts:
      self.cluster.start("worker", index)
    if "client" in parts:
      self.clients[index].start()

  def waits(self, task):
    return [w["text"] for w in step_clients.status(self.cluster, task)["waits"]]

  def end(self):
    """The loss and the updates that each ps counts, when all have ended; the global step of that."""
    for client in self.clients:
      try:
        assert client.process.wait(PATIENCE_S) == 0, self.describe()
      except subprocess.TimeoutExpired:
        pytest.fail(f"client {client.index} does not end\n{self.describe()}")
      # By the last step, and not as if its data had ended.
      assert client.steps()[-1] >= self.flags["last_step"] - 2, self.describe()
    step, loss, *updates = re.search(r"^end step (\d+) loss (\S+) updates (\S+) (\S+)$", self.clients[0].text(), re.M).groups()
    return int(step), float(loss), [float(n) for n in updates]


ROUND = 15  # steps from a kill to the next


def lose_worker(job, parts=BOTH):
  """The chief goes on with the tokens that there are, or waits for one, without an error, and is seen."""
  raised = job.clients[0].raised()
  job.kill_worker(1, parts)
  job.wait(lambda: job.rests(0), "the chief neither goes on nor is seen")
  made = job.made()
  job.start_worker(1, parts)
  job.let(job.limit + ROUND)
  job.await_steps_after(made)
  assert job.clients[0].raised() == raised, job.describe()


def lose_chief(job, parts=BOTH):
  """Nobody makes updates, so the other worker uses up what tokens there are and waits for one, without an error."""
  raised = job.clients[1].raised()
  job.kill_worker(0, parts)
  job.let(job.limit + ROUND)
  job.wait(lambda: is_seen(job, 1), "the worker is not seen")
  made = job.made()
  job.start_worker(0, parts)
  job.await_steps_after(made)
  assert job.clients[1].raised() == raised, job.describe()


def lose_ps(job, indices):
  """Both hear of it, and go on from the checkpoint. The first ps has the token queue and is among them: the client's queue runner
  closes the queue of a ps that lives, for good, on stock too."""
  # A client that is still making its first session hears of it by another error, of which it says something else.
  job.await_steps_after([0] * WORKERS)
  raised = [c.raised() for c in job.clients]
  for index in indices:
    job.cluster.kill("ps", index)
  # Who is at the limit hears of it with the next step.
  job.let(job.limit + ROUND)
  job.wait(lambda: all(c.raised() > n for c, n in zip(job.clients, raised)), "a client does not hear of the lost ps")
  made = job.made()
  for index in indices:
    job.cluster.start("ps", index)
  job.await_steps_after(made)


def is_seen(job, worker):
  """A status says of the worker's step that it waits for a token, and the master where."""
  if job.cluster.kind != "millrace":
    return True
  tokens = [t for t in job.waits(("ps", 0)) if t.endswith(": 1 element missing") and "dequeue from queue sync_token_q" in t]
  steps = {
    w["step_id"]
    for w in step_clients.status(job.cluster, ("worker", worker))["waits"]
    if w["kind"] == "step" and re.search("waits for RunGraph on .*/job:ps/replica:0/task:0", w["text"])
  }
  return any(f"step {step}:" in token for token in tokens for step in steps)


@pytest.mark.parametrize(
  "parts",
  [BOTH, pytest.param(("server",), marks=pytest.mark.long), pytest.param(("client",), marks=pytest.mark.long)],
  ids="-".join,
)
def test_each_is_killed_once(parts):
  with Job(last_step=70, limit=ROUND) as job:
    for lose in (lambda: lose_worker(job, parts), lambda: lose_chief(job, parts), lambda: lose_ps(job, [0])):
      job.await_step(job.limit - ROUND + 3)
      lose()
    job.let(job.flags["last_step"] + ROUND)
    step, loss, updates = job.end()
    assert step >= 70
    # A checkpoint may be of two steps, as what is saved is read beside an update: on stock, too.
    assert all(n == round(n) and abs(n - step) <= 3 for n in updates), (step, updates)
    assert loss < 2


@pytest.mark.parametrize("kind", ["millrace", pytest.param("stock", marks=pytest.mark.long)])
def test_without_a_ps_that_has_no_tokens_clients_end(kind):
  """The chief's queue runner fails and closes the token queue. The chief's next session cannot fill it, and says so; for the other
  worker that is the end of the data, or it has heard of the loss before. Nobody waits."""
  with Job(last_step=100_000, kind=kind) as job:
    job.await_step(12)
    job.cluster.kill("ps", 1)
    job.cluster.start("ps", 1)
    for client in job.clients:
      try:
        client.process.wait(PATIENCE_S)
      except subprocess.TimeoutExpired:
        pytest.fail(f"client {client.index} does not end\n{job.describe()}")
    assert job.clients[0].process.returncode == 1
    assert "'sync_token_q' is closed" in job.clients[0].text(), job.clients[0].text()


def test_only_waits_for_lost_tasks_end():
  """Three replicas by hand wait for the third one's gradient, which does not come."""
  case = sync.Case(3, 3, resources=False, sparse=True)
  with task_servers.Cluster({"ps": 2, "worker": 4}) as cluster, sync.Stuck(cluster, case, [120_000, 120_000, 5_000]) as stuck:

    def waiting_tokens():
      texts = [w["text"] for w in step_clients.status(cluster, ("ps", 0))["waits"]]
      return sum("dequeue from queue sync_token_q" in t and t.endswith(": 1 element missing") for t in texts)

    update = stuck.begin_one_update()
    steps = [stuck.begin_step(i) for i in (1, 2)]
    task_servers.wait_for(lambda: waiting_tokens() == 2, lambda: cluster.status("ps", 0))
    # Of a task that nobody needs, nothing.
    cluster.kill("worker", 3)
    # Of a master, its step: at the ps, too, where the token would be lost.
    cluster.kill("worker", 2)
    task_servers.wait_for(lambda: waiting_tokens() == 1, lambda: cluster.status("ps", 0))
    assert isinstance(
      steps[1].join().error, (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.DeadlineExceededError)
    )
    assert update.ended is None and steps[0].ended is None
    # Of the ps of the second variable, the update; the step has brought its gradient there.
    lost_at = time.monotonic()
    cluster.kill("ps", 1)
    expect_lost(update, lost_at, "/job:ps/replica:0/task:1")
    assert waiting_tokens() == 1 and steps[0].ended is None
    lost_at = time.monotonic()
    cluster.kill("ps", 0)
    expect_lost(steps[0], lost_at, "/job:ps/replica:0/task:0")


def expect_lost(step, lost_at, task):
  error = step.join().error
  assert isinstance(error, (tf.errors.UnavailableError, tf.errors.AbortedError)), error
  assert task in error.message
  assert step_clients.seconds_between(lost_at, step.ended) <= LIMIT_S


LAST_STEP, KILLS = 340, 20


def trained(lose=None, choose=None, **flags):
  with Job(last_step=LAST_STEP, limit=ROUND if lose else None, **flags) as job:
    for _ in range(KILLS if lose else 0):
      job.await_step(job.limit - ROUND + choose.randrange(3, ROUND - 3))
      lose(job, choose)
    assert job.limit <= LAST_STEP or not lose
    job.let(LAST_STEP + ROUND)
    return job.end()


@pytest.mark.long
def test_learns_what_is_learned_without_kills():
  choose = random.Random(int(os.environ.get("MILLRACE_SEED", "1")))
  calm = np.array([trained(seed=seed)[1] for seed in range(1, 11)])
  print(f"\nwithout kills: mean {calm.mean():.5f}, deviation {calm.std(ddof=1):.5f}, from {calm.min():.5f} to {calm.max():.5f}")
  for number, (role, lose) in enumerate(
    {
      "worker": lambda job, _: lose_worker(job),
      "chief": lambda job, _: lose_chief(job),
      "ps": lambda job, r: lose_ps(job, r.choice([[0], [0, 1]])),
    }.items()
  ):
    step, loss, updates = trained(lose, choose, seed=11 + number)
    distance = (loss - calm.mean()) / calm.std(ddof=1)
    print(f"{KILLS} kills of {role}: step {step}, loss {loss:.5f} ({distance:+.2f} deviations), updates {updates}", flush=True)
    assert LAST_STEP <= step <= LAST_STEP + 2
    assert abs(distance) <= 3
    assert all(n == round(n) and abs(n - step) <= 1 + (role != "worker") * KILLS for n in updates)
