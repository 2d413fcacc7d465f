"""Two towers that share variables: losses in a collection, averaged gradients, moving averages that an evaluation restores."""

from __future__ import absolute_import, division, print_function

import os.path
import re

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("train_dir", "cifar10_train", """Directory where to write event logs and checkpoint.""")
tf.app.flags.DEFINE_integer("max_steps", 7, """Number of batches to run.""")
tf.app.flags.DEFINE_integer("num_gpus", 2, """How many GPUs to use.""")
tf.app.flags.DEFINE_boolean("log_device_placement", False, """Whether to log device placement.""")
tf.app.flags.DEFINE_integer("batch_size", 8, """Number of images to process in a batch.""")
TOWER_NAME = "tower"
MOVING_AVERAGE_DECAY = 0.9


def _activation_summary(x):
  tensor_name = re.sub("%s_[0-9]*/" % TOWER_NAME, "", x.op.name)
  tf.summary.histogram(tensor_name + "/activations", x)
  tf.summary.scalar(tensor_name + "/sparsity", tf.nn.zero_fraction(x))


def _variable_on_cpu(name, shape, initializer):
  with tf.device("/cpu:0"):
    var = tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)
  return var


def _variable_with_weight_decay(name, shape, stddev, wd):
  var = _variable_on_cpu(
    name, shape, tf.truncated_normal_initializer(stddev=stddev, dtype=tf.float32, seed=len(name) + shape[-1])
  )
  if wd is not None:
    weight_decay = tf.multiply(tf.nn.l2_loss(var), wd, name="weight_loss")
    tf.add_to_collection("losses", weight_decay)
  return var


def inputs():
  rng = np.random.RandomState(0)
  images, labels = rng.rand(64, 12, 12, 3).astype(np.float32), rng.randint(0, 4, 64).astype(np.int32)
  images, labels = tf.train.slice_input_producer([tf.constant(images), tf.constant(labels)], shuffle=False)
  image = tf.image.per_image_standardization(tf.image.resize_image_with_crop_or_pad(images, 10, 10))
  return tf.train.batch([image, labels], FLAGS.batch_size, capacity=32)


def inference(images):
  with tf.variable_scope("conv1") as scope:
    kernel = _variable_with_weight_decay("weights", shape=[3, 3, 3, 8], stddev=5e-2, wd=None)
    conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
    biases = _variable_on_cpu("biases", [8], tf.constant_initializer(0.0))
    pre_activation = tf.nn.bias_add(conv, biases)
    conv1 = tf.nn.relu(pre_activation, name=scope.name)
    _activation_summary(conv1)
  pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
  norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
  with tf.variable_scope("local3") as scope:
    reshape = tf.reshape(norm1, [FLAGS.batch_size, -1])
    dim = reshape.get_shape()[1].value
    weights = _variable_with_weight_decay("weights", shape=[dim, 16], stddev=0.04, wd=0.004)
    biases = _variable_on_cpu("biases", [16], tf.constant_initializer(0.1))
    local3 = tf.nn.relu(tf.matmul(reshape, weights) + biases, name=scope.name)
    _activation_summary(local3)
  with tf.variable_scope("softmax_linear") as scope:
    weights = _variable_with_weight_decay("weights", [16, 4], stddev=1 / 16.0, wd=0.0)
    biases = _variable_on_cpu("biases", [4], tf.constant_initializer(0.0))
    softmax_linear = tf.add(tf.matmul(local3, weights), biases, name=scope.name)
    _activation_summary(softmax_linear)
  return softmax_linear


def loss_of(logits, labels):
  labels = tf.cast(labels, tf.int64)
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="cross_entropy_per_example")
  tf.add_to_collection("losses", tf.reduce_mean(cross_entropy, name="cross_entropy"))
  return tf.add_n(tf.get_collection("losses"), name="total_loss")


def tower_loss(scope, images, labels):
  logits = inference(images)
  _ = loss_of(logits, labels)
  losses = tf.get_collection("losses", scope)
  total_loss = tf.add_n(losses, name="total_loss")
  print(scope, [l.op.name for l in losses])
  for l in losses + [total_loss]:
    loss_name = re.sub("%s_[0-9]*/" % TOWER_NAME, "", l.op.name)
    tf.summary.scalar(loss_name, l)
  return total_loss


