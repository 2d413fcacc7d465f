"""Gradients on the wire: what arrives is numpy's, whichever client builds it; optimizers and synchronous replicas take it."""

import math

import numpy as np
import pytest
from millrace import parallel

SIZE = 1000
RANDOM = np.random.RandomState(5)
FLOAT_INFO = np.finfo(np.float32)


def rounded(values):
  """Floats as bfloat16 has them, to the nearest, even where two are."""
  bits = np.asarray(values, np.float32).view(np.uint32)
  return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


class Chosen:
  """What "top_k" does to the gradients of one variable, one after the other."""

  def __init__(self, size, fraction):
    self.residual = np.zeros(size, np.float64)
    self.count = max(1, math.ceil(fraction * size))

  def step(self, gradient):
    total = self.residual + gradient
    places = np.argsort(-np.abs(total), kind="stable")[: self.count]
    arrived = np.zeros_like(total)
    arrived[places] = total[places]
    total[places] = 0
    self.residual = total
    return arrived


def gradients(count, size=SIZE):
  return [(RANDOM.standard_normal(size) ** 3).astype(np.float32) for _ in range(count)]


def steps(tf, fetch, feeds):
  """What `fetch` is in steps with these feeds, in a session of their own."""
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return [session.run(fetch, feed) for feed in feeds]


def arrives(tf, gradient, variable, wire):
  ((arrived, same),) = parallel.on_the_wire([(gradient, variable)], wire)
  assert same is variable
  return arrived


def nodes_of(tf, kind):
  return [op for op in tf.get_default_graph().get_operations() if op.type == kind]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_bfloat16_rounds(tf, use_resource, kind):
  variable = tf.Variable(np.zeros([10, 100], kind), use_resource=use_resource)
  fed = tf.placeholder(kind, [10, 100])
  arrived = arrives(tf, fed, variable, parallel.GradientWire("bfloat16"))
  assert arrived.dtype == variable.dtype.base_dtype and arrived.shape.as_list() == [10, 100]
  values = gradients(1)[0].reshape(10, 100)
  values[0, :2] = [np.nan, np.inf]
  (got,) = steps(tf, arrived, [{fed: values}])
  np.testing.assert_array_equal(got.ravel()[1:], rounded(values).astype(kind).ravel()[1:])
  assert np.isnan(got[0, 0])


def test_bfloat16_of_rows_is_that_of_their_values(tf, use_resource):
  table = tf.Variable(np.ones([50, 4], np.float32), use_resource=use_resource)
  loss = tf.reduce_sum(tf.constant([[1.001], [3.0]]) * tf.gather(table, [7, 3]) ** 2)
  optimizer = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(0.5), parallel.GradientWire("bfloat16"))
  train = optimizer.minimize(loss)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    got = session.run(table)
  wanted = np.ones([50, 4], np.float32)
  wanted[[7, 3]] -= 0.5 * rounded(np.float32([[2.002], [6.0]]))
  np.testing.assert_array_equal(got, wanted)
  (cast,) = [op for op in nodes_of(tf, "Cast") if op.outputs[0].dtype == tf.bfloat16]
  assert cast.inputs[0].shape.as_list() == [2, 4]


def test_types_without_a_shorter_form_go_as_they_are(tf):
  wire = parallel.GradientWire("bfloat16")
  for kind in ["float16", "bfloat16", "complex64"]:
    fed = tf.placeholder(kind, [300])
    assert arrives(tf, fed, tf.Variable(tf.zeros([300], kind)), wire) is fed
  variable = tf.Variable(np.zeros(SIZE, np.float32))
  assert parallel.on_the_wire([(None, variable)], wire) == [(None, variable)]
  fed = tf.placeholder(tf.float32, [SIZE])
  for nothing in [None, parallel.GradientWire()]:
    assert parallel.on_the_wire([(fed, variable)], nothing) == [(fed, variable)]


