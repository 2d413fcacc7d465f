"""The stock client on servers of ours: sessions, steps, errors, time limits, lost tasks."""

import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import task_servers

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1
errors = tf.errors

if not os.path.exists(task_servers.COMMAND):
  pytest.skip(f"{task_servers.COMMAND} is not built", allow_module_level=True)


@pytest.fixture(scope="module", params=["millrace", pytest.param("stock", marks=pytest.mark.long)])
def cluster(request):
  with task_servers.Cluster({"ps": 2, "worker": 2}, kind=request.param) as made:
    yield made


@pytest.fixture(scope="module")
def ours():
  with task_servers.Cluster({"ps": 2, "worker": 2}) as made:
    yield made


@pytest.fixture(autouse=True)
def graph():
  with tf1.Graph().as_default() as made:
    yield made


# The client waits for ever to close a session whose server is gone, unless its calls have a deadline.
BOUNDED = tf1.ConfigProto(operation_timeout_in_ms=8000)
# What takes up to five seconds, on a busy machine. The limits of servers are tested in virtual time
# (tests/cluster/interrupted_steps_test.cc).
LIMIT_S = 10


def endless_loop():
  """An op that runs until it is cancelled."""
  return tf1.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [tf.constant(0)], name="endless")


def started(session, fetch):
  """Runs a step by a thread: the thread, and a list of the error with which the step ends."""
  caught = []

  def run():
    try:
      session.run(fetch)
    except Exception as e:  # pylint: disable=broad-except
      caught.append(e)

  thread = threading.Thread(target=run)
  thread.start()
  return thread, caught


def await_step(cluster, job, task=0):
  """Until a server of ours computes a step."""
  task_servers.wait_for(
    lambda: json.loads(cluster.status(job, task, options=["--json"]))["running_steps"] > 0, f"no step begins at {job} {task}"
  )


def test_a_constant(cluster):
  with tf1.Session(cluster.target("worker")) as session:
    assert session.run(tf.constant(42)) == 42
    assert session.run(tf.constant(b"text")) == b"text"


def test_feeds_and_fetches(cluster):
  x = tf1.placeholder(tf.float32, [None])
  with tf.device("/job:worker/task:1"):
    y = x + tf.constant([1.0, 2.0])
  with tf.device("/job:ps/task:0"):
    z = y * x
  with tf1.Session(cluster.target("worker")) as session:
    got = session.run([y, z, z], {x: [3.0, 4.0]})
    np.testing.assert_array_equal(got[0], [4.0, 6.0])
    np.testing.assert_array_equal(got[1], [12.0, 24.0])
  # An inner tensor is fed, which cuts the graph above it. In a session of its own: stock's master takes a run for
  # an earlier one if the names of its feeds and fetches, one after the other, are the same.
  with tf1.Session(cluster.target("worker")) as session:
    np.testing.assert_array_equal(session.run(z, {x: [1.0, 2.0], y: [5.0, 5.0]}), [5.0, 10.0])


def test_what_is_fed_can_be_fetched(ours):
  # A stock server refuses some of these ("Received response for unrequested fetch").
  x = tf1.placeholder(tf.float32, [None])
  with tf.device("/job:worker/task:1"):
    y = x + 1.0
  with tf.device("/job:ps/task:0"):
    z = y * x
  with tf1.Session(ours.target("worker")) as session:
    got = session.run([x, z, y, x], {x: [1.0, 2.0], y: [5.0, 5.0]})
    np.testing.assert_array_equal(got[0], [1.0, 2.0])
    np.testing.assert_array_equal(got[1], [5.0, 10.0])
    np.testing.assert_array_equal(got[2], [5.0, 5.0])


def test_the_graph_grows_between_runs(cluster):
  with tf1.Session(cluster.target("worker")) as session:
    total = tf.constant(1)
    for i in range(5):
      with tf.device(f"/job:{'ps' if i % 2 else 'worker'}/task:{i // 2 % 2}"):
        total = total + i
      assert session.run(total) == 1 + sum(range(i + 1))


def test_a_variable_on_a_ps_is_shared_by_sessions(cluster):
  with tf.device("/job:ps/task:1"):
    variable = tf1.get_variable("shared_v", initializer=1.0, use_resource=False)
  with tf.device("/job:worker/task:0"):
    delta = tf.constant(2.0) * 3.0
  update = tf1.assign_add(variable, delta)
  with tf1.Session(cluster.target("worker", 0)) as session:
    session.run(variable.initializer)
    assert session.run(update) == 7.0
  with tf1.Session(cluster.target("worker", 1)) as session:
    assert session.run(update) == 13.0
    assert session.run(variable) == 13.0


