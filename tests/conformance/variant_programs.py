"""Programs whose lists, optionals, ragged and sparse tensors go from one task to another as variants; each takes a cluster.

Their values come by feeds, so that no optimizer computes them ahead.
"""

import tempfile

import numpy as np
import tensorflow as tf
from compare_clusters import outcome

tf1 = tf.compat.v1
raw = tf.raw_ops

ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)
PROGRAMS = []


def program(function):
  PROGRAMS.append(function)
  return function


def on(job, task=0):
  return tf1.device(f"/job:{job}/task:{task}/cpu:0")


def run(cluster, fetches, feeds=None):
  with tf1.Session(cluster.target("worker")) as session:
    return session.run(fetches, feeds)


def rows():
  return tf1.placeholder(tf.float32, [None, 2])


def list_of(tensor, shape):
  return raw.TensorListFromTensor(tensor=tensor, element_shape=np.int32(shape))


def stacked(handle, dtype, shape):
  return raw.TensorListStack(input_handle=handle, element_shape=np.int32(shape), element_dtype=dtype)


@program
def a_list_there_and_back(cluster):
  x = rows()
  with on("ps"):
    made = list_of(x, [2])
  with on("worker", 1):
    length = raw.TensorListLength(input_handle=made)
    longer = raw.TensorListPushBack(input_handle=made, tensor=x[0] * 10)
  with on("ps"):
    back = stacked(longer, tf.float32, [2])
  return run(cluster, [length, back], {x: ROWS})


@program
def a_list_with_unset_elements(cluster):
  x = rows()
  with on("ps"):
    made = raw.TensorListReserve(element_shape=np.int32([-1, 2]), num_elements=5, element_dtype=tf.float32)
    made = raw.TensorListSetItem(input_handle=made, index=2, item=x)
  with on("worker", 1):
    shape = raw.TensorListElementShape(input_handle=made, shape_type=tf.int64)
    items = [
      raw.TensorListGetItem(input_handle=made, index=i, element_shape=np.int32([3, 2]), element_dtype=tf.float32)
      for i in (1, 2, 4)
    ]
  return run(cluster, [shape, items], {x: ROWS})


@program
def an_empty_list_of_limited_length(cluster):
  x = rows()
  with on("ps"):
    made = raw.EmptyTensorList(element_shape=np.int32(-1), max_num_elements=tf.cast(x[0, 1], tf.int32), element_dtype=tf.float32)
  with on("worker", 1):
    one = raw.TensorListPushBack(input_handle=made, tensor=x)
    two = raw.TensorListPushBack(input_handle=one, tensor=x)
    lengths = [raw.TensorListLength(input_handle=t) for t in (made, one)]
    over = raw.TensorListLength(input_handle=two)
  return [run(cluster, lengths, {x: ROWS}), outcome(lambda: run(cluster, over, {x: ROWS}))]


@program
def lists_of_many_types(cluster):
  texts = np.array([b"", b"a\0b", b"long" * 1000], object)
  values = [
    texts,
    np.array([True, False]),
    np.zeros([3, 0], np.int8),
    np.ones([2, 20_000], np.float64),
    np.arange(5000),
    np.complex64([1j, 2]),
  ]
  feeds = [tf1.placeholder(tf.as_dtype(v.dtype), v.shape) for v in values]
  with on("ps"):
    lists = [list_of(f, f.shape[1:].as_list()) for f in feeds]
  with on("worker", 1):
    back = [stacked(made, f.dtype, f.shape[1:].as_list()) for made, f in zip(lists, feeds)]
  got = run(cluster, back, dict(zip(feeds, values)))
  return [[bytes(b).decode("latin1") for b in got[0]], *got[1:]]


@program
def lists_in_lists(cluster):
  x = rows()
  with on("ps"):
    inner = list_of(x, [2])
    for _ in range(10):
      outer = raw.EmptyTensorList(element_shape=np.int32([]), max_num_elements=-1, element_dtype=tf.variant)
      inner = raw.TensorListPushBack(input_handle=raw.TensorListPushBack(input_handle=outer, tensor=inner), tensor=inner)
  with on("worker", 1):
    for i in range(10):
      inner = raw.TensorListGetItem(input_handle=inner, index=i % 2, element_shape=np.int32([]), element_dtype=tf.variant)
    values = stacked(inner, tf.float32, [2])
  return run(cluster, values, {x: ROWS})