@pytest.mark.parametrize("kind, tolerance", [("float32", 1e-5), ("float64", 1e-12), ("float16", 2e-3)])
def test_top_k_sends_the_largest_and_keeps_the_rest(tf, use_resource, kind, tolerance):
  variable = tf.Variable(np.zeros([20, 50], kind), use_resource=use_resource)
  fed = tf.placeholder(kind, [20, 50])
  arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k", fraction=0.013))
  assert arrived.dtype == variable.dtype.base_dtype and arrived.shape.as_list() == [20, 50]
  name = variable.op.name + "/gradient_residual"
  assert [r.op.name for r in tf.local_variables()] == [name]
  assert name not in [v.op.name for v in tf.global_variables() + tf.trainable_variables()]
  sent = [g.astype(kind) for g in gradients(8)]
  model = Chosen(SIZE, 0.013)
  got = steps(tf, arrived, [{fed: g.reshape(20, 50)} for g in sent])
  for value, gradient in zip(got, sent):
    assert np.count_nonzero(value) == 13
    np.testing.assert_allclose(value.ravel(), model.step(gradient.astype(np.float64)), rtol=tolerance, atol=tolerance)


def test_of_equal_elements_the_first_are_sent(tf):
  variable = tf.Variable(np.zeros(600, np.float32))
  fed = tf.placeholder(tf.float32, [600])
  arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k"))
  got = steps(tf, arrived, [{fed: np.where(np.arange(600) % 2, -1.0, 1.0)}, {fed: np.zeros(600)}])
  assert np.flatnonzero(got[0]).tolist() == [0, 1, 2, 3, 4, 5] and np.flatnonzero(got[1]).tolist() == [6, 7, 8, 9, 10, 11]
  assert got[1][6:8].tolist() == [1, -1]


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_what_is_no_number_arrives_and_leaves_nothing(tf, bad):
  variable = tf.Variable(np.zeros(300, np.float32))
  fed = tf.placeholder(tf.float32, [300])
  arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k", fraction=0.001))
  spoilt = np.full(300, FLOAT_INFO.max, np.float32)
  spoilt[200] = bad
  got = steps(tf, arrived, [{fed: spoilt}, {fed: np.zeros(300)}])
  np.testing.assert_array_equal(got[0][200], bad)
  assert np.count_nonzero(got[0]) == 1 and got[1][0] == FLOAT_INFO.max


@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_gradient_of_no_numbers_spoils_one_step(tf, kind, bad):
  variable = tf.Variable(np.zeros(300, kind))
  fed = tf.placeholder(kind, [300])
  arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k", fraction=0.001))
  spoilt, good, zeros = np.full(300, bad), np.zeros(300), np.zeros(300)
  spoilt[200], good[0] = 3, 2
  got = steps(tf, arrived, [{fed: g.astype(kind)} for g in [spoilt, good, zeros]])
  np.testing.assert_array_equal(got[0][0], bad)
  np.testing.assert_array_equal(got[1], np.where(np.arange(300) == 200, 3, 0))  # the number that was there is kept
  np.testing.assert_array_equal(got[2], good)


def test_a_residual_of_another_size_begins_anew(tf):
  variable = tf.Variable(tf.placeholder_with_default(np.zeros(3, np.float32), None), validate_shape=False)
  fed = tf.placeholder(tf.float32, None)
  arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k", fraction=0.1))
  sent = [[], [5, 1, 2], [0, 0, 0], [3, 4], [7], [1, 3], np.zeros([2, 0]), [0, 0]]
  got = steps(tf, arrived, [{fed: gradient} for gradient in sent])
  assert [value.tolist() for value in got] == [[], [5, 0, 0], [0, 0, 2], [0, 4], [7], [0, 3], [[], []], [0, 0]]


def test_shapes_that_only_steps_know(tf):
  for static in [None, [None, 3]]:
    variable = tf.Variable(tf.placeholder_with_default(np.zeros([200, 3], np.float32), None), validate_shape=False)
    fed = tf.placeholder(tf.float32, static)
    arrived = arrives(tf, fed, variable, parallel.GradientWire("top_k", fraction=0.07))
    sent = gradients(3, 600)
    model = Chosen(600, 0.07)
    for value, gradient in zip(steps(tf, arrived, [{fed: g.reshape(200, 3)} for g in sent]), sent):
      assert value.shape == (200, 3)
      np.testing.assert_allclose(value.ravel(), model.step(gradient), rtol=1e-5, atol=1e-5)
    (empty,) = steps(tf, arrived, [{fed: np.zeros([0, 3])}])
    assert empty.shape == (0, 3)