def test_a_resource_variable(cluster):
  with tf.device("/job:ps/task:0"):
    variable = tf1.get_variable("shared_r", initializer=[1.0, 2.0], use_resource=True)
  with tf.device("/job:worker/task:1"):
    twice = variable.read_value() * 2.0
  with tf1.Session(cluster.target("worker")) as session:
    session.run(variable.initializer)
    session.run(variable.assign_add([1.0, 1.0]))
    np.testing.assert_array_equal(session.run(twice), [4.0, 6.0])


def test_isolated_sessions_share_nothing(cluster):
  variable = tf1.get_variable("alone", initializer=1.0, use_resource=False)
  config = tf1.ConfigProto(isolate_session_state=True)
  with tf1.Session(cluster.target("worker"), config=config) as session:
    session.run(variable.initializer)
    assert session.run(variable) == 1.0
  with tf1.Session(cluster.target("worker"), config=config) as session:
    with pytest.raises(errors.FailedPreconditionError):
      session.run(variable)


def test_an_error_names_its_op(cluster):
  with tf.device("/job:ps/task:0"):
    variable = tf1.get_variable("not_initialized", initializer=1.0, use_resource=False)
  x = tf1.placeholder(tf.float32, [], name="not_fed")
  shape = tf1.placeholder(tf.int32, [None])
  with tf.device("/job:worker/task:1"):
    reshaped = tf.reshape(tf.constant([1.0, 2.0, 3.0]), shape, name="bad_reshape")
  with tf1.Session(cluster.target("worker")) as session:
    with pytest.raises(errors.FailedPreconditionError, match="not_initialized"):
      session.run(variable)
    with pytest.raises(errors.InvalidArgumentError, match="must feed a value") as caught:
      session.run(x + 1)
    assert caught.value.op.name == "not_fed"
    with pytest.raises(errors.InvalidArgumentError) as caught:
      session.run(reshaped, {shape: [2]})
    assert caught.value.op.name == "bad_reshape"
    # The session goes on.
    assert session.run(reshaped, {shape: [3]}).shape == (3,)


def test_names_that_are_not_there(cluster):
  with tf.device("/job:nobody/task:0"):
    lost = tf.constant(1)
  with tf1.Session(cluster.target("worker")) as session:
    with pytest.raises(errors.InvalidArgumentError, match="Cannot assign a device"):
      session.run(lost)


def test_soft_placement(cluster):
  with tf.device("/job:worker/task:0/gpu:0"):
    value = tf.constant(3)
  with tf1.Session(cluster.target("worker"), config=tf1.ConfigProto(allow_soft_placement=True)) as session:
    assert session.run(value) == 3


def test_a_timeout_ends_the_step_and_not_the_session(cluster):
  loop = endless_loop()
  with tf1.Session(cluster.target("worker")) as session:
    start = time.monotonic()
    with pytest.raises(errors.DeadlineExceededError):
      session.run(loop, options=tf1.RunOptions(timeout_in_ms=300))
    assert time.monotonic() - start < LIMIT_S
    assert session.run(tf.constant(1)) == 1


def test_operation_timeout(cluster):
  config = tf1.ConfigProto(operation_timeout_in_ms=500)
  with tf1.Session(cluster.target("worker"), config=config) as session:
    with pytest.raises(errors.DeadlineExceededError):
      session.run(endless_loop())


def test_close_ends_a_step(cluster):
  began = tf1.FIFOQueue(1, [tf.int32], [[]], shared_name="the_step_began")
  with tf.control_dependencies([began.enqueue(1)]):
    loop = endless_loop()
  begun = began.dequeue()
  session = tf1.Session(cluster.target("worker"))
  session.run(tf.constant(0))
  thread, caught = started(session, loop)
  with tf1.Session(cluster.target("worker")) as other:
    other.run(begun, options=tf1.RunOptions(timeout_in_ms=60_000))
  session.close()
  thread.join(LIMIT_S)
  assert not thread.is_alive()
  assert isinstance(caught[0], (errors.CancelledError, errors.AbortedError)), caught
  with pytest.raises(RuntimeError, match="closed"):
    session.run(tf.constant(1))


