"""AsyncReplicasOptimizer in one process: what becomes of gradients of a staleness that the test decides, names, errors, records."""

import threading

import numpy as np
import pytest
import stale_steps
from millrace import parallel
from millrace.parallel import replica_table
from stale_steps import BEGIN, RATE, gradient

CLOSE = dict(rtol=1e-6, atol=1e-6)


@pytest.fixture(params=["dense", "sparse"])
def sparse(request):
  return request.param == "sparse"


def make(tf, use_resource, sparse, opt=None, **options):
  model = stale_steps.Model(tf, use_resource, sparse)
  optimizer = parallel.AsyncReplicasOptimizer(opt or tf.train.GradientDescentOptimizer(RATE), **options)
  return model, optimizer, optimizer.minimize(model.loss, global_step=model.step)


def ancestors(tensor):
  """The names of ops that run before a tensor is there."""
  seen, pending = set(), [tensor.op]
  while pending:
    one = pending.pop()
    for before in [t.op for t in one.inputs] + list(one.control_inputs):
      if before.name not in seen:
        seen.add(before.name)
        pending.append(before)
  return seen


def test_measured_gradients_are_applied_as_they_are(tf, use_resource, sparse):
  model, optimizer, train = make(tf, use_resource, sparse)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value, step = BEGIN, 0
    for staleness in (0, 3, 1):
      _, found, applied, after = model.run_stale(
        session, [train, optimizer.staleness, optimizer.applied, train.outputs[0]], staleness
      )
      value = value - RATE * gradient(value, sparse)
      step += staleness + 1
      assert (found, applied, after) == (staleness, True, step)
      np.testing.assert_allclose(session.run(model.w), value, **CLOSE)
    records = optimizer.read_records(session)
    assert records.global_step == step == 7
    assert records.replicas == (
      replica_table.ReplicaRecord(clock=3, staleness_sum=4, max_staleness=3, at_least=(3, 2, 1, 1, 0, 0, 0, 0)),
    )


@pytest.mark.parametrize("rule", ["sgd", "momentum", "adam"])
def test_dropped_gradients_change_nothing(tf, use_resource, sparse, rule):
  """Neither the variable nor slots, of which Adam's change whatever the gradient is, nor the global step."""
  opt = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(RATE),
    "momentum": lambda: tf.train.MomentumOptimizer(RATE, 0.5),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
  }[rule]()
  model, optimizer, train = make(tf, use_resource, sparse, opt, staleness="drop", max_staleness=2)
  state = [v for v in tf.global_variables() if v is not model.step]
  assert len(state) == {"sgd": 1, "momentum": 2, "adam": 5}[rule]
  fetches = [train, optimizer.staleness, optimizer.applied, optimizer.dropped, train.outputs[0]]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before, step = session.run(state), 0
    for staleness, is_applied, dropped in ((2, True, 0), (3, False, 1), (0, True, 1), (40, False, 2)):
      found = model.run_stale(session, fetches, staleness)
      step += staleness + is_applied
      assert found[1:] == [staleness, is_applied, dropped, step]
      assert session.run(model.step) == step
      after = session.run(state)
      for variable, old, new in zip(state, before, after):
        assert np.array_equal(old, new) != is_applied, variable.op.name
      before = after
    records = optimizer.read_records(session)
    assert records.replicas[0] == replica_table.ReplicaRecord(
      clock=4, staleness_sum=45, dropped=2, max_staleness=40, at_least=(4, 3, 3, 2, 1, 1, 1, 1)
    )


def test_scaled_gradients(tf, use_resource, sparse):
  model, optimizer, train = make(tf, use_resource, sparse, staleness="scale")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value = BEGIN
    for staleness in (3, 0, 1):
      assert model.run_stale(session, [train, optimizer.staleness], staleness)[1] == staleness
      value = value - RATE / (staleness + 1) * gradient(value, sparse)
      np.testing.assert_allclose(session.run(model.w), value, **CLOSE)


def test_types_of_gradients_and_steps(tf):
  """A global step of int32, and a variable of doubles, whose gradient stays one of doubles."""
  step = tf.get_variable("step", [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
  w = tf.get_variable("w", initializer=np.float64([1, 2]))
  optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), staleness="scale")
  train = optimizer.minimize(tf.reduce_sum(tf.square(w)), global_step=step)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    assert session.run(step) == 1
    np.testing.assert_array_equal(session.run(w), np.float64([0, 0]))


def test_updates_one_by_one_lose_none(tf, use_resource):
  """Of threads that all drop what is stale at all, each update that counts was made from the newest value."""
  model, optimizer, train = make(tf, use_resource, False, staleness="drop", max_staleness=0, use_locking=True)
  threads, steps = 4, 15
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    model.let_go(session, threads * steps)
    found = []

    def work():
      for _ in range(steps):
        found.append(session.run([train, optimizer.applied])[1])

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
      worker.start()
    for worker in workers:
      worker.join(stale_steps.PATIENCE_S)
    assert len(found) == threads * steps
    applied = sum(map(bool, found))
    assert session.run(model.step) == applied > 0
    value = BEGIN.astype(np.float64)
    for _ in range(applied):
      value = value - RATE * gradient(value, False)
    np.testing.assert_allclose(session.run(model.w), value, rtol=1e-4, atol=1e-5)


