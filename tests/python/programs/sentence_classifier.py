"""A small self-attention classifier in TPUEstimator, with an optimizer of its own, that is trained twice: anew and from a checkpoint."""

from __future__ import absolute_import, division, print_function

import os
import re
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("output_dir", None, "Folder of all that is written.")
flags.DEFINE_bool("use_tpu", False, "Whether there is a TPU.")
flags.DEFINE_integer("train_batch_size", 16, "Sentences of a step.")
flags.DEFINE_float("learning_rate", 2e-3, "The highest rate.")

LENGTH, WORDS, SIZE, HEADS = 10, 20, 16, 2


def write_sentences(path, count, seed):
  """Sentences of numbers; those with a 7 are of class 1."""
  rng = np.random.RandomState(seed)
  with tf.python_io.TFRecordWriter(path) as writer:
    for _ in range(count):
      words = rng.randint(3, WORDS, rng.randint(4, LENGTH))
      if rng.rand() < 0.5:
        words[rng.randint(len(words))] = 7
      row = np.zeros([LENGTH], np.int64)
      row[: len(words)] = words
      example = tf.train.Example()
      example.features.feature["words"].int64_list.value.extend(row)
      example.features.feature["label"].int64_list.value.append(int(7 in words))
      writer.write(example.SerializeToString())


def input_fn_of(path, is_training):
  spec = {"words": tf.FixedLenFeature([LENGTH], tf.int64), "label": tf.FixedLenFeature([], tf.int64)}

  def parse(record):
    return {name: tf.to_int32(value) for name, value in tf.parse_single_example(record, spec).items()}

  def input_fn(params):
    data = tf.data.TFRecordDataset(path)
    if is_training:
      data = data.repeat().shuffle(buffer_size=100, seed=1)
    return data.apply(tf.contrib.data.map_and_batch(parse, batch_size=params["batch_size"], drop_remainder=is_training))

  return input_fn


def initial():
  return tf.truncated_normal_initializer(stddev=0.1, seed=11)


def dense(x, units, name, activation=None):
  return tf.layers.dense(x, units, activation=activation, name=name, kernel_initializer=initial())


