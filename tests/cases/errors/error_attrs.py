"""Each attribute of an op's node at its edges, and over them."""

import math

import error_tensors
import raw_client as raw
from error_tensors import FIRST_REF, FLOAT, INT32, STRING

# Where resources are, which every mutant has for itself.
PLACES = ("container", "shared_name")
UNKNOWN_TYPE = 9999
# Of what a graph has as many of, a server makes room at once.
MANY, HUGE = 1000, 1 << 40


def current(node, schema, attr):
  """The attribute's value in a node or its default, as an AttrValue; None if there is neither."""
  name = attr["name"]
  if name in node.attr:
    return node.attr[name]
  if not attr.get("has_default"):
    return None
  default, value = attr["default"], raw.new("AttrValue")
  kind = attr["type"]
  plain = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}
  try:
    if kind in plain:
      setattr(value, plain[kind], default.encode() if kind == "string" else default)
    elif kind.startswith("list(") and kind[5:-1] in plain:
      of_list = getattr(value.list, plain[kind[5:-1]])
      of_list.extend(d.encode() if kind == "list(string)" else d for d in default)
      value.list.SetInParent()
    else:
      return None
  except (TypeError, AttributeError):  # a default that this form does not have
    return None
  return value


def counts(schema):
  """Attributes that say how many inputs or outputs there are."""
  return {arg["number_attr"] for arg in schema["inputs"] + schema["outputs"]} - {""} | {"num", "num_split", "N"}


def _ints(attr, unused_now, of_count):
  yield "0", 0
  yield "-1", -1
  if attr["minimum"] is not None:
    yield "below", attr["minimum"] - 1
  yield "huge", MANY if of_count else HUGE


def _floats(*unused):
  yield from {"0": 0.0, "-1": -1.0, "nan": math.nan, "huge": 1e30}.items()


def _strings(attr, *unused):
  yield "empty", b""
  yield "junk", b"NO_SUCH" if attr["allowed"] else b"\x01 no such"


def _bools(unused_attr, now, *unused):
  yield "flipped", not now


def _types(attr, now, *unused):
  yield "unknown", UNKNOWN_TYPE
  yield "none", 0
  yield "reference", now % FIRST_REF + FIRST_REF
  yield "other", error_tensors.other_type(now)
  if attr["allowed"]:
    refused = [t for t in (STRING, FLOAT, INT32, error_tensors.VARIANT) if t not in attr["allowed"]]
    if refused:
      yield "refused", refused[0]


def _shapes(unused_attr, now, *unused):
  yield "unknown", raw.new("TensorShapeProto", unknown_rank=True)
  more = raw.dims_of(3)
  more.dim.extend(now.dim)
  yield "rank+1", more
  for what, dims in {"part": (-1,), "-2": (-2,), "zero": (0,), "huge": (1 << 40, 1 << 40)}.items():
    yield what, raw.dims_of(*dims)


SINGLE = dict(int=_ints, float=_floats, string=_strings, bool=_bools, type=_types, shape=_shapes)
FIELDS = dict(int="i", float="f", string="s", bool="b", type="type", shape="shape")


def _put(value, field, item):
  if field == "shape":
    value.shape.CopyFrom(item)
  else:
    setattr(value, field, item)
  return value


def _lists(field, attr, now, kind):
  """An empty list, one that is longer or shorter, one of which the first is wrong."""
  items = list(getattr(now.list, field))

  def of(some):
    value = raw.new("AttrValue")
    value.list.SetInParent()
    getattr(value.list, field).extend(some)
    return value

  if items:
    yield "empty", of([])
    yield "longer", of(items + items[-1:])
    if len(items) > 1:
      yield "shorter", of(items[:-1])
    for what, item in SINGLE[kind](attr, items[0], False):
      yield "first." + what, of([item] + items[1:])
  else:
    first = {"i": 1, "f": 1.0, "s": b"x", "b": True, "type": FLOAT, "shape": raw.dims_of(1)}[field]
    yield "longer", of([first])
    if field == "i":
      yield "first.-1", of([-1])


def _tensors(now):
  value = error_tensors.of_proto(now)
  if value is None:
    return
  yield "type", error_tensors.zeros(error_tensors.other_type(value.dtype), value.dims)
  yield from error_tensors.wrong_ranks(value)
  yield from error_tensors.wrong_sizes(value)


def wrong_values(node, schema, attr):
  """(what, AttrValue)"""
  kind, now = attr["type"], current(node, schema, attr)
  attr = dict(attr, minimum=attr.get("minimum"), allowed=attr.get("allowed"))
  if now is None:
    return
  if kind.startswith("list(") and kind[5:-1] in FIELDS:
    # The least length is the minimum of a list.
    yield from _lists(FIELDS[kind[5:-1]], dict(attr, minimum=None), now, kind[5:-1])
  elif kind in SINGLE:
    plain = getattr(now, FIELDS[kind])
    for what, item in SINGLE[kind](attr, plain, attr["name"] in counts(schema)):
      yield what, _put(raw.new("AttrValue"), FIELDS[kind], item)
  elif kind == "tensor":
    for what, value in _tensors(now.tensor):
      yield what, raw.new("AttrValue", tensor=value.proto())
  elif kind == "func":
    yield "missing", raw.new("AttrValue", func=raw.new("NameAttrList", name="no_such_function"))


def changes(sample, schema):
  """[("attr.NAME.what", change of a Draft)]"""
  node, found = sample.tested(), []

  def setting(name, value):
    return lambda draft: draft.tested.attr[name].CopyFrom(value)

  for attr in schema["attrs"]:
    if attr["name"] not in PLACES and not attr["name"].startswith("_"):
      for what, value in wrong_values(node, schema, attr):
        found.append(("attr.%s.%s" % (attr["name"], what), setting(attr["name"], value)))
  return found
