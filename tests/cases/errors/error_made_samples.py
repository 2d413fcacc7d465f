"""Samples of ops that have no cases, since they need an executor or files: inputs and attributes as the schema wants them.

What such a sample itself gives may be an error. It says of what is made wrong in it as much as others.
"""

import error_tensors
import raw_client as raw
from error_handles import KINDS
from error_samples import PREFIX, Sample
from error_tensors import FIRST_REF, FLOAT, INT64, RESOURCE, STRING, VARIANT

# Ops that end the process, as they should.
NOT_MADE = ("Abort",)
PRODUCER = 1882
# In lists: what elements of the data set are, and what the function takes and gives.
OF_LISTS = INT64
FUNCTION = "f"


def attr_value(attr):
  """What the schema allows; None where there is a default."""
  if attr.get("has_default"):
    return None
  kind, allowed, least = attr["type"], attr.get("allowed"), attr.get("minimum")
  value = raw.new("AttrValue")
  of_list = kind.startswith("list(")
  field = {
    "int": "i",
    "float": "f",
    "string": "s",
    "bool": "b",
    "type": "type",
    "shape": "shape",
    "func": "func",
    "tensor": "tensor",
  }[kind[5:-1] if of_list else kind]
  if of_list:
    value.list.SetInParent()
    one = {
      "i": 1,
      "f": 1.0,
      "s": b"x",
      "b": True,
      "type": OF_LISTS,
      "shape": raw.dims_of(),
      "func": raw.new("NameAttrList", name=FUNCTION),
    }
    getattr(value.list, field).extend([one[field]] * max(1, least or 0))
  elif field == "type":
    value.type = FLOAT if not allowed or FLOAT in allowed else allowed[0]
  elif field == "s":
    value.s = (allowed[0] if allowed else "x").encode()
  elif field == "i":
    value.i = max(1, least or 0)
  elif field == "func":
    value.func.name = FUNCTION
  elif field == "tensor":
    value.tensor.CopyFrom(error_tensors.zeros(FLOAT).proto())
  elif field == "shape":
    value.shape.SetInParent()
  else:
    setattr(value, field, 1 if field == "f" else True)
  return value


class _Nodes:
  """What makes of handles add to."""

  def __init__(self):
    self.nodes = {}

  def add(self, name, op, *inputs, **attrs):
    node = raw.node("%s/%s" % (PREFIX, name), op, *inputs, **attrs)
    self.nodes[node.name] = node
    return node.name


def _source(made, feeds, index, dtype, is_ref):
  """The name of what gives an input."""
  name = "%s/op/%d" % (PREFIX, index)
  if is_ref:
    made.nodes[name] = raw.node(name, "VariableV2", dtype=raw.type_of(dtype), shape=raw.shape_of())
  elif dtype in (RESOURCE, VARIANT):
    kinds = KINDS[dtype]
    return kinds.get("RangeDataset", next(iter(kinds.values())))(made)
  else:
    made.nodes[name] = raw.node(name, "Placeholder", dtype=raw.type_of(dtype))
    feeds[name] = error_tensors.zeros(dtype).proto()
  return name


def library():
  """A function that gives what it takes."""
  found = raw.new("FunctionDefLibrary")
  function = found.function.add()
  function.signature.name = FUNCTION
  function.signature.input_arg.add(name="x", type=OF_LISTS)
  function.signature.output_arg.add(name="y", type=OF_LISTS)
  function.node_def.add().CopyFrom(raw.node("same", "Identity", "x", T=raw.type_of(OF_LISTS)))
  function.ret["y"] = "same:output:0"
  return found


def made(op, schema, input_types):
  """The sample of an op. input_types: error_inputs.input_types"""
  nodes, feeds = _Nodes(), {}
  node = raw.node(PREFIX + "/op", op)
  for attr in schema["attrs"]:
    value = attr_value(attr)
    if value is not None:
      node.attr[attr["name"]].CopyFrom(value)
  for index, (dtype, is_ref) in enumerate(input_types(node, schema)):
    node.input.append(_source(nodes, feeds, index, dtype % FIRST_REF or STRING, is_ref))
  nodes.nodes[node.name] = node
  return Sample(op, nodes.nodes, feeds, [[node.name]], PRODUCER, False, library())
