"""Servers and clients die at random, again and again, under steps, some of which wait for elements of queues or fill a
shuffling queue by four threads, and under resets: every call ends in time, those that needed the dead one with its name;
it comes back at its address, sessions are made again, and nothing is left of the old ones.

MILLRACE_SEED chooses other victims; the seed is printed with a failure.
"""

import os
import random
import time

import pytest

import step_clients
import task_servers
from step_clients import LOST, StepClient, Stepper, await_status, full_name, is_idle, seconds_between

# Twice what servers take at most, for a busy machine.
LIMIT_S = 10.0
# The stock client's own pauses between attempts to reach its master.
RECONNECT_S = 25.0
# Of the shuffling queue: what is taken at once, and what stays.
BATCH, STAY = 8, 4
PS = [("ps", 0), ("ps", 1)]
WORKERS = [("worker", 0), ("worker", 1)]
TASKS = PS + WORKERS

pytestmark = pytest.mark.skipif(
  not (os.path.exists(task_servers.COMMAND) and os.path.exists(step_clients.STEP_CLIENT)),
  reason="the servers or the client program are not built",
)


class Trainer:
  """A client that keeps a session with steps: short ones, one that waits until it is released, one that waits for an
  element of a queue, and those of four threads that fill a queue and of one that takes batches of it."""

  def __init__(self, cluster, number, kind):
    self.cluster, self.number, self.kind = cluster, number, kind
    self.master, self.wait_task = WORKERS[number % 2], WORKERS[(number + 1) % 2]
    self.loop, self.aside = PS[number // 2 % 2], PS[(number // 2 + 1) % 2]
    self.needs = {self.master, self.wait_task, self.loop}
    self.client = StepClient(kind)
    self.session = None  # its name
    self.lives = 0
    self.waiting = self.taking = None
    self.joins, self.steppers = [], []

  def waits_by_itself(self, task):
    """Whether its calls go on when `task` is gone: the stock client waits for its master to come back."""
    return self.kind == "stock" and task == self.master

  def open(self):
    """The first call of a new session; `begin` goes on when it has ended."""
    self.lives += 1
    self.session = f"trainer{self.number}_{self.lives}"
    return self.client.open(
      self.cluster, self.session, self.master, self.loop, self.wait_task, self.aside, self.session, timeout_s=30
    )

  def begin(self):
    self.client.run(self.session, "init").value()
    assert self.client.run(self.session, "step").value() == "-1"

  def start_waiting(self):
    self.waiting = self.client.run(self.session, "wait")
    self.taking = self.client.run(self.session, "take")

  def start_steps(self):
    def steps(fetch, text=None):
      client, session = self.client, self.session
      return Stepper(lambda: client.run(session, fetch), text)

    self.joins = [steps(f"join{i}") for i in range(4)]
    self.steppers = [steps("step"), steps("batch", "-56")]

  def pooled(self):
    return int(self.client.run(self.session, "pooled").value())

  def stop_steps(self):
    """Those that fill the queue first, as they may wait for the one that takes batches; it may need some more elements
    then, and never more than there is room for."""
    stepper, batches = self.steppers
    for one in [*self.joins, stepper]:
      one.ask_to_stop()
    for one in [*self.joins, stepper]:
      one.join()
    batches.ask_to_stop()
    while not batches.stopped:
      if self.pooled() < BATCH + STAY:
        self.client.run(self.session, "join0").value()
    batches.join()
    return self.joins + self.steppers

  def forget_steps(self):
    """Of a client that is gone."""
    for stepper in self.joins + self.steppers:
      stepper.join()

  def lost_calls(self, task):
    """Waits for the calls that fail as `task` has died."""
    self.waiting.wait()
    self.taking.wait()
    for stepper in self.steppers:
      stepper.join()
    # Those that wait for room need only the task that has the queue.
    while task == self.wait_task and not all(join.stopped for join in self.joins):
      if self.pooled() >= BATCH + STAY:
        self.client.run(self.session, "drain").value()
    for join in self.joins:
      join.join()
    return [self.waiting, self.taking] + [stepper.failed for stepper in self.joins + self.steppers]

  def release(self):
    self.client.run(self.session, "release").value()
    self.waiting.value()
    self.client.run(self.session, "put").value()
    assert self.taking.value() == "-1"
    self.client.run(self.session, "init_gate").value()

  def restart(self):
    self.client = StepClient(self.kind)


def lose(process, how):
  if how == "kill":
    process.kill()
  else:
    task_servers.freeze(process)


class Chaos:
  def __init__(self, cluster, kinds, seed):
    self.cluster = cluster
    self.random = random.Random(seed)
    self.trainers = [Trainer(cluster, i, kind) for i, kind in enumerate(kinds)]
    self.log = [f"seed {seed}"]
    self.round_began = time.monotonic()
    # Sessions that a dead client has left at its master.
    self.left = {task: 0 for task in TASKS}
    self.begin_sessions(self.trainers)

  def tell(self, what):
    """For the log of a failure: seconds into the round."""
    self.log.append(f"{time.monotonic() - self.round_began:7.2f} s  {what}")

  def begin_sessions(self, trainers):
    for call in [trainer.open() for trainer in trainers]:
      call.value()
    for trainer in trainers:
      trainer.begin()

  def round(self):
    self.round_began = time.monotonic()
    for trainer in self.trainers:
      trainer.start_waiting()
    for task in TASKS:
      steps = sum(2 * (task in (t.loop, t.wait_task)) for t in self.trainers)
      await_status(self.cluster, task, lambda s, steps=steps: s["running_steps"] == steps)
    for trainer in self.trainers:
      trainer.start_steps()
    time.sleep(self.random.uniform(0, 0.2))  # nothing is waited for: it shall hit steps at any point
    how = self.random.choice(["kill", "kill", "stop"])
    victim = self.random.choice(TASKS + self.trainers)
    if isinstance(victim, Trainer):
      self.tell(f"{how} client {victim.number}")
      self.lose_client(victim, how)
    else:
      self.tell(f"{how} {full_name(victim)}")
      self.lose_task(victim, how)
    over_at = time.monotonic()
    self.tell("the round is over")
    for task in TASKS:
      await_status(self.cluster, task, is_idle)
    assert seconds_between(over_at, time.monotonic()) <= LIMIT_S

  def finish_calls(self, trainers):
    for trainer in trainers:
      for stepper in trainer.stop_steps():
        assert stepper.failed is None, str(stepper.failed)
        assert stepper.slowest is None or stepper.slowest.seconds < LIMIT_S, str(stepper.slowest)
      self.tell(f"steps of trainer {trainer.number} are over")
      trainer.release()

  def lose_task(self, task, how):
    process = self.cluster.processes[task]
    needing = [t for t in self.trainers if task in t.needs]
    waiting = [t for t in needing if t.waits_by_itself(task)]
    lost_at = time.monotonic()
    lose(process, how)
    for trainer in needing:
      if trainer in waiting:
        continue
      for call in trainer.lost_calls(task):
        assert call.code in LOST, str(call)
        assert seconds_between(max(call.started, lost_at), call.ended) <= LIMIT_S, str(call)
        assert full_name(task) in call.text, str(call)
        assert self.cluster.address(*task) in call.text, str(call)
    self.finish_calls([t for t in self.trainers if t not in needing])
    self.cluster.kill(*task)
    self.cluster.start(*task)
    back_at = time.monotonic()
    self.left[task] = 0
    for trainer in waiting:
      for call in trainer.lost_calls(task):
        assert call.code in LOST, str(call)
        assert seconds_between(back_at, call.ended) <= RECONNECT_S, str(call)
    for call in [trainer.client.close(trainer.session) for trainer in needing]:
      call.wait()
      assert call.code in ("OK", "ABORTED"), str(call)
    self.begin_sessions(needing)

  def lose_client(self, victim, how):
    if how == "stop":
      victim.client.freeze()
    else:
      victim.client.kill()
    self.finish_calls([t for t in self.trainers if t is not victim])
    if how == "stop":
      victim.client.kill()
    victim.forget_steps()
    self.left[victim.master] += 1
    victim.restart()
    self.begin_sessions([victim])

  def check_sessions(self):
    for task in TASKS:
      sessions = sum(t.master == task for t in self.trainers) + self.left[task]
      await_status(self.cluster, task, lambda s, n=sessions: s["master_sessions"] == n)

  def end(self):
    """All sessions are closed: what dead clients left is all that there is."""
    for call in [t.client.close(t.session) for t in self.trainers]:
      call.value()
    left = sum(self.left.values())
    for task in TASKS:
      await_status(
        self.cluster,
        task,
        lambda s, task=task: s["master_sessions"] == self.left[task] and s["worker_sessions"] <= left and is_idle(s),
      )
    for trainer in self.trainers:
      trainer.client.kill()


@pytest.mark.parametrize(
  "kills, kinds",
  [
    (10, ["cpp"] * 4),
    pytest.param(100, ["cpp", "cpp", "cpp", "stock"], marks=pytest.mark.long),
  ],
)
def test_kills_in_a_row(kills, kinds):
  seed = int(os.environ.get("MILLRACE_SEED", "1"))
  with task_servers.Cluster({"ps": 2, "worker": 2}) as cluster:
    chaos = Chaos(cluster, kinds, seed)
    try:
      for _ in range(kills):
        chaos.round()
        chaos.check_sessions()
      chaos.end()
    except BaseException:
      print("\n".join(chaos.log))
      for task in TASKS:
        print(f"--- {full_name(task)}\n{cluster.log(*task)[-3000:]}")
      raise


@pytest.mark.parametrize("kills", [5, pytest.param(30, marks=pytest.mark.long)])
def test_kills_under_resets(kills):
  """A reset asks every task, so each that runs while a task is lost fails, and names it."""
  seed = int(os.environ.get("MILLRACE_SEED", "1"))
  choose = random.Random(seed)
  with task_servers.Cluster({"ps": 2, "worker": 2}) as cluster:
    clients = {master: StepClient("cpp") for master in WORKERS}
    for _ in range(kills):
      steppers = [Stepper(lambda c=client, m=master: c.reset(cluster, m, "nothing")) for master, client in clients.items()]
      task_servers.wait_for(lambda ss=steppers: all(s.steps > 0 for s in ss), "no reset has ended")
      time.sleep(choose.uniform(0, 0.2))  # nothing is waited for: it shall hit resets at any point
      victim, how = choose.choice(TASKS), choose.choice(["kill", "freeze"])
      lost_at = time.monotonic()
      lose(cluster.processes[victim], how)
      for stepper in steppers:
        stepper.join()
        call = stepper.failed
        assert call.code in LOST, f"seed {seed}: {call}"
        assert seconds_between(max(call.started, lost_at), call.ended) <= LIMIT_S, f"seed {seed}: {call}"
        assert cluster.address(*victim) in call.text, f"seed {seed}: {call}"
      cluster.kill(*victim)
      cluster.start(*victim)
    for client in clients.values():
      client.kill()
    for task in TASKS:
      await_status(cluster, task, is_idle)
