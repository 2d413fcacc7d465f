"""Names and parameters of the core that TensorFlow 2 has no more, so that no pair can compare them."""

import millrace as tf
import numpy as np
import pytest
from millrace.framework import protos


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default() as made:
    yield made


def run(*fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(list(fetches))


def test_a_tensor_is_an_output_of_its_operation():
  op = tf.unique([3, 3, 5])[0].op
  second = tf.Tensor(op, 1, tf.int32)
  assert second is op.outputs[1] and tf.Tensor(op=op, value_index=0, dtype=tf.int32) is op.outputs[0]
  with pytest.raises(TypeError, match="op needs to be an Operation"):
    tf.Tensor("op", 0, tf.int32)
  with pytest.raises(TypeError, match="Unique:1 is of type int32, not float32"):
    tf.Tensor(op, 1, tf.float32)


def test_an_operation_of_a_message(graph):
  x, before = tf.constant([1.0, 2.0]), tf.no_op()
  node = tf.NodeDef(name="twice", op="AddV2")
  node.attr["T"].type = tf.float32.as_datatype_enum
  made = tf.Operation(
    node,
    graph,
    inputs=[x, x],
    output_types=[tf.float32],
    control_inputs=[before],
    input_types=[tf.float32] * 2,
    original_op=x.op,
    op_def=x.op.op_def,
  )
  assert (made.name, made.control_inputs) == ("twice", [before])
  np.testing.assert_array_equal(run(made.outputs[0])[0], [2.0, 4.0])
  with pytest.raises(TypeError, match="Argument node_def must be a NodeDef"):
    tf.Operation("twice", graph)


def test_graphs_of_other_programs(graph):
  tf.identity(tf.constant(3), name="end")
  written, ops = graph.as_graph_def(), protos.OpList()
  known = ops.op.add(name="Identity")
  known.attr.add(name="T", type="type")
  known.attr.add(name="later", type="bool").default_value.b = True
  for node in written.node:
    if node.op == "Identity":
      node.attr["later"].b = True  # an attribute with its default, which this program does not have
  with tf.Graph().as_default():
    (end,) = tf.import_graph_def(written, return_elements=["end:0"], op_dict={}, producer_op_list=ops)
    assert run(end) == [3]


def test_a_new_axis():
  x = tf.constant([[1, 2], [3, 4]])
  assert x[:, tf.newaxis].shape.as_list() == [2, 1, 2]


def test_sessions_on_a_server(graph):
  server = tf.train.Server.create_local_server()
  session = tf.InteractiveSession(target=server.target, graph=graph)
  assert tf.constant(4).eval() == 4
  session.close()


def test_a_builder_of_savers(tmp_path):
  v = tf.get_variable("v", initializer=1.5)
  usual = tf.train.Saver([v])

  class Builder:
    """Gives what another saver has made."""

    def _build_internal(self, names_to_saveables, **kwargs):
      assert kwargs["max_to_keep"] == 3
      return usual.saver_def

  saver = tf.train.Saver([v], max_to_keep=3, builder=Builder())
  with tf.Session() as session:
    session.run(v.initializer)
    path = saver.save(session, str(tmp_path / "model"))
    session.run(v.assign(9.0))
    saver.restore(session, path)
    assert session.run(v) == 1.5


def test_what_data_sets_count():
  options = tf.data.experimental.StatsOptions()
  options.latency_all_edges = True
  aggregator = tf.data.experimental.StatsAggregator()
  options.aggregator = aggregator
  assert options.latency_all_edges and options.aggregator is aggregator
  assert isinstance(tf.Summary.FromString(run(aggregator.get_summary())[0]), tf.Summary)


def test_batches_of_a_legacy_function():
  batches = tf.data.Dataset.range(4).apply(
    tf.data.experimental.map_and_batch_with_legacy_function(lambda x: x * 2, 2, drop_remainder=True)
  )
  element = tf.data.make_one_shot_iterator(batches).get_next()
  np.testing.assert_array_equal(run(element)[0], [0, 2])


def test_structures_of_elements():
  ragged = tf.data.experimental.RaggedTensorStructure(tf.int32, [2, None], 1)
  array = tf.data.experimental.TensorArrayStructure(tf.float32, [2], dynamic_size=True, infer_shape=True)
  assert ragged.is_compatible_with(tf.ragged.constant([[1], [2, 3]]))
  assert array.value_type is tf.TensorArray


def test_accumulators_have_a_common_class():
  accumulator = tf.ConditionalAccumulator(tf.float32, shape=[2])
  assert isinstance(accumulator, tf.ConditionalAccumulatorBase)
  common = tf.ConditionalAccumulatorBase(tf.float32, [2], accumulator.accumulator_ref)
  assert run(common.num_accumulated()) == [0] and common.dtype == tf.float32


def test_readers_of_lmdb_need_its_library_or_a_file(graph):
  reader = tf.LMDBReader(name="reader", options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE))
  queue = tf.FIFOQueue(1, [tf.string], shapes=[[]])
  with tf.Session() as session:
    session.run(queue.enqueue(["/nowhere/data.mdb"]))
    with pytest.raises(tf.errors.OpError):
      session.run(reader.read(queue))


def test_the_loss_of_gpus_is_an_op():
  loss, gradient = tf.ctc_loss_v2(tf.zeros([4, 1, 3]), tf.constant([[0, 0]], tf.int64), [1], [4])
  assert (loss.op.type, loss.dtype, gradient.shape.as_list()) == ("CTCLossV2", tf.float32, [4, 1, 3])
