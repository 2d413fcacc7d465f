"""The network of C. Szegedy et al., Going deeper with convolutions, 2014."""

import millrace as tf
from millrace.contrib.layers import shaping
from millrace.contrib.slim.nets import fully_connected_end, inception_blocks

_STEM = [
  "Conv2d_1a_7x7 64 /2",
  "MaxPool_2a_3x3 /2",
  "Conv2d_2b_1x1 64",
  "Conv2d_2c_3x3 192",
  "MaxPool_3a_3x3 /2",
]
# Depths of the branches: one convolution | two | two | a pooling and a convolution.
_BLOCKS = [
  ("Mixed_3b", 64, (96, 128), (16, 32), 32),
  ("Mixed_3c", 128, (128, 192), (32, 96), 64),
  ("MaxPool_4a_3x3 /2",),
  ("Mixed_4b", 192, (96, 208), (16, 48), 64),
  ("Mixed_4c", 160, (112, 224), (24, 64), 64),
  ("Mixed_4d", 128, (128, 256), (24, 64), 64),
  ("Mixed_4e", 112, (144, 288), (32, 64), 64),
  ("Mixed_4f", 256, (160, 320), (32, 128), 128),
  ("MaxPool_5a_2x2 /2",),
  ("Mixed_5b", 256, (160, 320), (32, 128), 128),
  ("Mixed_5c", 384, (192, 384), (48, 128), 128),
]
# The name of one convolution, which checkpoints have in their variables, is another than in the other blocks.
_NAMES_OF_THIRD = {"Mixed_5b": "Conv2d_0a_3x3"}


def inception_v1_arg_scope(weight_decay=0.00004, use_batch_norm=True, batch_norm_var_collection="moving_vars"):
  """The argument scope in which the network is meant to be built; the collection gets the moving means and variances."""
  norm = inception_blocks.norm_of(batch_norm_var_collection) if use_batch_norm else None
  return inception_blocks.inception_arg_scope(weight_decay, norm)


def inception_v1_base(inputs, final_endpoint="Mixed_5c", scope="InceptionV1"):
  """Builds the network's convolutions up to the layer or block `final_endpoint` over images [batch, height, width, channels].

  Returns the last tensor and a dictionary from names of layers and blocks to their outputs. Raises ValueError for an unknown name.
  """
  builder = inception_blocks.Builder(final_endpoint)
  slim = tf.contrib.slim

  def build():
    net = builder.stem(inputs, _STEM)
    for name, *depths in _BLOCKS:
      if not depths:
        net = builder.stem(net, [name])
        continue
      one, (before_two, two), (before_three, three), pooled = depths
      third = _NAMES_OF_THIRD.get(name, "Conv2d_0b_3x3")
      branches = [
        [f"Conv2d_0a_1x1 {one}"],
        [f"Conv2d_0a_1x1 {before_two}", f"Conv2d_0b_3x3 {two}"],
        [f"Conv2d_0a_1x1 {before_three}", f"{third} {three}"],
        ["MaxPool_0a_3x3", f"Conv2d_0b_1x1 {pooled}"],
      ]
      net = builder.block(net, name, branches)

  with (
    tf.variable_scope(scope, "InceptionV1", [inputs]),
    slim.arg_scope([slim.conv2d, slim.fully_connected], weights_initializer=fully_connected_end.truncated_normal(0.01)),
  ):
    return inception_blocks.build_base(builder, final_endpoint, build)


def inception_v1(
  inputs,
  num_classes=1000,
  is_training=True,
  dropout_keep_prob=0.8,
  prediction_fn=shaping.softmax,
  spatial_squeeze=True,
  reuse=None,
  scope="InceptionV1",
):
  """Builds the network over images [batch, height, width, channels], meant to be of 224 x 224 pixels.

  Returns the logits, without their dimensions of space if `spatial_squeeze`, and a dictionary from names to outputs, with the logits
  and the predictions that `prediction_fn(logits, scope=...)` gives. `dropout_keep_prob` is the part that training keeps before the end.
  """
  slim = tf.contrib.slim
  with (
    tf.variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as sc,
    slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
  ):
    net, end_points = inception_v1_base(inputs, scope=sc)
    with tf.variable_scope("Logits"):
      net = slim.avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
      net = slim.dropout(net, dropout_keep_prob, scope="Dropout_0b")
      logits = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_0c_1x1")
      if spatial_squeeze:
        logits = tf.squeeze(logits, [1, 2], name="SpatialSqueeze")
      end_points["Logits"] = logits
      end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
  return logits, end_points


inception_v1.default_image_size = 224
