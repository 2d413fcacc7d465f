"""What tensorflow.python.framework.test_util has beside decorators: devices, layouts of images, and questions about graphs."""

import contextlib
import faulthandler

import millrace as tf
from millrace.platform.testing import machine
from millrace.platform.testing.case import TestCase

TensorFlowTestCase = TestCase


@contextlib.contextmanager
def device(use_gpu):
  """Ops within are for the first GPU if `use_gpu` and there is one, otherwise for the CPU."""
  with tf.device("/device:GPU:0" if use_gpu and machine.is_gpu_available() else "/device:CPU:0"):
    yield


def use_gpu():
  """A context of ops for the first GPU, or for the CPU where there is none."""
  return device(True)


def force_gpu():
  """A context of ops for the first GPU, whether there is one or not."""
  return tf.device("/device:GPU:0")


def force_cpu():
  """A context of ops for the CPU."""
  return tf.device("/device:CPU:0")


def _moved(given, orders):
  """A tensor with its axes, or the list of a shape with its sizes, in the order for that rank."""
  if isinstance(given, tf.Tensor):
    return tf.transpose(given, orders[given.shape.ndims])
  return [given[axis] for axis in orders[len(given)]]


def NHWCToNCHW(input_tensor):
  """Moves the channels of images or volumes, or of the list of a shape, from the end to behind the batch."""
  return _moved(input_tensor, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]})


def NCHWToNHWC(input_tensor):
  """Moves the channels of images or volumes, or of the list of a shape, from behind the batch to the end."""
  return _moved(input_tensor, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]})


def NHWCToNCHW_VECT_C(input_shape_or_tensor):
  """Like NHWCToNCHW, with channels in groups of four, which are the last axis. ValueError for a rest."""
  is_tensor = isinstance(input_shape_or_tensor, tf.Tensor)
  sizes = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
  if sizes[-1] % 4:
    raise ValueError("NHWCToNCHW_VECT_C needs a multiple of four channels, not %d" % sizes[-1])
  grouped = [*sizes[:-1], sizes[-1] // 4, 4]
  return _moved(tf.reshape(input_shape_or_tensor, grouped) if is_tensor else grouped, {5: [0, 3, 1, 2, 4], 6: [0, 4, 1, 2, 3, 5]})


def NCHW_VECT_CToNHWC(input_shape_or_tensor):
  """The way back from NHWCToNCHW_VECT_C. ValueError unless the last axis has four elements."""
  is_tensor = isinstance(input_shape_or_tensor, tf.Tensor)
  sizes = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
  if sizes[-1] != 4:
    raise ValueError("NCHW_VECT_CToNHWC needs a last axis of four elements, not %d" % sizes[-1])
  orders = {5: [0, 2, 3, 1, 4], 6: [0, 2, 3, 4, 1, 5]}
  moved = _moved(sizes, orders)
  joined = [*moved[:-2], moved[-2] * 4]
  return tf.reshape(_moved(input_shape_or_tensor, orders), joined) if is_tensor else joined


def assert_ops_in_graph(expected_ops, graph):
  """Returns the nodes of a graph by name, of which those of `{name: op}` have to be there. ValueError if they are not."""
  nodes = {node.name: node for node in graph.as_graph_def().node}
  for name, op in expected_ops.items():
    if name in nodes and nodes[name].op != op:
      raise ValueError("Node %s is expected to be of op %s, but is of %s" % (name, op, nodes[name].op))
  missing = sorted(set(expected_ops) - set(nodes))
  if missing:
    raise ValueError("Nodes are missing in the graph: %s" % ", ".join(missing))
  return {name: nodes[name] for name in expected_ops}


def assert_equal_graph_def_v2(expected, actual):
  """Like tf.test.assert_equal_graph_def, with the arguments of TensorFlow 2: names of temporary files and tables do not count."""
  machine.assert_equal_graph_def(actual, expected, checkpoint_v2=True, hash_table_shared_name=True)


assert_equal_graph_def_v1 = machine.assert_equal_graph_def


def assert_meta_graph_protos_equal(tester, a, b):
  """Fails a test unless two MetaGraphDefs are equal, where the values of a collection may be in another form of the same bytes."""
  tester.assertEqual(sorted(a.collection_def), sorted(b.collection_def))
  for name in a.collection_def:
    tester.assertEqual(_values(name, a), _values(name, b), name)
  without = [type(a)(), type(b)()]
  for copied, given in zip(without, (a, b)):
    copied.CopyFrom(given)
    copied.ClearField("collection_def")
  tester.assertEqual(*without)


def _values(name, meta_graph):
  """The values of a collection, parsed if it is one of messages."""
  from millrace.framework import meta_graph_collections

  values = meta_graph.collection_def[name]
  kind = meta_graph_collections.get_collection_proto_type(name)
  if kind is None or not values.HasField("bytes_list"):
    return values
  return [kind.FromString(one) for one in values.bytes_list.value]


def get_node_def_from_graph(node_name, graph_def):
  """The node of that name, or None."""
  return next((node for node in graph_def.node if node.name == node_name), None)


def set_producer_version(graph, producer_version):
  """Makes an empty graph one of programs that wrote graphs of that version."""
  graph_def = tf.GraphDef()
  graph_def.versions.producer = producer_version
  with graph.as_default():
    tf.import_graph_def(graph_def)


class ErrorLoggingSession(tf.Session):
  """A session whose errors but the ends of inputs are also logged."""

  def run(self, *args, **kwargs):
    try:
      return super().run(*args, **kwargs)
    except Exception as error:
      if not isinstance(error, tf.errors.OutOfRangeError):
        tf.logging.error(str(error))
      raise


def IsGoogleCudaEnabled():
  return machine.is_built_with_cuda()


def IsBuiltWithROCm():
  return machine.is_built_with_rocm()


def CudaSupportsHalfMatMulAndConv():
  return machine.is_gpu_available(min_cuda_compute_capability=(5, 3))


def IsMklEnabled():
  """False: ops are not rewritten to those of TensorFlow's build with MKL."""
  return False


def is_xla_enabled():
  return False


def InstallStackTraceHandler():
  """Lets Python show where it is when the process ends by a signal."""
  faulthandler.enable()