def attention(x, mask):
  """Each place looks at all that are no padding."""
  parts = []
  for head in range(HEADS):
    with tf.variable_scope("head_%d" % head):
      q, k, v = [dense(x, SIZE // HEADS, name) for name in ("query", "key", "value")]
      scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(SIZE / HEADS)
      scores += (1.0 - tf.expand_dims(mask, 1)) * -1e4
      parts.append(tf.matmul(tf.nn.softmax(scores), v))
  return tf.concat(parts, -1)


def encoder(words):
  mask = tf.to_float(tf.not_equal(words, 0))
  with tf.variable_scope("embeddings"):
    table = tf.get_variable("word_embeddings", [WORDS, SIZE], initializer=initial())
    places = tf.get_variable("position_embeddings", [LENGTH, SIZE], initializer=initial())
    with tf.control_dependencies([tf.assert_less(words, WORDS)]):
      x = tf.gather(table, words) + tf.expand_dims(places, 0)
    x = tf.contrib.layers.layer_norm(inputs=x, begin_norm_axis=-1, begin_params_axis=-1)
  for number in range(2):
    with tf.variable_scope("layer_%d" % number):
      x = tf.contrib.layers.layer_norm(x + attention(x, mask), begin_norm_axis=-1, scope="first")
      wide = dense(x, 2 * SIZE, "wide", activation=lambda t: t * 0.5 * (1.0 + tf.erf(t / np.sqrt(2.0))))
      x = tf.contrib.layers.layer_norm(x + dense(wide, SIZE, "narrow"), begin_norm_axis=-1, scope="second")
  return dense(tf.reduce_mean(x, 1), SIZE, "pooled", activation=tf.tanh)


class DecayingAdam(tf.train.Optimizer):
  """Adam without corrected moments; weights shrink by their own rule."""

  def __init__(self, rate, decay, name="DecayingAdam"):
    super(DecayingAdam, self).__init__(False, name)
    self._rate = rate
    self._decay = decay

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    updates = []
    for grad, var in grads_and_vars:
      if grad is None:
        continue
      base = re.match("^(.*):[0-9]+$", var.name).group(1)
      slots = [
        tf.get_variable(base + suffix, var.shape.as_list(), trainable=False, initializer=tf.zeros_initializer())
        for suffix in ("/mean", "/square")
      ]
      mean = 0.9 * slots[0] + tf.multiply(0.1, grad)
      square = 0.999 * slots[1] + tf.multiply(0.001, tf.square(grad))
      step = mean / (tf.sqrt(square) + 1e-6)
      if not re.search("LayerNorm|first|second|bias", base):
        step += self._decay * var
      updates += [var.assign(var - self._rate * step), slots[0].assign(mean), slots[1].assign(square)]
    return tf.group(*updates, name=name)


def train_op_of(loss, steps):
  step = tf.train.get_or_create_global_step()
  rate = tf.train.polynomial_decay(FLAGS.learning_rate, step, steps, end_learning_rate=0.0)
  warm = tf.to_float(step) / 5.0 * FLAGS.learning_rate
  rate = tf.where(step < 5, warm, rate)
  variables = tf.trainable_variables()
  grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
  apply = DecayingAdam(rate, 0.01).apply_gradients(zip(grads, variables))
  with tf.control_dependencies([apply]):
    return tf.group(step.assign(step + 1))


def model_fn_of(steps, checkpoint):
  def model_fn(features, labels, mode, params):
    del labels
    assert params["use_tpu"] == FLAGS.use_tpu
    with tf.variable_scope("model"):
      logits = dense(encoder(features["words"]), 2, "logits")
    if checkpoint:
      there = dict(tf.train.list_variables(checkpoint))
      names = [v.op.name for v in tf.trainable_variables() if v.op.name in there]
      tf.train.init_from_checkpoint(checkpoint, {name: name for name in names})
      print(mode, "takes over", len(names))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=features["label"], logits=logits)
    loss = tf.reduce_mean(losses)
    spec = tf.contrib.tpu.TPUEstimatorSpec
    if mode == tf.estimator.ModeKeys.TRAIN:
      return spec(mode=mode, loss=loss, train_op=train_op_of(loss, steps))
    if mode == tf.estimator.ModeKeys.EVAL:

      def metric_fn(losses, labels, logits):
        found = tf.argmax(logits, axis=-1, output_type=tf.int32)
        return {"accuracy": tf.metrics.accuracy(labels, found), "mean": tf.metrics.mean(losses)}

      return spec(mode=mode, loss=loss, eval_metrics=(metric_fn, [losses, features["label"], logits]))
    return spec(mode=mode, predictions={"probabilities": tf.nn.softmax(logits, axis=-1)})

  return model_fn


def run(name, steps, checkpoint):
  folder = FLAGS.output_dir
  config = tf.contrib.tpu.RunConfig(
    model_dir=os.path.join(folder, name),
    save_checkpoints_steps=50,
    tf_random_seed=1,
    tpu_config=tf.contrib.tpu.TPUConfig(
      iterations_per_loop=10, num_shards=8, per_host_input_for_training=tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
    ),
  )
  estimator = tf.contrib.tpu.TPUEstimator(
    use_tpu=FLAGS.use_tpu,
    model_fn=model_fn_of(steps, checkpoint),
    config=config,
    train_batch_size=FLAGS.train_batch_size,
    eval_batch_size=8,
    predict_batch_size=8,
  )
  estimator.train(input_fn_of(os.path.join(folder, "train"), True), max_steps=steps)
  result = estimator.evaluate(input_fn_of(os.path.join(folder, "dev"), False))
  print(name, sorted(result), "accuracy above 0.9:", result["accuracy"] > 0.9, "step", result["global_step"])
  found = [p["probabilities"] for p in estimator.predict(input_fn_of(os.path.join(folder, "dev"), False))]
  print(len(found), "sums of 1:", np.allclose(np.sum(found, 1), 1.0, atol=1e-5))
  return estimator


def main(_):
  tf.logging.set_verbosity(tf.logging.ERROR)
  FLAGS.output_dir = FLAGS.output_dir or tempfile.mkdtemp()
  tf.gfile.MakeDirs(FLAGS.output_dir)
  write_sentences(os.path.join(FLAGS.output_dir, "train"), 240, 0)
  write_sentences(os.path.join(FLAGS.output_dir, "dev"), 50, 1)
  first = run("first", 150, None)
  run("second", 10, first.latest_checkpoint())
  names = first.get_variable_names()
  print(len(names), sorted(name for name in names if "layer_0" in name and "/mean" not in name and "/square" not in name))


if __name__ == "__main__":
  tf.app.run()
