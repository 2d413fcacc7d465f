"""What residual networks are made of: blocks of units, stacked to a wanted stride, and their argument scope."""

import collections

import millrace as tf
from millrace.contrib.framework import argument_scopes
from millrace.contrib.layers import tensor_aliases


class Block(collections.namedtuple("Block", ["scope", "unit_fn", "args"])):
  """Units of one variable scope: `unit_fn(net, rate=..., **args[i])` builds unit i; args[i] has its stride under "stride"."""


def block_of_bottlenecks(scope, unit, base_depth, num_units, stride):
  """A block of bottleneck units of depth `base_depth` inside and four times that outside; its last unit has the stride."""
  sizes = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
  return Block(scope, unit, [dict(sizes, stride=1)] * (num_units - 1) + [dict(sizes, stride=stride)])


def subsample(inputs, factor, scope=None):
  """Takes every `factor`-th pixel of each dimension of space."""
  return inputs if factor == 1 else tf.contrib.slim.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
  """A convolution whose zeros around the images do not depend on the images' size.

  With a stride above one, padding "SAME" has more zeros after than before, as many as the size needs; here both ends have the same.
  """
  slim = tf.contrib.slim
  if stride == 1:
    return slim.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
  zeros = kernel_size + (kernel_size - 1) * (rate - 1) - 1
  before = zeros // 2
  ends = [before, zeros - before]
  inputs = tf.pad(inputs, [[0, 0], ends, ends, [0, 0]])
  return slim.conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@argument_scopes.add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
  """Stacks blocks; with `output_stride`, units beyond that stride have dilated convolutions instead of strides.

  Raises ValueError if the strides of the units do not multiply to `output_stride` on their way.
  """
  reached, rate = 1, 1
  for block in blocks:
    with tf.variable_scope(block.scope, "block", [net]) as scope:
      for number, sizes in enumerate(block.args, start=1):
        if output_stride is not None and reached > output_stride:
          raise ValueError("The target output_stride cannot be reached.")
        with tf.variable_scope(f"unit_{number}", values=[net]):
          if reached == output_stride:
            net = block.unit_fn(net, rate=rate, **dict(sizes, stride=1))
            rate *= sizes.get("stride", 1)
          else:
            net = block.unit_fn(net, rate=1, **sizes)
            reached *= sizes.get("stride", 1)
      net = tensor_aliases.collect_named_outputs(outputs_collections, scope.name, net)
  if output_stride is not None and reached != output_stride:
    raise ValueError("The target output_stride cannot be reached.")
  return net


def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5, batch_norm_scale=True):
  """The argument scope in which residual networks are meant to be built; the last three are arguments of batch_norm."""
  slim = tf.contrib.slim
  norm = {
    "decay": batch_norm_decay,
    "epsilon": batch_norm_epsilon,
    "scale": batch_norm_scale,
    "updates_collections": tf.GraphKeys.UPDATE_OPS,
  }
  with (
    slim.arg_scope(
      [slim.conv2d],
      weights_regularizer=slim.l2_regularizer(weight_decay),
      weights_initializer=slim.variance_scaling_initializer(),
      activation_fn=tf.nn.relu,
      normalizer_fn=slim.batch_norm,
      normalizer_params=norm,
    ),
    slim.arg_scope([slim.batch_norm], **norm),
    slim.arg_scope([slim.max_pool2d], padding="SAME") as scope,
  ):
    return scope


def root_stride(output_stride):
  """What is left of a wanted stride for the blocks after the root, which has stride 4."""
  if output_stride is None:
    return None
  if output_stride % 4 != 0:
    raise ValueError("The output_stride needs to be a multiple of 4.")
  return output_stride // 4


def add_root(net):
  """Adds the root's pooling to its convolution of stride 2."""
  slim = tf.contrib.slim
  net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
  return slim.max_pool2d(net, [3, 3], stride=2, scope="pool1")


def classify(net, collection, num_classes, global_pool):
  """Adds the mean over space and the logits as wanted; returns the last of these, and what the layers gave by name."""
  slim = tf.contrib.slim
  if global_pool:
    net = tf.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
  if num_classes is not None:
    net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
  end_points = tensor_aliases.convert_collection_to_dict(collection)
  if num_classes is not None:
    end_points["predictions"] = slim.softmax(net, scope="predictions")
  return net, end_points


DEPTHS_OF_BLOCKS = (64, 128, 256, 512)


def blocks_of(block, counts):
  """The four blocks of a network for ImageNet with these counts of units."""
  strides = (2, 2, 2, 1)
  return [
    block(f"block{number}", base_depth=depth, num_units=count, stride=stride)
    for number, (depth, count, stride) in enumerate(zip(DEPTHS_OF_BLOCKS, counts, strides), start=1)
  ]
