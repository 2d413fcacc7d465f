"""The network of S. Ioffe and C. Szegedy, Batch normalization, 2015."""

import millrace as tf
from millrace.contrib.layers import shaping
from millrace.contrib.slim.nets import fully_connected_end, inception_blocks

_STEM = ["MaxPool_2a_3x3 /2", "Conv2d_2b_1x1 64 ~0.1", "Conv2d_2c_3x3 192", "MaxPool_3a_3x3 /2"]
# Depths of the branches that keep the size: one convolution | two | three | a pooling and a convolution.
_BLOCKS = [
  ("Mixed_3b", 64, (64, 64), (64, 96, 96), ("AvgPool", 32)),
  ("Mixed_3c", 64, (64, 96), (64, 96, 96), ("AvgPool", 64)),
  ("Mixed_4a", (128, 160), (64, 96, 96)),
  ("Mixed_4b", 224, (64, 96), (96, 128, 128), ("AvgPool", 128)),
  ("Mixed_4c", 192, (96, 128), (96, 128, 128), ("AvgPool", 128)),
  ("Mixed_4d", 160, (128, 160), (128, 160, 160), ("AvgPool", 96)),
  ("Mixed_4e", 96, (128, 192), (160, 192, 192), ("AvgPool", 96)),
  ("Mixed_5a", (128, 192), (192, 256, 256)),
  ("Mixed_5b", 352, (192, 320), (160, 224, 224), ("AvgPool", 128)),
  ("Mixed_5c", 352, (192, 320), (192, 224, 224), ("MaxPool", 128)),
]


def _keeping(one, two, three, last):
  pooling, pooled = last
  return [
    [f"Conv2d_0a_1x1 {one}"],
    [f"Conv2d_0a_1x1 {two[0]} ~0.09", f"Conv2d_0b_3x3 {two[1]}"],
    [f"Conv2d_0a_1x1 {three[0]} ~0.09", f"Conv2d_0b_3x3 {three[1]}", f"Conv2d_0c_3x3 {three[2]}"],
    [f"{pooling}_0a_3x3", f"Conv2d_0b_1x1 {pooled} ~0.1"],
  ]


def _halving(two, three):
  return [
    [f"Conv2d_0a_1x1 {two[0]} ~0.09", f"Conv2d_1a_3x3 {two[1]} /2"],
    [f"Conv2d_0a_1x1 {three[0]} ~0.09", f"Conv2d_0b_3x3 {three[1]}", f"Conv2d_1a_3x3 {three[2]} /2"],
    ["MaxPool_1a_3x3 /2"],
  ]


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection="moving_vars"):
  """The argument scope in which the network is meant to be built; the collection gets the moving means and variances."""
  return inception_blocks.inception_arg_scope(weight_decay, inception_blocks.norm_of(batch_norm_var_collection))


def inception_v2_base(inputs, final_endpoint="Mixed_5c", min_depth=16, depth_multiplier=1.0, scope=None):
  """Builds the network's convolutions up to the layer or block `final_endpoint` over images [batch, height, width, channels].

  Depths of layers are multiplied by `depth_multiplier`, but stay at least `min_depth`. Returns the last tensor and a dictionary from
  names of layers and blocks to their outputs. Raises ValueError for an unknown name and for a multiplier that is not above zero.
  """
  builder = inception_blocks.Builder(final_endpoint, min_depth, depth_multiplier)
  slim = tf.contrib.slim

  def build():
    depth = builder.depth(64)
    net = slim.separable_conv2d(
      inputs,
      depth,
      [7, 7],
      depth_multiplier=min(int(depth / 3), 8),
      stride=2,
      padding="SAME",
      weights_initializer=fully_connected_end.truncated_normal(1.0),
      scope="Conv2d_1a_7x7",
    )
    net = builder.stem(builder.note("Conv2d_1a_7x7", net), _STEM)
    for name, *depths in _BLOCKS:
      net = builder.block(net, name, _halving(*depths) if len(depths) == 2 else _keeping(*depths))

  with tf.variable_scope(scope, "InceptionV2", [inputs]):
    return inception_blocks.build_base(builder, final_endpoint, build)


def inception_v2(
  inputs,
  num_classes=1000,
  is_training=True,
  dropout_keep_prob=0.8,
  min_depth=16,
  depth_multiplier=1.0,
  prediction_fn=shaping.softmax,
  spatial_squeeze=True,
  reuse=None,
  scope="InceptionV2",
):
  """Builds the network over images [batch, height, width, channels], meant to be of 224 x 224 pixels.

  Returns the logits, without their dimensions of space if `spatial_squeeze`, and a dictionary from names to outputs, with the logits
  and the predictions that `prediction_fn(logits, scope=...)` gives. `dropout_keep_prob` is the part that training keeps before the end;
  `min_depth` and `depth_multiplier` are those of `inception_v2_base`.
  """
  if depth_multiplier <= 0:
    raise ValueError("depth_multiplier is not greater than zero.")
  slim = tf.contrib.slim
  with (
    tf.variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as sc,
    slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
  ):
    net, end_points = inception_v2_base(inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=sc)
    with tf.variable_scope("Logits"):
      kernel = inception_blocks.kernel_within(net, [7, 7])
      net = slim.avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
      net = slim.dropout(net, dropout_keep_prob, scope="Dropout_1b")
      logits = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1")
      if spatial_squeeze:
        logits = tf.squeeze(logits, [1, 2], name="SpatialSqueeze")
    end_points["Logits"] = logits
    end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
  return logits, end_points


inception_v2.default_image_size = 224
