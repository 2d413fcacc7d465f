"""Sparse tensors go through queues as numbers, under which they are stored."""

import collections

import millrace as tf
from millrace import gen
from millrace.framework import composite
from millrace.ops.control_flow.basics import with_dependencies
from millrace.ops.control_flow.conditional import smart_cond

# How a tensor was stored: whether it is sparse, the op that stores it, and its rank without the batch.
Stored = collections.namedtuple("Stored", ["sparse", "map_op", "rank"])


def _store(t, shared_name=None):
  return gen.add_sparse_to_tensors_map(t.indices, t.values, t.dense_shape, shared_name=shared_name or "")


def _store_many(t, shared_name=None):
  return gen.add_many_sparse_to_tensors_map(t.indices, t.values, t.dense_shape, shared_name=shared_name or "")


def _maybe_store(t, map_op_name, keep_input):
  return smart_cond(keep_input, lambda: _store(t, map_op_name), lambda: tf.constant(-1, dtype=tf.int64))


def _maybe_store_many(t, map_op_name, keep_input):
  """Stores all elements of a batch, or those that a vector keeps; the others get the number -1."""
  if keep_input.get_shape().ndims == 1:
    t = _keep_elements(t, keep_input)
    stored = _store_many(t, map_op_name)
    positions = tf.where(keep_input)
    size = tf.cast(tf.shape(keep_input), tf.int64)
    numbers = tf.scatter_nd(positions, stored + 1, size) - 1
    numbers.set_shape([None])
    return numbers
  return smart_cond(
    keep_input,
    lambda: _store_many(t, map_op_name),
    lambda: -1 * tf.ones(tf.shape(t)[0:1], dtype=tf.int64),
  )


def _keep_elements(t, keep_input):
  """The elements of a batch that a vector keeps."""
  kept = tf.reshape(tf.where(keep_input), [-1])
  numbers = tf.cumsum(tf.cast(keep_input, tf.int64)) - 1
  inside = tf.gather(keep_input, t.indices[:, 0])
  indices = tf.boolean_mask(t.indices, inside)
  first = tf.gather(numbers, indices[:, 0])
  indices = tf.concat([tf.expand_dims(first, 1), indices[:, 1:]], 1)
  values = tf.boolean_mask(t.values, inside)
  shape = tf.concat([tf.expand_dims(tf.size(kept, out_type=tf.int64), 0), t.dense_shape[1:]], 0)
  return composite.SparseTensor(indices, values, shape)


def _map_op(stored):
  """The op that stores: behind the branch of a conditional if there is one."""
  ops = [stored.op]
  while ops:
    op = ops.pop()
    if op.type in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
      return op
    ops.extend(t.op for t in op.inputs)
  raise RuntimeError("The sparse tensor has no op that stores it.")


def store_sparse_tensors(tensor_list, enqueue_many, keep_input, map_op_names=None):
  """The tensors with numbers instead of the sparse ones, and how each was stored.

  `map_op_names` are the names of other stores that these share.
  """
  names = map_op_names or [None] * len(tensor_list)
  results = []
  infos = []
  for t, map_op_name in zip(tensor_list, names):
    if not isinstance(t, composite.SparseTensor):
      results.append(t)
      infos.append(Stored(False, None, None))
      continue
    store = _maybe_store_many if enqueue_many else _maybe_store
    stored = store(t, map_op_name, keep_input)
    # A queue needs at least one size that isn't the batch's.
    results.append(tf.expand_dims(stored, [-1]))
    rank = t.dense_shape.get_shape().with_rank(1).dims[0].value
    if enqueue_many and rank is not None:
      rank -= 1
    infos.append(Stored(True, _map_op(stored), rank))
  return results, infos


def store_sparse_tensors_join(tensor_list_list, enqueue_many, keep_input):
  """The same for several lists, which share the stores of the first."""
  first, infos = store_sparse_tensors(tensor_list_list[0], enqueue_many, keep_input)
  names = [info.map_op.name if info.sparse else None for info in infos]
  results = [first]
  for tensor_list in tensor_list_list[1:]:
    more, more_infos = store_sparse_tensors(tensor_list, enqueue_many, keep_input, names)
    for a, b in zip(infos, more_infos):
      if a.sparse != b.sparse:
        raise TypeError("Inconsistent sparseness of the tensors of the lists.")
    results.append(more)
  return results, infos


def _restore(info, numbers):
  op = info.map_op
  with tf.colocate_with(op):
    shared_name = tf.compat.as_str(op.get_attr("shared_name")) or op.name
    container = tf.compat.as_str(op.get_attr("container"))
    dtype = tf.as_dtype(op.get_attr("T"))
    indices, values, shape = gen.take_many_sparse_from_tensors_map(
      numbers, dtype=dtype, container=container, shared_name=shared_name
    )
  rank = None if info.rank is None else info.rank + 1
  indices.set_shape([None, rank])
  shape.set_shape([rank])
  return composite.SparseTensor(indices, values, shape)


def restore_sparse_tensors(stored_list, infos):
  """What came out of a queue, with sparse tensors again; all of them are taken in every run."""
  is_sequence = isinstance(stored_list, (list, tuple))
  if not is_sequence:
    stored_list = (stored_list,)
  tensors = [_restore(info, tf.squeeze(s, [1])) if info.sparse else s for s, info in zip(stored_list, infos)]
  if any(isinstance(x, composite.SparseTensor) for x in tensors):
    values = [x.values if isinstance(x, composite.SparseTensor) else x for x in tensors]

    def after_all(x):
      if isinstance(x, composite.SparseTensor):
        return composite.SparseTensor(
          indices=with_dependencies(values, x.indices),
          values=with_dependencies(values, x.values),
          dense_shape=with_dependencies(values, x.dense_shape),
        )
      return with_dependencies(values, x)

    tensors = [after_all(x) for x in tensors]
  return tensors if is_sequence else tensors[0]
