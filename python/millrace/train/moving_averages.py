"""Moving averages of variables and tensors."""

import millrace as tf
from millrace.framework import convert, dtypes
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import slots

_FLOAT_TYPES = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
  """variable = decay * variable + (1 - decay) * value; returns the new value, or the op that makes it.

  With `zero_debias` the result is divided by what a start at zero has taken away from it; the biased average and the
  number of updates are variables beside `variable`.
  """
  with tf.name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
    decay = convert.convert_to_tensor(1.0 - decay, name="decay")
    if decay.dtype != variable.dtype.base_dtype:
      decay = tf.cast(decay, variable.dtype.base_dtype)
    if zero_debias:
      return tf.assign(variable, _zero_debias(variable, value, decay), name=scope)
    return tf.assign_sub(variable, (variable - value) * decay, name=scope)


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
  """The moving average of `value`, in which each value counts by its `weight`."""
  if collections is None:
    collections = [tf.GraphKeys.GLOBAL_VARIABLES]
  with tf.variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:

    def accumulator(name, initial):
      return tf.get_variable(
        name,
        shape=initial.get_shape(),
        dtype=initial.dtype,
        initializer=tf.zeros_initializer(),
        trainable=False,
        collections=collections,
      )

    value_x_weight_var = accumulator("value_x_weight", value)
    weight_var = accumulator("weight", weight)
    numerator = assign_moving_average(value_x_weight_var, value * weight, decay, zero_debias=False)
    denominator = assign_moving_average(weight_var, weight, decay, zero_debias=False)
    divide = tf.truediv if truediv else tf.div
    return divide(numerator, denominator, name=scope.name)


def _unused_name(name):
  """`name`, or with a number if the current variable scope has a variable of that name and isn't reused."""
  scope = tf.get_variable_scope()
  if scope.reuse:
    return name
  taken = {v.op.name for v in scope.global_variables()}
  full_name = scope.name + "/" + name
  if full_name not in taken:
    return name
  number = 1
  while f"{full_name}_{number}" in taken:
    number += 1
  return f"{name}_{number}"


def _zero_debias(unbiased_var, value, decay):
  """The next moving average without the bias of its start at zero; `decay` is what the new value counts."""
  dtype = unbiased_var.dtype.base_dtype
  scope = tf.variable_scope(unbiased_var.op.name, values=[unbiased_var, value, decay])
  with scope, graph_lib.colocate_with(unbiased_var), tf.init_scope():
    biased_var = tf.get_variable(
      _unused_name("biased"),
      initializer=tf.zeros_initializer(),
      shape=unbiased_var.get_shape(),
      dtype=dtype,
      trainable=False,
    )
    local_step = tf.get_variable(
      _unused_name("local_step"), shape=[], dtype=dtype, initializer=tf.zeros_initializer(), trainable=False
    )
  update_biased = tf.assign_sub(biased_var, (biased_var - value) * decay)
  update_local_step = tf.assign_add(local_step, 1)
  return update_biased / (1 - tf.pow(1.0 - decay, update_local_step))


class ExponentialMovingAverage:
  """Keeps moving averages of variables: shadow = decay * shadow + (1 - decay) * variable.

  With `num_updates`, the decay is min(decay, (1 + num_updates) / (10 + num_updates)), so that averages move fast at first.
  """

  def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
    self._decay = decay
    self._num_updates = num_updates
    self._zero_debias = zero_debias
    self._name = name
    self._averages = {}

  @property
  def name(self):
    return self._name

  def apply(self, var_list=None):
    """The op that updates the averages of `var_list` (variables and tensors), which defaults to the trainable variables.

    Averages of variables begin with their values, those of tensors with zero. Raises TypeError for other types than floats.
    """
    if var_list is None:
      var_list = tf.trainable_variables()
    debiased = set()
    for var in var_list:
      if var.dtype.base_dtype not in _FLOAT_TYPES:
        raise TypeError(f"The variables must be half, float, or double: {var.name}")
      if var in self._averages:
        continue
      with tf.init_scope():
        if isinstance(var, tf.Variable):
          average = slots.create_slot(var, var.initialized_value(), self.name, colocate_with_primary=True)
          # The collection of what has averages; they themselves are in that of all variables.
          tf.add_to_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        else:
          is_variable = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
          average = slots.create_zeros_slot(var, self.name, colocate_with_primary=is_variable)
          if self._zero_debias:
            debiased.add(average)
      self._averages[var] = average
    with tf.name_scope(self.name) as scope:
      decay = convert.convert_to_tensor(self._decay, name="decay")
      if self._num_updates is not None:
        num_updates = tf.cast(self._num_updates, dtypes.float32, name="num_updates")
        decay = tf.minimum(decay, (1.0 + num_updates) / (10.0 + num_updates))
      updates = []
      for var in var_list:
        average = self._averages[var]
        updates.append(assign_moving_average(average, var, decay, zero_debias=average in debiased))
      return tf.group(*updates, name=scope)

  def average(self, var):
    """The variable with the average of `var`, or None."""
    return self._averages.get(var, None)

  def average_name(self, var):
    """The name that the average of `var` has, or would have."""
    if var in self._averages:
      return self._averages[var].op.name
    return tf.get_default_graph().unique_name(var.op.name + "/" + self.name, mark_as_used=False)

  def variables_to_restore(self, moving_avg_variables=None):
    """A map of names in a checkpoint to variables: where there is an average, its name leads to the variable itself."""
    names = {}
    if moving_avg_variables is None:
      moving_avg_variables = tf.trainable_variables() + tf.moving_average_variables()
    # Several mentions of one variable are one; the order stays.
    moving_avg_variables = list(dict.fromkeys(moving_avg_variables))
    for v in moving_avg_variables:
      names[self.average_name(v)] = v
    averaged = {v.name for v in moving_avg_variables}
    for v in dict.fromkeys(tf.global_variables()):
      if v.name not in averaged and v.op.name not in names:
        names[v.op.name] = v
    return names
