"""tf.Variable: what all kinds of variables have in common. Calling the class makes the kind that the graph wants."""

from millrace.framework import graph as ops
from millrace.ops.variables import creators
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization
from millrace.ops.variables.save_slice_info import SaveSliceInfo as _SaveSliceInfo


class _MakesKinds(type):
  """Calling Variable itself asks the creators in force for a variable; calling a class below it makes one of that class."""

  def __call__(cls, *args, **kwargs):
    if cls is not Variable:
      return super().__call__(*args, **kwargs)
    return creators.make(*args, **kwargs)

  @property
  def __signature__(cls):
    """The arguments of the class's own constructor: inspect would show those above."""
    import inspect

    signature = inspect.signature(cls.__init__)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


class Variable(metaclass=_MakesKinds):
  """A value that lives from step to step, in the memory of the device that it is placed on.

  `initial_value`: a value, a tensor, or a function without arguments that makes one; inside of a loop or a conditional it has
  to be a function. The variable has its type and shape, unless `dtype` says another type, `shape` another shape, or
  `validate_shape=False` leaves the shape open. It is put into `collections`, [GraphKeys.GLOBAL_VARIABLES] by default, and
  into TRAINABLE_VARIABLES unless `trainable` is False.

  `caching_device` is where values that were read are kept, for readers that are far from the variable. `constraint` is a
  function from a value to a value, applied by optimizers after each step. `variable_def` makes the object of a variable that
  the graph has already, below `import_scope`. `use_resource` decides between a resource, whose reads and writes have an
  order, and a buffer that ops take by reference; None takes what the scope or the program says, which is a buffer.

  Before the first step that reads it a variable is to be initialized: run `initializer` or global_variables_initializer().
  Raises ValueError where the initial value is missing, has no known shape, or is made inside of a control-flow construct.
  """

  def __init__(
    self,
    initial_value=None,
    trainable=None,
    collections=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    variable_def=None,
    dtype=None,
    expected_shape=None,
    import_scope=None,
    constraint=None,
    use_resource=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
    shape=None,
  ):
    raise NotImplementedError

  SaveSliceInfo = _SaveSliceInfo
  _save_slice_info = None

  def __repr__(self):
    return f"<tf.Variable '{self.name}' shape={self.get_shape()} dtype={self.dtype.name}>"

  __hash__ = object.__hash__

  # What kinds of variables have: see RefVariable and ResourceVariable.

  def value(self):
    """Returns the value as a tensor, of the last read that the graph has where that is enough."""
    raise NotImplementedError

  def read_value(self):
    """Returns the value as it is when the returned op runs: behind all that it has control inputs from."""
    raise NotImplementedError

  def set_shape(self, shape):
    """Says more of the shape of the values: it is merged with what is known."""
    raise NotImplementedError

  def assign(self, value, use_locking=False, name=None, read_value=True):
    """Writes `value`. Returns the variable after that, or with `read_value=False` only the op."""
    raise NotImplementedError

  def assign_add(self, delta, use_locking=False, name=None, read_value=True):
    """Adds `delta` to the value. Returns as assign does."""
    raise NotImplementedError

  def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
    """Takes `delta` from the value. Returns as assign does."""
    raise NotImplementedError

  def scatter_sub(self, sparse_delta, use_locking=False, name=None):
    """Takes the rows of IndexedSlices from the rows of their indices. TypeError for another kind of delta."""
    raise NotImplementedError

  def scatter_add(self, sparse_delta, use_locking=False, name=None):
    """Adds the rows of IndexedSlices to the rows of their indices."""
    raise NotImplementedError

  def scatter_max(self, sparse_delta, use_locking=False, name=None):
    """Keeps the greater of the rows of IndexedSlices and the rows of their indices, element by element."""
    raise NotImplementedError

  def scatter_min(self, sparse_delta, use_locking=False, name=None):
    """Keeps the lesser of the rows of IndexedSlices and the rows of their indices, element by element."""
    raise NotImplementedError

  def scatter_mul(self, sparse_delta, use_locking=False, name=None):
    """Multiplies the rows of the indices by the rows of IndexedSlices."""
    raise NotImplementedError

  def scatter_div(self, sparse_delta, use_locking=False, name=None):
    """Divides the rows of the indices by the rows of IndexedSlices."""
    raise NotImplementedError

  def scatter_update(self, sparse_delta, use_locking=False, name=None):
    """Writes the rows of IndexedSlices to the rows of their indices."""
    raise NotImplementedError

  def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
    """As scatter_update, where all dimensions of the indices but the last count batches."""
    raise NotImplementedError

  def scatter_nd_sub(self, indices, updates, name=None):
    """Takes slices from those at `indices`, of shape [..., how many dimensions they index]."""
    raise NotImplementedError

  def scatter_nd_add(self, indices, updates, name=None):
    """Adds slices to those at `indices`."""
    raise NotImplementedError

  def scatter_nd_update(self, indices, updates, name=None):
    """Writes slices at `indices`."""
    raise NotImplementedError

  def sparse_read(self, indices, name=None):
    """Returns the rows at `indices` without reading all; AttributeError for variables that are no resources."""
    raise AttributeError

  def gather_nd(self, indices, name=None):
    """Returns the slices at `indices` without reading all; AttributeError for variables that are no resources."""
    raise AttributeError

  def count_up_to(self, limit):
    """Adds one to a scalar and returns what it was. OutOfRangeError when that would be `limit`."""
    raise NotImplementedError

  @property
  def initial_value(self):
    """The tensor of the initial value. It may depend on other variables, which are then to be initialized first."""
    return self._initial_value

  @property
  def constraint(self):
    """The function from the value after a step to the value that the variable shall have, or None."""
    return self._constraint

  @property
  def trainable(self):
    return self._trainable

  @property
  def synchronization(self):
    return self._synchronization

  @property
  def aggregation(self):
    return self._aggregation

  @property
  def shape(self):
    """The TensorShape of the values."""
    raise NotImplementedError

  def get_shape(self):
    """Returns the TensorShape of the values."""
    return self.shape

  @property
  def name(self):
    raise NotImplementedError

  @property
  def _shared_name(self):
    """The name without the number of the output, under which the resource is shared."""
    return self.name[: self.name.index(":")]

  @property
  def dtype(self):
    raise NotImplementedError

  @property
  def op(self):
    """The op that holds the variable."""
    raise NotImplementedError

  @property
  def device(self):
    raise NotImplementedError

  @property
  def graph(self):
    raise NotImplementedError

  @property
  def initializer(self):
    """The op that writes the initial value."""
    return self._initializer_op

  def eval(self, session=None):
    """Returns the value in `session`, or in the default session, as numpy. ValueError without one."""
    raise NotImplementedError

  def load(self, value, session=None):
    """Writes a numpy value in `session`, or in the default session, without adding an op. ValueError without one."""
    from millrace.client.session import get_default_session

    session = session or get_default_session()
    if session is None:
      raise ValueError("Either session argument should be provided or default session should be established")
    session.run(self.initializer, {self.initializer.inputs[1]: value})

  def initialized_value(self):
    """Returns the value, or the initial value where the variable has none yet: for initial values of other variables."""
    import millrace as tf

    with ops.init_scope():
      return tf.cond(tf.is_variable_initialized(self), self.read_value, lambda: self.initial_value)

  def experimental_ref(self):
    """Returns an object that stands for this variable in sets and dictionaries; `deref()` gives the variable."""
    from millrace.ops.variables.reference import Reference

    return Reference(self)

  def _set_save_slice_info(self, save_slice_info):
    self._save_slice_info = save_slice_info

  def _get_save_slice_info(self):
    return self._save_slice_info

  def to_proto(self, export_scope=None):
    """Returns the VariableDef, names without `export_scope`; None for a variable outside of that scope."""
    raise NotImplementedError

  @staticmethod
  def from_proto(variable_def, import_scope=None):
    """Returns the object of a variable that the default graph has, from its VariableDef."""
    return Variable(variable_def=variable_def, import_scope=import_scope)
