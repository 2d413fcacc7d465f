"""tf.gradients: the extension goes backwards through the graph and calls functions of Python where a program has its own."""

import enum

from millrace import _binding
from millrace.framework import composite, convert, dtypes, errors, tensor
from millrace.framework import graph as graphs
from millrace.ops.gradients import registry


class AggregationMethod:
  """How the gradients that come to a tensor by several ways are added. All methods give the same sum."""

  ADD_N = 0
  DEFAULT = ADD_N
  EXPERIMENTAL_TREE = 1
  EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
  """What the gradient is with respect to a tensor on which nothing depends: None or zeros."""

  NONE = "none"
  ZERO = "zero"


def _as_list(value):
  return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_trainable(dtype):
  return dtypes.as_dtype(dtype).base_dtype in (
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex64,
    dtypes.complex128,
    dtypes.resource,
    dtypes.variant,
    dtypes.bfloat16,
  )


def _handles(xs):
  """Variables of resources stand for their handles."""
  return [x.handle if hasattr(x, "handle") and not isinstance(x, tensor.Tensor) and _is_resource(x) else x for x in xs]


def _is_resource(x):
  return isinstance(x.handle, tensor.Tensor) and x.handle.dtype == dtypes.resource


def gradients(
  ys,
  xs,
  grad_ys=None,
  name="gradients",
  colocate_gradients_with_ops=False,
  gate_gradients=False,
  aggregation_method=None,
  stop_gradients=None,
  unconnected_gradients=UnconnectedGradients.NONE,
):
  """Returns the derivatives of the sum of all `ys` with respect to each of `xs`: tensors, IndexedSlices, or None.

  `ys`, `xs` and `grad_ys` are tensors or lists. `grad_ys` are the incoming gradients, by default ones; no gradient goes through
  `stop_gradients`. With `gate_gradients`, all gradients of an op are computed before any is used. `unconnected_gradients` says
  what stands for an x on which no y depends: NONE, or ZERO for zeros.

  Raises LookupError for an op without a gradient, or whose gradient is prevented, NotImplementedError for a case that has none,
  ValueError and TypeError for arguments that do not fit together.
  """
  return _build(
    ys,
    xs,
    grad_ys,
    name,
    colocate_gradients_with_ops,
    gate_gradients,
    aggregation_method,
    stop_gradients,
    unconnected_gradients,
  )


def gradients_through(ys, xs, grad_ys, is_recorded):
  """Gradients that go back only through the ops of which `is_recorded(op)` is true."""
  return _build(ys, xs, grad_ys, "gradient_tape", False, False, None, None, UnconnectedGradients.NONE, is_recorded)


def _build(
  ys,
  xs,
  grad_ys,
  name,
  colocate_gradients_with_ops,
  gate_gradients,
  aggregation_method,
  stop_gradients,
  unconnected_gradients,
  is_recorded=None,
):
  try:
    unconnected = UnconnectedGradients(unconnected_gradients)
  except ValueError:
    raise ValueError("Unknown value for unconnected_gradients: '%s'" % (unconnected_gradients,)) from None
  if aggregation_method not in (None, 0, 1, 2):
    raise ValueError("Invalid `aggregation_method` specified %s. Accepted values are [0, 1, 2]." % aggregation_method)
  ys, xs = _as_list(ys), _as_list(xs)
  stops = [] if stop_gradients is None else _as_list(stop_gradients)
  given = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
  if len(given) != len(ys):
    raise ValueError("Length mismatch. Passed %d grad_ys for %d ys" % (len(given), len(ys)))
  all_values = ys + xs + stops + [value for value in given if value is not None]
  with graphs.name_scope(name, "gradients", all_values) as scope:
    original_xs = xs
    ys = [_as_tensor(y, "y") for y in ys]
    xs = [
      convert.internal_convert_to_tensor_or_indexed_slices(x, name="x_%d" % i, as_ref=True) for i, x in enumerate(_handles(xs))
    ]
    xs = [x.values if isinstance(x, composite.IndexedSlices) else x for x in xs]
    stops = [_as_tensor(stop, "stop") for stop in _handles(stops)]
    given = _incoming(given, ys)
    graph = graphs._get_graph_from_inputs(ys + xs)
    foreign = [x for x in xs if x.graph is not graph]
    if foreign:
      xs = [_captured(x, graph) for x in xs]
    driver = _Driver(graph, colocate_gradients_with_ops, is_recorded)
    try:
      found = _binding.gradients(
        graph, ys, xs, given, stops, scope, bool(colocate_gradients_with_ops), bool(gate_gradients), driver.find
      )
    except errors.UnimplementedError as error:
      raise _translated(error) from None
  results = [_from_extension(grad) for grad in found]
  if unconnected == UnconnectedGradients.ZERO:
    from millrace.ops.array import filling

    results = [_zeros_of(x, filling) if grad is None else grad for grad, x in zip(results, original_xs)]
  return results


