"""The network of C. Szegedy et al., Rethinking the Inception architecture for computer vision, 2015."""

import millrace as tf
from millrace.contrib.layers import shaping
from millrace.contrib.slim.nets import fully_connected_end, inception_blocks

_STEM = [
  "Conv2d_1a_3x3 32 /2 VALID",
  "Conv2d_2a_3x3 32 VALID",
  "Conv2d_2b_3x3 64",
  "MaxPool_3a_3x3 /2 VALID",
  "Conv2d_3b_1x1 80 VALID",
  "Conv2d_4a_3x3 192 VALID",
  "MaxPool_5a_3x3 /2 VALID",
]
_LINEAR = {"activation_fn": None, "normalizer_fn": None}


def _of_35_pixels(pooled, names=("Conv2d_0a_1x1", "Conv2d_0b_5x5")):
  return [
    ["Conv2d_0a_1x1 64"],
    [f"{names[0]} 48", f"{names[1]} 64"],
    ["Conv2d_0a_1x1 64", "Conv2d_0b_3x3 96", "Conv2d_0c_3x3 96"],
    ["AvgPool_0a_3x3", f"Conv2d_0b_1x1 {pooled}"],
  ]


def _of_17_pixels(depth):
  return [
    ["Conv2d_0a_1x1 192"],
    [f"Conv2d_0a_1x1 {depth}", f"Conv2d_0b_1x7 {depth}", "Conv2d_0c_7x1 192"],
    [
      f"Conv2d_0a_1x1 {depth}",
      f"Conv2d_0b_7x1 {depth}",
      f"Conv2d_0c_1x7 {depth}",
      f"Conv2d_0d_7x1 {depth}",
      "Conv2d_0e_1x7 192",
    ],
    ["AvgPool_0a_3x3", "Conv2d_0b_1x1 192"],
  ]


def _of_8_pixels(name):
  return [
    ["Conv2d_0a_1x1 320"],
    ["Conv2d_0a_1x1 384", ("Conv2d_0b_1x3 384", f"{name} 384")],
    ["Conv2d_0a_1x1 448", "Conv2d_0b_3x3 384", ("Conv2d_0c_1x3 384", "Conv2d_0d_3x1 384")],
    ["AvgPool_0a_3x3", "Conv2d_0b_1x1 192"],
  ]


# Some names do not fit their kernels or their places: checkpoints have them in their variables.
_BLOCKS = [
  ("Mixed_5b", _of_35_pixels(32)),
  ("Mixed_5c", _of_35_pixels(64, ("Conv2d_0b_1x1", "Conv_1_0c_5x5"))),
  ("Mixed_5d", _of_35_pixels(64)),
  (
    "Mixed_6a",
    [
      ["Conv2d_1a_1x1 384 3x3 /2 VALID"],
      ["Conv2d_0a_1x1 64", "Conv2d_0b_3x3 96", "Conv2d_1a_1x1 96 3x3 /2 VALID"],
      ["MaxPool_1a_3x3 /2 VALID"],
    ],
  ),
  ("Mixed_6b", _of_17_pixels(128)),
  ("Mixed_6c", _of_17_pixels(160)),
  ("Mixed_6d", _of_17_pixels(160)),
  ("Mixed_6e", _of_17_pixels(192)),
  (
    "Mixed_7a",
    [
      ["Conv2d_0a_1x1 192", "Conv2d_1a_3x3 320 /2 VALID"],
      ["Conv2d_0a_1x1 192", "Conv2d_0b_1x7 192", "Conv2d_0c_7x1 192", "Conv2d_1a_3x3 192 /2 VALID"],
      ["MaxPool_1a_3x3 /2 VALID"],
    ],
  ),
  ("Mixed_7b", _of_8_pixels("Conv2d_0b_3x1")),
  ("Mixed_7c", _of_8_pixels("Conv2d_0c_3x1")),
]