def test_reset_clears_containers_and_closes_sessions(cluster):
  with tf.device("/job:ps/task:0"), tf1.container("reset.me"):
    variable = tf1.get_variable("in_container", initializer=1.0, use_resource=False)
  target = cluster.target("worker")
  old = tf1.Session(target)
  old.run(variable.initializer)
  tf1.Session.reset(target, ["reset.me"])
  with pytest.raises(errors.AbortedError, match="is not found"):
    old.run(variable)
  with tf1.Session(target) as session:
    with pytest.raises(errors.FailedPreconditionError):
      session.run(variable)


def test_list_devices(cluster):
  with tf1.Session(cluster.target("worker")) as session:
    names = {d.name for d in session.list_devices() if d.device_type == "CPU"}
  assert names == {f"/job:{job}/replica:0/task:{task}/device:CPU:0" for job in ("ps", "worker") for task in (0, 1)}
  config = tf1.ConfigProto(device_filters=["/job:ps/task:1"])
  with tf1.Session(cluster.target("worker"), config=config) as session:
    names = {d.name for d in session.list_devices() if d.device_type == "CPU"}
  assert names == {"/job:ps/replica:0/task:1/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0"}


def test_narrow_transfers(cluster):
  x = tf1.placeholder(tf.float32, [])
  with tf.device("/job:ps/task:0"):
    y = x * 2.0
  config = tf1.ConfigProto()
  config.graph_options.enable_bfloat16_sendrecv = True
  with tf1.Session(cluster.target("worker"), config=config) as session:
    assert session.run(y, {x: 1.2345678}) == 2.46875


def test_cluster_propagation(cluster):
  config = tf1.ConfigProto()
  job = config.cluster_def.job.add(name="mine")
  job.tasks[0] = cluster.address("worker", 0)
  job.tasks[1] = cluster.address("ps", 0)
  with tf.device("/job:mine/task:1"):
    value = tf.constant(20) + 1
  with tf.device("/job:mine/task:0"):
    value = value * 2
  with tf1.Session(cluster.target("worker", 0), config=config) as session:
    assert session.run(value) == 42
    names = [d.name for d in session.list_devices() if d.device_type == "CPU"]
    assert sorted(names) == [f"/job:mine/replica:0/task:{i}/device:CPU:0" for i in (0, 1)]


def test_run_metadata(cluster):
  with tf.device("/job:ps/task:0"):
    x = tf.constant([1.0, 2.0]) * tf1.placeholder_with_default(2.0, [])
  with tf.device("/job:worker/task:0"):
    y = x + 1.0
  options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE, output_partition_graphs=True)
  metadata = tf1.RunMetadata()
  with tf1.Session(cluster.target("worker")) as session:
    session.run(y, options=options, run_metadata=metadata)
  devices = {stats.device for stats in metadata.step_stats.dev_stats}
  for job in ("ps", "worker"):
    assert any(d.startswith(f"/job:{job}/replica:0/task:0/") for d in devices), devices
  assert len(metadata.partition_graphs) >= 2


def partial_graph():
  """a and b are fed; sum needs both, over two tasks; last also needs c."""
  a, b, c = (tf1.placeholder(tf.float32, [], name=n) for n in "abc")
  with tf.device("/job:ps/task:0"):
    first = a * 2.0
  with tf.device("/job:worker/task:0"):
    both = first + b
  with tf.device("/job:ps/task:0"):
    last = both * c
  return a, b, c, first, both, last


def test_a_partial_run_over_two_tasks(cluster):
  a, b, c, first, both, last = partial_graph()
  with tf1.Session(cluster.target("worker")) as session:
    handle = session.partial_run_setup([first, both, last], [a, b, c])
    other = session.partial_run_setup([first, both], [a, b])
    assert session.partial_run(handle, first, {a: 3.0}) == 6
    assert session.partial_run(other, [first, both], {a: 1.0, b: 1.0}) == [2, 3]
    assert session.partial_run(handle, both, {b: 4.0}) == 10
    assert session.partial_run(handle, last, {c: 0.5}) == 5
    # All is fed and fetched, so it has ended.
    with pytest.raises(errors.InvalidArgumentError, match="Must run PartialRunSetup before performing partial runs"):
      session.partial_run(handle, first)
    assert session.run(last, {a: 1.0, b: 1.0, c: 2.0}) == 6