def _zeros_of(x, filling):
  return filling.zeros(x.get_shape(), dtype=x.dtype.base_dtype) if hasattr(x, "handle") else filling.zeros_like(x)


def _captured(x, graph):
  """What stands in the graph of a function for a tensor of outside."""
  if x.graph is graph:
    return x
  return graph.capture(x)


# How messages of the extension begin, and what TensorFlow raises there. All others are of gradients that nobody has written.
_ERRORS = (
  ("No gradient defined for operation", LookupError),
  ("Gradient explicitly disabled", LookupError),
  ("Second-order gradient", TypeError),
)


def _translated(error):
  """The exception that programs know for what the extension cannot differentiate."""
  for begin, kind in _ERRORS:
    if error.message.startswith(begin):
      return kind(error.message)
  return NotImplementedError(error.message)


def _as_tensor(value, name):
  value = convert.internal_convert_to_tensor_or_indexed_slices(value, name=name, as_ref=True)
  return value.values if isinstance(value, composite.IndexedSlices) else value


def _from_extension(grad):
  """A gradient of the extension's as programs have it."""
  if isinstance(grad, tuple):
    values, indices, dense_shape = grad
    return composite.IndexedSlices(values, indices, dense_shape)
  return grad


def _to_extension(grad):
  if isinstance(grad, composite.IndexedSlices):
    return (grad.values, grad.indices, grad.dense_shape)
  return grad


def _incoming(given, ys):
  """Checks the gradients that a program gives for the ys. Raises TypeError if their types do not fit."""
  result = []
  for i, (grad, y) in enumerate(zip(given, ys)):
    if grad is None:
      if y.dtype.is_complex:
        raise TypeError("Gradients of complex tensors (%s) must set grad_ys (y.dtype = %s)" % (y, dtypes.as_dtype(y.dtype).name))
      if y.dtype.base_dtype == dtypes.string:
        raise TypeError("Expected string, but got 1 of type 'int': gradients of %s must set grad_ys" % (y,))
      result.append(None)
      continue
    # Of the type that the value has by itself: what another one than the y's means is up to the gradient functions.
    grad = convert.internal_convert_to_tensor_or_indexed_slices(grad, name="grad_y_%d" % i)
    _check_incoming(grad, y)
    result.append(_to_extension(grad))
  return result


def _check_incoming(grad, y):
  """Raises TypeError for a gradient whose type no gradient of `y` has."""
  if y.dtype.is_floating or y.dtype.is_integer:
    if not grad.dtype.is_floating and not grad.dtype.is_integer:
      raise TypeError(
        "Gradient type %s generated for real or integer-valued tensor %s with type %s must be real or integer"
        % (grad.dtype.name, y, y.dtype.name)
      )
  elif y.dtype.is_complex:
    if not grad.dtype.is_complex:
      raise TypeError(
        "Gradient type %s generated for complex-valued tensor %s with type %s must be real" % (grad.dtype.name, y, y.dtype.name)
      )
  elif y.dtype == dtypes.variant:
    if grad.dtype != dtypes.variant:
      raise TypeError(
        "Gradient type %s generated for variant tensor %s with type %s must be variant" % (grad.dtype.name, y, y.dtype.name)
      )
  elif y.dtype == dtypes.resource:
    if grad.dtype == dtypes.resource:
      raise TypeError("Input gradient %s for resource tensor %s should not be a resource" % (grad, y))
  else:
    raise TypeError("Tensor %s with type %s must be numeric to obtain a default gradient" % (y, y.dtype.name))


