"""Barrier: a store of tuples that are complete when each of their components has come, by key."""

from millrace import gen
from millrace.framework import tensor_shape
from millrace.ops.data_flow.queue_arguments import as_shape_list, as_type_list

__all__ = ["Barrier"]


class Barrier:
  """Collects values for components of keys, and gives complete elements in the order in which their keys came first."""

  def __init__(self, types, shapes=None, shared_name=None, name="barrier"):
    self._types = as_type_list(types)
    if shapes is not None:
      shapes = as_shape_list(shapes, self._types)
      self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
      for i, shape in enumerate(self._shapes):
        if shape.num_elements() == 0:
          raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
    else:
      self._shapes = [tensor_shape.unknown_shape() for _ in self._types]
    self._barrier_ref = gen.barrier(component_types=self._types, shapes=self._shapes, shared_name=shared_name or "", name=name)
    self._name = self._barrier_ref.op.name.split("/")[-1]

  @property
  def barrier_ref(self):
    """The tensor that stands for the barrier in the graph."""
    return self._barrier_ref

  @property
  def name(self):
    """The last part of the name of the barrier's op."""
    return self._name

  def insert_many(self, component_index, keys, values, name=None):
    """Returns the operation that gives keys their values for one component."""
    if name is None:
      name = f"{self._name}_BarrierInsertMany"
    return gen.barrier_insert_many(self._barrier_ref, keys, values, component_index=component_index, name=name)

  def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
    """Returns (indices, keys, list of values) of complete elements, waiting for `num_elements` of them."""
    if name is None:
      name = f"{self._name}_BarrierTakeMany"
    taken = gen.barrier_take_many(
      self._barrier_ref,
      num_elements=num_elements,
      component_types=self._types,
      allow_small_batch=allow_small_batch,
      timeout_ms=-1 if timeout is None else timeout,
      name=name,
    )
    op = taken[0].op
    from millrace.framework import tensor_values

    number = None if allow_small_batch else tensor_values.constant_value(op.inputs[1])
    batch = tensor_shape.Dimension(None if number is None else int(number))
    op.outputs[0].set_shape(tensor_shape.vector(batch))
    op.outputs[1].set_shape(tensor_shape.vector(batch))
    for output, shape in zip(op.outputs[2:], self._shapes):
      output.set_shape(tensor_shape.TensorShape([batch]).concatenate(shape))
    return taken

  def close(self, cancel_pending_enqueues=False, name=None):
    """Returns the operation that lets no new keys in; with `cancel_pending_enqueues`, also no values of keys that are not complete."""
    if name is None:
      name = f"{self._name}_BarrierClose"
    return gen.barrier_close(self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

  def ready_size(self, name=None):
    """Returns an int32 tensor: the number of complete elements."""
    if name is None:
      name = f"{self._name}_BarrierReadySize"
    return gen.barrier_ready_size(self._barrier_ref, name=name)

  def incomplete_size(self, name=None):
    """Returns an int32 tensor: the number of elements that miss components."""
    if name is None:
      name = f"{self._name}_BarrierIncompleteSize"
    return gen.barrier_incomplete_size(self._barrier_ref, name=name)
