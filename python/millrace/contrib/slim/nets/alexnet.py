"""AlexNet in its second form, on one device: A. Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014."""

import millrace as tf
from millrace.contrib.slim.nets import fully_connected_end


def alexnet_v2_arg_scope(weight_decay=0.0005):
  """The argument scope in which `alexnet_v2` is meant to be built."""
  slim = tf.contrib.slim
  with (
    slim.arg_scope(
      [slim.conv2d, slim.fully_connected],
      activation_fn=tf.nn.relu,
      biases_initializer=tf.constant_initializer(0.1),
      weights_regularizer=slim.l2_regularizer(weight_decay),
    ),
    slim.arg_scope([slim.conv2d], padding="SAME"),
    slim.arg_scope([slim.max_pool2d], padding="VALID") as scope,
  ):
    return scope


def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="alexnet_v2"):
  """Builds the network over images [batch, height, width, channels], meant to be of 224 x 224 pixels.

  Returns the logits, [batch, num_classes] or with `spatial_squeeze` False [batch, height, width, num_classes], and a dictionary from the
  names of layers to their outputs. `dropout_keep_prob` is the part of activations that training keeps before the last two layers.
  """
  slim = tf.contrib.slim
  with tf.variable_scope(scope, "alexnet_v2", [inputs]) as sc:
    collection = sc.original_name_scope + "_end_points"
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=[collection]):
      net = slim.conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
      net = slim.max_pool2d(net, [3, 3], 2, scope="pool1")
      net = slim.conv2d(net, 192, [5, 5], scope="conv2")
      net = slim.max_pool2d(net, [3, 3], 2, scope="pool2")
      net = slim.conv2d(net, 384, [3, 3], scope="conv3")
      net = slim.conv2d(net, 384, [3, 3], scope="conv4")
      net = slim.conv2d(net, 256, [3, 3], scope="conv5")
      net = slim.max_pool2d(net, [3, 3], 2, scope="pool5")
      with slim.arg_scope(
        [slim.conv2d],
        weights_initializer=fully_connected_end.truncated_normal(0.005),
        biases_initializer=tf.constant_initializer(0.1),
      ):
        net = fully_connected_end.classify(
          net, num_classes, is_training, dropout_keep_prob, 4096, [5, 5], last_biases=tf.zeros_initializer()
        )
      return fully_connected_end.with_end_points(net, sc, collection, spatial_squeeze)


alexnet_v2.default_image_size = 224
