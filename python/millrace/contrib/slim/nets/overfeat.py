"""OverFeat in its fast form: P. Sermanet et al., Integrated recognition, localization and detection using convolutional networks, 2014."""

import millrace as tf
from millrace.contrib.slim.nets import fully_connected_end


def overfeat_arg_scope(weight_decay=0.0005):
  """The argument scope in which `overfeat` is meant to be built."""
  slim = tf.contrib.slim
  with (
    slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      activation_fn=tf.nn.relu,
      weights_regularizer=slim.l2_regularizer(weight_decay),
      biases_initializer=tf.zeros_initializer(),
    ),
    slim.arg_scope([slim.conv2d], padding="SAME"),
    slim.arg_scope([slim.max_pool2d], padding="VALID") as scope,
  ):
    return scope


def overfeat(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="overfeat"):
  """Builds the network over images [batch, height, width, channels], meant to be of 231 x 231 pixels.

  Returns the logits, [batch, num_classes] or with `spatial_squeeze` False [batch, height, width, num_classes], and a dictionary from the
  names of layers to their outputs. `dropout_keep_prob` is the part of activations that training keeps before the last two layers.
  """
  slim = tf.contrib.slim
  with tf.variable_scope(scope, "overfeat", [inputs]) as sc:
    collection = sc.name + "_end_points"
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=collection):
      net = slim.conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
      net = slim.max_pool2d(net, [2, 2], scope="pool1")
      net = slim.conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
      net = slim.max_pool2d(net, [2, 2], scope="pool2")
      net = slim.conv2d(net, 512, [3, 3], scope="conv3")
      net = slim.conv2d(net, 1024, [3, 3], scope="conv4")
      net = slim.conv2d(net, 1024, [3, 3], scope="conv5")
      net = slim.max_pool2d(net, [2, 2], scope="pool5")
      with slim.arg_scope(
        [slim.conv2d],
        weights_initializer=fully_connected_end.truncated_normal(0.005),
        biases_initializer=tf.constant_initializer(0.1),
      ):
        net = fully_connected_end.classify(
          net, num_classes, is_training, dropout_keep_prob, 3072, [6, 6], last_biases=tf.zeros_initializer()
        )
      return fully_connected_end.with_end_points(net, sc, collection, spatial_squeeze)


overfeat.default_image_size = 231
