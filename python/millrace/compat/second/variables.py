"""tf.compat.v2.Variable: variables that are resources, made by TensorFlow 2's order of arguments."""

from millrace.ops.variables import variable
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization


class _Makes(type):
  def __call__(
    cls,
    initial_value=None,
    trainable=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    variable_def=None,
    dtype=None,
    import_scope=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
    shape=None,
  ):
    return variable.Variable(
      initial_value,
      trainable=trainable,
      validate_shape=validate_shape,
      caching_device=caching_device,
      name=name,
      variable_def=variable_def,
      dtype=dtype,
      import_scope=import_scope,
      constraint=constraint,
      use_resource=True,
      synchronization=synchronization,
      aggregation=aggregation,
      shape=shape,
    )

  def __instancecheck__(cls, instance):
    return isinstance(instance, variable.Variable)

  def __subclasscheck__(cls, subclass):
    return issubclass(subclass, variable.Variable)

  def __getattr__(cls, name):
    return getattr(variable.Variable, name)


class Variable(metaclass=_Makes):
  """Makes a resource variable. All variables are instances of this class."""
