"""The end that the first networks for images share: three fully connected layers, as convolutions over what the rest left."""

import millrace as tf
from millrace.contrib.layers import tensor_aliases


def truncated_normal(stddev):
  """An initializer of weights around zero."""
  return tf.truncated_normal_initializer(0.0, stddev)


def classify(net, num_classes, is_training, dropout_keep_prob, depth, kernel_size, last_biases=None):
  """Adds `fc6` (of `depth` outputs over a kernel that covers the whole image), `fc7` and `fc8`, which gives the logits.

  `last_biases` initializes the biases of `fc8`; by default they are those of the argument scope.
  """
  slim = tf.contrib.slim
  net = slim.conv2d(net, depth, kernel_size, padding="VALID", scope="fc6")
  net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
  net = slim.conv2d(net, 4096, [1, 1], scope="fc7")
  net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
  biases = {} if last_biases is None else {"biases_initializer": last_biases}
  return slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **biases)


def with_end_points(net, scope, collection, spatial_squeeze):
  """The logits, without their two dimensions of space if so wanted, and the dictionary of what the layers gave.

  The dictionary's last value, of the key of `fc8`, is what is returned as logits if these are squeezed.
  """
  end_points = tensor_aliases.convert_collection_to_dict(collection)
  if spatial_squeeze:
    net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
    end_points[scope.name + "/fc8"] = net
  return net, end_points
