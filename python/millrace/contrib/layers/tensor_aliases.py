"""Names that layers give their outputs in collections, and collections as dictionaries by these names."""

import collections

from millrace.framework import graph as ops


def append_tensor_alias(tensor, alias):
  """Gives a tensor one more name. Returns the tensor."""
  if alias[-1:] == "/":
    alias = alias[:-1]
  if hasattr(tensor, "aliases"):
    tensor.aliases.append(alias)
  else:
    tensor.aliases = [alias]
  return tensor


def get_tensor_aliases(tensor):
  """Returns the names that a tensor was given, or that of its op."""
  if hasattr(tensor, "aliases"):
    return tensor.aliases
  name = tensor.op.name if tensor.op.name[-1:] != "/" else tensor.op.name[:-1]
  return [name]


def gather_tensors_aliases(tensors):
  """Returns the names of all tensors, as one list."""
  return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def collect_named_outputs(collections, alias, outputs):
  """Adds outputs to the collections, under a name. Returns the outputs."""
  if collections:
    append_tensor_alias(outputs, alias)
    ops.add_to_collections(collections, outputs)
  return outputs


def convert_collection_to_dict(collection, clear_collection=False):
  """Returns the tensors of a collection by their names, and empties it if `clear_collection`."""
  values = ops.get_collection(collection)
  found = collections.OrderedDict((alias, tensor) for tensor in values for alias in get_tensor_aliases(tensor))
  if clear_collection:
    del ops.get_collection_ref(collection)[:]
  return found