class _Driver:
  """Finds the functions of Python for the ops on the way, and calls them."""

  def __init__(self, graph, colocate, is_recorded=None):
    self._graph = graph
    self._colocate = colocate
    self._is_recorded = is_recorded

  def find(self, op):
    """None: the extension's own function; False: nothing goes back; otherwise a function for the extension."""
    if self._is_recorded is not None and not self._is_recorded(op):
      return False
    name, override = op.type, None
    try:
      override = op.get_attr("_gradient_op_type")
    except ValueError:
      pass
    if override is not None:
      name = override.decode()
    function = self._of_function(op, name) if override is None else None
    if function is None:
      known, function = (True, _gradient_of_call) if name == "EagerPyFunc" else registry.find(name)
      if not known:
        if override is not None and not _binding.has_gradient(name):
          raise LookupError(
            "No gradient defined for operation'%s' (op type: %s). Register one by tf.RegisterGradient, or hold it constant by "
            "tf.stop_gradient." % (op.name, op.type)
          )
        return None
      if function is None:
        return False
    return self._caller(function)

  def _caller(self, function):
    return lambda op, grads, scope, waits: self._call(function, op, grads, scope, waits)

  def _of_function(self, op, name):
    """The gradient that a function of the graph was defined with."""
    defined = self._graph._get_function(name)
    if defined is None:
      return None
    python = getattr(defined, "python_grad_func", None)
    if python is not None:
      return python
    gradient = getattr(defined, "grad_func", None)
    if gradient is None:
      return None
    return lambda op, *grads: gradient(*(list(op.inputs) + list(grads)))

  def _call(self, function, op, grads, scope, waits):
    from millrace.ops.control_flow import contexts

    graph = self._graph
    with graph.as_default(), graph.name_scope(scope), _same_context(graph, contexts):
      with graph.control_dependencies(waits) if waits else graphs.NullContextmanager():
        with graph.colocate_with(op, ignore_existing=True) if self._colocate else graphs.NullContextmanager():
          result = function(op, *[_from_extension(grad) for grad in grads])
          return [_to_extension(grad) for grad in self._checked(op, result)]

  def _checked(self, op, result):
    """What a function returned, as a list with one gradient an input. Raises ValueError if that is not what it is."""
    if isinstance(result, (list, tuple)) and not isinstance(result, composite.IndexedSlices):
      grads = list(result)
    else:
      grads = [result]
    inputs = list(op.inputs)
    if len(grads) != len(inputs):
      raise ValueError("Num gradients %d generated for op %s do not match num inputs %d" % (len(grads), op.node_def, len(inputs)))
    checked = []
    for i, (grad, value) in enumerate(zip(grads, inputs)):
      if grad is not None and not isinstance(grad, (tensor.Tensor, composite.IndexedSlices)):
        grad = convert.convert_to_tensor(grad)
      if isinstance(grad, tensor.Tensor) and value.dtype != dtypes.resource:
        try:
          grad.set_shape(value.get_shape())
        except ValueError:
          raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward operation: %s. Input index: %d. Original "
            "input shape: %s. Calculated input gradient shape: %s" % (op.name, i, value.get_shape(), grad.get_shape())
          ) from None
      checked.append(grad)
    return checked


def _gradient_of_call(op, *grads):
  from millrace.ops.script import eager_call

  return eager_call.gradient_of_call(op, *grads)


class _same_context:
  """The control-flow context in which gradients are built stays current in what runs in between."""

  def __init__(self, graph, contexts):
    self._graph, self._contexts = graph, contexts

  def __enter__(self):
    self._context = self._contexts.current(self._graph)

  def __exit__(self, kind, value, trace):
    self._contexts.set_current(self._graph, self._context)
    return False


def hessian_vector_product(ys, xs, v):
  """Returns the products of the second derivatives of the sum of `ys` with respect to all of `xs` with `v`, a list like `xs`.

  Raises ValueError for lists of different lengths.
  """
  from millrace.ops.array import identities
  from millrace.ops.math import operators  # noqa: F401: tensors have operators

  if len(xs) != len(v):
    raise ValueError("xs and v must have the same length.")
  slopes = gradients(ys, xs)
  return gradients([slope * identities.stop_gradient(part) for slope, part in zip(slopes, v) if slope is not None], xs)


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
  """Returns the second derivatives of the sum of `ys` with respect to each of `xs`, of shape x.shape + x.shape."""
  from millrace.framework import constants
  from millrace.ops.array import joining, shapes
  from millrace.ops.control_flow import tensor_array, while_loop
  from millrace.ops.math import operators  # noqa: F401: tensors have operators

  xs = _as_list(xs)
  options = dict(
    colocate_gradients_with_ops=colocate_gradients_with_ops,
    gate_gradients=gate_gradients,
    aggregation_method=aggregation_method,
  )
  results = []
  for gradient, x in zip(gradients(ys, xs, **options), xs):
    gradient = shapes.reshape(gradient, [-1])
    count = shapes.size(x)
    begin = (constants.constant(0), tensor_array.TensorArray(x.dtype, count))

    def row(i, rows):
      return i + 1, rows.write(i, gradients(gradient[i], x)[0])  # noqa: B023: called in this iteration

    _, rows = while_loop.while_loop(lambda i, _: i < count, row, begin)  # noqa: B023
    shape = shapes.shape(x)
    results.append(shapes.reshape(rows.stack(), joining.concat((shape, shape), 0)))
  return results
