"""The networks of the group VGG: K. Simonyan and A. Zisserman, Very deep convolutional networks for large-scale image recognition, 2014."""

import millrace as tf
from millrace.contrib.slim.nets import fully_connected_end

_DEPTHS = (64, 128, 256, 512, 512)


def vgg_arg_scope(weight_decay=0.0005):
  """The argument scope in which the networks are meant to be built."""
  slim = tf.contrib.slim
  with (
    slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      activation_fn=tf.nn.relu,
      weights_regularizer=slim.l2_regularizer(weight_decay),
      biases_initializer=tf.zeros_initializer(),
    ),
    slim.arg_scope([slim.conv2d], padding="SAME") as scope,
  ):
    return scope


def _vgg(name, counts, inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope):
  slim = tf.contrib.slim
  with tf.variable_scope(scope, name, [inputs]) as sc:
    # The largest one's collection has another name, by which programs ask for it.
    collection = (sc.name if name == "vgg_19" else sc.original_name_scope) + "_end_points"
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=collection):
      net = inputs
      for number, (count, depth) in enumerate(zip(counts, _DEPTHS), start=1):
        net = slim.repeat(net, count, slim.conv2d, depth, [3, 3], scope=f"conv{number}")
        net = slim.max_pool2d(net, [2, 2], scope=f"pool{number}")
      net = fully_connected_end.classify(net, num_classes, is_training, dropout_keep_prob, 4096, [7, 7])
      return fully_connected_end.with_end_points(net, sc, collection, spatial_squeeze)


def vgg_a(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="vgg_a"):
  """Builds the network of 11 layers with weights over images [batch, height, width, channels], meant to be of 224 x 224 pixels.

  Returns the logits, [batch, num_classes] or with `spatial_squeeze` False [batch, height, width, num_classes], and a dictionary from the
  names of layers to their outputs. `dropout_keep_prob` is the part of activations that training keeps before the last two layers.
  """
  return _vgg("vgg_a", (1, 1, 2, 2, 2), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


def vgg_16(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="vgg_16"):
  """As `vgg_a`, of 16 layers with weights."""
  return _vgg("vgg_16", (2, 2, 3, 3, 3), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


def vgg_19(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="vgg_19"):
  """As `vgg_a`, of 19 layers with weights."""
  return _vgg("vgg_19", (2, 2, 4, 4, 4), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


vgg_a.default_image_size = 224
vgg_16.default_image_size = 224
vgg_19.default_image_size = 224
vgg_d = vgg_16
vgg_e = vgg_19
