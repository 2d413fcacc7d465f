"""InputSpec: what a layer accepts, and the checks of what it is given."""

from millrace.framework import dtypes, nest, tensor_shape


class InputSpec:
  """The type, the shape (None for any size) or the rank that an input has to have, and sizes of some of its axes.

  A `shape` decides the rank. `axes` is a dictionary from axes, which may be negative, to sizes; None accepts any.
  """

  def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
    self.dtype = dtypes.as_dtype(dtype).name if dtype is not None else None
    if shape is not None:
      shape = tuple(tensor_shape.TensorShape(shape).as_list())
    self.shape = shape
    self.ndim = len(shape) if shape is not None else ndim
    self.max_ndim = max_ndim
    self.min_ndim = min_ndim
    try:
      self.axes = {int(axis): size for axis, size in (axes or {}).items()}
    except (ValueError, TypeError):
      raise TypeError(f"Argument `axes` must be a dict with integer keys. Received: axes={axes}") from None
    limit = self.max_ndim if self.ndim is None else self.ndim
    if self.axes and limit is not None:
      highest = max(self.axes)
      allowed = (limit if limit else 0) - 1
      if highest > allowed:
        raise ValueError(f"Axis {highest} is greater than the maximum allowed value: {allowed}")

  def __repr__(self):
    fields = ["dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes"]
    texts = ["%s=%s" % (field, getattr(self, field)) for field in fields if getattr(self, field)]
    return "InputSpec(%s)" % ", ".join(texts)

  def get_config(self):
    """Returns the arguments of the constructor."""
    return {
      "dtype": self.dtype,
      "shape": self.shape,
      "ndim": self.ndim,
      "max_ndim": self.max_ndim,
      "min_ndim": self.min_ndim,
      "axes": self.axes,
    }

  @classmethod
  def from_config(cls, config):
    """Returns the object of what get_config() gave."""
    return cls(**config)


def check_inputs(input_spec, inputs, layer_name):
  """Raises ValueError where the inputs are not what `input_spec`, one or a list of InputSpec, says. None accepts all."""
  if not input_spec:
    return
  specs = nest.flatten(input_spec)
  inputs = nest.flatten(inputs)
  if len(inputs) != len(specs):
    raise ValueError(
      f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(inputs)} input tensors. '
      f"Inputs received: {inputs}"
    )
  for index, (value, spec) in enumerate(zip(inputs, specs)):
    if spec is not None:
      _check(index, value, spec, layer_name)


def _check(index, value, spec, layer_name):
  words = f'Input {index} of layer "{layer_name}" is incompatible with the layer: '
  shape = tensor_shape.TensorShape(value.shape)
  if shape.rank is None:
    return
  rank, received = shape.rank, f"Full shape received: {tuple(shape.as_list())}"
  if spec.ndim is not None and rank != spec.ndim:
    raise ValueError(words + f"expected ndim={spec.ndim}, found ndim={rank}. {received}")
  if spec.max_ndim is not None and rank > spec.max_ndim:
    raise ValueError(words + f"expected max_ndim={spec.max_ndim}, found ndim={rank}")
  if spec.min_ndim is not None and rank < spec.min_ndim:
    raise ValueError(words + f"expected min_ndim={spec.min_ndim}, found ndim={rank}. {received}")
  if spec.dtype is not None and value.dtype.name != spec.dtype:
    raise ValueError(words + f"expected dtype={spec.dtype}, found dtype={value.dtype}")
  sizes = shape.as_list()
  for axis, size in spec.axes.items():
    if size is not None and sizes[int(axis)] not in (size, None):
      raise ValueError(words + f"expected axis {axis} of input shape to have value {size}, but received input with shape {shape}")
  for expected, size in zip(spec.shape or (), sizes):
    if expected is not None and size is not None and expected != size:
      raise ValueError(words + f"expected shape={spec.shape}, found shape={tuple(sizes)}")