@program
def a_tensor_of_lists(cluster):
  x = rows()
  with on("ps"):
    both = tf.stack([list_of(x, [2]), list_of(x * 2, [2])])
  with on("worker", 1):
    joined = raw.TensorListConcatLists(input_a=both, input_b=both[::-1], element_dtype=tf.float32)
    values = [stacked(joined[i], tf.float32, [2]) for i in (0, 1)]
  return run(cluster, values, {x: ROWS})


@program
def optionals(cluster):
  x = rows()
  with on("ps"):
    some = raw.OptionalFromValue(components=[x, tf.as_string(x[0]), list_of(x, [2])])
    none = raw.OptionalNone()
  with on("worker", 1):
    has = [raw.OptionalHasValue(optional=o) for o in (some, none)]
    types, shapes = [tf.float32, tf.string, tf.variant], [[None, 2], [2], []]
    number, text, handle = raw.OptionalGetValue(optional=some, output_types=types, output_shapes=shapes)
    fetches = [has, number, tf.strings.length(text), stacked(handle, tf.float32, [2])]
    nothing = raw.OptionalGetValue(optional=none, output_types=types, output_shapes=shapes)
  return [run(cluster, fetches, {x: ROWS}), outcome(lambda: run(cluster, nothing[0]))]


@program
def ragged_tensors(cluster):
  values, splits = tf1.placeholder(tf.int32, [None]), tf1.placeholder(tf.int64, [None])
  with on("ps"):
    one = raw.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=values, batched_input=False)
    batch = raw.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=values, batched_input=True)
  with on("worker", 1):
    fetches = [
      raw.RaggedTensorFromVariant(
        encoded_ragged=t, input_ragged_rank=rank, output_ragged_rank=1, Tvalues=tf.int32, Tsplits=tf.int64
      )
      for t, rank in ((one, 1), (batch, 0))
    ]
  got = run(cluster, fetches, {values: [1, 2, 3, 4], splits: [0, 2, 2, 4]})
  return [[*nested, flat] for nested, flat in got]


@program
def sparse_tensors(cluster):
  indices, values = tf1.placeholder(tf.int64, [None, 2]), tf1.placeholder(tf.float32, [None])
  with on("ps"):
    made = raw.SerializeSparse(sparse_indices=indices, sparse_values=values, sparse_shape=np.int64([3, 4]), out_type=tf.variant)
  with on("worker", 1):
    back = raw.DeserializeSparse(serialized_sparse=made, dtype=tf.float32)
  return list(run(cluster, back, {indices: [[0, 1], [2, 3]], values: [5, 6]}))


@program
def variants_as_text(cluster):
  x = rows()
  with on("ps"):
    text = raw.SerializeTensor(tensor=raw.OptionalFromValue(components=[list_of(x, [2])]))
  with on("worker", 1):
    optional = raw.ParseTensor(serialized=text, out_type=tf.variant)
    (made,) = raw.OptionalGetValue(optional=optional, output_types=[tf.variant], output_shapes=[[]])
    values = stacked(made, tf.float32, [2])
  return run(cluster, values, {x: ROWS})


@program
def a_list_in_a_queue(cluster):
  x = rows()
  with on("ps"):
    queue = tf.queue.FIFOQueue(10, [tf.variant], shapes=[[]], shared_name="lists")
  with on("worker", 1):
    put = queue.enqueue([list_of(x, [2])])
  with on("worker"):
    values = stacked(queue.dequeue(), tf.float32, [2])
  with tf1.Session(cluster.target("worker")) as session:
    session.run(put, {x: ROWS})
    return session.run(values)


@program
def a_list_in_a_checkpoint(cluster):
  x = rows()
  with tempfile.TemporaryDirectory() as folder:
    with on("ps"):
      save = raw.SaveV2(
        prefix=f"{folder}/lists",
        tensor_names=["v"],
        shape_and_slices=[""],
        tensors=[tf.stack([list_of(x, [2]), list_of(x * 2, [2])])],
      )
    with on("worker", 1):
      (back,) = raw.RestoreV2(prefix=f"{folder}/lists", tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.variant])
      values = stacked(back[1], tf.float32, [2])
    with tf1.Session(cluster.target("worker")) as session:
      session.run(save, {x: ROWS})
      return session.run(values)


@program
def a_fetch_of_a_list(cluster):
  x = rows()
  with on("ps"):
    made = list_of(x, [2])
  return outcome(lambda: run(cluster, made, {x: ROWS}))