def test_the_step_is_read_before_the_parameters(tf, use_resource, sparse):
  """Whatever the gradients went through; and an accuracy that no gradient needs waits for nothing."""
  model = stale_steps.Model(tf, use_resource, sparse)
  other = tf.reduce_sum(model.w.read_value())
  optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE))
  pairs = optimizer.compute_gradients(model.loss)
  clipped = [
    (tf.clip_by_norm(g, 1.0) if not sparse else tf.IndexedSlices(g.values * 2.0, g.indices, g.dense_shape), v) for g, v in pairs
  ]
  optimizer.apply_gradients(clipped, global_step=model.step)
  begun = "async_replicas/begun"
  tied = [op for op in tf.get_default_graph().get_operations() if begun in [before.name for before in op.control_inputs]]
  readers = [op for op in tied if any(tensor.op.name == "w" for tensor in op.inputs)]
  assert [op.type for op in readers] == [("ResourceGather" if sparse else "ReadVariableOp") if use_resource else "Identity"]
  assert begun in ancestors(clipped[0][0].values if sparse else clipped[0][0])
  assert begun not in ancestors(other)


def test_names_are_those_of_the_wrapped_optimizer(tf, use_resource, tmp_path):
  """In the graph's collections and in checkpoints; no record of replicas is there."""
  model, optimizer, _ = make(
    tf, use_resource, False, tf.train.MomentumOptimizer(RATE, 0.5), staleness="scale", replicas=3, replica=1
  )
  assert optimizer.get_slot_names() == ["momentum"]
  assert optimizer.get_slot(model.w, "momentum").op.name == "w/Momentum"
  assert [v.op.name for v in optimizer.variables()] == ["w/Momentum"]
  assert isinstance(optimizer, tf.train.Optimizer) and isinstance(optimizer, parallel.AsyncReplicasOptimizer)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, str(tmp_path / "model"), write_meta_graph=False)
  assert sorted(name for name, _ in tf.train.list_variables(path)) == ["global_step", "w", "w/Momentum"]


def test_summaries_are_of_all_replicas_and_change_nothing(tf):
  model, _, train = make(tf, True, False, staleness="drop", max_staleness=2)
  merged = tf.summary.merge_all()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for staleness in (1, 3):
      model.run_stale(session, train, staleness)
    before = session.run([model.w, model.step])
    summary = tf.Summary.FromString(session.run(merged))
    values = {value.tag: value.simple_value for value in summary.value}
    assert values == {"async_replicas/staleness": 2.0, "async_replicas/max_staleness": 3.0, "async_replicas/dropped": 1.0}
    np.testing.assert_array_equal(session.run(model.w), before[0])


def test_gradients_in_less_bytes(tf, use_resource):
  """With a wire, of which bfloat16 has these numbers as they are."""
  model, _, train = make(tf, use_resource, False, staleness="scale", wire=parallel.GradientWire("bfloat16"))
  assert any(op.type == "Cast" and op.outputs[0].dtype == tf.bfloat16 for op in tf.get_default_graph().get_operations())
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    model.run_stale(session, train, 1)
    np.testing.assert_allclose(session.run(model.w), BEGIN - RATE / 2 * gradient(BEGIN, False), **CLOSE)


def test_a_training_by_monitored_session(tf, tmp_path):
  """The chief of one replica: with a checkpoint, summaries and the last step."""
  with tf.variable_scope("", use_resource=True):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=BEGIN)
    loss = 0.5 * tf.reduce_sum(tf.square(w))
    optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE), max_ahead=0)
    train = optimizer.minimize(loss, global_step=step)
  hook = optimizer.make_session_run_hook()
  assert isinstance(hook, tf.train.SessionRunHook)
  runs = 0
  with tf.train.MonitoredTrainingSession(
    checkpoint_dir=str(tmp_path), hooks=[hook, tf.train.StopAtStepHook(last_step=5)], save_summaries_steps=1
  ) as session:
    while not session.should_stop():
      session.run(train)
      runs += 1
  assert runs == 5
  assert hook.records.global_step == 5
  assert hook.records.replicas[0].state == replica_table.ENDED
  assert hook.records.replicas[0].clock == 5 and hook.waited_secs < 30
  np.testing.assert_allclose(tf.train.load_variable(str(tmp_path), "w"), BEGIN * (1 - RATE) ** 5, **CLOSE)