def inception_v3_arg_scope(
  weight_decay=0.00004,
  batch_norm_var_collection="moving_vars",
  batch_norm_decay=0.9997,
  batch_norm_epsilon=0.001,
  updates_collections="update_ops",
  use_fused_batchnorm=True,
):
  """The argument scope in which the network is meant to be built; what begins with `batch_norm` and follows goes to batch_norm.

  `batch_norm_var_collection` gets the moving means and variances, `updates_collections` their updates.
  """
  norm = inception_blocks.norm_of(batch_norm_var_collection, batch_norm_decay, batch_norm_epsilon, fused=use_fused_batchnorm)
  norm["updates_collections"] = updates_collections
  return inception_blocks.inception_arg_scope(weight_decay, norm)


def inception_v3_base(inputs, final_endpoint="Mixed_7c", min_depth=16, depth_multiplier=1.0, scope=None):
  """Builds the network's convolutions up to the layer or block `final_endpoint` over images [batch, height, width, channels].

  Depths of layers are multiplied by `depth_multiplier`, but stay at least `min_depth`. Returns the last tensor and a dictionary from
  names of layers and blocks to their outputs. Raises ValueError for an unknown name and for a multiplier that is not above zero.
  """
  builder = inception_blocks.Builder(final_endpoint, min_depth, depth_multiplier)

  def build():
    net = builder.stem(inputs, _STEM)
    for name, branches in _BLOCKS:
      net = builder.block(net, name, branches)

  with tf.variable_scope(scope, "InceptionV3", [inputs]):
    return inception_blocks.build_base(builder, final_endpoint, build)


def inception_v3(
  inputs,
  num_classes=1000,
  is_training=True,
  dropout_keep_prob=0.8,
  min_depth=16,
  depth_multiplier=1.0,
  prediction_fn=shaping.softmax,
  spatial_squeeze=True,
  reuse=None,
  create_aux_logits=True,
  scope="InceptionV3",
):
  """Builds the network over images [batch, height, width, channels], meant to be of 299 x 299 pixels.

  Returns the logits, without their dimensions of space if `spatial_squeeze`, and a dictionary from names to outputs, with the logits,
  the predictions that `prediction_fn(logits, scope=...)` gives, and with `create_aux_logits` those of a second end in the middle.
  `dropout_keep_prob` is the part that training keeps before the end; `min_depth` and `depth_multiplier` are those of
  `inception_v3_base`.
  """
  if depth_multiplier <= 0:
    raise ValueError("depth_multiplier is not greater than zero.")
  slim = tf.contrib.slim

  def depth(value):
    return max(int(value * depth_multiplier), min_depth)

  with (
    tf.variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as sc,
    slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
  ):
    net, end_points = inception_v3_base(inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=sc)
    if create_aux_logits:
      end_points["AuxLogits"] = _auxiliary_logits(end_points["Mixed_6e"], num_classes, depth, spatial_squeeze)
    with tf.variable_scope("Logits"):
      kernel = inception_blocks.kernel_within(net, [8, 8])
      net = slim.avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
      net = slim.dropout(net, dropout_keep_prob, scope="Dropout_1b")
      end_points["PreLogits"] = net
      logits = slim.conv2d(net, num_classes, [1, 1], scope="Conv2d_1c_1x1", **_LINEAR)
      if spatial_squeeze:
        logits = tf.squeeze(logits, [1, 2], name="SpatialSqueeze")
    end_points["Logits"] = logits
    end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
  return logits, end_points


def _auxiliary_logits(net, num_classes, depth, spatial_squeeze):
  slim = tf.contrib.slim
  with tf.variable_scope("AuxLogits"):
    net = slim.avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
    net = slim.conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
    kernel = inception_blocks.kernel_within(net, [5, 5])
    weights = fully_connected_end.truncated_normal(0.01)
    name = "Conv2d_2a_{}x{}".format(*kernel)
    net = slim.conv2d(net, depth(768), kernel, weights_initializer=weights, padding="VALID", scope=name)
    weights = fully_connected_end.truncated_normal(0.001)
    net = slim.conv2d(net, num_classes, [1, 1], weights_initializer=weights, scope="Conv2d_2b_1x1", **_LINEAR)
    return tf.squeeze(net, [1, 2], name="SpatialSqueeze") if spatial_squeeze else net


inception_v3.default_image_size = 299
