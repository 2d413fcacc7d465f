"""What layers as functions share: the names and collections of their variables, and the collections of their outputs."""

import functools

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.layers import tensor_aliases
from millrace.framework import graph as ops
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.partitioned import PartitionedVariable


def _model_variable(
  getter,
  name,
  shape=None,
  dtype=None,
  initializer=None,
  regularizer=None,
  trainable=True,
  collections=None,
  caching_device=None,
  partitioner=None,
  rename=None,
  use_resource=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
  **_,
):
  """Makes the variable of a layer as a model's variable, under the name that `rename` has for its last part."""
  before, slash, last = name.rpartition("/")
  return variables.model_variable(
    before + slash + (rename or {}).get(last, last),
    shape=shape,
    dtype=dtype,
    initializer=initializer,
    regularizer=regularizer,
    collections=collections,
    trainable=trainable,
    caching_device=caching_device,
    partitioner=partitioner,
    custom_getter=getter,
    use_resource=use_resource,
    synchronization=synchronization,
    aggregation=aggregation,
  )


def scope_of_layer(scope, default_name, inputs, reuse=None, rename=None):
  """Returns the context of a layer's scope of variables, which are the model's and called as `rename` says."""
  getter = functools.partial(_model_variable, rename=rename)
  return tf.variable_scope(scope, default_name, [inputs], reuse=reuse, custom_getter=getter)


WEIGHTS_AND_BIASES = {"kernel": "weights", "bias": "biases"}
SEPARABLE_NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


def collections_of(variables_collections, name):
  """Returns the collections of the variable `name`: those of all variables, or of that one in a dictionary."""
  if isinstance(variables_collections, dict):
    return variables_collections.get(name)
  return variables_collections


def collect_variable(variable, variables_collections, name):
  """Adds a variable, or the parts of one, to its collections, those in which it is not yet."""
  collections = collections_of(variables_collections, name) or []
  if isinstance(collections, str):
    collections = [collections]
  for key in dict.fromkeys(collections):
    there = ops.get_collection_ref(key)
    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
      if not any(part is v for v in there):
        there.append(part)


def finished(outputs, scope, outputs_collections, activation_fn=None, normalizer_fn=None, normalizer_params=None):
  """Returns the outputs normalized and activated, and adds them to their collections under the scope's name."""
  if normalizer_fn is not None:
    outputs = normalizer_fn(outputs, **(normalizer_params or {}))
  if activation_fn is not None:
    outputs = activation_fn(outputs)
  return tensor_aliases.collect_named_outputs(outputs_collections, scope, outputs)
