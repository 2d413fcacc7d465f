"""The weights of a layer: which variables it has, and their values as arrays."""

import numpy as np

from millrace.layers import attributes
from millrace.layers.module import Module
from millrace.ops.variables.partitioned import PartitionedVariable

# Attributes of layers in which other layers are not looked for: what the layer keeps of its own.
OWN_ATTRIBUTES = frozenset(
  ["_trainable_weights", "_non_trainable_weights", "_losses", "_updates", "_calls", "_scope", "_current_scope", "_graph"]
)


class Weights:
  """The part of a layer that has its weights: those of its own, then those of the layers among its attributes."""

  def _parts(self):
    """Returns (layers among the attributes, variables that are trained, variables that are not)."""
    layers, trained, others = [], [], []
    for part in attributes.parts(self, OWN_ATTRIBUTES):
      if isinstance(part, Module):
        layers.append(part)
        continue
      for variable in part if isinstance(part, PartitionedVariable) else [part]:
        (trained if variable.trainable else others).append(variable)
    own = {id(variable) for variable in self._trainable_weights + self._non_trainable_weights}
    return (
      layers,
      self._trainable_weights + [v for v in trained if id(v) not in own],
      self._non_trainable_weights + [v for v in others if id(v) not in own],
    )

  @property
  def trainable(self):
    """Whether the weights are trained. Setting it sets that of the layers inside; variables stay in their collections."""
    return self._trainable

  @trainable.setter
  def trainable(self, value):
    self._trainable = value
    for layer in self._parts()[0]:
      if isinstance(layer, Weights):
        layer.trainable = value

  @property
  def trainable_weights(self):
    """The variables that are trained; none where the layer is not `trainable`."""
    if not self._trainable:
      return []
    layers, trained, _ = self._parts()
    return attributes.once(trained + [v for layer in layers for v in _of(layer, "trainable")])

  @property
  def non_trainable_weights(self):
    """The variables that are not trained; all where the layer is not `trainable`."""
    layers, trained, others = self._parts()
    if self._trainable:
      return attributes.once(others + [v for layer in layers for v in _of(layer, "non_trainable")])
    return attributes.once(trained + others + [v for layer in layers for v in layer.variables])

  @property
  def weights(self):
    """All variables, those that are trained first."""
    return attributes.once(self.trainable_weights + self.non_trainable_weights)

  @property
  def variables(self):
    return self.weights

  @property
  def trainable_variables(self):
    return self.trainable_weights

  @property
  def non_trainable_variables(self):
    return self.non_trainable_weights

  def count_params(self):
    """Returns the number of scalars in all weights. ValueError before the layer is built."""
    if not self.built:
      raise ValueError(
        f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it manually via: "
        f"`{self.name}.build(batch_input_shape)`."
      )
    return int(sum(np.prod(weight.shape.as_list(), dtype=np.int64) for weight in self.weights))

  def get_weights(self):
    """Returns the values of the weights, as arrays, in the default session."""
    return _session("get_weights").run(self.weights)

  def set_weights(self, weights):
    """Writes arrays to the weights, in the default session. ValueError where their number or their shapes differ."""
    own = self.weights
    if len(own) != len(weights):
      raise ValueError(
        f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length {len(weights)}, but the layer '
        f"was expecting {len(own)} weights. Provided weights: {str(weights)[:50]}..."
      )
    for weight, value in zip(own, weights):
      if not weight.shape.is_compatible_with(np.shape(value)):
        raise ValueError(
          f"Layer {self.name} weight shape {weight.shape} is not compatible with provided weight shape {np.shape(value)}."
        )
    if own:
      session = _session("set_weights")
      for weight, value in zip(own, weights):
        weight.load(np.asarray(value, weight.dtype.base_dtype.as_numpy_dtype), session)


def _of(module, kind):
  """Returns the variables of a module inside: `kind` is "trainable" or "non_trainable"."""
  if isinstance(module, Weights) or kind == "trainable":
    return getattr(module, kind + "_variables")
  trained = {id(v) for v in module.trainable_variables}
  return [v for v in module.variables if id(v) not in trained]


def _session(method):
  from millrace.client.session import get_default_session

  session = get_default_session()
  if session is None:
    raise ValueError("Cannot use `%s` without a default session: call it inside of `with tf.Session()`." % method)
  return session
