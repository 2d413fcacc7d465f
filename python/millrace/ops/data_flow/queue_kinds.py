"""The kinds of queues: first in first out, the same with padding, by chance, by priority."""

import hashlib

from millrace import gen
from millrace.framework import dtypes as dtypes_lib
from millrace.framework import scopes, seeds, tensor_shape
from millrace.ops.data_flow.queue_arguments import as_name_list, as_shape_list, as_type_list
from millrace.ops.data_flow.queues import QueueBase

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue"]


class FIFOQueue(QueueBase):
  """A queue that gives its elements in the order in which they came. It lives on a CPU and outside of conditionals and loops."""

  def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
    dtypes = as_type_list(dtypes)
    shapes = as_shape_list(shapes, dtypes)
    names = as_name_list(names, dtypes)
    with scopes.init_scope(), scopes.device("CPU"):
      queue_ref = gen.fifo_queue_v2(
        component_types=dtypes, shapes=shapes or [], capacity=capacity, shared_name=shared_name or "", name=name
      )
    super().__init__(dtypes, shapes, names, queue_ref)


class PaddingFIFOQueue(QueueBase):
  """A FIFOQueue whose elements differ in dimensions that its shapes leave open; `dequeue_many` pads them with zeros."""

  def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
    dtypes = as_type_list(dtypes)
    shapes = as_shape_list(shapes, dtypes, unknown_dim_allowed=True)
    names = as_name_list(names, dtypes)
    if len(dtypes) != len(shapes):
      raise ValueError(f"Shapes must be provided for all components, but received {len(dtypes)} dtypes and {len(shapes)} shapes.")
    queue_ref = gen.padding_fifo_queue_v2(
      component_types=dtypes, shapes=shapes, capacity=capacity, shared_name=shared_name or "", name=name
    )
    super().__init__(dtypes, shapes, names, queue_ref)


class RandomShuffleQueue(QueueBase):
  """A queue that gives its elements by chance. While it is open it keeps at least `min_after_dequeue` of them."""

  def __init__(
    self,
    capacity,
    min_after_dequeue,
    dtypes,
    shapes=None,
    names=None,
    seed=None,
    shared_name=None,
    name="random_shuffle_queue",
  ):
    dtypes = as_type_list(dtypes)
    shapes = as_shape_list(shapes, dtypes)
    names = as_name_list(names, dtypes)
    seed1, seed2 = seeds.get_seed(seed)
    if seed1 is None and seed2 is None:
      seed1, seed2 = 0, 0
    elif seed is None and shared_name is not None:
      # All who share the queue have to agree on the seed, whatever else their graphs hold.
      digest = hashlib.md5((str(seed1) + shared_name).encode("utf-8")).hexdigest()
      seed2 = int(digest[:8], 16) & 0x7FFFFFFF
    queue_ref = gen.random_shuffle_queue_v2(
      component_types=dtypes,
      shapes=shapes or [],
      capacity=capacity,
      min_after_dequeue=min_after_dequeue,
      seed=seed1,
      seed2=seed2,
      shared_name=shared_name or "",
      name=name,
    )
    super().__init__(dtypes, shapes, names, queue_ref)


class PriorityQueue(QueueBase):
  """A queue whose elements begin with an int64 priority; those with the lowest come first."""

  def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
    types = as_type_list(types)
    shapes = as_shape_list(shapes, types)
    if shapes is None:
      raise TypeError("Expected list for 'shapes' argument to 'priority_queue_v2' Op, not None.")
    queue_ref = gen.priority_queue_v2(
      component_types=types, shapes=shapes, capacity=capacity, shared_name=shared_name or "", name=name
    )
    all_types = [dtypes_lib.int64] + types
    names = as_name_list(names, all_types)
    super().__init__(all_types, [tensor_shape.TensorShape([])] + shapes, names, queue_ref)
