"""tensorflow.python.grappler.tf_optimizer: a graph with less to compute, as tools that convert graphs ask for it."""

from millrace.compat.graph_transforms import folding, nodes, parameters
from millrace.framework import protos

# What is done without a list of optimizers; all others leave the graph as it is, since the runtime does what they do.
_ALL = ("pruning", "constfold")


def OptimizeGraph(
  config_proto, metagraph, verbose=True, graph_id=b"graph_to_optimize", cluster=None, strip_default_attributes=False
):
  """Returns the GraphDef of a MetaGraphDef as the optimizers of `config_proto` leave it.

  "constfold" puts constants in the place of what only constants go into. "pruning" leaves out what the nodes of the collection
  "train_op", the saver and the collections of initializers do not need. Without a list both are done. Raises TypeError for another
  message than a ConfigProto.
  """
  config_proto = protos.coerce(protos.ConfigProto, config_proto)
  if not isinstance(config_proto, protos.ConfigProto):
    raise TypeError(f"Argument `config_proto` should be a tf.ConfigProto, received type: {type(config_proto).__name__}")
  optimizers = list(config_proto.graph_options.rewrite_options.optimizers) or _ALL
  metagraph = protos.coerce(protos.MetaGraphDef, metagraph)
  graph_def = protos.GraphDef()
  graph_def.CopyFrom(metagraph.graph_def)
  wanted = _wanted(metagraph)
  if not wanted:
    return graph_def
  if "pruning" not in optimizers:
    used = {nodes.node_of(name) for node in graph_def.node for name in node.input}
    wanted += [node.name for node in graph_def.node if node.name not in used]
  needed = nodes.needed(graph_def, [nodes.node_of(name) for name in wanted])
  optimized = nodes.of(node for node in graph_def.node if node.name in needed)
  optimized.library.CopyFrom(graph_def.library)
  optimized.versions.CopyFrom(graph_def.versions)
  if "constfold" in optimizers:
    request = parameters.Request("fold_constants", [("clear_output_shapes", "false")], [], wanted)
    optimized = folding.fold_constants(optimized, request)
    optimized.library.CopyFrom(graph_def.library)
    optimized.versions.CopyFrom(graph_def.versions)
  return optimized


def _wanted(metagraph):
  """The names of the tensors and ops that somebody runs, of those that are in the graph."""
  names = []
  for key in ("train_op", "init_op", "local_init_op", "ready_op"):
    names += metagraph.collection_def[key].node_list.value if key in metagraph.collection_def else []
  saver = metagraph.saver_def
  names += [saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name]
  known = nodes.by_name(metagraph.graph_def)
  return [name for name in names if nodes.node_of(name) in known]
