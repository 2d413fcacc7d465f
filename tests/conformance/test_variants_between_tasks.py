"""Lists and other variants that go from one task to another: the same on servers of ours and of stock."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
import variant_programs  # noqa: E402

tf1 = tf.compat.v1


@pytest.mark.parametrize("program", variant_programs.PROGRAMS, ids=lambda p: p.__name__)
def test_variants(on_both, program):
  on_both(program)


def test_a_loop_that_carries_a_list(on_both):
  """Switch and Merge: the list goes back and forth in each iteration."""

  def program(cluster):
    limit = tf1.placeholder(tf.int32, [])
    with variant_programs.on("ps"):
      empty = tf.raw_ops.EmptyTensorList(element_shape=np.int32([]), max_num_elements=-1, element_dtype=tf.int32)

    def body(i, numbers):
      with variant_programs.on("ps"):
        numbers = tf.raw_ops.TensorListPushBack(input_handle=numbers, tensor=i * i)
      with variant_programs.on("worker", 1):
        return i + 1, tf.raw_ops.TensorListPushBack(input_handle=numbers, tensor=-i)

    _, numbers = tf1.while_loop(lambda i, _: i < limit, body, [tf.constant(0), empty])
    with variant_programs.on("worker"):
      values = variant_programs.stacked(numbers, tf.int32, [])
    return [variant_programs.run(cluster, values, {limit: n}) for n in (1, 5)]

  tf1.disable_control_flow_v2()
  try:
    on_both(program)
  finally:
    tf1.enable_control_flow_v2()


def test_values_that_stay_on_their_task(our_cluster):
  with tf1.Graph().as_default():
    with variant_programs.on("ps"):
      data = tf1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
      numbers = tf.data.Dataset.range(3)._variant_tensor  # pylint: disable=protected-access
    with variant_programs.on("worker", 1):
      size = tf.raw_ops.DatasetCardinality(input_dataset=numbers)
    with tf1.Session(our_cluster.target("worker")) as session:
      with pytest.raises(
        tf.errors.InvalidArgumentError, match="variant tensors of type tensorflow::DatasetVariantWrapper cannot be sent"
      ):
        session.run(size)
      assert session.run(data) == 0  # the session goes on
