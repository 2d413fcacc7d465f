"""tf.contrib.nccl on CPUs: what is computed of tensors of several devices, and where."""

import numpy as np
import pytest

import millrace as tf

nccl = tf.contrib.nccl


def on_devices(values):
  tensors = []
  for number, value in enumerate(values):
    with tf.device(f"/cpu:{number}"):
      tensors.append(tf.constant(value, tf.float32))
  return tensors


def run(fetches):
  with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
    return session.run(fetches)


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default():
    yield


VALUES = [[1, 5, -2], [4, 2, 3], [2, 2, 2]]


@pytest.mark.parametrize("name, of_numpy", [("sum", np.sum), ("prod", np.prod), ("min", np.min), ("max", np.max)])
def test_each_device_has_the_result(name, of_numpy):
  results = getattr(nccl, f"all_{name}")(on_devices(VALUES))
  assert [result.device for result in results] == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]
  for value in run(results):
    np.testing.assert_allclose(value, of_numpy(VALUES, axis=0))


def test_gradients_reach_all_devices():
  tensors = on_devices(VALUES)
  results = nccl.all_sum(tensors)
  assert [value.tolist() for value in run(tf.gradients(results[0] + 2 * results[1], tensors))] == [[3, 3, 3]] * 3


def test_one_result():
  tensors = on_devices(VALUES)
  with tf.device("/cpu:2"):
    total = nccl.reduce_sum(tensors)
  sent = nccl.broadcast(tensors[1])
  assert total.device == "/device:CPU:2" and sent.device == "/device:CPU:1"
  assert [value.tolist() for value in run([total, sent])] == [[7, 9, 3], [4, 2, 3]]


def test_devices_have_to_be_given():
  with pytest.raises(ValueError, match="Must pass >0 tensors to all reduce operations"):
    nccl.all_sum([])
  with pytest.raises(ValueError, match="Device assignment required for nccl collective ops"):
    nccl.all_sum([tf.constant(1.0)])
