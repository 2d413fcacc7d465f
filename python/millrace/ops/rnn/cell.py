"""RNNCell, the base of all cells: a layer that takes inputs and a state and returns outputs and the next state."""

import millrace as tf
from millrace.framework import convert, nest, tensor_values
from millrace.framework import graph as ops
from millrace.framework.graph_keys import GraphKeys
from millrace.framework.tensor import Tensor
from millrace.layers.base import Layer
from millrace.ops.rnn.zero_states import zero_states
from millrace.ops.variables import scope as scopes
from millrace.ops.variables.partitioned import PartitionedVariable


class RNNCell(Layer):
  """The base of cells.

  A class below it computes in `call(inputs, state)` a pair (outputs, next state), and says `state_size` and `output_size`:
  numbers of units, TensorShapes without the batch, or structures of them. Variables that `call` gets by tf.get_variable
  become the cell's. TypeError for an unknown argument.
  """

  def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
    super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
    self._is_tf_rnn_cell = True
    self._scope_around = None

  def __getattr__(self, name):
    # Cells of programs may have a constructor that does not call this one.
    if name.startswith("_") and not name.startswith("__") and "_trainable_weights" not in self.__dict__:
      RNNCell.__init__(self)
      return getattr(self, name)
    raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

  def __call__(self, inputs, state, scope=None):
    """Returns (outputs, next state). `scope`, a name or VariableScope, is where the variables are made or found."""
    if scope is not None:
      with scopes.variable_scope(scope, custom_getter=self._rnn_get_variable) as opened:
        return super().__call__(inputs, state, scope=opened)
    if self._scope_around is None:
      self._scope_around = scopes.get_variable_scope()
    with scopes.variable_scope(self._scope_around, custom_getter=self._rnn_get_variable):
      return super().__call__(inputs, state)

  def _rnn_get_variable(self, getter, *args, **kwargs):
    """Gets a variable and takes it into the cell's weights."""
    variable = getter(*args, **kwargs)
    trained = {id(v) for v in ops.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)}
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    weights = self._trainable_weights if id(parts[0]) in trained else self._non_trainable_weights
    for part in parts:
      if not any(part is weight for weight in weights):
        weights.append(part)
    return variable

  @property
  def state_size(self):
    """The sizes of the state."""
    raise NotImplementedError("Abstract method")

  @property
  def output_size(self):
    """The sizes of the outputs."""
    raise NotImplementedError("Abstract method")

  def build(self, _):
    """Makes no variables; a class below makes them here or in `call`."""

  def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
    """Returns zero_state() for a batch size and a type, which are those of `inputs` where it is given.

    ValueError where they are not given, or are not those of `inputs`.
    """
    if inputs is not None:
      inputs = convert.convert_to_tensor(inputs, name="inputs")
      _check_agreement(inputs, batch_size, dtype)
      known = inputs.shape.as_list()[0] if inputs.shape.ndims is not None else None
      batch_size = tf.shape(inputs)[0] if known is None else known
      dtype = inputs.dtype
    if batch_size is None or dtype is None:
      raise ValueError(
        f"batch_size and dtype cannot be None while constructing initial state: batch_size={batch_size}, dtype={dtype}"
      )
    return self.zero_state(batch_size, dtype)

  def zero_state(self, batch_size, dtype):
    """Returns zeros in the structure of `state_size`, with `batch_size`, a number or scalar, as their first dimension."""
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      return zero_states(self.state_size, batch_size, dtype)


def _check_agreement(inputs, batch_size, dtype):
  """Raises ValueError if the batch or the type of `inputs` is not the one given."""
  if batch_size is not None:
    known = tensor_values.constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
    own = inputs.shape.as_list()[0]
    if own != known:
      raise ValueError(
        f"batch size from input tensor is different from the input param. Input tensor batch: {inputs.shape[0]}, "
        f"batch_size: {batch_size}"
      )
  if dtype is not None and inputs.dtype != dtype:
    raise ValueError(
      f"dtype from input tensor is different from the input param. Input tensor dtype: {inputs.dtype}, dtype: {dtype}"
    )


class LayerRNNCell(RNNCell):
  """The base of cells that make their variables in `build`, as layers do."""

  def __call__(self, inputs, state, scope=None, *args, **kwargs):
    """Returns (outputs, next state); further arguments are those of `call`."""
    return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


def check_floating(values):
  """Raises ValueError if a tensor among the structure `values` is not of a floating or complex type."""
  for value in nest.flatten(values):
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not (tf.as_dtype(dtype).is_floating or tf.as_dtype(dtype).is_complex):
      raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {tf.as_dtype(dtype)}")


def depth_of(input_shape):
  """Returns the last dimension of the inputs' shape. ValueError if it is not known."""
  depth = input_shape[-1].value if input_shape.ndims is not None else None
  if depth is None:
    raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {input_shape}")
  return depth


def assert_like_rnncell(cell_name, cell):
  """Raises TypeError, which calls the argument `cell_name`, unless `cell` can be used as a cell."""
  missing = []
  if not hasattr(cell, "output_size"):
    missing.append("'output_size' property is missing")
  if not hasattr(cell, "state_size"):
    missing.append("'state_size' property is missing")
  if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
    missing.append("either 'zero_state' or 'get_initial_state' method is required")
  if not callable(cell):
    missing.append("is not callable")
  if missing:
    raise TypeError(f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")