def test_a_session_that_is_lost(tf):
  """The next one joins again; what the server has stays."""
  server = tf.train.Server.create_local_server()
  step = tf.train.get_or_create_global_step()
  w = tf.get_variable("w", initializer=BEGIN)
  optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE), replicas=2, max_ahead=3)
  train = optimizer.minimize(0.5 * tf.reduce_sum(tf.square(w)), global_step=step)
  hook = optimizer.make_session_run_hook()

  class Loses(tf.train.SessionRunHook):
    begun = runs = 0

    def after_create_session(self, session, coord):
      self.begun += 1

    def before_run(self, run_context):
      self.runs += 1
      if self.runs == 4:
        raise tf.errors.AbortedError(None, None, "lost")

  loses = Loses()
  with tf.Session(server.target) as session:  # a chief that has no checkpoint would begin with new values
    session.run(tf.global_variables_initializer())
  with tf.train.MonitoredTrainingSession(server.target, is_chief=False, hooks=[hook, loses]) as session:
    for _ in range(6):
      session.run(train)
  assert loses.begun == 2 and loses.runs == 7
  assert hook.records.global_step == 6
  assert [(record.state, record.clock) for record in hook.records.replicas] == [
    (replica_table.ENDED, 6),
    (replica_table.UNKNOWN, 0),
  ]


def test_what_cannot_be_is_refused(tf):
  opt = tf.train.GradientDescentOptimizer(0.1)
  new = parallel.AsyncReplicasOptimizer
  for options, words in [
    (dict(replicas=2, replica=2), "AsyncReplicasOptimizer: there is one replica or more"),
    (dict(replicas=0), "AsyncReplicasOptimizer: there is one replica or more"),
    (dict(staleness="ignore"), 'AsyncReplicasOptimizer: staleness is "measure", "drop" or "scale"'),
    (dict(staleness="drop"), 'AsyncReplicasOptimizer: staleness="drop" needs max_staleness'),
    (dict(max_staleness=3), 'AsyncReplicasOptimizer: staleness="drop" needs max_staleness'),
    (dict(staleness="drop", max_staleness=-1), "AsyncReplicasOptimizer: max_staleness must be 0 or more"),
    (dict(max_ahead=-1), "AsyncReplicasOptimizer: max_ahead must be 0 or more"),
    (dict(warm_up_steps=-5), "AsyncReplicasOptimizer: warm_up_steps must be 0 or more"),
  ]:
    with pytest.raises(ValueError) as raised:
      new(opt, **options)
    assert str(raised.value).startswith(words), raised.value
  w = tf.get_variable("w", [2])
  step = tf.train.get_or_create_global_step()
  loss = tf.reduce_sum(w)
  optimizer = new(opt)
  with pytest.raises(ValueError, match="Global step is required"):
    optimizer.minimize(loss)
  with pytest.raises(ValueError, match="No gradients provided"):
    optimizer.apply_gradients([(None, w)], global_step=step)
  with pytest.raises(ValueError, match="staleness is there after apply_gradients"):
    optimizer.staleness
  with pytest.raises(ValueError, match="is there after apply_gradients"):
    optimizer.make_pace()
  optimizer.minimize(loss, global_step=step)
  with pytest.raises(ValueError, match="gradients are applied once"):
    optimizer.minimize(loss, global_step=step)
  with pytest.raises(ValueError, match='when_stuck is "go_on", "wait" or "stop"'):
    optimizer.make_pace(when_stuck="despair")


def test_updates_wait_for_what_the_program_says(tf, use_resource):
  """As the moving averages of batch normalization; what is read beside the steps does not."""
  model = stale_steps.Model(tf, use_resource, False)
  counted = tf.Variable(0, trainable=False, name="counted")
  optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE))
  pairs = optimizer.compute_gradients(model.loss)
  with tf.control_dependencies([counted.assign_add(1)]):
    train = optimizer.apply_gradients(pairs, global_step=model.step)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    model.let_go(session, 2)
    session.run(train)
    session.run(train)
    optimizer.read_records(session)
    session.run(tf.summary.merge_all())
    assert session.run(counted) == 2


def test_not_within_a_condition(tf):
  model = stale_steps.Model(tf, True, False)
  optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE))
  pairs = optimizer.compute_gradients(model.loss)
  with pytest.raises(ValueError, match="outside of tf.cond"):
    tf.cond(tf.placeholder(tf.bool, []), lambda: optimizer.apply_gradients(pairs, global_step=model.step), tf.no_op)


def test_the_table_is_on_a_processor(tf):
  """Also where the program has its global step on a GPU."""
  with tf.device("/job:ps/task:1/gpu:0"):
    step = tf.train.get_or_create_global_step()
  w = tf.get_variable("w", initializer=1.0)
  parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE)).minimize(tf.square(w), global_step=step)
  devices = {op.type: op.device for op in tf.get_default_graph().get_operations()}
  assert devices["MutableHashTableV2"] == "/job:ps/task:1/device:CPU:0"
