"""Programs that train and keep variables: values, codes and first words of ours and of stock are the same."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1


def on_ps(cluster, worker=0):
  return tf1.device(
    tf1.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec()), worker_device=f"/job:worker/task:{worker}")
  )


def regression(weights=None):
  """A small problem with its loss: (loss, feeds)."""
  random = np.random.RandomState(3)
  x = random.normal(size=(16, 6)).astype(np.float32)
  y = (x @ np.arange(6, dtype=np.float32).reshape(6, 1) + 1).astype(np.float32)
  features, target = tf1.placeholder(tf.float32, [None, 6]), tf1.placeholder(tf.float32, [None, 1])
  if weights is None:
    weights = tf1.get_variable("weights", initializer=tf.ones([6, 1]))
  bias = tf1.get_variable("bias", initializer=tf.zeros([1]))
  loss = tf.reduce_mean(tf.square(tf.matmul(features, weights) + bias - target))
  return loss, {features: x, target: y}


def train(cluster, op, loss, feeds, steps=5, more=()):
  with tf1.Session(cluster.target("worker")) as session:
    session.run(tf1.global_variables_initializer())
    losses = [session.run([loss, op], feeds)[0] for _ in range(steps)]
    return {"losses": losses, "values": session.run(tf1.global_variables()), "more": session.run(list(more), feeds)}


OPTIMIZERS = {
  "gradient_descent": lambda step: tf1.train.GradientDescentOptimizer(0.02),
  "momentum": lambda step: tf1.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True),
  "adam": lambda step: tf1.train.AdamOptimizer(0.1),
  "adagrad": lambda step: tf1.train.AdagradOptimizer(0.1),
  "adadelta": lambda step: tf1.train.AdadeltaOptimizer(1.0),
  "adagrad_da": lambda step: tf1.train.AdagradDAOptimizer(0.1, step),
  "ftrl": lambda step: tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
  "rms_prop": lambda step: tf1.train.RMSPropOptimizer(0.01, momentum=0.5),
  "rms_prop_centered": lambda step: tf1.train.RMSPropOptimizer(0.01, centered=True),
  "proximal_gradient_descent": lambda step: tf1.train.ProximalGradientDescentOptimizer(0.02, 0.001, 0.001),
  "proximal_adagrad": lambda step: tf1.train.ProximalAdagradOptimizer(0.1, 0.1, 0.001, 0.001),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(on_both, era, name):
  def program(cluster):
    with on_ps(cluster):
      step = tf1.train.get_or_create_global_step()
      loss, feeds = regression()
      op = OPTIMIZERS[name](step).minimize(loss, global_step=step)
    return train(cluster, op, loss, feeds)

  on_both(program)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_on_rows_of_an_embedding(on_both, era, name):
  def program(cluster):
    with on_ps(cluster):
      step = tf1.train.get_or_create_global_step()
      table = tf1.get_variable("table", initializer=tf.reshape(tf.range(30, dtype=tf.float32) / 30, [10, 3]))
      ids = tf1.placeholder(tf.int64, [None])
      rows = tf.nn.embedding_lookup(table, ids)
      loss = tf.reduce_sum(tf.square(rows - 1.0))
      op = OPTIMIZERS[name](step).minimize(loss, global_step=step)
    return train(cluster, op, loss, {ids: [1, 7, 1, 3]}, more=[rows])

  on_both(program)


@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_partitioned_variables(on_both, era, tmp_path, strategy):
  def program(cluster):
    with on_ps(cluster):
      table = tf1.get_variable(
        "table", [10, 4], initializer=tf1.truncated_normal_initializer(seed=5), partitioner=tf1.fixed_size_partitioner(3)
      )
      ids = tf1.placeholder(tf.int64, [None])
      rows = tf1.nn.embedding_lookup(table, ids, partition_strategy=strategy)
      whole = tf.convert_to_tensor(table)
      loss = tf.reduce_sum(tf.square(rows)) + tf.reduce_mean(whole)
      with tf.control_dependencies([loss]):  # its gradient does not need `whole`: stock may update before it reads that
        op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
      saver = tf1.train.Saver(sharded=True)
    result = train(cluster, op, loss, {ids: [0, 9, 4, 4, 2]}, more=[rows, whole])
    with tf1.Session(cluster.target("worker")) as session:
      prefix = saver.save(session, str(tmp_path / cluster.kind))
      session.run(tf1.global_variables_initializer())
      saver.restore(session, prefix)
      result["restored"] = session.run(whole)
    result["saved"] = tf.train.load_checkpoint(prefix).get_tensor("table")
    return result

  on_both(program)


def test_moving_averages(on_both, era):
  def program(cluster):
    with on_ps(cluster):
      step = tf1.train.get_or_create_global_step()
      loss, feeds = regression()
      average = tf1.train.ExponentialMovingAverage(0.9, num_updates=step)
      descend = tf1.train.GradientDescentOptimizer(0.02).minimize(loss, global_step=step)
      with tf.control_dependencies([descend]):
        op = average.apply(tf1.trainable_variables())
      loss_average = tf1.train.ExponentialMovingAverage(0.5, zero_debias=True)
      op = tf.group(op, loss_average.apply([loss]))
      more = [average.average(v) for v in tf1.trainable_variables()] + [loss_average.average(loss)]
    return train(cluster, op, loss, feeds, more=more)

  on_both(program)


@pytest.mark.parametrize("method", ["ADD_N", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N"])
def test_gradients_of_many_uses(on_both, era, method):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      v = tf1.get_variable("v", initializer=[1.0, 2.0, 3.0])
    parts = []
    for i in range(5):
      with tf.device(f"/job:worker/task:{i % 2}"):
        parts.append(tf.reduce_sum(tf.exp(v * (0.1 * i))))
    (gradient,) = tf1.gradients(parts, [v], aggregation_method=getattr(tf1.AggregationMethod, method))
    stopped = tf1.gradients(tf.add_n(parts), [v], grad_ys=[tf.constant(2.0)], colocate_gradients_with_ops=True)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      return session.run([gradient, stopped])

  on_both(program)


@pytest.mark.parametrize("clip", ["global_norm", "norm", "value"])
def test_clipped_gradients_and_a_falling_rate(on_both, era, clip):
  def program(cluster):
    with on_ps(cluster):
      step = tf1.train.get_or_create_global_step()
      loss, feeds = regression()
      rates = [
        tf1.train.exponential_decay(0.1, step, 2, 0.5, staircase=True),
        tf1.train.piecewise_constant(step, [2, 4], [0.1, 0.05, 0.01]),
        tf1.train.polynomial_decay(0.1, step, 4, power=2.0),
        tf1.train.cosine_decay(0.1, step, 10),
        tf1.train.inverse_time_decay(0.1, step, 2, 0.5),
        tf1.train.natural_exp_decay(0.1, step, 2, 0.5),
      ]
      optimizer = tf1.train.MomentumOptimizer(rates[0], 0.9)
      gradients, variables = zip(*optimizer.compute_gradients(loss))
      if clip == "global_norm":
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
      elif clip == "norm":
        gradients = [tf.clip_by_norm(g, 1.0) for g in gradients]
      else:
        gradients = [tf.clip_by_value(g, -0.5, 0.5) for g in gradients]
      op = optimizer.apply_gradients(zip(gradients, variables), global_step=step)
    return train(cluster, op, loss, feeds, more=rates)

  on_both(program)


def test_scatters(on_both, era):
  def program(cluster):
    results = []
    with tf1.Session(cluster.target("worker")) as session:
      for name in ("update", "add", "sub", "mul", "div", "min", "max"):
        with on_ps(cluster):
          v = tf1.get_variable("v_" + name, initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
          op = getattr(tf1, "scatter_" + name)(v, [0, 2], [[2.0, 2.0], [8.0, 4.0]])
          bad = getattr(tf1, "scatter_" + name)(v, [0, 3], [[2.0, 2.0], [8.0, 4.0]])
        session.run(v.initializer)
        results += [session.run(op), session.run(v), outcome(lambda: session.run(bad))[2:]]
    return results

  on_both(program)


def test_state_ops(on_both, era):
  def program(cluster):
    with on_ps(cluster):
      v = tf1.get_variable("v", initializer=[1.0, 2.0])
      unready = tf1.get_variable("unready", shape=[2])
      counter = tf1.get_variable("counter", initializer=0)
      local = tf1.get_local_variable("local", initializer=5.0)
      loose = tf1.get_variable("loose", initializer=[1], validate_shape=False)
    with tf.device("/job:worker/task:1"):
      assign = tf1.assign(v, v * 2)
      add, sub = tf1.assign_add(v, [1.0, 1.0]), tf1.assign_sub(v, [0.5, 0.5])
      count = tf1.count_up_to(counter, 2) if not tf1.resource_variables_enabled() else counter.count_up_to(2)
      wider = tf1.assign(loose, [1, 2, 3] if era == "tf1" else [4], validate_shape=False)
      initialized = [tf1.is_variable_initialized(x) for x in (v, unready)]
    names = tf.identity(tf1.report_uninitialized_variables())
    with tf1.Session(cluster.target("worker")) as session:
      before = sorted(session.run(names))
      session.run([v.initializer, counter.initializer, local.initializer, loose.initializer])
      return {
        "before": before,
        "after": sorted(session.run(names)),
        "initialized": session.run(initialized),
        "unready": outcome(lambda: session.run(unready + 1.0))[0],
        "updates": [session.run(x) for x in (assign, add, sub)],
        "v": session.run(v),
        "counts": [outcome(lambda: session.run(count)) for _ in range(3)],
        "wider": [session.run(wider), session.run(loose)],
        "local": session.run(local),
      }

  on_both(program)


@pytest.mark.parametrize("resource", [True, False])
def test_a_variable_of_unknown_shape_takes_other_shapes(on_both, resource):
  def program(cluster):
    with tf1.device("/job:ps/task:0"):
      initial = tf1.placeholder_with_default([1.0, 2.0], None)
      v = tf1.Variable(initial, validate_shape=False, use_resource=resource, name="v")
      fed = tf1.placeholder(tf.float32)
      assigns = {"wider": tf1.assign(v, [[1.0, 2.0, 3.0]], validate_shape=False), "fed": tf1.assign(v, fed, validate_shape=False)}
    seen = {}
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      for name, assign in assigns.items():
        session.run(assign.op if hasattr(assign, "op") else assign, {fed: [[5.0], [6.0]]})
        seen[name] = session.run(v)
    return seen

  on_both(program)
