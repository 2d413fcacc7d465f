"""Pipelines: values, gradients and names are those of the network without one; stages begin in order; each is on its device."""

import numpy as np
import pytest
from millrace import parallel

DEVICES = ["/cpu:0", "/cpu:1"]
RANDOM = np.random.RandomState(3)
X = RANDOM.standard_normal([12, 6]).astype(np.float32)
LABELS = RANDOM.standard_normal([12, 2]).astype(np.float32)
CLOSE = dict(rtol=1e-5, atol=1e-6)


def dense(tf, x, units, name=None, activation=None):
  """As tf.layers.dense, which the stock client has no more: named "dense", "dense_1" and so on by default."""
  with tf.variable_scope(name, default_name="dense"):
    kernel = tf.get_variable("kernel", [x.shape.as_list()[1], units], initializer=tf.random_normal_initializer(seed=units))
    bias = tf.get_variable("bias", [units], initializer=tf.ones_initializer())
  y = tf.matmul(x, kernel) + bias
  return activation(y) if activation else y


def stages_of(tf):
  """The last one gives outputs and the loss of what it gets."""

  def lower(both):
    x, labels = both
    return dense(tf, dense(tf, x, 5, activation=tf.tanh), 4, activation=tf.tanh), labels

  def upper(both):
    h, labels = both
    y = dense(tf, h, 2)
    return {"y": y, "loss": tf.reduce_mean(tf.square(y - labels))}

  return [lower, upper]


def train(tf, result, steps=3):
  """The outputs before, the loss of each step, and the variables after."""
  loss = result["loss"]
  step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, colocate_gradients_with_ops=True)
  with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    y = session.run(result["y"])
    losses = [session.run([loss, step])[0] for _ in range(steps)]
    return y, losses, {v.op.name: session.run(v) for v in tf.trainable_variables()}


def without(tf):
  value = (tf.constant(X), tf.constant(LABELS))
  for stage in stages_of(tf):
    value = stage(value)
  return value


@pytest.mark.parametrize("micro_batches", [1, 3, 12])
def test_training_is_that_without_a_pipeline(tf, use_resource, micro_batches):
  with tf.Graph().as_default(), tf.variable_scope("", use_resource=use_resource):
    expected = train(tf, without(tf))
  with tf.variable_scope("", use_resource=use_resource):
    found = train(tf, parallel.pipeline(stages_of(tf), DEVICES, (tf.constant(X), tf.constant(LABELS)), micro_batches))
  np.testing.assert_allclose(found[0], expected[0], **CLOSE)
  np.testing.assert_allclose(found[1], expected[1], **CLOSE)
  assert len(set(expected[1])) == len(expected[1])  # it learns
  assert sorted(found[2]) == sorted(expected[2])
  assert "dense_2/kernel" in found[2] and len(found[2]) == 6
  for name, value in expected[2].items():
    np.testing.assert_allclose(found[2][name], value, err_msg=name, **CLOSE)


def ancestors(op):
  """The names of ops that run before `op` does."""
  seen, pending = set(), [op]
  while pending:
    one = pending.pop()
    for before in [tensor.op for tensor in one.inputs] + list(one.control_inputs):
      if before.name not in seen:
        seen.add(before.name)
        pending.append(before)
  return seen


def test_stages_are_on_their_devices_and_begin_in_order(tf):
  marks = [[], []]

  def stage(i):
    def mark(x):
      begun = tf.identity(x, name="begun_%d" % i)
      ended = tf.square(begun, name="ended_%d" % i)
      marks[i].append((begun.op, ended.op))
      return ended

    return mark

  parallel.pipeline([stage(0), stage(1)], DEVICES, tf.constant(X), micro_batches=4)
  for i, steps in enumerate(marks):
    assert len(steps) == 4
    for op in steps[0]:
      assert op.device.upper().endswith("CPU:%d" % i)
    for (_, ended), (begun, _) in zip(steps, steps[1:]):
      assert ended.name in ancestors(begun)
  # The first stage does not wait for the second one.
  assert marks[1][0][1].name not in ancestors(marks[0][3][0])


def test_names_behind_a_pipeline_are_those_without_one(tf):
  with tf.variable_scope("net"):
    dense(tf, tf.constant(X), 3)
    y = parallel.pipeline(
      [lambda x: dense(tf, x, 5), lambda h: dense(tf, h, 4, name="own")], DEVICES, tf.constant(X), micro_batches=2
    )
    dense(tf, y, 2)
  names = [v.op.name for v in tf.trainable_variables() if v.op.name.endswith("kernel")]
  assert names == ["net/dense/kernel", "net/dense_1/kernel", "net/own/kernel", "net/dense_2/kernel"]


