"""Synchronous training by the stock client: after a number of updates the variables are stock's, whoever made them; and
those who wait are seen."""

import itertools
import json
import os
import re

import pytest

pytest.importorskip("tensorflow")

import synchronous_replicas as sync  # noqa: E402
import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from synchronous_replicas import Case  # noqa: E402

tf1 = tf.compat.v1

pytestmark = pytest.mark.filterwarnings("ignore")
UPDATES = 6
WAYS = {"monitored": sync.monitored, "supervised": sync.supervised, "by_hand": sync.by_hand}
# In each run of the tests; the others are long.
SHORT = [
  ("monitored", Case(2, 2, resources=False, sparse=False)),
  ("monitored", Case(3, 2, resources=False, sparse=True, optimizer="adam")),
  ("monitored", Case(2, 3, resources=True, sparse=True)),
  ("supervised", Case(4, 4, resources=False, sparse=True, optimizer="momentum")),
  ("supervised", Case(3, 4, resources=True, sparse=False)),
  ("by_hand", Case(3, 3, resources=False, sparse=True, optimizer="adam", apart=True)),
  ("by_hand", Case(2, 4, resources=False, sparse=False, optimizer="adam", apart=True)),
]


def all_cases():
  yield from SHORT
  for way, workers, resources, sparse in itertools.product(WAYS, (2, 3, 4), (False, True), (False, True)):
    larger = 2 * workers if way == "by_hand" else workers + 1
    for aggregate, optimizer in zip((workers - 1, workers, larger), ("sgd", "adam", "momentum")):
      apart = way == "by_hand" and aggregate >= workers
      yield way, Case(workers, aggregate, resources, sparse, optimizer, apart)


def named(way, case):
  words = [
    way,
    f"{case.aggregate}of{case.workers}",
    "resource" if case.resources else "ref",
    "sparse" if case.sparse else "dense",
    case.optimizer,
  ]
  return pytest.param(way, case, id="-".join(words), marks=[] if (way, case) in SHORT else pytest.mark.long)


CASES = [named(*c) for c in dict.fromkeys(all_cases())]


@pytest.fixture(scope="module", autouse=True)
def impatient_clients():
  restore = sync.look_often()
  yield
  restore()


@pytest.fixture(scope="module", params=["millrace", pytest.param("stock", marks=pytest.mark.long)])
def cluster(request):
  if request.param == "millrace" and not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 2, "worker": 4}, kind=request.param, together=request.param == "stock") as made:
    yield made


@pytest.fixture
def ours(cluster):
  if cluster.kind != "millrace":
    pytest.skip("stock's servers have no status")
  return cluster


@pytest.mark.parametrize("way, case", CASES)
def test_updates_are_those_of_one_alone(cluster, way, case):
  step, values = sync.train(cluster, case, WAYS[way], UPDATES)
  assert step == UPDATES if way == "by_hand" else step >= UPDATES
  sync.assert_equal(values, sync.expected(case, step))


@pytest.mark.parametrize("way", ["monitored", pytest.param("supervised", marks=pytest.mark.long)])
def test_a_worker_whose_data_ends_is_not_missed(cluster, way):
  """Two of three are aggregated, so two go on when the third has left."""
  case = Case(3, 2, resources=False, sparse=True)
  step, values = sync.train(cluster, case, WAYS[way], updates=12, batches=[None, None, 3])
  assert step >= 12
  sync.assert_equal(values, sync.expected(case, step))


def waits(cluster, job, task=0):
  return json.loads(cluster.status(job, task, ["--json", "--waits", "100"]))["waits"]


def texts(cluster, job, task=0):
  return [w["text"] for w in waits(cluster, job, task)]


def await_text(cluster, job, task, pattern):
  """Until a wait's text matches; gives the match."""
  found = []

  def seen():
    found[:] = [m for m in (re.search(pattern, t) for t in texts(cluster, job, task)) if m]
    return bool(found)

  task_servers.wait_for(seen, lambda: f"{pattern}:\n{cluster.status(job, task)}", 60)
  return found[0]


def test_status_says_what_replicas_wait_for(ours):
  """Three are aggregated. Of each kind of wait: who waits, for what, and how many are missing now."""
  for sparse in (False, True):
    case = Case(3, 3, resources=False, sparse=sparse)
    with sync.Stuck(ours, case, [sync.OPERATION_MS] * 3) as stuck:
      stuck.make_updates()
      takes = [
        r"take of 3 gradients from accumulator v0\S*/grad_accum, node \S+, step (-?\d+): {} missing",
        r"take of 3 gradients from accumulator v1\S*/grad_accum, node \S+, step (-?\d+): {} missing",
      ]
      for n, missing in ((0, "3 gradients"), (1, "2 gradients"), (2, "1 gradient")):
        if n > 0:
          stuck.begin_step(n)
        for task in (0, 1):
          # The first variable is on the second ps, the global step on the first.
          await_text(ours, "ps", task, "|".join(t.format(missing) for t in takes))
      tokens = [w for w in waits(ours, "ps", 0) if "dequeue from queue sync_token_q" in w["text"]]
      assert len(tokens) == 2
      for token in tokens:
        assert token["text"].endswith(": 1 element missing")
      assert "/job:ps/replica:0/task:0" in ours.status("ps", 0).split("\n")[0]
      # The masters of those who wait name the tasks where their steps are.
      for index in (1, 2):
        steps = [w for w in waits(ours, "worker", index) if w["kind"] == "step"]
        assert len(steps) == 1
        assert re.search("waits for RunGraph on .*/job:ps/replica:0/task:0", steps[0]["text"])
        assert any(f"step {steps[0]['step_id']}:" in token["text"] for token in tokens)
      stuck.begin_step(0).join()
      await_text(ours, "ps", 0, takes[0].format("3 gradients") + "|" + takes[1].format("3 gradients"))
      assert not [t for t in texts(ours, "ps", 0) if "sync_token_q" in t]
      for step in stuck.begun:
        assert step.join().error is None


def test_who_waits_for_one_that_has_left_ends_by_the_deadline_of_its_own(cluster):
  """The data of one of two ends. No task is lost, so the other waits, as on stock, until its own client has enough."""
  case = Case(2, 2, resources=False, sparse=False)
  with sync.Stuck(cluster, case, [sync.OPERATION_MS, 5_000]) as stuck:
    stuck.make_updates()
    step = stuck.begin_step(1).join()
    assert isinstance(step.error, tf.errors.DeadlineExceededError), step.error
    # The chief comes late. There is its gradient and that of the step that ended.
    stuck.sessions[0].run(stuck.replicas[0].update)
    assert stuck.sessions[0].run(stuck.replicas[0].step) == 1
