"""The ops that control flow consists of, and dependencies between ops: group, tuple, with_dependencies, no_op."""

import collections

from millrace import gen
from millrace.framework import composite, convert, dtypes, nest, operation, tensor
from millrace.framework import graph as graphs


def no_op(name=None):
  """Returns an op that does nothing, on which others can wait."""
  return gen.no_op(name=name)


def as_value(value, dtype=None, name=None, as_ref=False):
  """Returns a composite value as it is, anything else as a Tensor."""
  if isinstance(value, composite.CompositeTensor):
    return value
  return convert.internal_convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)


def _is_ref(value):
  return value.dtype._is_ref_dtype


def identity(data, name=None):
  """Returns `data`, a Tensor or a composite value; a reference stays one."""
  data = as_value(data, as_ref=True)
  if isinstance(data, tensor.Tensor):
    return gen.ref_identity(data, name=name) if _is_ref(data) else gen.identity(data, name=name)
  return nest.map_structure(identity, data, expand_composites=True)


def next_iteration(data, name=None):
  """Returns `data` in the next iteration of the loop that it is in."""
  data = as_value(data, as_ref=True)
  if isinstance(data, tensor.Tensor):
    return gen.ref_next_iteration(data, name=name) if _is_ref(data) else gen.next_iteration(data, name=name)
  return nest.map_structure(next_iteration, data, expand_composites=True)


def enter(data, frame_name, is_constant=False, parallel_iterations=10, use_ref=True, use_input_shape=True, name=None):
  """Returns `data` inside of the loop `frame_name`: in its first iteration, or as a constant in all of them."""
  data = as_value(data, as_ref=True)
  if not isinstance(data, tensor.Tensor):
    part = lambda t: enter(t, frame_name, is_constant, parallel_iterations, use_input_shape=use_input_shape)
    return nest.map_structure(part, data, expand_composites=True)
  make = gen.ref_enter if _is_ref(data) and use_ref else gen.enter
  result = make(data, frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, name=name)
  if use_input_shape:
    result.set_shape(data.get_shape())
  return result


def exit(data, name=None):
  """Returns what `data` is after the loop that it is in."""
  data = as_value(data, as_ref=True)
  if isinstance(data, tensor.Tensor):
    return gen.ref_exit(data, name=name) if _is_ref(data) else gen.exit(data, name=name)
  return nest.map_structure(exit, data, expand_composites=True)


def loop_cond(input, name=None):
  """Returns `input`, a bool, as what decides whether a loop goes on."""
  return gen.loop_cond(input, name=name)


def switch(data, pred, dtype=None, name=None):
  """Returns (output_false, output_true), of which the one that `pred` says is alive, with the value of `data`."""
  with graphs.name_scope(name, "Switch", [data, pred]) as scope:
    data = as_value(data, dtype=dtype, name="data", as_ref=True)
    pred = convert.convert_to_tensor(pred, name="pred")
    if isinstance(data, tensor.Tensor):
      return gen.switch(data, pred, name=scope)
    parts = [gen.switch(part, pred) for part in nest.flatten(data, expand_composites=True)]
    off, on = zip(*parts)
    pack = lambda side: nest.pack_sequence_as(data, list(side), expand_composites=True)
    return pack(off), pack(on)


def switch_ref_or_tensor(data, pred, name="Switch"):
  """Does the same beside `data`; a reference stays one."""
  data = as_value(data, name="data", as_ref=True)
  with graphs.colocate_with(data, ignore_existing=True):
    if isinstance(data, tensor.Tensor) and _is_ref(data):
      return gen.ref_switch(data, pred, name=name)
    return switch(data, pred, name=name)


def merge(inputs, name=None):
  """Returns (output, value_index): the value of the input that is alive, and its number.

  Raises ValueError if an input is None, or if they are IndexedSlices of which only some have a dense shape.
  """
  if any(value is None for value in inputs):
    raise ValueError("At least one of the merge inputs is None: %s" % inputs)
  with graphs.name_scope(name, "Merge", inputs) as scope:
    inputs = [as_value(value, as_ref=True) for value in inputs]
    if all(isinstance(value, tensor.Tensor) for value in inputs):
      if all(_is_ref(value) for value in inputs):
        return gen.ref_merge(inputs, name=scope)
      return gen.merge(inputs, name=scope)
    if all(isinstance(value, (composite.IndexedSlices, tensor.Tensor)) for value in inputs):
      inputs = [_as_slices(value) for value in inputs]
      inputs = _same_index_types(inputs)
    for value in inputs[1:]:
      nest.assert_same_structure(inputs[0], value, expand_composites=True)
    flat = [nest.flatten(value, expand_composites=True) for value in inputs]
    parts = [gen.merge(list(part)) for part in zip(*flat)]
    output = nest.pack_sequence_as(inputs[0], [part[0] for part in parts], expand_composites=True)
    return output, parts[0][1]


