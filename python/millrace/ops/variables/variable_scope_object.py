"""VariableScope: what a scope says of the variables that are made in it."""

import functools

from millrace.framework import convert, dtypes
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization


class VariableScope:
  """The prefix of names of variables, whether they are reused, and defaults of get_variable's arguments."""

  def __init__(
    self,
    reuse,
    name="",
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    name_scope="",
    dtype=dtypes.float32,
    use_resource=None,
    constraint=None,
  ):
    self._name = name
    self._initializer = initializer
    self._regularizer = regularizer
    self._reuse = reuse
    self._caching_device = caching_device
    self._partitioner = partitioner
    self._custom_getter = custom_getter
    self._name_scope = name_scope
    self._dtype = dtype
    self._use_resource = use_resource
    self._constraint = constraint

  @property
  def name(self):
    return self._name

  @property
  def original_name_scope(self):
    """The name scope that was opened with this scope, with a slash at the end."""
    return self._name_scope

  @property
  def reuse(self):
    return self._reuse

  @property
  def initializer(self):
    return self._initializer

  @property
  def dtype(self):
    return self._dtype

  @property
  def use_resource(self):
    return self._use_resource

  @property
  def regularizer(self):
    return self._regularizer

  @property
  def caching_device(self):
    return self._caching_device

  @property
  def partitioner(self):
    return self._partitioner

  @property
  def custom_getter(self):
    return self._custom_getter

  @property
  def constraint(self):
    return self._constraint

  def reuse_variables(self):
    """Makes the scope reuse its variables from now on."""
    self._reuse = True

  def set_initializer(self, initializer):
    """Sets the default of get_variable's `initializer`."""
    self._initializer = initializer

  def set_dtype(self, dtype):
    """Sets the type of variables where none is said."""
    self._dtype = dtype

  def set_use_resource(self, use_resource):
    """Sets whether variables are resources."""
    self._use_resource = use_resource

  def set_regularizer(self, regularizer):
    """Sets the default of get_variable's `regularizer`."""
    self._regularizer = regularizer

  def set_caching_device(self, caching_device):
    """Sets the device that values are kept on."""
    self._caching_device = caching_device

  def set_partitioner(self, partitioner):
    """Sets the default of get_variable's `partitioner`."""
    self._partitioner = partitioner

  def set_custom_getter(self, custom_getter):
    """Sets the function that gets variables in this scope."""
    self._custom_getter = custom_getter

  def get_collection(self, name):
    """Returns what the collection has whose names are below this scope."""
    return ops.get_collection(name, self._name + "/" if self._name else "")

  def trainable_variables(self):
    """Returns the scope's variables that are trained."""
    return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

  def global_variables(self):
    """Returns the scope's variables that tasks share."""
    return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

  def local_variables(self):
    """Returns the scope's variables of this process."""
    return self.get_collection(GraphKeys.LOCAL_VARIABLES)

  def get_variable(
    self,
    var_store,
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    reuse=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
  ):
    """Returns the variable `name` of this scope from `var_store`. Arguments: see tf.get_variable."""
    if regularizer is None:
      regularizer = self._regularizer
    if caching_device is None:
      caching_device = self._caching_device
    if partitioner is None:
      partitioner = self._partitioner
    if custom_getter is None:
      custom_getter = self._custom_getter
    if reuse is None:
      reuse = self._reuse
    full_name = self._name + "/" + name if self._name else name
    # Variables are named by the scope alone, whatever the current name scope is.
    with ops.name_scope(None):
      if dtype is not None and initializer is not None and not callable(initializer):
        init_dtype = convert.convert_to_tensor(initializer).dtype.base_dtype
        if init_dtype != dtype:
          raise ValueError(f"Initializer type '{init_dtype}' and explicit dtype '{dtype}' don't match.")
      if initializer is None:
        initializer = self._initializer
      if constraint is None:
        constraint = self._constraint
      if dtype is None:
        dtype = self._dtype
      if use_resource is None:
        use_resource = self._use_resource
      return var_store.get_variable(
        full_name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        reuse=reuse,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
      )

  def _get_partitioned_variable(
    self,
    var_store,
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
  ):
    """Returns the partitioned variable `name`, or that with the scope's own name where `name` is None."""
    if self._custom_getter is not None:
      raise ValueError("Private access to _get_partitioned_variable is not allowed when a custom getter is set.")
    if partitioner is None:
      partitioner = self._partitioner
    if not partitioner:
      raise ValueError("No partitioner was specified")
    # None stands for a name that the scope has already.
    names = [part for part in (self._name, name) if part]
    from millrace.ops.variables import modes

    synchronization, aggregation, trainable = modes.check_modes(synchronization, aggregation, trainable, name)
    with ops.name_scope(None):
      return var_store._get_partitioned_variable(
        "/".join(names),
        shape=shape,
        dtype=dtypes.as_dtype(self._dtype if dtype is None else dtype).base_dtype,
        initializer=self._initializer if initializer is None else initializer,
        regularizer=self._regularizer if regularizer is None else regularizer,
        reuse=self._reuse,
        trainable=trainable,
        collections=collections,
        caching_device=self._caching_device if caching_device is None else caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=self._use_resource if use_resource is None else use_resource,
        constraint=self._constraint if constraint is None else constraint,
        synchronization=synchronization,
        aggregation=aggregation,
      )


def combined_getter(custom_getter, outer):
  """Returns the getter that calls `custom_getter`, whose getter is `outer`'s call of the true one."""
  if outer is None:
    return custom_getter

  def both(getter, *args, **kwargs):
    return custom_getter(functools.partial(outer, getter), *args, **kwargs)

  return both
