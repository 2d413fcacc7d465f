"""How a layer makes its variables, and in which scope."""

import functools

from millrace.framework import dtypes
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables import scope as scopes
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.partitioned import PartitionedVariable


class MakingWeights:
  """The part of a layer that makes variables."""

  def add_variable(self, *args, **kwargs):
    """The same as add_weight."""
    return self.add_weight(*args, **kwargs)

  def add_weight(
    self,
    name,
    shape,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    constraint=None,
    use_resource=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
    partitioner=None,
    **kwargs,
  ):
    """Returns the variable `name` of the layer, by get_variable in the layer's scope: made, or found where it is reused.

    `dtype` is the layer's by default. The loss of `regularizer` comes into the layer's losses and REGULARIZATION_LOSSES, also
    with a `partitioner`, each part by itself, but not again for a variable that is reused. `trainable` is True by default,
    unless the variable is synchronized on reading or the layer is not trainable. The rest: see tf.get_variable.
    """
    for keyword in kwargs:
      if keyword != "experimental_autocast":
        raise TypeError("Unknown keyword argument:", keyword)
    if synchronization == VariableSynchronization.ON_READ:
      if trainable:
        raise ValueError(
          "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. You have "
          "specified trainable=True and synchronization=VariableSynchronization.ON_READ."
        )
      trainable = False
    elif trainable is None:
      trainable = True
    trainable = bool(trainable and self._trainable)
    if dtype is None:
      dtype = self._dtype or dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    arguments = {
      "shape": shape,
      "dtype": dtype,
      "initializer": initializer,
      "trainable": trainable,
      "constraint": constraint,
      "partitioner": partitioner,
      "use_resource": use_resource,
      "synchronization": synchronization,
      "aggregation": aggregation,
    }
    if self._keras_style:
      variable, new = self._own_variable(name, arguments), True
    else:
      variable, new = self._scoped_variable(name, arguments, bool(regularizer))
    if regularizer and new:
      with ops.name_scope(self._name_scope()):
        self._regularize(name, variable, regularizer)
    # What a scope of the program made untrained is not trained by the layer either.
    trained = ops.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
      is_trained = trainable and any(part is v for v in reversed(trained))
      weights = self._trainable_weights if is_trained else self._non_trainable_weights
      if not any(part is weight for weight in weights):
        weights.append(part)
    return variable

  def _scoped_variable(self, name, arguments, is_asked):
    """Returns (variable of the layer's scope, whether it is a new one, where that is asked)."""
    self._set_scope(None)
    before = {id(v) for v in ops.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)} if is_asked else ()
    reuse = True if self.built else self._reuse
    with scopes.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
      self._current_scope = current
      with ops.name_scope(self._name_scope()):
        variable = scopes.get_variable(name, **arguments)
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    return variable, all(id(part) not in before for part in parts)

  def _own_variable(self, name, arguments):
    """Returns a resource variable that only this layer knows, as layers of Keras's style have them."""
    from millrace.ops.variables import variance_scaling
    from millrace.ops.variables.initializers import zeros_initializer
    from millrace.ops.variables.variable import Variable

    if arguments.pop("partitioner") is not None:
      raise ValueError("Layers of Keras's style have no partitioned variables.")
    shape, dtype, initializer = arguments.pop("shape"), arguments.pop("dtype"), arguments.pop("initializer")
    if initializer is None:
      initializer = variance_scaling.glorot_uniform_initializer() if dtype.is_floating else zeros_initializer()
    if isinstance(initializer, type):
      initializer = initializer(dtype=dtype)
    arguments["use_resource"] = True
    with ops.init_scope():
      return Variable(functools.partial(initializer, shape or (), dtype=dtype), dtype=dtype, name=name, **arguments)

  def _regularize(self, name, variable, regularizer):
    def loss(part):
      with ops.name_scope(name + "/Regularizer"):
        return regularizer(part)

    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
      self.add_loss(functools.partial(loss, part))

  def _set_scope(self, scope=None):
    """Decides on the layer's scope of variables: `scope`, or one of the layer's name, unless that has been decided."""
    if self._scope is not None:
      return
    if self._reuse:
      opened = scopes.variable_scope(self._base_name if scope is None else scope)
    else:
      opened = scopes.variable_scope(scope, default_name=self._base_name)
    with opened as captured:
      self._scope = captured

  def _name_scope(self):
    """The scope of names of the layer's ops, with a slash at its end."""
    if self._keras_style:
      return self.__dict__.get("_scope_name") or self._name
    return self._current_scope.original_name_scope
