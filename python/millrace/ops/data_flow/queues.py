"""Queues of tuples of tensors: the base class, and what is common to all kinds."""

import functools

from millrace import gen
from millrace.framework import convert, dtypes, scopes, tensor_shape, tensor_values

__all__ = ["QueueBase"]


class QueueBase:
  """A queue in a graph: its elements are tuples of tensors, or dictionaries if the components have names.

  Enqueuing waits while the queue is full, dequeuing while it is empty. After `close`, dequeuing raises OutOfRangeError when too
  little is left, and enqueuing raises CancelledError.
  """

  def __init__(self, dtypes, shapes, names, queue_ref):
    self._dtypes = dtypes
    if shapes is not None:
      if len(shapes) != len(dtypes):
        raise ValueError(
          f"Queue shapes must have the same length as dtypes, received len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}"
        )
      self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
    else:
      self._shapes = [tensor_shape.unknown_shape() for _ in self._dtypes]
    if names is not None:
      if len(names) != len(dtypes):
        raise ValueError(
          f"Queue names must have the same length as dtypes,received len(names)={len(names)},len {{dtypes)={len(dtypes)}"
        )
      self._names = names
    else:
      self._names = None
    self._queue_ref = queue_ref
    self._name = queue_ref.op.name.split("/")[-1]

  @staticmethod
  def from_list(index, queues):
    """Returns the queue of a list that an integer tensor chooses when the step runs. Their types and names have to agree."""
    if not queues or not isinstance(queues, list) or not all(isinstance(x, QueueBase) for x in queues):
      raise TypeError("A list of queues expected")
    kinds = queues[0].dtypes
    if not all(kinds == q.dtypes for q in queues[1:]):
      raise TypeError("Queues do not have matching component dtypes.")
    names = queues[0].names
    if not all(names == q.names for q in queues[1:]):
      raise TypeError("Queues do not have matching component names.")
    shapes = [functools.reduce(_common_shape, parts) for parts in zip(*[q.shapes for q in queues])]
    from millrace.ops.array import gathering, joining

    chosen = gathering.gather(joining.stack([q.queue_ref for q in queues]), index)
    return QueueBase(dtypes=kinds, shapes=shapes, names=names, queue_ref=chosen)

  @property
  def queue_ref(self):
    """The tensor that stands for the queue in the graph."""
    return self._queue_ref

  @property
  def name(self):
    """The name of the queue's op."""
    return self._queue_ref.op.name

  @property
  def dtypes(self):
    """The types of the components."""
    return self._dtypes

  @property
  def shapes(self):
    """The shapes of the components, unknown where none were given."""
    return self._shapes

  @property
  def names(self):
    """The names of the components, or None."""
    return self._names

  def _is_resource(self):
    return self._queue_ref.dtype == dtypes.resource

  def _values(self, vals):
    """Checks what is to be enqueued against names, and returns it as a list in the order of the components."""
    if isinstance(vals, dict):
      if not self._names:
        raise ValueError("Queue must have names to enqueue a dictionary")
      if sorted(self._names) != sorted(vals):
        raise ValueError(
          f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
        )
      return [vals[k] for k in self._names]
    if self._names:
      raise ValueError("You must enqueue a dictionary in a Queue with names")
    return list(vals) if isinstance(vals, (list, tuple)) else [vals]

  def _tensors(self, vals):
    return [
      convert.convert_to_tensor(val, dtype=dtype, name=f"component_{i}")
      for i, (val, dtype) in enumerate(zip(self._values(vals), self._dtypes))
    ]

  def _scope_values(self, vals):
    return vals.values() if isinstance(vals, dict) else vals if isinstance(vals, (list, tuple)) else [vals]

  def enqueue(self, vals, name=None):
    """Returns the operation that puts one element into the queue: a tensor, a list of them, or a dictionary by names."""
    with scopes.name_scope(name, f"{self._name}_enqueue", self._scope_values(vals)) as scope:
      vals = self._tensors(vals)
      for val, shape in zip(vals, self._shapes):
        val.get_shape().assert_is_compatible_with(shape)
      make = gen.queue_enqueue_v2 if self._is_resource() else gen.queue_enqueue
      return make(self._queue_ref, vals, name=scope)

  def enqueue_many(self, vals, name=None):
    """Returns the operation that puts as many elements into the queue as the components have rows."""
    with scopes.name_scope(name, f"{self._name}_EnqueueMany", self._scope_values(vals)) as scope:
      vals = self._tensors(vals)
      batch = tensor_shape.Dimension(None)
      for val, shape in zip(vals, self._shapes):
        known = val.get_shape().with_rank_at_least(1)
        batch = batch.merge_with(known[0])
        known[1:].assert_is_compatible_with(shape)
      make = gen.queue_enqueue_many_v2 if self._is_resource() else gen.queue_enqueue_many
      return make(self._queue_ref, vals, name=scope)

  def _elements(self, tensors):
    """An element as the program gets it: a dictionary, one tensor, or a list of them."""
    if self._names:
      return dict(zip(self._names, tensors))
    return tensors[0] if len(tensors) == 1 else tensors

  def dequeue(self, name=None):
    """Returns one element, which is taken out when the step runs."""
    make = gen.queue_dequeue_v2 if self._is_resource() else gen.queue_dequeue
    made = make(self._queue_ref, self._dtypes, name=f"{self._name}_Dequeue" if name is None else name)
    for output, shape in zip(made, self._shapes):
      output.set_shape(shape)
    return self._elements(made)

  def dequeue_many(self, n, name=None):
    """Returns `n` elements, joined in a first dimension. Waits for all of them; shapes have to be known."""
    make = gen.queue_dequeue_many_v2 if self._is_resource() else gen.queue_dequeue_many
    made = make(self._queue_ref, n=n, component_types=self._dtypes, name=_named(name, "%s_DequeueMany", self._name))
    if made:
      batch = tensor_shape.Dimension(_known_number(made[0].op.inputs[1]))
      for output, shape in zip(made, self._shapes):
        output.set_shape(tensor_shape.TensorShape([batch]).concatenate(shape))
    return self._elements(made)

  def dequeue_up_to(self, n, name=None):
    """Like dequeue_many, but after the queue was closed it also returns fewer elements, at least one."""
    make = gen.queue_dequeue_up_to_v2 if self._is_resource() else gen.queue_dequeue_up_to
    made = make(self._queue_ref, n=n, component_types=self._dtypes, name=_named(name, "%s_DequeueUpTo", self._name))
    for output, shape in zip(made, self._shapes):
      output.set_shape(tensor_shape.TensorShape([None]).concatenate(shape))
    return self._elements(made)

  def close(self, cancel_pending_enqueues=False, name=None):
    """Returns the operation that lets nothing more in; what waits to be enqueued is cancelled if that is said."""
    make = gen.queue_close_v2 if self._is_resource() else gen.queue_close
    return make(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=_named(name, "%s_Close", self._name))

  def is_closed(self, name=None):
    """Returns a bool tensor: whether the queue is closed."""
    make = gen.queue_is_closed_v2 if self._is_resource() else gen.queue_is_closed
    return make(self._queue_ref, name=_named(name, "%s_Is_Closed", self._name))

  def size(self, name=None):
    """Returns an int32 tensor: how many elements there are."""
    make = gen.queue_size_v2 if self._is_resource() else gen.queue_size
    return make(self._queue_ref, name=_named(name, "%s_Size", self._name))


def _named(name, pattern, queue):
  return pattern % queue if name is None else name


def _known_number(tensor):
  value = tensor_values.constant_value(tensor)
  return None if value is None else int(value)


def _common_shape(one, two):
  """The dimensions that two shapes share, unknown where they differ."""
  one, two = tensor_shape.TensorShape(one), tensor_shape.TensorShape(two)
  if one.ndims is None or two.ndims is None or one.ndims != two.ndims:
    return tensor_shape.unknown_shape()
  return tensor_shape.TensorShape([a if a is not None and a == b else None for a, b in zip(one.as_list(), two.as_list())])