def test_what_a_partial_run_refuses(cluster):
  a, b, c, first, both, last = partial_graph()
  with tf1.Session(cluster.target("worker")) as session:
    handle = session.partial_run_setup([first, both], [a, b])
    with pytest.raises(errors.InvalidArgumentError, match="The feed c:0 was not specified in partial_run_setup"):
      session.partial_run(handle, first, {a: 3.0, c: 1.0})
    handle = session.partial_run_setup([first, both], [a, b])
    with pytest.raises(errors.InvalidArgumentError, match="was not specified in partial_run_setup"):
      session.partial_run(handle, last, {a: 3.0})
    handle = session.partial_run_setup([first, both], [a, b])
    with pytest.raises(errors.InvalidArgumentError, match="can't be computed from the feeds that have been fed so far"):
      session.partial_run(handle, both, {a: 3.0})
    handle = session.partial_run_setup([first, both], [a, b])
    session.partial_run(handle, first, {a: 3.0})
    with pytest.raises(errors.InvalidArgumentError, match="The feed a:0 has already been fed"):
      session.partial_run(handle, both, {a: 3.0, b: 1.0})
    with pytest.raises(errors.InvalidArgumentError, match="has already been fetched"):
      session.partial_run(handle, first, {b: 1.0})


def test_a_partial_run_without_a_feed_that_it_needs_is_refused_at_its_setup(ours):
  a = tf1.placeholder(tf.int32, [], name="a")
  b = tf1.placeholder(tf.int32, [], name="b")
  with tf.device("/job:ps/task:0"):
    reached, other = a + 0, b + 0
  with tf.control_dependencies([other]):
    after = a + 1
  with tf1.Session(ours.target("worker"), config=BOUNDED) as session:
    for fetches in ([reached, other], [reached, other.op]):
      with pytest.raises(errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'b'"):
        session.partial_run_setup(fetches, [a])
    # What is only waited for, and nobody reads, needs no value.
    handle = session.partial_run_setup([reached, after], [a])
    assert session.partial_run(handle, [reached, after], {a: 1}) == [1, 2]


def test_an_error_ends_a_partial_run(ours):
  a = tf1.placeholder(tf.int32, [], name="a")
  b = tf1.placeholder(tf.int32, [], name="b")
  with tf.device("/job:ps/task:0"):
    bad, first = tf.math.floordiv(a, b), a + 0
  with tf1.Session(ours.target("worker"), config=BOUNDED) as session:
    with pytest.raises(errors.InvalidArgumentError, match="a:0 is both fed and fetched."):
      session.partial_run_setup([a, bad], [a, b])
    handle = session.partial_run_setup([first, bad], [a, b])
    session.partial_run(handle, first, {a: 1})
    with pytest.raises(errors.InvalidArgumentError, match="zero"):
      session.partial_run(handle, bad, {b: 0})
    with pytest.raises(errors.InvalidArgumentError, match="Must run PartialRunSetup"):
      session.partial_run(handle, bad, {b: 1})
    # One that was never ended goes with its session.
    session.partial_run(session.partial_run_setup([first, bad], [a, b]), first, {a: 1})
    assert session.run(bad, {a: 6, b: 2}) == 3


def test_a_task_that_fails_between_calls_of_a_partial_run_says_why(ours):
  a = tf1.placeholder(tf.int32, [], name="a")
  b = tf1.placeholder(tf.int32, [], name="b")
  with tf.device("/job:ps/task:0"):
    bad = tf.math.floordiv(a, a - a) + b
  with tf.device("/job:worker/task:0"):
    first = a + 0
  with tf1.Session(ours.target("worker"), config=BOUNDED) as session:
    handle = session.partial_run_setup([first, bad], [a, b])
    assert session.partial_run(handle, first, {a: 1}) == 1
    task_servers.wait_for(
      lambda: json.loads(ours.status("ps", options=["--json"]))["running_steps"] == 0, "the step on the ps does not end"
    )
    with pytest.raises(errors.InvalidArgumentError, match="zero"):
      session.partial_run(handle, bad, {b: 0})


def test_log_device_placement(ours):
  with tf.device("/job:ps/task:1"):
    value = tf.constant(1, name="logged_node")
  with tf1.Session(ours.target("worker"), config=tf1.ConfigProto(log_device_placement=True)) as session:
    session.run(value)
  assert "logged_node: (Const): /job:ps/replica:0/task:1/device:CPU:0" in ours.log("worker")


def test_no_wait_for_tasks_that_are_not_used():
  with task_servers.Cluster({"ps": 2, "worker": 1}, absent=[("ps", 1)]) as cluster:
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf.constant(0))  # the client's own start is not measured
    start = time.monotonic()
    with tf1.Session(cluster.target("worker")) as session:
      with tf.device("/job:ps/task:0"):
        assert session.run(tf.constant(1)) == 1
    assert time.monotonic() - start < LIMIT_S  # one that waits does so for five minutes


