"""tensorflow.tools.graph_transforms: changes of GraphDefs by the names of transforms, as the Graph Transform Tool has them."""

import logging

import millrace as tf
from millrace.compat.graph_transforms import attributes, convolutions, folding, nodes, ordering, parameters, pruning, weights
from millrace.framework import protos

_QUANTIZED = (
  "%s is not part of Millrace, whose quantized graphs come from examples in place of ranges in the graph: use "
  "millrace.parallel.quantized_graph (docs/quantized.md)."
)

# Functions of (a GraphDef that they may change, a Request), which return the new one.
_TRANSFORMS = {
  "add_default_attributes": attributes.add_default_attributes,
  "backport_concatv2": folding.backport_concatv2,
  "flatten_atrous_conv": convolutions.flatten_atrous_conv,
  "fold_batch_norms": folding.fold_batch_norms,
  "fold_constants": folding.fold_constants,
  "fold_old_batch_norms": folding.fold_old_batch_norms,
  "fuse_convolutions": convolutions.fuse_convolutions,
  "insert_logging": ordering.insert_logging,
  "merge_duplicate_nodes": ordering.merge_duplicate_nodes,
  "obfuscate_names": ordering.obfuscate_names,
  "quantize_weights": weights.quantize_weights,
  "remove_attribute": attributes.remove_attribute,
  "remove_device": attributes.remove_device,
  "remove_nodes": pruning.remove_nodes,
  "rename_attribute": attributes.rename_attribute,
  "rename_op": attributes.rename_op,
  "round_weights": weights.round_weights,
  "set_device": attributes.set_device,
  "sort_by_execution_order": ordering.sort_by_execution_order,
  "strip_unused_nodes": pruning.strip_unused_nodes,
}


def TransformGraph(input_graph_def, inputs, outputs, transforms):
  """Returns a GraphDef changed by each of the transforms in turn.

  `inputs` and `outputs` are names of nodes, which keep these names. A transform is a name, or a name with arguments, as
  "strip_unused_nodes" and 'remove_nodes(op=Identity, op=CheckNumerics)'; `ignore_errors=true` among them leaves the graph as it was
  where the transform fails. Raises InvalidArgumentError for a transform that is not there, for wrong arguments, and for a graph that
  would not be one.
  """
  graph_def = protos.GraphDef()
  graph_def.CopyFrom(protos.coerce(protos.GraphDef, input_graph_def))
  for name, arguments in parameters.parsed(" ".join(tf.compat.as_str(one) for one in transforms)):
    request = parameters.Request(name, arguments, _names(inputs), _names(outputs))
    try:
      changed = _transformed(graph_def, request)
    except (ValueError, tf.errors.OpError) as error:
      if request.truth("ignore_errors", False):
        logging.getLogger("tensorflow").warning("%s: Ignoring error %s", name, error)
        continue
      if isinstance(error, tf.errors.OpError):
        raise
      raise tf.errors.InvalidArgumentError(None, None, "%s: %s" % (name, error)) from None
    changed.library.CopyFrom(graph_def.library)
    changed.versions.CopyFrom(graph_def.versions)
    graph_def = changed
  return graph_def


def _names(names):
  return [tf.compat.as_str(name) for name in names]


def _transformed(graph_def, request):
  if request.name in ("quantize_nodes", "freeze_requantization_ranges"):
    raise ValueError(_QUANTIZED % request.name)
  if request.name not in _TRANSFORMS:
    raise ValueError("Transform '%s' not recognized. There are: %s." % (request.name, ", ".join(sorted(_TRANSFORMS))))
  copied = protos.GraphDef()
  copied.CopyFrom(graph_def)
  changed = _TRANSFORMS[request.name](copied, request)
  nodes.check(changed)
  return changed
