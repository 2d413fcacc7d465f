"""The calls of a layer: what it was given and what it returned, and the masks of both."""

from millrace.framework import nest


class Call:
  """One call of a layer: its inputs and outputs, each a tensor or a structure of them."""

  def __init__(self, layer, inputs, outputs):
    self.layer = layer
    self.input_tensors = inputs
    self.output_tensors = outputs

  @property
  def input_shapes(self):
    return nest.map_structure(_shape, self.input_tensors)

  @property
  def output_shapes(self):
    return nest.map_structure(_shape, self.output_tensors)


class Connections:
  """The part of a layer that knows its calls."""

  @property
  def inbound_nodes(self):
    """The calls of the layer, in their order."""
    return list(self._calls)

  @property
  def outbound_nodes(self):
    """The calls of other layers that took what this one returned. They are not recorded: an empty list."""
    return []

  @property
  def input(self):
    """The input of the only call; AttributeError unless there was exactly one."""
    return self._only("input", "input_tensors")

  @property
  def output(self):
    """The output of the only call; AttributeError unless there was exactly one."""
    return self._only("output", "output_tensors")

  @property
  def input_shape(self):
    """The shape of the inputs, a tuple or a list of tuples, which has to be the same in all calls."""
    return self._only_shape("input")

  @property
  def output_shape(self):
    """The shape of the outputs, a tuple or a list of tuples, which has to be the same in all calls."""
    return self._only_shape("output")

  @property
  def input_mask(self):
    """The mask of the input of the only call."""
    return _masks(self._only("input_mask", "input_tensors"))

  @property
  def output_mask(self):
    """The mask of the output of the only call."""
    return _masks(self._only("output_mask", "output_tensors"))

  def get_input_at(self, node_index):
    """Returns the input of a call, which are counted from 0."""
    return self._at(node_index, "input_tensors", "input")

  def get_output_at(self, node_index):
    """Returns the output of a call."""
    return self._at(node_index, "output_tensors", "output")

  def get_input_shape_at(self, node_index):
    """Returns the shape of the input of a call, a tuple."""
    return self._at(node_index, "input_shapes", "input shape")

  def get_output_shape_at(self, node_index):
    """Returns the shape of the output of a call, a tuple."""
    return self._at(node_index, "output_shapes", "output shape")

  def get_input_mask_at(self, node_index):
    """Returns the mask of the input of a call."""
    return _masks(self.get_input_at(node_index))

  def get_output_mask_at(self, node_index):
    """Returns the mask of the output of a call."""
    return _masks(self.get_output_at(node_index))

  def compute_mask(self, inputs, mask=None):
    """Returns the mask of the outputs for the mask of the inputs. TypeError where the layer knows no masks and there is one."""
    del inputs
    if not self.supports_masking:
      if any(part is not None for part in nest.flatten(mask)):
        raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
      return None
    return mask

  def _connect(self, inputs, outputs):
    self._calls.append(Call(self, inputs, outputs))

  def _only(self, what, field):
    if not self._calls:
      if what.startswith("output"):
        raise AttributeError(f"Layer {self.name} has no inbound nodes.")
      raise AttributeError(f"Layer {self.name} is not connected, no {what} to return.")
    if len(self._calls) > 1:
      raise AttributeError(
        f'Layer {self.name} has multiple inbound nodes, hence the notion of "layer {what}" is ill-defined. Use '
        f"`get_{what}_at(node_index)` instead."
      )
    return getattr(self._calls[0], field)

  def _only_shape(self, what):
    if not self._calls:
      name = f' "{self.name}"' if what == "input" else ""
      raise AttributeError(f"The layer{name} has never been called and thus has no defined {what} shape.")
    shapes = [getattr(call, what + "_shapes") for call in self._calls]
    if any(str(shape) != str(shapes[0]) for shape in shapes):
      raise AttributeError(
        f'The layer "{self.name}" has multiple inbound nodes, with different {what} shapes. Hence the notion of "{what} shape" '
        f"is ill-defined for the layer. Use `get_{what}_shape_at(node_index)` instead."
      )
    return shapes[0]

  def _at(self, node_index, field, what):
    if not self._calls:
      raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
    if not node_index < len(self._calls):
      raise ValueError(f"Asked to get {what} at node {node_index}, but the layer has only {len(self._calls)} inbound nodes.")
    return getattr(self._calls[node_index], field)


def _shape(tensor):
  shape = tensor.get_shape()
  return None if shape.rank is None else tuple(shape.as_list())


def _masks(tensors):
  if isinstance(tensors, list):
    return [getattr(tensor, "_keras_mask", None) for tensor in tensors]
  return getattr(tensors, "_keras_mask", None)
