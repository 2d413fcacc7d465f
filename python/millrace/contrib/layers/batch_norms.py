"""Batch normalization as a function, with updates where the program wants them."""

import millrace as tf
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import batch_statistics, layer_scope
from millrace.layers import batch_normalization_layer as core

VARIABLES = ("moving_mean", "moving_variance", "beta", "gamma")


@add_arg_scope
def batch_norm(
  inputs,
  decay=0.999,
  center=True,
  scale=False,
  epsilon=0.001,
  activation_fn=None,
  param_initializers=None,
  param_regularizers=None,
  updates_collections=tf.GraphKeys.UPDATE_OPS,
  is_training=True,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  batch_weights=None,
  fused=None,
  data_format="NHWC",
  zero_debias_moving_mean=False,
  scope=None,
  renorm=False,
  renorm_clipping=None,
  renorm_decay=0.99,
  adjustment=None,
):
  """Returns activation_fn((inputs - mean) / sqrt(variance + epsilon) * gamma + beta), over all dimensions but the channels.

  In training the statistics are those of the batch, where `batch_weights` says how often each example counts, and
  `moving_mean` and `moving_variance` follow them by the fraction 1 - `decay`. The ops that do so come into
  `updates_collections`; None makes the outputs wait for them. Otherwise the moving statistics are taken. `is_training` is a
  bool or a scalar tensor of one.

  `center` says whether there is a `beta`, `scale` whether there is a `gamma`. `param_initializers` and `param_regularizers` are
  dictionaries by the names of variables. `zero_debias_moving_mean` divides the moving mean by what a start at zero took from
  it. `fused`: one op, where it can be done. `renorm`, `renorm_clipping`, `renorm_decay`, `adjustment`: see
  tf.layers.BatchNormalization. The rest: see fully_connected. ValueError for formats but "NHWC" and "NCHW", and for options that
  do not go together.
  """
  if fused is None:
    fused = True
  inputs = tf.convert_to_tensor(inputs)
  rank = inputs.get_shape().ndims
  default_updates = updates_collections == tf.GraphKeys.UPDATE_OPS
  if data_format not in ("NCHW", "NHWC"):
    raise ValueError("data_format has to be either NCHW or NHWC.")
  can_fuse = batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
  own = fused and can_fuse and (zero_debias_moving_mean or rank == 2 or not default_updates)
  if not own and (batch_weights is not None or not default_updates or zero_debias_moving_mean):
    if renorm:
      raise ValueError("renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean")
    if adjustment is not None:
      raise ValueError("adjustment is not supported with batch_weights, updates_collections or zero_debias_moving_mean")
    own = True
    fused = False
  if own and fused:
    scopes = tf.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse)
  else:
    scopes = layer_scope.scope_of_layer(scope, "BatchNorm", inputs, reuse)
  with scopes as sc:
    if own:
      outputs = batch_statistics.OwnBatchNorm(
        inputs,
        decay,
        (center, scale),
        epsilon,
        param_initializers or {},
        param_regularizers or {},
        variables_collections,
        trainable,
        data_format,
        fused,
      ).normalized(is_training, fused, batch_weights, updates_collections, zero_debias_moving_mean)
    else:
      outputs = _by_layer(
        inputs,
        sc,
        reuse,
        is_training,
        variables_collections,
        param_initializers or {},
        param_regularizers or {},
        axis=1 if data_format == "NCHW" else -1,
        momentum=decay,
        epsilon=epsilon,
        center=center,
        scale=scale,
        trainable=trainable,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_decay,
        adjustment=adjustment,
        fused=fused,
      )
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn)


def _by_layer(inputs, sc, reuse, is_training, variables_collections, initializers, regularizers, **arguments):
  """Returns the outputs of the layer of tf.layers, whose updates come into UPDATE_OPS."""
  layer = core.BatchNormalization(
    beta_initializer=initializers.get("beta", tf.zeros_initializer()),
    gamma_initializer=initializers.get("gamma", tf.ones_initializer()),
    moving_mean_initializer=initializers.get("moving_mean", tf.zeros_initializer()),
    moving_variance_initializer=initializers.get("moving_variance", tf.ones_initializer()),
    beta_regularizer=regularizers.get("beta"),
    gamma_regularizer=regularizers.get("gamma"),
    name=sc.name,
    _scope=sc,
    _reuse=reuse,
    **arguments,
  )
  outputs = layer.apply(inputs, training=is_training)
  for name in VARIABLES:
    variable = getattr(layer, name)
    if variable is not None:
      layer_scope.collect_variable(variable, variables_collections, name)
  return outputs
