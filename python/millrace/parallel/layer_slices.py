"""What layers that are cut over devices share: the parts of a variable, each on its device, and the parts of inputs.

A variable is cut as a partitioner cuts it: its parts are NAME/part_0, NAME/part_1 and so on, and a checkpoint has the whole, as
NAME. So the layer loads what the layer that is not cut has saved, whatever the number of devices, and the other way round.
"""

import re

from millrace.parallel.tensorflow_in_use import tf

WAYS = ("outputs", "inputs")
# Of all the elements at once: they would give other values on parts.
_NOT_ELEMENTWISE = ("softmax", "log_softmax", "crelu", "l2_normalize")


class Cut:
  """How a layer is cut: by its outputs or its inputs, over which devices, and where the parts of its variables lie.

  `default_name` is that of its variables' scope, and its inputs are called `input_name` in errors.

  Raises ValueError, which begins with the name of the layer, for what cannot be.
  """

  def __init__(self, layer, by, devices, variable_devices=None, default_name=None, input_name="inputs"):
    if by not in WAYS:
      raise ValueError('%s: by is "outputs" or "inputs", not %r' % (layer, by))
    if isinstance(devices, str) or not list(devices):
      raise ValueError("%s: devices is a list of one device or more, not %r" % (layer, devices))
    self.layer, self.by, self.devices = layer, by, list(devices)
    self.default_name, self.input_name = default_name, input_name
    self.variable_devices = self.devices if variable_devices is None else list(variable_devices)
    if len(self.variable_devices) != len(self.devices):
      raise ValueError(
        "%s: variable_devices are as many as devices, %d, not %d" % (layer, len(self.devices), len(self.variable_devices))
      )

  @property
  def by_outputs(self):
    return self.by == "outputs"

  def check_size(self, size, what):
    """Checks that each device gets one of `size` outputs or inputs, called `what`, or more."""
    if size < len(self.devices):
      raise ValueError("%s: %d %s cannot be cut over %d devices" % (self.layer, size, what, len(self.devices)))

  def check_activation(self, activation):
    """Checks that the function gives the same on parts of the outputs as on all of them."""
    name = getattr(activation, "__name__", "")
    if self.by_outputs and name in _NOT_ELEMENTWISE:
      raise ValueError(
        "%s: each part of the outputs has its activation, which %s, of all outputs at once, is not; leave it out and apply it to "
        "the result" % (self.layer, name)
      )

  def variable(self, name, shape, axis, **options):
    """The parts of a variable of the current scope, cut along `axis`; `options` are those of get_variable."""
    api = tf()
    scope = api.get_variable_scope().name
    part = re.compile(re.escape("%s/%s" % (scope, name) if scope else name) + r"/part_(\d+)(?:/|$)")

    def place(op):
      found = part.match(op.name)
      return self.variable_devices[int(found.group(1))] if found else op.device

    with api.device(place):
      whole = api.get_variable(name, shape, partitioner=api.fixed_size_partitioner(len(self.devices), axis), **options)
    return list(whole)

  def inputs(self, inputs, sizes, axis):
    """The parts of the inputs along `axis`; they are cut where the inputs are, so that each device gets its own part alone.

    A list of tensors, such as the outputs of a layer that was not joined, is taken as it is.
    """
    if not isinstance(inputs, list):
      with tf().device(inputs.device):
        return tf().split(inputs, sizes, axis=axis)
    given = [part.shape.as_list()[axis] for part in inputs]
    if given != sizes:
      raise ValueError("%s: the inputs come in parts of %s, and are cut into parts of %s" % (self.layer, given, sizes))
    return inputs

  def on_each(self, function, *parts):
    """What the function makes of the first parts on the first device, the second on the second, and so on."""
    results = []
    for device, *arguments in zip(self.devices, *parts):
      with tf().device(device):
        results.append(function(*arguments))
    return results


def computed(cut, inputs, outputs, axis, product, with_bias, options):
  """The layer: activation(product(inputs, kernel) + bias), of which each device computes a part.

  `axis` of the inputs and the results is that of inputs and outputs; `outputs` is (their number, what they are called), as the
  inputs are called `cut.input_name`. `product` takes inputs and a kernel, `with_bias` results and a bias. `options` are the
  layer's, as in split_dense, and kernel_size: the dimensions of the kernel before inputs and outputs.
  """
  api = tf()
  cut.check_activation(options["activation"])
  inputs, size = given_inputs(cut, inputs, axis)
  units, units_name = outputs
  cut.check_size(units if cut.by_outputs else size, units_name if cut.by_outputs else cut.input_name)
  first = inputs[0] if isinstance(inputs, list) else inputs
  kernel_options = {"initializer": options["kernel_initializer"], "regularizer": options["kernel_regularizer"]}
  bias_options = {
    "initializer": options["bias_initializer"] or api.zeros_initializer(),
    "regularizer": options["bias_regularizer"],
  }
  for some in (kernel_options, bias_options):
    some.update(dtype=first.dtype.base_dtype, trainable=options["trainable"])
  activation, use_bias = options["activation"], options["use_bias"]
  with api.variable_scope(options["name"], default_name=cut.default_name, values=[first], reuse=options["reuse"]):
    shape = [*options.get("kernel_size", ()), size, units]
    of_inputs, of_outputs = len(shape) - 2, len(shape) - 1
    kernel = cut.variable("kernel", shape, of_outputs if cut.by_outputs else of_inputs, **kernel_options)
    if not cut.by_outputs:
      sizes = [part.shape.as_list()[of_inputs] for part in kernel]
      results = api.add_n(cut.on_each(product, cut.inputs(inputs, sizes, axis), kernel))
      if use_bias:
        results = with_bias(results, api.get_variable("bias", [units], **bias_options))
      return results if activation is None else activation(results)
    parts = cut.on_each(product, [inputs] * len(kernel), kernel)
    if use_bias:
      parts = cut.on_each(with_bias, parts, cut.variable("bias", [units], 0, **bias_options))
    if activation is not None:
      parts = cut.on_each(activation, parts)
    return api.concat(parts, axis=axis) if options["join"] else parts


def given_inputs(cut, inputs, axis):
  """The inputs as a tensor, or as a list of tensors where they come in parts and are cut; and their number along `axis`.

  Raises ValueError where that is not known.
  """
  api = tf()
  if isinstance(inputs, (list, tuple)) and any(hasattr(part, "shape") for part in inputs):
    parts = [api.convert_to_tensor(part) for part in inputs]
    if cut.by_outputs:
      inputs = api.concat(parts, axis)
    else:
      return parts, sum(_known_size(cut, part, axis) for part in parts)
  inputs = api.convert_to_tensor(inputs)
  return inputs, _known_size(cut, inputs, axis)


def _known_size(cut, tensor, axis):
  rank = tensor.shape.ndims
  size = tensor.shape.as_list()[axis] if rank is not None and rank >= 2 else None
  if size is None:
    raise ValueError("%s: dimension %d of the inputs has to be known, and is not in %s" % (cut.layer, axis, tensor))
  return size