def test_a_wait_for_an_absent_task_says_for_whom():
  with task_servers.Cluster({"ps": 2, "worker": 1}, absent=[("ps", 1)]) as cluster:
    with tf.device("/job:ps/task:1"):
      value = tf.constant(1)
    config = tf1.ConfigProto(operation_timeout_in_ms=1500)
    start = time.monotonic()
    with tf1.Session(cluster.target("worker"), config=config) as session:
      with pytest.raises(errors.DeadlineExceededError) as caught:
        session.run(value)
      assert time.monotonic() - start < LIMIT_S
      assert "/job:ps/replica:0/task:1" in caught.value.message
      assert cluster.address("ps", 1) in caught.value.message
      assert "refused" in caught.value.message
    # It comes, and the same client needs no more than to try again.
    cluster.start("ps", 1)
    with tf1.Session(cluster.target("worker"), config=BOUNDED) as session:
      assert session.run(value) == 1


def test_session_wait_ends_the_wait():
  with task_servers.Cluster({"ps": 1, "worker": 1}, absent=[("ps", 0)], flags=["--session_wait", "0.5"]) as cluster:
    with tf.device("/job:ps/task:0"):
      value = tf.constant(1)
    with tf1.Session(cluster.target("worker")) as session:
      with pytest.raises(errors.DeadlineExceededError, match="job:ps"):
        session.run(value)


@pytest.mark.parametrize("job", ["ps", "worker"])
def test_a_killed_task_ends_steps_and_a_new_session_works(job):
  task = 0 if job == "ps" else 1
  with task_servers.Cluster({"ps": 1, "worker": 2}) as cluster:
    with tf.device(f"/job:{job}/task:{task}"):
      variable = tf1.get_variable("v", initializer=1.0, use_resource=False)
      loop = endless_loop()
    session = tf1.Session(cluster.target("worker"))
    session.run(variable.initializer)
    thread, caught = started(session, loop)
    await_step(cluster, job, task)
    cluster.kill(job, task)
    thread.join(LIMIT_S)
    assert not thread.is_alive(), "the step goes on"
    assert isinstance(caught[0], (errors.UnavailableError, errors.AbortedError)), caught
    assert f"/job:{job}/replica:0/task:" in caught[0].message
    killed = time.monotonic()
    with pytest.raises((errors.UnavailableError, errors.AbortedError)):
      session.run(variable)
    # A new session finds the task gone, and says so soon.
    with tf1.Session(cluster.target("worker")) as other:
      with pytest.raises(errors.AbortedError, match=f"job:{job}"):
        other.run(variable)
    assert time.monotonic() - killed < LIMIT_S
    cluster.start(job, task)
    with pytest.raises((errors.UnavailableError, errors.AbortedError)):
      session.run(variable)  # the restarted task is not taken for the old one
    session.close()
    with tf1.Session(cluster.target("worker")) as other:
      with pytest.raises(errors.FailedPreconditionError):
        other.run(variable)
      other.run(variable.initializer)
      assert other.run(variable) == 1.0


def test_a_restarted_master_forgets_its_sessions():
  with task_servers.Cluster({"worker": 1}) as cluster:
    session = tf1.Session(cluster.target("worker"), config=BOUNDED)
    value = tf.constant(1)
    session.run(value)
    cluster.kill("worker")
    cluster.start("worker")
    with pytest.raises(errors.AbortedError, match="is not found"):
      session.run(value)
    with tf1.Session(cluster.target("worker")) as other:
      assert other.run(value) == 1


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "command"])
def test_a_server_stops_while_a_step_runs(how):
  with task_servers.Cluster({"ps": 1, "worker": 1}) as cluster:
    with tf.device("/job:ps/task:0"):
      loop = endless_loop()
    session = tf1.Session(cluster.target("worker"), config=BOUNDED)
    session.run(tf.constant(0))
    thread, caught = started(session, loop)
    await_step(cluster, "ps")
    process = cluster.processes.pop(("worker", 0))
    if how == "command":
      assert subprocess.run([task_servers.COMMAND, "stop", cluster.address("worker")]).returncode == 0
    else:
      process.send_signal(getattr(signal, how))
    assert process.wait(LIMIT_S) == 0
    thread.join(LIMIT_S)
    assert not thread.is_alive(), "the step goes on"
    assert isinstance(caught[0], errors.AbortedError) and "stopped" in caught[0].message, caught
    # Nothing of the session is left at the other task.
    status = cluster.status("ps", options=["--json"])
    assert '"worker_sessions": 0' in status and '"running_steps": 0' in status
