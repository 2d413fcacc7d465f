"""Two asynchronous replicas on a cluster, whose steps overlap as a test wants; the variable is beside the global step or elsewhere."""

import os

import numpy as np
import pytest
import stale_steps
import task_servers
from millrace import parallel
from millrace.parallel import replica_table
from stale_steps import BEGIN, RATE, gradient

CLOSE = dict(rtol=1e-6, atol=1e-6)


@pytest.fixture(scope="module", params=["millrace", pytest.param("stock", marks=pytest.mark.long)])
def cluster(request):
  if request.param == "millrace" and not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 2, "worker": 2}, kind=request.param, together=request.param == "stock") as made:
    yield made


@pytest.fixture(params=["beside", "elsewhere"])
def place(request):
  """Of the variable; the global step is on the first parameter server."""
  return "/job:ps/task:%d" % (request.param == "elsewhere")


class Replica:
  def __init__(self, tf, cluster, number, use_resource, sparse, place, **options):
    worker = "/job:worker/task:%d" % number
    with tf.Graph().as_default():
      self.model = stale_steps.Model(tf, use_resource, sparse, ("/job:ps/task:0", place, worker))
      self.optimizer = parallel.AsyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(RATE), replicas=2, replica=number, **options
      )
      with tf.device(worker):
        train = self.optimizer.minimize(self.model.loss, global_step=self.model.step)
      if place != "/job:ps/task:0":
        # Reads on another task than the global step's are not ordered behind that of the step: the test waits for both.
        self.model.told._add_control_input(tf.get_default_graph().get_operation_by_name("async_replicas/begun"))
      self.fetches = [train, self.optimizer.staleness, self.optimizer.applied]
      config = tf.ConfigProto(operation_timeout_in_ms=60_000)
      self.session = tf.Session(cluster.target("worker", number), config=config)
      if number == 0:
        self.session.run(tf.global_variables_initializer())

  def steps(self, count):
    """Steps of which nobody disturbs the others."""
    for _ in range(count):
      self.model.let_go(self.session, 1)
      _, staleness, applied = self.session.run(self.fetches)
      self.session.run(self.model._await_begun)
      assert (staleness, applied) == (0, True)

  def value(self):
    return self.session.run(self.model.w)


@pytest.fixture
def two(tf, cluster):
  """Makes two replicas with the same options."""
  made = []
  tf.Session.reset(cluster.target("worker", 0))

  def make(*arguments, **options):
    made.extend(Replica(tf, cluster, number, *arguments, **options) for number in range(2))
    return made

  yield make
  for replica in made:
    replica.session.close()


def trained(value, sparse, steps):
  for _ in range(steps):
    value = value - RATE * gradient(value, sparse)
  return value


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("policy", ["measure", "scale", "drop"])
def test_a_step_during_which_the_other_makes_three(two, policy, use_resource, sparse, place):
  options = {"max_staleness": 2} if policy == "drop" else {}
  first, second = two(use_resource, sparse, place, staleness=policy, use_locking=policy == "drop", **options)
  second.steps(1)
  _, staleness, applied = first.model.run_while(first.session, first.fetches, lambda: second.steps(3))
  assert (staleness, applied) == (3, policy != "drop")
  # The gradient is of what there was when the step began.
  begun = trained(BEGIN, sparse, 1)
  share = {"measure": 1, "scale": 1 / 4, "drop": 0}[policy]
  np.testing.assert_allclose(second.value(), trained(begun, sparse, 3) - share * RATE * gradient(begun, sparse), **CLOSE)
  records = second.optimizer.read_records(second.session)
  assert records == first.optimizer.read_records(first.session)
  assert records.global_step == 4 + (policy != "drop")
  assert records.replicas == (
    replica_table.ReplicaRecord(
      clock=1, staleness_sum=3, dropped=int(policy == "drop"), max_staleness=3, at_least=(1, 1, 1, 1, 0, 0, 0, 0)
    ),
    replica_table.ReplicaRecord(clock=4, at_least=(4, 0, 0, 0, 0, 0, 0, 0)),
  )