def test_small_gradients_and_most_of_one_go_whole(tf):
  for size, wire in [
    (0, parallel.GradientWire("top_k", whole_up_to=0)),
    (1, parallel.GradientWire("top_k", whole_up_to=0)),
    (2, parallel.GradientWire("top_k", whole_up_to=0)),
    (256, parallel.GradientWire("top_k")),
    (600, parallel.GradientWire("top_k", fraction=0.5)),
  ]:
    fed = tf.placeholder(tf.float32, [size])
    assert arrives(tf, fed, tf.Variable(tf.zeros([size])), wire) is fed
    assert wire.number_sent(size) == size
  rows = tf.IndexedSlices(tf.zeros([9, SIZE]), tf.range(9))
  assert arrives(tf, rows, tf.Variable(tf.zeros([9, SIZE])), parallel.GradientWire("top_k")) is rows
  assert not tf.local_variables()
  wire = parallel.GradientWire("top_k", whole_up_to=2)
  assert [wire.number_sent(n) for n in [3, 100, 101, SIZE]] == [1, 1, 2, 10]


def test_each_gradient_has_a_residual_of_its_own(tf):
  variable = tf.Variable(np.zeros(SIZE, np.float32), name="v")
  fed = tf.placeholder(tf.float32, [SIZE])
  for _ in range(2):
    arrives(tf, fed, variable, parallel.GradientWire("top_k"))
  assert [r.op.name for r in tf.local_variables()] == ["v/gradient_residual", "v/gradient_residual_1"]


def test_both_ends_are_where_they_belong(tf, use_resource):
  worker = "/job:worker/task:1"
  with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device=worker)):
    other = tf.Variable(tf.zeros([7]), use_resource=use_resource)
    variable = tf.Variable(tf.zeros([SIZE]), use_resource=use_resource)
    pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(tf.reduce_sum(variable**2) + tf.reduce_sum(other))
    for form in ["bfloat16", "top_k"]:
      for gradient, v in parallel.on_the_wire(pairs, parallel.GradientWire(form, whole_up_to=0)):
        assert v.device in gradient.op.device
  residuals = tf.local_variables()
  assert len(residuals) == 2 and all(r.device == worker for r in residuals)
  assert all(worker in op.device for op in nodes_of(tf, "TopKV2") + nodes_of(tf, "TensorScatterUpdate"))
  assert all("/job:ps" in op.device for op in nodes_of(tf, "ScatterNd"))
  shorter = [op for op in nodes_of(tf, "Cast") if op.outputs[0].dtype == tf.bfloat16]
  assert len(shorter) == 2 and all(worker in op.device for op in shorter)


def test_training_inside_of_a_loop(tf):
  sent = np.stack(gradients(6))
  variable = tf.Variable(np.zeros(SIZE, np.float32), use_resource=True)
  rows = tf.constant(sent)

  def body(i):
    arrived = arrives(tf, rows[i], variable, parallel.GradientWire("top_k"))
    with tf.control_dependencies([variable.assign_sub(arrived, read_value=False)]):
      return i + 1

  last = tf.while_loop(lambda i: i < len(sent), body, [tf.constant(0)])
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(last)
    got = session.run(variable)
  model = Chosen(SIZE, 0.01)
  np.testing.assert_allclose(got, -sum(model.step(g) for g in sent), rtol=1e-5, atol=1e-5)


def test_gradients_of_a_loop_with_control_inputs(tf, use_resource):
  variable = tf.Variable(np.ones(SIZE, np.float32), use_resource=use_resource)
  counted = tf.Variable(0)
  _, total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + tf.reduce_sum(variable**2)), [0, 0.0])
  optimizer = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(0.1), parallel.GradientWire("top_k"))
  pairs = optimizer.compute_gradients(total, [variable])
  with tf.control_dependencies([tf.assign_add(counted, 1)]):
    train = optimizer.apply_gradients(pairs)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for _ in range(2):
      session.run(train)
    got, count = session.run([variable, counted])
  # Each step a gradient of 6 v; the first ten are sent, then the ten behind them have twice that.
  wanted = np.ones(SIZE, np.float32)
  wanted[:10] -= 0.6
  wanted[10:20] -= 1.2
  np.testing.assert_allclose(got, wanted, rtol=1e-6)
  assert count == 2