def test_a_cut_layer_as_a_stage(tf):
  """Slices within a stage, and a second pipeline over the same variables."""
  devices = ["/cpu:0", "/cpu:1"]

  def stages():
    return [
      lambda x: parallel.split_dense(x, 6, devices, activation=tf.tanh, name="low"),
      lambda h: parallel.split_dense(h, 2, devices, by="inputs", name="high"),
    ]

  y = parallel.pipeline(stages(), devices, tf.constant(X), micro_batches=3)
  count = len(tf.global_variables())
  with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    again = parallel.pipeline(stages(), devices, tf.constant(X), micro_batches=1)
  assert len(tf.global_variables()) == count == 2 + 2 + 2 + 1
  with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    one, other = session.run([y, again])
    np.testing.assert_allclose(one, other, **CLOSE)
    assert one.shape == (12, 2)


def test_the_size_of_the_batch_may_be_unknown(tf):
  x = tf.placeholder(tf.float32, [None, 6])
  y = parallel.pipeline([lambda t: t + 1, lambda t: t * 2], DEVICES, x, micro_batches=3)
  with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    np.testing.assert_allclose(session.run(y, {x: X}), (X + 1) * 2, **CLOSE)
    with pytest.raises(tf.errors.InvalidArgumentError):
      session.run(y, {x: X[:4]})


def test_what_cannot_be_a_pipeline_is_refused(tf):
  x = tf.constant(X)

  def by_hand(x):
    return x * tf.Variable(2.0)

  for make, error, words in [
    (lambda: parallel.pipeline([tf.tanh], DEVICES, x), ValueError, "pipeline: stages and devices are as many"),
    (lambda: parallel.pipeline([], [], x), ValueError, "pipeline: stages and devices are as many"),
    (lambda: parallel.pipeline([tf.tanh] * 2, DEVICES, x, 0), ValueError, "pipeline: micro_batches is 1 or more"),
    (lambda: parallel.pipeline([tf.tanh] * 2, DEVICES, x, 5), ValueError, "pipeline: "),
    (lambda: parallel.pipeline([tf.tanh] * 2, DEVICES, tf.constant(1.0), 1), ValueError, "pipeline: "),
    (lambda: parallel.pipeline([by_hand, tf.tanh], DEVICES, x, 2), ValueError, "pipeline: a stage made the variable"),
    (lambda: parallel.pipeline([tf.tanh, tf.size], DEVICES, x, 2), TypeError, "pipeline: scalars of micro-batches"),
  ]:
    with pytest.raises(error) as raised:
      make()
    assert str(raised.value).startswith(words), raised.value


def test_layers_of_a_deep_recurrent_network_on_devices():
  """tf.nn.rnn_cell.DeviceWrapper puts a cell on a device; values are those of the cells on one. The stock client has no cells
  any more."""
  import millrace as tf

  sequences = RANDOM.standard_normal([3, 5, 4]).astype(np.float32)

  def outputs(devices):
    with tf.Graph().as_default() as graph:
      tf.set_random_seed(2)
      cells = [tf.nn.rnn_cell.BasicLSTMCell(4, name="cell_%d" % i) for i in range(2)]
      if devices:
        cells = [tf.nn.rnn_cell.DeviceWrapper(cell, device) for cell, device in zip(cells, devices)]
      y, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), tf.constant(sequences), dtype=tf.float32)
      gradients = tf.gradients(tf.reduce_sum(y), tf.trainable_variables(), colocate_gradients_with_ops=True)
      with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():  # seeds of ops depend on their numbers
          value = np.random.RandomState(len(variable.op.name)).standard_normal(variable.shape.as_list())
          variable.load(value.astype(np.float32) / 4, session)
        used = {op.device[-5:].upper() for op in graph.get_operations() if op.type == "MatMul" and "gradients" not in op.name}
        return session.run([y, *gradients]), used

  (one, alone), (other, used) = outputs(None), outputs(DEVICES)
  assert used == {"CPU:0", "CPU:1"} and alone != used
  for a, b in zip(one, other):
    np.testing.assert_allclose(b, a, **CLOSE)