def _as_slices(value):
  """A Tensor as IndexedSlices of all its rows."""
  if isinstance(value, composite.IndexedSlices):
    return value
  from millrace.ops.array import shapes
  from millrace.ops.math import sequences

  rows = shapes.shape(value)
  return composite.IndexedSlices(value, sequences.range(0, rows[0]), rows)


def as_int64(tensor):
  """Returns numbers as int64: the tensor itself if they are."""
  from millrace.ops.math import casts

  return tensor if tensor.dtype == dtypes.int64 else casts.cast(tensor, dtypes.int64)


def wide_indices(slices):
  """Returns IndexedSlices with the numbers of their rows as int64."""
  if slices.indices.dtype == dtypes.int64:
    return slices
  return composite.IndexedSlices(slices.values, as_int64(slices.indices), slices.dense_shape)


def _same_index_types(slices):
  return [wide_indices(value) for value in slices] if any(s.indices.dtype == dtypes.int64 for s in slices) else slices


def with_dependencies(dependencies, output_tensor, name=None):
  """Returns `output_tensor`, a Tensor or IndexedSlices, available once all `dependencies` have run.

  Raises TypeError if it is none of them.
  """
  with graphs.name_scope(name, "control_dependency", list(dependencies) + [output_tensor]) as scope:
    with graphs.colocate_with(output_tensor), graphs.control_dependencies(dependencies):
      value = convert.convert_to_tensor_or_indexed_slices(output_tensor)
      if isinstance(value, composite.IndexedSlices):
        return composite.IndexedSlices(identity(value.values, name=scope), value.indices, value.dense_shape)
      return identity(value, name=scope)


def _group_on(device, deps, name=None):
  with graphs.control_dependencies(deps):
    if not device:
      return no_op(name=name)
    with graphs.device(device):
      return no_op(name=name)


def group(*inputs, **kwargs):
  """Returns an op that has run when all inputs have: tensors, operations, or structures of them. `name` names it.

  Raises ValueError for other keyword arguments, TypeError for inputs of another kind.
  """
  name = kwargs.pop("name", None)
  if kwargs:
    raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
  with graphs.name_scope(name, "group_deps", inputs) as scope:
    if not inputs:
      return no_op(name=scope)
    by_device = collections.OrderedDict()
    for value in nest.flatten(inputs, expand_composites=True):
      if not hasattr(value, "device"):
        raise TypeError("'inputs' should be zero or more (nested) Tensors. Received '%s' with type '%s'." % (value, type(value)))
      by_device.setdefault(value.device or "", []).append(value)
    if len(by_device) == 1:
      ((device, deps),) = by_device.items()
      return _group_on(device, deps, name=scope)
    all_deps = [_group_on(device, by_device[device]) for device in sorted(by_device)]
    with graphs.control_dependencies(all_deps):
      return no_op(name=scope)


def tuple(tensors, name=None, control_inputs=None):
  """Returns the tensors, each available once all of them, and `control_inputs`, are computed. None stays None.

  Raises ValueError if there is none, TypeError for control inputs that are neither Operation nor Tensor.
  """
  with graphs.name_scope(name, "tuple", tensors):
    kinds = (operation.Operation, tensor.Tensor, composite.CompositeTensor)
    values = [t if t is None or isinstance(t, kinds) else convert.convert_to_tensor(t) for t in tensors]
    gating = [t if isinstance(t, operation.Operation) else t.op for t in values if t is not None]
    for given in control_inputs or []:
      if isinstance(given, tensor.Tensor):
        given = given.op
      elif not isinstance(given, operation.Operation):
        raise TypeError("'control_inputs' must only contain Operation or Tensor. Received: %s" % type(given))
      gating.append(given)
    gating = sorted(set(gating), key=lambda op: op._id)
    if not gating:
      raise ValueError("'tensors' must have at least one Tensor. Received: %s." % tensors)
    gate = group(*gating)
    results = []
    for value in values:
      if value is None:
        results.append(None)
      elif isinstance(value, operation.Operation):
        results.append(group(gate, value))
      else:
        results.append(with_dependencies([gate], value))
    return results