def test_optimizers_and_their_slots(tf, use_resource):
  variable = tf.Variable(np.zeros(SIZE, np.float32), use_resource=use_resource, name="v")
  fed = tf.placeholder(tf.float32, [SIZE])
  inner = tf.train.MomentumOptimizer(0.5, 0.9)
  optimizer = parallel.WiredOptimizer(inner, parallel.GradientWire("top_k"))
  step = tf.train.get_or_create_global_step()
  assert isinstance(optimizer, tf.train.Optimizer) and optimizer.get_name() == "WiredMomentum"
  train = optimizer.minimize(tf.reduce_sum(variable * fed), global_step=step)
  slot = optimizer.get_slot(variable, "momentum")
  assert slot is inner.get_slot(variable, "momentum") and slot.name in [v.name for v in optimizer.variables()]
  assert optimizer.get_slot_names() == ["momentum"]
  sent = gradients(5)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for g in sent:
      session.run(train, {fed: g})
    got, count = session.run([variable, step])
  model, wanted, momentum = Chosen(SIZE, 0.01), np.zeros(SIZE), np.zeros(SIZE)
  for g in sent:
    momentum = 0.9 * momentum + model.step(g)
    wanted -= 0.5 * momentum
  np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
  assert count == 5


def test_a_wired_optimizer_is_outside_of_synchronous_replicas(tf, use_resource):
  variable = tf.Variable(np.zeros(SIZE, np.float32), use_resource=use_resource)
  table = tf.Variable(np.zeros([5, 2], np.float32), use_resource=use_resource)
  step = tf.train.get_or_create_global_step()
  loss = tf.reduce_sum(variable * np.arange(SIZE, dtype=np.float32)) + tf.reduce_sum(tf.gather(table, [1]))
  sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
  optimizer = parallel.WiredOptimizer(sync, parallel.GradientWire("top_k"))
  train = optimizer.minimize(loss, global_step=step)
  # Without a token to begin with a step waits for its own update.
  hook = optimizer.make_session_run_hook(True, num_tokens=0)
  with tf.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=0.1) as session:
    for _ in range(3):
      session.run(train)
    count, dense, rows = session.run([step, variable, table])
  model = Chosen(SIZE, 0.01)
  np.testing.assert_array_equal(dense, -sum(model.step(np.arange(SIZE)) for _ in range(3)))
  np.testing.assert_array_equal(rows, np.where(np.arange(10).reshape(5, 2) // 2 == 1, -3, 0))
  assert count == 3


def test_a_wired_optimizer_inside_of_synchronous_replicas_is_refused(tf):
  variable = tf.Variable(np.zeros(SIZE, np.float32))
  table = tf.Variable(np.zeros([5, 2], np.float32))
  step = tf.train.get_or_create_global_step()
  for loss in [tf.reduce_sum(variable), tf.reduce_sum(tf.gather(table, [1]))]:
    wired = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(1.0), parallel.GradientWire("bfloat16"))
    inside = tf.train.SyncReplicasOptimizer(wired, 1)
    with pytest.raises(ValueError, match=r"is an average.*write WiredOptimizer\(SyncReplicasOptimizer\(opt, \.\.\.\), wire\)"):
      inside.minimize(loss, global_step=step)


def test_what_is_wrong_is_said(tf):
  with pytest.raises(ValueError, match="the form is 'half'; it is one of 'float', 'bfloat16', 'top_k'"):
    parallel.GradientWire("half")
  for fraction in [0, -0.1, 1.01, float("nan")]:
    with pytest.raises(ValueError, match="fraction is .*; it is above 0 and at most 1"):
      parallel.GradientWire("top_k", fraction=fraction)
  for whole_up_to in [-1, 0.5]:
    with pytest.raises(ValueError, match="whole_up_to is .*; it is a number of elements, 0 or more"):
      parallel.GradientWire("top_k", whole_up_to=whole_up_to)
  with pytest.raises(TypeError, match="wire is 'bfloat16'; it is a parallel.GradientWire"):
    parallel.on_the_wire([], "bfloat16")
  with pytest.raises(TypeError, match="WiredOptimizer: opt is 3; it is a tf.train.Optimizer"):
    parallel.WiredOptimizer(3, parallel.GradientWire())
  fed = tf.placeholder(tf.float32, [SIZE])
  arrived = arrives(tf, fed, tf.Variable(np.zeros(SIZE, np.float32), name="w"), parallel.GradientWire("top_k"))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.FailedPreconditionError, match="w/gradient_residual"):
      session.run(arrived, {fed: gradients(1)[0]})
