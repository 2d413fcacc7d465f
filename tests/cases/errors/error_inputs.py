"""The inputs of an op's node made wrong in turn: rank, sizes, elements and type of a value, the kind of a handle."""

import error_handles
import error_tensors
from error_tensors import FIRST_REF, RESOURCE, STRING, VARIANT

MOST_INPUTS = 6  # of a list, and of all
LONG = (1,) * 7


def attr_of(node, schema, name):
  """An attribute's plain value, or its default."""
  if name in node.attr:
    value = node.attr[name]
    which = value.WhichOneof("value")
    return list(value.list.type) if which == "list" else getattr(value, which) if which else None
  return next((a.get("default") for a in schema["attrs"] if a["name"] == name), None)


def input_types(node, schema):
  """[(dtype, whether it is a reference)] of a node's inputs."""
  return arg_types(node, schema, "inputs")


def arg_types(node, schema, which):
  """As input_types; which: "inputs" or "outputs"."""
  types = []
  for arg in schema[which]:
    if arg["type_list_attr"]:
      of_arg = attr_of(node, schema, arg["type_list_attr"]) or []
    else:
      dtype = arg["type"] or attr_of(node, schema, arg["type_attr"]) or 0
      count = attr_of(node, schema, arg["number_attr"]) if arg["number_attr"] else 1
      of_arg = [dtype] * int(count or 0)
    types += [(dtype % FIRST_REF, arg["is_ref"]) for dtype in of_arg]
  return types


def _source(node, index):
  return node.input[index].split(":")[0]


def _fed(name, value):
  """Another value for a placeholder that is there."""
  return lambda draft: draft.feed(name, value)


def _replaced(index, value):
  """Another value in the place of what a node gives."""

  def change(draft):
    name = "%s/in%d" % (draft.tested.name, index)
    draft.feed(name, value)
    draft.tested.input[index] = name

  return change


def _of_fed(name, value):
  """Changes of a value that is fed."""
  found = [(what, _fed(name, v)) for what, v in error_tensors.wrong_values(value)]
  dtype = error_tensors.other_type(value.dtype)
  return found + [("type", _fed(name, error_tensors.zeros(dtype, value.dims)))]


def _of_node(index, dtype):
  """Changes of a value that a node gives, which is not known."""
  found = []
  if dtype == STRING or dtype in error_tensors.SIZES:
    for what, dims in {"scalar": (), "=0": (0,), "rank7": LONG}.items():
      found.append((what, _replaced(index, error_tensors.zeros(dtype, dims))))
  return found + [("type", _replaced(index, error_tensors.zeros(error_tensors.other_type(dtype))))]


def changes(sample, schema):
  """[("input0.what", change of a Draft)]"""
  node = sample.tested()
  found = []
  types = input_types(node, schema)
  count = min(len(types), sum(not i.startswith("^") for i in node.input), MOST_INPUTS)
  for index in range(count):
    dtype, is_ref = types[index]
    source = _source(node, index)
    value = error_tensors.of_proto(sample.feeds[source]) if source in sample.feeds else None
    if value is not None:
      of_input = _of_fed(source, value)
    elif source + "/value" in sample.nodes or is_ref and sample.nodes[source].op in error_handles.VARIABLES:
      of_input = error_handles.variable_changes(sample, source) + _of_handle(sample, index, dtype, is_ref)
    elif dtype in (RESOURCE, VARIANT) or is_ref:
      of_input = _of_handle(sample, index, dtype, is_ref)
    else:
      of_input = _of_node(index, dtype)
    found += [("input%d.%s" % (index, what), change) for what, change in of_input]
  return found


def _of_handle(sample, index, dtype, is_ref):
  found = error_handles.kind_changes(sample, index, dtype, is_ref)
  return found + [("type", _replaced(index, error_tensors.zeros(error_tensors.other_type(STRING if is_ref else dtype))))]
