"""Session handles: the stock client on a server of ours, and in a session of its own process, as stock's servers have none."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import assert_same, outcome  # noqa: E402
from tensorflow.python.ops import gen_data_flow_ops  # noqa: E402

tf1 = tf.compat.v1

TYPES = (
  "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128 string"
).split()


@pytest.fixture
def on_both(our_cluster):
  """Runs a program with the target of a server of ours, and in this process, and compares what it returns."""

  def run(program):
    results = []
    for target in (our_cluster.target("worker"), ""):
      with tf1.Graph().as_default():
        results.append(program(target))
    assert_same(*results)
    return results[0]

  return run


def text(handle):
  """What a handle is for the graph, without the device, which differs."""
  return handle.handle if hasattr(handle, "handle") else tf.compat.as_str(handle)


def number(handle):
  return text(handle).split(";")[:2]


class Raw:
  """The ops themselves, as old clients use them."""

  def __init__(self, dtype=tf.float32):
    self.value = tf1.placeholder(dtype)
    self.handle = tf1.placeholder(tf.string)
    self.keep = gen_data_flow_ops.get_session_handle(self.value, name="keep")
    self.get = gen_data_flow_ops.get_session_tensor(self.handle, dtype)
    self.delete = gen_data_flow_ops.delete_session_tensor(self.handle)


@pytest.mark.parametrize("name", TYPES)
def test_every_type(on_both, name):
  dtype = tf.as_dtype(name)
  numbers = np.array([[1, 0, 3], [4, 5, 6]])
  values = numbers.astype(str).astype(object) if dtype == tf.string else numbers.astype(dtype.as_numpy_dtype)

  def program(target):
    raw = Raw(dtype)
    with tf1.Session(target) as session:
      kept = session.run(raw.keep, {raw.value: values})
      again = session.run(raw.keep, {raw.value: values[:0]})
      read = [session.run(raw.get, {raw.handle: text(h)}).tolist() for h in (kept, again, kept)]
      return {"read": read, "names": [number(kept), number(again)]}

  on_both(program)


def test_the_client_s_functions(on_both):
  def program(target):
    x = tf1.placeholder(tf.float32, [None])
    keep = tf1.get_session_handle(x * 2)
    with tf1.Session(target) as session:
      kept = session.run(keep, {x: [1, 2]})
      holder, value = tf1.get_session_tensor(text(kept), tf.float32)
      seen = {"value": session.run(value + 1, {holder: text(kept)}), "eval": kept.eval()}
      kept.delete()
      seen["deleted"] = outcome(lambda: session.run(value, {holder: text(kept)}))[0]
      return seen

  on_both(program)


def test_errors(on_both):
  def program(target):
    raw = Raw()
    wrong = gen_data_flow_ops.get_session_tensor(raw.handle, tf.int32)
    with tf1.Session(target) as session:
      kept = text(session.run(raw.keep, {raw.value: [1.0]}))
      tries = {"unknown": (raw.get, "x;0;y"), "empty": (raw.get, ""), "vector": (raw.get, [kept]), "type": (wrong, kept)}
      tries.update({"delete unknown": (raw.delete, "x"), "delete vector": (raw.delete, [kept])})
      seen = {}
      for name, (op, fed) in tries.items():
        kind, _, words = outcome(lambda: session.run(op, {raw.handle: fed}))
        seen[name] = [kind, *words[:4]]
      session.run(raw.delete, {raw.handle: kept})
      seen["read after"] = outcome(lambda: session.run(raw.get, {raw.handle: kept}))[:2]
      seen["delete after"] = outcome(lambda: session.run(raw.delete, {raw.handle: kept}))[:2]
      return seen

  on_both(program)


def test_they_end_with_their_session(on_both):
  def program(target):
    raw = Raw()
    with tf1.Session(target) as session:
      kept = session.run(raw.keep, {raw.value: [1.0]})
      with tf1.Session(target) as other:
        elsewhere = outcome(lambda: other.run(raw.get, {raw.handle: text(kept)}))[:2]
        number_there = number(other.run(raw.keep, {raw.value: [2.0]}))
      here = session.run(raw.get, {raw.handle: text(kept)})
    with tf1.Session(target) as later:
      gone = outcome(lambda: later.run(raw.get, {raw.handle: text(kept)}))[:2]
    return {"elsewhere": elsewhere, "number": number_there, "here": here, "gone": gone}

  on_both(program)


def test_a_handle_names_its_device(our_cluster):
  """A tensor stays on the task that computed it, and is read there."""
  with tf1.Graph().as_default():
    with tf1.device("/job:ps/task:1"):
      keep = tf1.get_session_handle(tf.constant([1.0, 2.0]))
    with tf1.Session(our_cluster.target("worker")) as session:
      kept = session.run(keep)
      assert text(kept).endswith("/job:ps/replica:0/task:1/device:CPU:0")
      holder, value = tf1.get_session_tensor(text(kept), tf.float32)
      assert "/job:ps" in value.device
      assert session.run(value, {holder: text(kept)}).tolist() == [1, 2]
      with tf1.device("/job:ps/task:0"):
        away = gen_data_flow_ops.get_session_tensor(holder, tf.float32)
      with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        session.run(away, {holder: text(kept)})