def average_gradients(tower_grads):
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      grads.append(tf.expand_dims(g, 0))
    grad = tf.concat(axis=0, values=grads)
    grad = tf.reduce_mean(grad, 0)
    v = grad_and_vars[0][1]
    average_grads.append((grad, v))
  return average_grads


def train():
  with tf.Graph().as_default(), tf.device("/cpu:0"):
    tf.set_random_seed(3)
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    lr = tf.train.exponential_decay(0.1, global_step, 3, 0.5, staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)
    images, labels = inputs()
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(FLAGS.num_gpus):
        with tf.device("/cpu:0"):
          with tf.name_scope("%s_%d" % (TOWER_NAME, i)) as scope:
            half = tf.identity(images if i == 0 else tf.reverse(images, [2]))
            loss = tower_loss(scope, half, labels)
            tf.get_variable_scope().reuse_variables()
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            grads = opt.compute_gradients(loss)
            tower_grads.append(grads)
    grads = average_gradients(tower_grads)
    summaries.append(tf.summary.scalar("learning_rate", lr))
    for grad, var in grads:
      if grad is not None:
        summaries.append(tf.summary.histogram(var.op.name + "/gradients", grad))
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    for var in tf.trainable_variables():
      summaries.append(tf.summary.histogram(var.op.name, var))
    with tf.control_dependencies([apply_gradient_op]):
      variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
      train_op = variable_averages.apply(tf.trainable_variables())
    saver = tf.train.Saver(tf.global_variables())
    summary_op = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement))
    sess.run(init)
    threads = tf.train.start_queue_runners(sess=sess)
    print(len(threads), sorted(t.name.split("-")[1] if "-" in t.name else "" for t in threads))
    summary_writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
    for step in range(FLAGS.max_steps):
      _, loss_value = sess.run([train_op, loss])
      assert not np.isnan(loss_value), "Model diverged with loss = NaN"
      print("step %d, loss = %.5f" % (step, loss_value))
      if step % 3 == 0:
        summary_str = sess.run(summary_op)
        summary_writer.add_summary(summary_str, step)
      if step % 3 == 0 or (step + 1) == FLAGS.max_steps:
        saver.save(sess, os.path.join(FLAGS.train_dir, "model.ckpt"), global_step=step)
    summary_writer.flush()
    print(
      [d for d in sorted(set(op.device for op in tf.get_default_graph().get_operations()))],
      len(tf.get_default_graph().get_operations()) > 300,
    )
    print(sorted(tf.get_default_graph().get_all_collection_keys()))


def evaluate():
  with tf.Graph().as_default() as g:
    images, labels = inputs()
    logits = inference(images)
    top_k_op = tf.nn.in_top_k(logits, labels, 1)
    variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY)
    variables_to_restore = variable_averages.variables_to_restore()
    print(sorted(variables_to_restore))
    saver = tf.train.Saver(variables_to_restore)
    summary_op = tf.summary.merge_all()
    writer = tf.summary.FileWriter("cifar10_eval", g)
    with tf.Session() as sess:
      ckpt = tf.train.get_checkpoint_state(FLAGS.train_dir)
      saver.restore(sess, ckpt.model_checkpoint_path)
      global_step = ckpt.model_checkpoint_path.split("/")[-1].split("-")[-1]
      coord = tf.train.Coordinator()
      try:
        threads = []
        for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
          threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
        true_count, step = 0, 0
        while step < 4 and not coord.should_stop():
          predictions = sess.run([top_k_op])
          true_count += np.sum(predictions)
          step += 1
        precision = true_count / (4 * FLAGS.batch_size)
        print("precision @ 1 = %.3f at step %s" % (precision, global_step))
        summary = tf.Summary()
        summary.ParseFromString(sess.run(summary_op))
        summary.value.add(tag="Precision @ 1", simple_value=precision)
        writer.add_summary(summary, global_step)
      except Exception as e:
        coord.request_stop(e)
      coord.request_stop()
      coord.join(threads, stop_grace_period_secs=10)
      writer.close()


def main(argv=None):
  if tf.gfile.Exists(FLAGS.train_dir):
    tf.gfile.DeleteRecursively(FLAGS.train_dir)
  tf.gfile.MakeDirs(FLAGS.train_dir)
  train()
  evaluate()
  print([f for f in sorted(tf.gfile.ListDirectory(FLAGS.train_dir)) if "events" not in f])


if __name__ == "__main__":
  tf.app.run()
