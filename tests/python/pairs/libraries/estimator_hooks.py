"""Hooks of tf.estimator.experimental: ends before their time, and evaluations between steps."""

import glob
import os
import tempfile

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _model_fn(features, labels, mode, params):
  tf = params["tf"]()
  w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
  y = features["x"] * w
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"mean": tf.metrics.mean(y)})


def _make(tf, config=None):
  return tf.estimator.Estimator(_model_fn, tempfile.mkdtemp(), config, params={"tf": lambda: tf})


def _input_fn(tf):
  def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0])).repeat(20).batch(3)

  return input_fn


def program_early_stopping(tf):
  experimental = tf.estimator.experimental

  def run(make, losses, steps=10):
    estimator = _make(tf)
    os.makedirs(os.path.join(estimator.model_dir, "seen"))
    writer = tf.summary.FileWriter(os.path.join(estimator.model_dir, "seen"))
    for step, loss in losses:
      writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=loss)]), step)
    writer.close()
    hook = make(estimator, os.path.join(estimator.model_dir, "seen"))
    estimator.train(_input_fn(tf), steps=steps, hooks=[hook])
    return [estimator.get_variable_value("global_step"), "signal_early_stopping/STOP" in estimator.get_variable_names()]

  falling, rising = [(1, 3.0), (2, 2.0), (5, 1.0)], [(1, 1.0), (2, 2.0), (5, 3.0)]
  every = {"run_every_secs": None, "run_every_steps": 1}
  return [
    run(lambda e, d: experimental.stop_if_lower_hook(e, "loss", 1.5, eval_dir=d, min_steps=3, **every), falling),
    run(lambda e, d: experimental.stop_if_lower_hook(e, "loss", 1.5, eval_dir=d, min_steps=6, **every), falling),
    run(lambda e, d: experimental.stop_if_higher_hook(e, "loss", 2.5, eval_dir=d, min_steps=1, **every), rising),
    run(lambda e, d: experimental.stop_if_higher_hook(e, "loss", 3.5, eval_dir=d, **every), rising),
    run(lambda e, d: experimental.stop_if_no_decrease_hook(e, "loss", 3, eval_dir=d, min_steps=1, **every), rising),
    run(lambda e, d: experimental.stop_if_no_decrease_hook(e, "loss", 9, eval_dir=d, **every), rising),
    run(lambda e, d: experimental.stop_if_no_increase_hook(e, "loss", 3, eval_dir=d, min_steps=0, **every), falling),
    run(lambda e, d: experimental.stop_if_no_increase_hook(e, "loss", 3, eval_dir=None, **every), falling),
    run(lambda e, d: experimental.make_early_stopping_hook(e, lambda: True, run_every_secs=None, run_every_steps=4), []),
    run(lambda e, d: experimental.make_stop_at_checkpoint_step_hook(e, 4, wait_after_file_check_secs=1), []),
    _error(lambda: experimental.make_early_stopping_hook(3, lambda: True)),
    _error(lambda: experimental.make_early_stopping_hook(_make(tf), lambda: True, run_every_secs=3, run_every_steps=3)),
    _error(lambda: experimental.make_early_stopping_hook(_make(tf), 3)),
  ]


def program_evaluator_in_memory(tf):
  config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
  estimator = _make(tf, config)
  calls = []

  class Hook(tf.train.SessionRunHook):
    def end(self, session):
      calls.append(session.run("w:0"))

  wide_input = _input_fn(tf)
  hook = tf.estimator.experimental.InMemoryEvaluatorHook(
    estimator, wide_input, steps=2, hooks=[Hook()], name="memory", every_n_iter=2
  )
  estimator.train(wide_input, hooks=[hook], max_steps=5)
  found = []
  for path in glob.glob(os.path.join(estimator.eval_dir("memory"), "events*")):
    for event in tf.train.summary_iterator(path):
      found += [(event.step, value.tag, np.float32(value.simple_value)) for value in event.summary.value]
  return [
    calls,
    found,
    _error(lambda: tf.estimator.experimental.InMemoryEvaluatorHook(estimator, wide_input, every_n_iter=0)),
  ]
