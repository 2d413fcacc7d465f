"""Residual networks with normalization before each convolution: K. He et al., Identity mappings in deep residual networks, 2016."""

import millrace as tf
from millrace.contrib.framework import argument_scopes
from millrace.contrib.layers import sizes, tensor_aliases
from millrace.contrib.slim.nets import resnet_blocks


@argument_scopes.add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None, scope=None):
  """A unit of three convolutions with batch normalization before each, added to its inputs (or to a projection of these to `depth`)."""
  slim = tf.contrib.slim
  linear = {"activation_fn": None, "normalizer_fn": None}
  with tf.variable_scope(scope, "bottleneck_v2", [inputs]) as sc:
    depth_of_inputs = sizes.last_dimension(inputs.shape, min_rank=4)
    normalized = slim.batch_norm(inputs, activation_fn=tf.nn.relu, scope="preact")
    if depth == depth_of_inputs:
      shortcut = resnet_blocks.subsample(inputs, stride, "shortcut")
    else:
      shortcut = slim.conv2d(normalized, depth, [1, 1], stride=stride, scope="shortcut", **linear)
    residual = slim.conv2d(normalized, depth_bottleneck, [1, 1], stride=1, scope="conv1")
    residual = resnet_blocks.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
    residual = slim.conv2d(residual, depth, [1, 1], stride=1, scope="conv3", **linear)
    return tensor_aliases.collect_named_outputs(outputs_collections, sc.name, shortcut + residual)


def resnet_v2(
  inputs,
  blocks,
  num_classes=None,
  is_training=True,
  global_pool=True,
  output_stride=None,
  include_root_block=True,
  reuse=None,
  scope=None,
):
  """Builds a residual network of `blocks` over images [batch, height, width, channels].

  With `num_classes` logits and predictions follow; with `global_pool` the mean over space is taken before. `output_stride` says by how
  much the last block's images may be smaller than the inputs: later units have dilated convolutions. `include_root_block` puts a
  convolution and a pooling, of stride 4 together, before the blocks. Returns the last tensor and a dictionary from names to outputs.
  """
  slim = tf.contrib.slim
  with tf.variable_scope(scope, "resnet_v2", [inputs], reuse=reuse) as sc:
    collection = sc.original_name_scope + "_end_points"
    with (
      slim.arg_scope([slim.conv2d, bottleneck, resnet_blocks.stack_blocks_dense], outputs_collections=collection),
      slim.arg_scope([slim.batch_norm], is_training=is_training),
    ):
      net = inputs
      if include_root_block:
        output_stride = resnet_blocks.root_stride(output_stride)
        with slim.arg_scope([slim.conv2d], activation_fn=None, normalizer_fn=None):
          net = resnet_blocks.add_root(net)
      net = resnet_blocks.stack_blocks_dense(net, blocks, output_stride)
      net = slim.batch_norm(net, activation_fn=tf.nn.relu, scope="postnorm")
      return resnet_blocks.classify(net, collection, num_classes, global_pool)


resnet_v2.default_image_size = 224


def resnet_v2_block(scope, base_depth, num_units, stride):
  """A block of `num_units` bottlenecks of this depth inside, four times as deep outside; the last one has the stride."""
  return resnet_blocks.block_of_bottlenecks(scope, bottleneck, base_depth, num_units, stride)


def _of_counts(counts, inputs, num_classes, is_training, global_pool, output_stride, reuse, scope):
  blocks = resnet_blocks.blocks_of(resnet_v2_block, counts)
  return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope)


def resnet_v2_50(
  inputs,
  num_classes=None,
  is_training=True,
  global_pool=True,
  output_stride=None,
  reuse=None,
  scope="resnet_v2_50",
):
  """The network of 50 layers; arguments are those of `resnet_v2`."""
  return _of_counts((3, 4, 6, 3), inputs, num_classes, is_training, global_pool, output_stride, reuse, scope)


def resnet_v2_101(
  inputs,
  num_classes=None,
  is_training=True,
  global_pool=True,
  output_stride=None,
  reuse=None,
  scope="resnet_v2_101",
):
  """The network of 101 layers; arguments are those of `resnet_v2`."""
  return _of_counts((3, 4, 23, 3), inputs, num_classes, is_training, global_pool, output_stride, reuse, scope)


def resnet_v2_152(
  inputs,
  num_classes=None,
  is_training=True,
  global_pool=True,
  output_stride=None,
  reuse=None,
  scope="resnet_v2_152",
):
  """The network of 152 layers; arguments are those of `resnet_v2`."""
  return _of_counts((3, 8, 36, 3), inputs, num_classes, is_training, global_pool, output_stride, reuse, scope)


def resnet_v2_200(
  inputs,
  num_classes=None,
  is_training=True,
  global_pool=True,
  output_stride=None,
  reuse=None,
  scope="resnet_v2_200",
):
  """The network of 200 layers; arguments are those of `resnet_v2`."""
  return _of_counts((3, 24, 36, 3), inputs, num_classes, is_training, global_pool, output_stride, reuse, scope)
