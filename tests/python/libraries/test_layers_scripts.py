"""Programs as they were written in 2017, with tf.layers and with slim, run unchanged."""

import package

IMAGES = """
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 16, "Examples a step.")
tf.app.flags.DEFINE_float("learning_rate", 0.01, "Size of steps.")


def cnn_model(features, is_training):
  net = tf.reshape(features, [-1, 12, 12, 1])
  net = tf.layers.conv2d(
      inputs=net, filters=8, kernel_size=[3, 3], padding="same", activation=tf.nn.relu, name="conv1",
      kernel_initializer=tf.contrib.layers.xavier_initializer(),
      kernel_regularizer=tf.contrib.layers.l2_regularizer(1e-4))
  net = tf.layers.max_pooling2d(inputs=net, pool_size=[2, 2], strides=2)
  net = tf.layers.conv2d(net, 16, 3, name="conv2", use_bias=False)
  net = tf.nn.relu(tf.layers.batch_normalization(net, training=is_training, name="bn2"))
  net = tf.layers.flatten(tf.layers.average_pooling2d(net, 2, 2))
  net = tf.layers.dense(inputs=net, units=32, activation=tf.nn.relu)
  net = tf.layers.dropout(inputs=net, rate=0.4, training=is_training)
  return tf.layers.dense(inputs=net, units=3)


def main(unused_argv):
  rng = np.random.RandomState(0)
  labels = rng.randint(0, 3, 240)
  images = rng.rand(240, 144).astype(np.float32) * 0.3
  for i, label in enumerate(labels):
    images[i, label * 48:(label + 1) * 48] += 0.7
  tf.set_random_seed(1)
  x = tf.placeholder(tf.float32, [None, 144])
  y = tf.placeholder(tf.int64, [None])
  is_training = tf.placeholder(tf.bool, name="is_training")
  logits = cnn_model(x, is_training)
  cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
  loss = cross_entropy + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
  accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
  global_step = tf.train.get_or_create_global_step()
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.AdamOptimizer(FLAGS.learning_rate).minimize(loss, global_step=global_step)
  saver = tf.train.Saver()
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(60):
      batch = rng.randint(0, 240, FLAGS.batch_size)
      sess.run(train_op, feed_dict={x: images[batch], y: labels[batch], is_training: True})
    print(sess.run(accuracy, feed_dict={x: images, y: labels, is_training: False}) > 0.9, sess.run(global_step))
    path = saver.save(sess, "./model.ckpt", global_step=global_step)
    print(" ".join(name for name, _ in tf.contrib.framework.list_variables(path) if "Adam" not in name))


if __name__ == "__main__":
  tf.app.run()
"""

SLIM = """
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.layers.python.layers import utils


def net_arg_scope(weight_decay=0.0005, is_training=True):
  batch_norm_params = {"is_training": is_training, "decay": 0.9, "updates_collections": None, "scale": True}
  with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu,
                      weights_regularizer=slim.l2_regularizer(weight_decay)):
    with slim.arg_scope([slim.conv2d], padding="SAME", normalizer_fn=slim.batch_norm,
                        normalizer_params=batch_norm_params) as arg_sc:
      return arg_sc


def net(inputs, num_classes=4, is_training=True, scope="net_a", reuse=None):
  with tf.variable_scope(scope, "net_a", [inputs], reuse=reuse) as sc:
    end_points_collection = sc.name + "_end_points"
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=end_points_collection):
      net = slim.repeat(inputs, 2, slim.conv2d, 8, [3, 3], scope="conv1")
      net = slim.max_pool2d(net, [2, 2], scope="pool1")
      with tf.variable_scope("Mixed"):
        with tf.variable_scope("Branch_0"):
          branch_0 = slim.conv2d(net, 4, [1, 1], scope="Conv2d_0a_1x1")
        with tf.variable_scope("Branch_1"):
          branch_1 = slim.avg_pool2d(net, [3, 3], stride=1, padding="SAME")
          branch_1 = slim.conv2d(branch_1, 4, [1, 1], weights_initializer=tf.truncated_normal_initializer(0.0, 0.1))
        net = tf.concat(axis=3, values=[branch_0, branch_1])
      net = slim.dropout(net, 0.5, is_training=is_training, scope="drop")
      logits = slim.fully_connected(slim.flatten(net), num_classes, activation_fn=None, scope="logits")
      end_points = utils.convert_collection_to_dict(end_points_collection)
      end_points["predictions"] = slim.softmax(logits, scope="predictions")
      return logits, end_points


rng = np.random.RandomState(0)
data = rng.rand(64, 8, 8, 3).astype("f")
labels = rng.randint(0, 4, 64)
for i, label in enumerate(labels):
  data[i, :, :, label % 3] += 1 if label < 3 else -1
with tf.Graph().as_default():
  tf.set_random_seed(1)
  x = tf.placeholder(tf.float32, [None, 8, 8, 3])
  y = tf.placeholder(tf.int32, [None])
  with slim.arg_scope(net_arg_scope()):
    logits, end_points = net(x)
  with slim.arg_scope(net_arg_scope(is_training=False)):
    eval_logits, _ = net(x, is_training=False, reuse=True)
  tf.losses.softmax_cross_entropy(slim.one_hot_encoding(y, 4), logits)
  train_op = tf.contrib.layers.optimize_loss(
      tf.losses.get_total_loss(), slim.get_or_create_global_step(), 0.05, "Momentum", clip_gradients=10.0)
  print(" ".join(sorted(end_points)))
  print(len(slim.get_model_variables()), len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(40):
      sess.run(train_op, {x: data, y: labels})
    print(np.mean(sess.run(eval_logits, {x: data}).argmax(1) == labels) > 0.8)
    tf.train.Saver().save(sess, "./model.ckpt")
with tf.Graph().as_default():
  x = tf.placeholder(tf.float32, [None, 8, 8, 3])
  with slim.arg_scope(net_arg_scope(is_training=False)):
    logits, _ = net(x, num_classes=7, is_training=False)
  variables = slim.get_variables_to_restore(exclude=["net_a/logits"])
  init_fn = slim.assign_from_checkpoint_fn(tf.train.latest_checkpoint("."), variables)
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    init_fn(sess)
    print(sess.run(logits, {x: data[:2]}).shape, len(variables))
"""


def test_layers_of_an_image_classifier(tmp_path):
  ran = package.script(tmp_path, IMAGES, "--learning_rate=0.02")
  assert ran.returncode == 0, ran.stderr
  names = "beta1_power beta2_power bn2/beta bn2/gamma bn2/moving_mean bn2/moving_variance conv1/bias conv1/kernel conv2/kernel "
  names += "dense/bias dense/kernel dense_1/bias dense_1/kernel global_step"
  assert ran.stdout.splitlines() == ["True 60", names]


def test_a_network_of_slim_and_its_restored_part(tmp_path):
  ran = package.script(tmp_path, SLIM)
  assert ran.returncode == 0, ran.stderr
  points = "net_a/Mixed/Branch_0/Conv2d_0a_1x1 net_a/Mixed/Branch_1/Conv net_a/conv1/conv1_1 net_a/conv1/conv1_2 net_a/logits "
  assert ran.stdout.splitlines() == [points + "net_a/pool1 predictions", "22 5", "True", "(2, 7) 20"]
