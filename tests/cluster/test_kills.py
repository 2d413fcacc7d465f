"""Servers and clients are killed and frozen while steps wait and compute: who needs them hears of it soon, everybody
else goes on, and nothing of them is left.

Each scenario takes seconds of waiting, so two threads run them side by side, each on a cluster of its own, and the
tests look at what they found.
"""

import os
import signal
import threading
import time
import traceback
from collections import Counter

import pytest

import step_clients
import task_servers
from step_clients import LOST, StepClient, Stepper, await_status, full_name, is_idle, seconds_between, status, thread_names

# Servers take five seconds at most, which is tested in virtual time (interrupted_steps_test.cc); this is a busy machine.
LIMIT_S = 10.0
PS, OTHER_PS, MASTER, WORKER, OTHER_MASTER = ("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1), ("worker", 2)
# The other task of the steps that need the lost one.
PARTNER = {PS: WORKER, WORKER: PS, MASTER: PS}
VICTIMS = {"ps": PS, "worker": WORKER, "master": MASTER}
CLIENTS = ["cpp", "stock"]

pytestmark = pytest.mark.skipif(
  not (os.path.exists(task_servers.COMMAND) and os.path.exists(step_clients.STEP_CLIENT)),
  reason="the servers or the client program are not built",
)


class Lane:
  """A cluster with clients, and scenarios one after the other on them."""

  def __init__(self, how):
    self.how = how
    self.found = {}  # facts by scenario
    self.failure = None
    self._over = {name: threading.Event() for name in [*VICTIMS, "client"]}
    self._thread = threading.Thread(target=self._run)
    self._thread.start()

  def facts(self, scenario):
    assert self._over[scenario].wait(300), "the scenario has not ended"
    if scenario not in self.found:
      pytest.fail(self.failure)
    return self.found[scenario]

  def join(self):
    self._thread.join()

  def _run(self):
    try:
      # The stock client takes a while to start.
      clients = {kind: StepClient(kind) for kind in reversed(CLIENTS)}
      bystander = StepClient("cpp")
      try:
        with task_servers.Cluster({"ps": 2, "worker": 3}) as cluster:
          for name, task in VICTIMS.items():
            self.found[name] = LostTask(cluster, clients, bystander, self.how, name, task).facts
            self._over[name].set()
          self.found["client"] = lost_clients(cluster, clients, bystander, self.how)
      finally:
        for client in [*clients.values(), bystander]:
          client.kill()
    except BaseException:  # pylint: disable=broad-except
      self.failure = traceback.format_exc()
    for event in self._over.values():
      event.set()


class LostTask:
  """One task is lost. Of each client two sessions need it: in one it computes what its partner waits for, in the other
  it waits for what its partner computes. They are steps of the master worker:0; a bystander's master is worker:2."""

  def __init__(self, cluster, clients, bystander, how, name, task):
    self.cluster, self.clients, self.how, self.task = cluster, clients, how, task
    self.name = f"{how}_{name}"
    self.partner = PARTNER[task]
    self.facts = {"task": full_name(task), "address": cluster.address(*task)}
    # A client that waits for its dead master by itself ends by this.
    self.timeout_s = 15
    self.open_sessions(bystander)
    calls = self.start_calls()
    others = Stepper(lambda: bystander.run("bystander", "step"))
    lost_at = self.lose()
    self.look(calls, lost_at)
    self.facts["bystander"] = others.stop()
    self.heal()
    for kind, client in clients.items():
      for session in ("computing", "waiting"):
        client.close(session)
    bystander.close("bystander").value()

  def address(self):
    return self.cluster.address(*self.task)

  def open(self, kind, session, loop, wait):
    return self.clients[kind].open(self.cluster, session, MASTER, loop, wait, OTHER_PS, f"{self.name}_{kind}", self.timeout_s)

  def open_sessions(self, bystander):
    opened = [bystander.open(self.cluster, "bystander", OTHER_MASTER, OTHER_PS, OTHER_MASTER, OTHER_PS, self.name)]
    for kind in self.clients:
      opened.append(self.open(kind, "computing", self.task, self.partner))
      opened.append(self.open(kind, "waiting", self.partner, self.task))
    for call in opened:
      call.value()
    inits = [bystander.run("bystander", "init")]
    inits += [client.run(s, "init") for client in self.clients.values() for s in ("computing", "waiting")]
    for call in inits:
      call.value()

  def start_calls(self):
    calls = {}
    for kind, client in self.clients.items():
      for session in ("computing", "waiting"):
        calls[kind, session] = client.run(session, "wait")
      if self.task != MASTER:
        calls[kind, "aside"] = client.run("computing", "aside")
    # Each of both takes part in all four steps, and is asked for two tensors that do not come.
    for task in (self.task, self.partner):
      await_status(self.cluster, task, lambda s: s["running_steps"] == 4 and s["rendezvous_entries"] == 2)
    if self.task != MASTER:
      await_status(self.cluster, OTHER_PS, lambda s: s["running_steps"] == 2)
    return calls

  def lose(self):
    lost_at = time.monotonic()
    if self.how == "kill":
      self.cluster.kill(*self.task)
    else:
      task_servers.freeze(self.cluster.processes[self.task])
    return lost_at

  def look(self, calls, lost_at):
    """What becomes of the calls, of new calls, and of the partner."""
    if self.task != MASTER:
      for kind, client in self.clients.items():
        calls[kind, "late"] = client.run("computing", "at_loop")
        calls[kind, "near"] = client.run("computing", "near")
        calls[kind, "fresh"] = self.open(kind, "fresh", self.task, self.partner)
    await_status(self.cluster, self.partner, is_idle)
    self.facts["partner_idle_s"] = seconds_between(lost_at, time.monotonic())
    for (kind, what), call in calls.items():
      if what == "aside":
        continue
      call.wait()
      self.facts[kind, what] = {
        "code": call.code,
        "text": call.text,
        "call": str(call),
        "seconds": seconds_between(max(lost_at, call.started), call.ended),
      }
    for kind, client in self.clients.items():
      if self.task == MASTER:
        continue
      aside = calls[kind, "aside"]
      assert not aside.done, str(aside)
      client.run("waiting", "release_aside").value()
      aside.value()

  def heal(self):
    """The task comes back: as another one after a kill, as itself after a freeze."""
    if self.how == "kill":
      self.cluster.start(*self.task)
    else:
      self.cluster.processes[self.task].send_signal(signal.SIGCONT)
    healed_at = time.monotonic()
    await_status(self.cluster, self.task, is_idle)
    self.facts["idle_again_s"] = seconds_between(healed_at, time.monotonic())
    for kind, client in self.clients.items():
      if self.how == "kill":
        old = client.run("computing", "step").wait()
        self.facts[kind, "restarted"] = {"code": old.code, "text": old.text, "call": str(old), "seconds": old.seconds}
      else:
        assert client.run("computing", "step").value().startswith("-")
      self.open(kind, "again", self.task, self.partner).value()
      client.run("again", "init").value()
      assert client.run("again", "step").value() == "-1"
      client.close("again").value()


def lost_clients(cluster, clients, bystander, how):
  """The clients of the lane are lost, one after the other, with a step that waits and one that computes."""
  facts = {}
  tasks = (MASTER, PS, WORKER)
  bystander.open(cluster, "bystander", OTHER_MASTER, OTHER_PS, OTHER_MASTER, OTHER_PS, "of_clients").value()
  bystander.run("bystander", "init").value()
  bystander.open(cluster, "releases", OTHER_MASTER, PS, WORKER, WORKER, "of_clients").value()
  for kind, client in clients.items():
    client.open(cluster, "s", MASTER, PS, WORKER, WORKER, "of_clients").value()
    client.run("s", "init").value()
    client.run("s", "step").value()
    threads = {task: thread_names(cluster.processes[task]) for task in tasks}
    waiting, computing = client.run("s", "wait"), client.run("s", "aside")
    await_status(cluster, PS, lambda s: s["running_steps"] == 1 and s["rendezvous_entries"] == 1)
    await_status(cluster, WORKER, lambda s: s["running_steps"] == 2)
    others = Stepper(lambda: bystander.run("bystander", "step"))
    if how == "stop":
      client.freeze()
      # Its step that waits can end, the one that computes goes on; nobody is harmed.
      bystander.run("releases", "release").value()
      await_status(cluster, PS, is_idle)
      time.sleep(2)  # it is frozen for so long; nothing happens that could be waited for
      assert status(cluster, WORKER)["running_steps"] == 1
      client.thaw()
      waiting.value()
      assert not computing.done
      client.freeze()
    lost_at = time.monotonic()
    client.kill()
    left = {}

    def new_threads(task, threads=threads):
      return Counter(thread_names(cluster.processes[task])) - Counter(threads[task])

    for task in tasks:

      def is_gone(s, task=task):
        steps = [w for w in s["waits"] if w["kind"] in ("step", "RunGraph", "RecvTensor")]
        return is_idle(s) and not steps and not new_threads(task) and step_clients.rests(cluster.processes[task])

      try:
        await_status(cluster, task, is_gone, 2 * LIMIT_S)
      except TimeoutError as e:
        left[full_name(task)] = f"new threads {new_threads(task)}; {e}"
    facts[kind] = {"seconds": seconds_between(lost_at, time.monotonic()), "left": left, "bystander": others.stop()}
  return facts


@pytest.fixture(scope="module")
def lanes():
  made = {how: Lane(how) for how in ("kill", "stop")}
  yield made
  for lane in made.values():
    lane.join()


def expect_lost(facts, fact):
  """The call ended in time, with a code that clients recover from, and says who is to blame."""
  fact = facts[fact]
  assert fact["code"] in LOST, fact["call"]
  assert fact["seconds"] <= LIMIT_S, fact
  assert facts["task"] in fact["text"], fact["call"]
  assert facts["address"] in fact["text"], fact["call"]


def expect_undisturbed(bystander):
  assert bystander.failed is None, str(bystander.failed)
  assert bystander.steps > 0
  assert bystander.slowest is None or bystander.slowest.seconds < LIMIT_S, str(bystander.slowest)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("state", ["waiting", "computing"])
@pytest.mark.parametrize("victim", ["ps", "worker"])
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_call_that_needs_the_lost_task_ends(lanes, how, victim, state, client):
  expect_lost(lanes[how].facts(victim), (client, state))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("victim", ["ps", "worker"])
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_while_the_task_is_lost(lanes, how, victim, client):
  facts = lanes[how].facts(victim)
  # Calls that begin now, the making of a session among them.
  expect_lost(facts, (client, "late"))
  expect_lost(facts, (client, "fresh"))
  # The session is of use where its tasks live.
  assert facts[client, "near"]["code"] == "OK", facts[client, "near"]
  if how == "kill":
    expect_lost(facts, (client, "restarted"))


@pytest.mark.parametrize("state", ["waiting", "computing"])
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_call_to_a_lost_master_ends(lanes, how, state):
  facts = lanes[how].facts("master")
  expect_lost(facts, ("cpp", state))
  # The stock client waits until its operation_timeout_in_ms.
  assert facts["stock", state]["code"] in (*LOST, "DEADLINE_EXCEEDED"), facts["stock", state]


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_nothing_stays_at_the_survivors(lanes, how, victim):
  facts = lanes[how].facts(victim)
  assert facts["partner_idle_s"] <= LIMIT_S
  assert facts["idle_again_s"] <= LIMIT_S
  expect_undisturbed(facts["bystander"])


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_nothing_stays_of_a_dead_client(lanes, how, client):
  fact = lanes[how].facts("client")[client]
  assert not fact["left"], "\n".join(f"{k}: {v}" for k, v in fact["left"].items())
  assert fact["seconds"] <= LIMIT_S, fact
  expect_undisturbed(fact["bystander"])
