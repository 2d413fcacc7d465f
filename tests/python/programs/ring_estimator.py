"""A custom estimator with exporters: points in a ring or not, trained and evaluated in turns, then asked from each export."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import predictor

rng = np.random.RandomState(0)
POINTS = rng.randn(300, 2).astype(np.float32)
INSIDE = ((POINTS**2).sum(1) < 1.2).astype(np.int32)


def model_fn(features, labels, mode, params):
  net = tf.feature_column.input_layer(features, params["columns"])
  for units in params["units"]:
    net = tf.layers.dense(net, units, activation=tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=units))
  logits = tf.layers.dense(net, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
  predictions = {"class_ids": tf.argmax(logits, 1)[:, tf.newaxis], "probabilities": tf.nn.softmax(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    output = tf.estimator.export.PredictOutput
    key = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = {key: output(predictions), "inside": output({"p": predictions["probabilities"][:, 1]})}
    return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  accuracy = tf.metrics.accuracy(labels, predictions["class_ids"][:, 0], name="accuracy_op")
  metrics = {"accuracy": accuracy, "auc": tf.metrics.auc(labels, predictions["probabilities"][:, 1])}
  tf.summary.scalar("accuracy", accuracy[1])
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  train_op = tf.train.AdagradOptimizer(params["rate"]).minimize(loss, global_step=tf.train.get_global_step())
  shown = tf.train.LoggingTensorHook({"loss": loss, "accuracy": accuracy[1]}, every_n_iter=100)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, training_hooks=[shown])


def input_fn(training):
  data = tf.data.Dataset.from_tensor_slices(({"a": POINTS[:, 0], "b": POINTS[:, 1]}, INSIDE))
  return data.shuffle(1000, seed=4).repeat().batch(30) if training else data.batch(50)


def serving_input_receiver_fn():
  given = {name: tf.placeholder(tf.float32, [None], name=name) for name in ("a", "b")}
  features = {name: tf.expand_dims(value, -1) for name, value in given.items()}
  return tf.estimator.export.ServingInputReceiver(features, given)


class CountingHook(tf.train.SessionRunHook):
  calls = 0

  def begin(self):
    self._step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({"step": self._step})

  def after_run(self, run_context, run_values):
    CountingHook.calls += 1
    assert run_values.results["step"] >= 0


def main(_):
  folder = tempfile.mkdtemp()
  columns = [tf.feature_column.numeric_column(key=key) for key in ("a", "b")]
  config = tf.estimator.RunConfig(model_dir=folder, save_checkpoints_steps=100, keep_checkpoint_max=2, tf_random_seed=1)
  params = {"columns": columns, "units": [10, 10], "rate": 0.2}
  classifier = tf.estimator.Estimator(model_fn=model_fn, config=config, params=params)
  better = tf.estimator.BestExporter(
    "best",
    serving_input_receiver_fn,
    compare_fn=lambda best_eval_result, current_eval_result: current_eval_result["accuracy"] >= best_eval_result["accuracy"],
  )
  exporters = [
    tf.estimator.LatestExporter("latest", serving_input_receiver_fn, exports_to_keep=1),
    tf.estimator.FinalExporter("final", serving_input_receiver_fn),
    better,
  ]
  early = tf.contrib.estimator.stop_if_no_decrease_hook(classifier, "loss", 10000, min_steps=50)
  train_spec = tf.estimator.TrainSpec(lambda: input_fn(True), max_steps=300, hooks=[CountingHook(), early])
  eval_spec = tf.estimator.EvalSpec(lambda: input_fn(False), steps=None, exporters=exporters, start_delay_secs=0, throttle_secs=0)
  metrics, _ = tf.estimator.train_and_evaluate(classifier, train_spec, eval_spec)
  print(sorted(metrics), "accuracy %.3f auc %.3f step %d" % (metrics["accuracy"], metrics["auc"], metrics["global_step"]))
  print("calls", CountingHook.calls)
  again = classifier.evaluate(lambda: input_fn(False), name="again")
  print("the same again:", again["accuracy"] == metrics["accuracy"])
  some = {"a": [0.0, 3.0], "b": [0.1, 3.0]}
  for found in classifier.predict(lambda: tf.data.Dataset.from_tensor_slices(some).batch(2)):
    print("predicted", found["class_ids"][0], "%.2f" % found["probabilities"][found["class_ids"][0]])
  for name in sorted(os.listdir(os.path.join(folder, "export"))):
    path = os.path.join(folder, "export", name)
    path = os.path.join(path, sorted(os.listdir(path))[-1])
    ask = predictor.from_saved_model(path)
    inside = predictor.from_saved_model(path, signature_def_key="inside")
    print(name, ask(some)["class_ids"].ravel().tolist(), (inside(some)["p"] > 0.5).tolist())
  print(classifier.get_variable_value("dense/kernel").shape, os.path.basename(classifier.latest_checkpoint()))


if __name__ == "__main__":
  tf.logging.set_verbosity(tf.logging.ERROR)
  tf.app.run(main)
