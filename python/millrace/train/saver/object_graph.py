"""The graph of objects in checkpoints of tf.train.Checkpoint: which key belongs to which variable."""

from millrace.framework import errors, protos
from millrace.train.saver import reader as reader_lib

# The key under which the graph of objects is stored.
OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
ATTRIBUTE_NAME = "VARIABLE_VALUE"


def read(save_path):
  """The graph of objects of a checkpoint, or None if it has none."""
  reader = reader_lib.NewCheckpointReader(save_path)
  if not reader.has_tensor(OBJECT_GRAPH_KEY):
    return None
  graph = protos.TrackableObjectGraph()
  graph.ParseFromString(reader.get_tensor(OBJECT_GRAPH_KEY).item())
  return graph


def variable_keys(save_path):
  """A map of the full names of variables to keys, or None if the checkpoint has no graph of objects."""
  try:
    graph = read(save_path)
  except errors.NotFoundError:
    return None
  if graph is None:
    return None
  return {a.full_name: a.checkpoint_key for node in graph.nodes for a in node.attributes if a.full_name}
