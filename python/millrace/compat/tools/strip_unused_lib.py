"""Graphs without what their outputs don't need."""

import millrace as tf
from millrace.compat.tools import graph_files
from millrace.framework import protos


def strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum):
  """The GraphDef between inputs, which become placeholders, and outputs.

  `placeholder_type_enum` is the type of all inputs, or a list with that of each. Raises KeyError for an input that isn't there,
  AssertionError for an output.
  """
  missing = set(input_node_names) - {node.name for node in input_graph_def.node}
  if missing:
    raise KeyError(f"The following input nodes were not found: {missing}.")
  many = isinstance(placeholder_type_enum, list)
  types = dict(zip(input_node_names, placeholder_type_enum)) if many else dict.fromkeys(input_node_names, placeholder_type_enum)
  cut = protos.GraphDef()
  for node in input_graph_def.node:
    if node.name not in types:
      cut.node.add().CopyFrom(node)
      continue
    placeholder = cut.node.add(name=node.name, op="Placeholder")
    placeholder.attr["dtype"].type = types[node.name]
    for attribute in ("_output_shapes", "shape"):
      if attribute in node.attr:
        placeholder.attr[attribute].CopyFrom(node.attr[attribute])
  stripped = tf.graph_util.extract_sub_graph(cut, output_node_names)
  stripped.library.CopyFrom(input_graph_def.library)
  stripped.versions.CopyFrom(input_graph_def.versions)
  return stripped


def strip_unused_from_files(
  input_graph, input_binary, output_graph, output_binary, input_node_names, output_node_names, placeholder_type_enum
):
  """Like `strip_unused` for files, with names as a text with commas. What is missing is said, and -1 returned."""
  if not tf.gfile.Exists(input_graph):
    print(f"Input graph file '{input_graph}' does not exist!")
    return -1
  if not output_node_names:
    print("You need to supply the name of a node to --output_node_names.")
    return -1
  graph_def = graph_files.read(protos.GraphDef(), input_graph, input_binary, "graph")
  stripped = strip_unused(graph_def, input_node_names.split(","), output_node_names.split(","), placeholder_type_enum)
  graph_files.write(stripped, output_graph, output_binary)
  print(f"{len(stripped.node)} ops in the final graph.")
  return None
