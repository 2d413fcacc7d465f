"""Compares the records of a program from both sides (see pair_side.py) and says the first difference."""

import ast
import re
import struct

WORDS = 5  # of an error's message have to agree


def options_of(path):
  """Attributes that a file gives its programs (`program_x.rtol = 1e-5`), by program."""
  with open(path, encoding="utf-8") as file:
    tree = ast.parse(file.read())
  found = {}
  for node in tree.body:
    if not isinstance(node, ast.Assign):
      continue
    for target in node.targets:
      if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id.startswith("program_"):
        found.setdefault(target.value.id[len("program_") :], {})[target.attr] = ast.literal_eval(node.value)
  return found


def first_words(message):
  """The start of an error's own text, without what sessions and servers put before it."""
  text = re.split(r"^Node: '.*'$", message, flags=re.MULTILINE)[-1]
  before = None
  while text != before:
    before = text
    text = re.sub(
      r"^\s*(Graph execution error:|From /job:\S+:\n|=+\n|[A-Z_]+: From /job:\S+:\n|\d+ root error\(s\) found\.|"
      r"\(\d+\) [A-Z]\w+(\(\d\))?:)",
      "",
      text,
    )
  return re.split(r"\[\[", text)[0].split()[:WORDS]


def difference(stock, ours, options):
  """Returns None if the records agree, otherwise a text."""
  if stock is None or ours is None:
    return "no record of %s" % ("both sides" if stock is ours else "stock" if stock is None else "millrace")
  for side, record in (("stock", stock), ("millrace", ours)):
    if "crash" in record:
      return "%s: %s" % (side, record["crash"])
  return (
    _error_difference(stock["error"], ours["error"])
    or (None if options.get("values_only") else _record_graphs(stock, ours))
    or value_difference(stock["values"], ours["values"], options)
  )


# A program that ends with one of these has a mistake of its own.
_MISTAKES = ("NameError", "UnboundLocalError", "SyntaxError", "IndentationError", "ModuleNotFoundError")


def _error_difference(stock, ours):
  if stock is None and ours is None:
    return None
  if stock is not None and stock[0] in _MISTAKES:
    return "the program itself is wrong:\n%s" % stock[2]
  if stock is None:
    return "millrace alone raised:\n%s" % ours[2]
  if ours is None:
    return "stock alone raised:\n%s: %s" % stock[:2]
  if stock[0] != ours[0]:
    return "stock raised %s: %s\nmillrace raised:\n%s" % (stock[0], stock[1][:600], ours[2])
  if first_words(stock[1]) != first_words(ours[1]):
    return "messages differ\nstock:    %s\nmillrace: %s\n%s" % (stock[1][:600], ours[1][:600], ours[2])
  return None


def _graph(data):
  from google.protobuf import message_factory

  pool = _pool()
  return message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.GraphDef")).FromString(data)


def _pool():
  """The messages of this project, in a pool of their own."""
  global _made
  if _made is None:
    import glob
    import os
    import subprocess
    import tempfile

    from google.protobuf import descriptor_pb2, descriptor_pool

    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as folder:
      out = os.path.join(folder, "set")
      sources = [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "proto", "graph", "*.proto"))]
      subprocess.run(["protoc", "--include_imports", "--descriptor_set_out=" + out, "-I", ".", *sources], cwd=root, check=True)
      with open(out, "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    _made = descriptor_pool.DescriptorPool()
    for file in files.file:
      _made.Add(file)
  return _made


_made = None
_GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")


def _first_of_gradients(record, nodes):
  """How many nodes stand before the first that a call for gradients made."""
  end = len(nodes) if record["nodes_before_gradients"] is None else record["nodes_before_gradients"]
  for index, node in enumerate(nodes[:end]):
    if _GRADIENTS.search(node.name):
      return index
  return end


def _record_graphs(stock, ours):
  for side, record in (("stock", stock), ("millrace", ours)):
    if record["graph"] is None:
      return "%s: no graph: %s" % (side, record["graph_error"])
  one, two = _graph(stock["graph"]), _graph(ours["graph"])
  text = node_difference(
    list(one.node)[: _first_of_gradients(stock, one.node)], list(two.node)[: _first_of_gradients(ours, two.node)]
  )
  if text is not None:
    return text
  return _collection_difference(stock["collections"], ours["collections"])


def node_difference(stock, ours):
  """Returns None or the first difference between two lists of NodeDef."""
  for index, (one, two) in enumerate(zip(stock, ours)):
    left, right = node_text(one), node_text(two)
    if left != right:
      return "node %d differs\nstock:\n%s\nmillrace:\n%s%s" % (index, _indent(left), _indent(right), _around(stock, ours, index))
  if len(stock) != len(ours):
    side, nodes, start = ("stock", stock, len(ours)) if len(stock) > len(ours) else ("millrace", ours, len(stock))
    rest = ["%s (%s)" % (node.name, node.op) for node in nodes[start : start + 8]]
    return "%s has %d nodes more: %s" % (side, len(nodes) - start, ", ".join(rest))
  return None


def _around(stock, ours, index):
  """The names of the nodes that follow, so that one sees whether one is missing."""
  after = [["%s (%s)" % (node.name, node.op) for node in nodes[index : index + 6]] for nodes in (stock, ours)]
  return "\nfrom there on\n  stock:    %s\n  millrace: %s" % (", ".join(after[0]), ", ".join(after[1]))


def _indent(text):
  return "  " + text.replace("\n", "\n  ")


def node_text(node):
  """A node as a text that is equal for nodes that mean the same."""
  lines = ["%s = %s(%s)" % (node.name, node.op, ", ".join(node.input))]
  if node.device:
    lines.append("device %s" % node.device)
  for key in sorted(node.attr):
    if key in _IGNORED:
      continue
    text = attr_text(node.attr[key])
    if key in _NEWER and text == "b False":
      continue
    if key == "T" or text != "":
      lines.append("%s: %s" % (key, text))
  return "\n".join(lines)


# Attributes that are False by default, which the stock of the libraries does not know.
_NEWER = {"grad_a", "grad_b"}
# What a run or a frontend adds, and numbers of functions, which count in each process as they like.
_IGNORED = {"_output_shapes", "_gradient_op_type", "metadata", "_has_manual_control_dependencies"}


def attr_text(attr):
  kind = attr.WhichOneof("value")
  if kind is None:
    return "empty"
  value = getattr(attr, kind)
  if kind == "tensor":
    return tensor_text(value)
  if kind == "list":
    for field, elements in value.ListFields():
      if field.name == "tensor":
        return "[%s]" % ", ".join(tensor_text(element) for element in elements)
      if field.name == "shape":
        return "[%s]" % ", ".join(shape_text(element) for element in elements)
      if field.name == "func":
        return "[%d functions]" % len(elements)
      return "%s %s" % (field.name, list(elements))
    return "[]"
  if kind == "shape":
    return shape_text(value)
  if kind == "func":
    return "a function"
  if kind == "s":
    # Tables that nobody shares have a name by chance.
    value = re.sub(rb"^hash_table_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", b"hash_table_UUID", value)
  return "%s %r" % (kind, value)


def shape_text(shape):
  return "unknown" if shape.unknown_rank else "(%s)" % ", ".join("?" if d.size == -1 else str(d.size) for d in shape.dim)


# Type number: field of single elements and struct's letter.
_ELEMENTS = {
  1: ("float_val", "f"),
  2: ("double_val", "d"),
  3: ("int_val", "i"),
  4: ("int_val", "B"),
  5: ("int_val", "h"),
  6: ("int_val", "b"),
  8: ("scomplex_val", "f"),
  9: ("int64_val", "q"),
  10: ("bool_val", "?"),
  11: ("int_val", "b"),
  12: ("int_val", "B"),
  13: ("int_val", "i"),
  14: ("half_val", "H"),
  15: ("int_val", "h"),
  16: ("int_val", "H"),
  17: ("int_val", "H"),
  18: ("dcomplex_val", "d"),
  19: ("half_val", "H"),
  22: ("uint32_val", "I"),
  23: ("uint64_val", "Q"),
}
_BITS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}


def tensor_text(tensor):
  """Type, shape and elements, however the message holds them."""
  size = 1
  for dim in tensor.tensor_shape.dim:
    size *= dim.size
  head = "tensor of type %d %s " % (tensor.dtype, shape_text(tensor.tensor_shape))
  if tensor.dtype == 7:
    elements = list(tensor.string_val)
    return head + repr(_filled(elements, size, b""))
  if tensor.dtype not in _ELEMENTS:
    return head + str(tensor)
  field, letter = _ELEMENTS[tensor.dtype]
  width = 2 if "complex" in field else 1
  if tensor.tensor_content:
    data = tensor.tensor_content
  else:
    numbers = [_wrapped(number, letter) for number in getattr(tensor, field)]
    data = struct.pack("<%d%s" % (len(numbers), letter), *numbers)
  step = width * struct.calcsize(letter)
  pieces = [data[at : at + step] for at in range(0, len(data), step)]
  pieces = _filled(pieces, size, bytes(step))
  if len(pieces) > 40:
    import hashlib

    return head + hashlib.sha256(b"".join(pieces)).hexdigest()
  flat = struct.unpack("<%d%s" % (len(pieces) * width, letter), b"".join(pieces))
  return head + repr(list(flat))


def _wrapped(number, letter):
  if letter not in _BITS:
    return number
  bits = _BITS[letter]
  number &= (1 << bits) - 1
  return number - (1 << bits) if letter.islower() and number >> (bits - 1) else number


def _filled(elements, size, zero):
  last = elements[-1] if elements else zero
  return elements[:size] + [last] * (size - len(elements))


def _collection_difference(stock, ours):
  for key in sorted(set(stock) | set(ours)):
    if key.startswith(("(", "__")) or key in ("while_context", "cond_context"):
      continue
    if stock.get(key, []) != ours.get(key, []):
      return "collection %r\nstock:    %s\nmillrace: %s" % (key, stock.get(key), ours.get(key))
  return None


def value_difference(stock, ours, options, path="the value"):
  """Returns None or where and how two plain values (see pair_side.plain) differ."""
  if stock is None or ours is None:
    return None if stock is ours else "%s: stock %s, millrace %s" % (path, stock, ours)
  if stock[0] != ours[0]:
    return "%s: stock has %s, millrace %s" % (path, _brief(stock), _brief(ours))
  kind = stock[0]
  if kind in ("array", "scalar"):
    return _array_difference(stock, ours, options, path)
  if kind == "python":
    return _python_difference(stock[1], ours[1], options, path)
  if kind == "error":
    if stock[1] != ours[1] or first_words(stock[2]) != first_words(ours[2]):
      return "%s: stock %s: %s\nmillrace %s: %s" % (path, stock[1], stock[2][:500], ours[1], ours[2][:500])
    return None
  if kind == "graph":
    return node_difference(list(_graph(stock[1]).node), list(_graph(ours[1]).node))
  if kind == "dict":
    left, right = dict(_keys(stock[1])), dict(_keys(ours[1]))
    if list(left) != list(right) and (set(left) != set(right)):
      return "%s: stock has keys %s, millrace %s" % (path, list(left), list(right))
    for key, element in left.items():
      text = value_difference(element, right[key], options, "%s[%s]" % (path, key))
      if text:
        return text
    return None
  if isinstance(stock[1], list) and kind not in ("set",):
    if len(stock[1]) != len(ours[1]):
      return "%s: stock has %d elements, millrace %d" % (path, len(stock[1]), len(ours[1]))
    for index, (one, two) in enumerate(zip(stock[1], ours[1])):
      text = value_difference(one, two, options, "%s[%d]" % (path, index))
      if text:
        return text
    return None
  return None if stock == ours else "%s\nstock:    %s\nmillrace: %s" % (path, stock[1:], ours[1:])


def _keys(pairs):
  return [(repr(key[1]) if len(key) > 1 else str(key), value) for key, value in pairs]


def _python_difference(one, two, options, path):
  if type(one) is float and type(two) is float:
    import math

    rtol, atol = options.get("rtol", 0), options.get("atol", 0)
    if one == two or (one != one and two != two) or math.isclose(one, two, rel_tol=rtol, abs_tol=atol):
      return None
  elif type(one) is type(two) and one == two:
    return None
  return "%s\nstock:    %r\nmillrace: %r" % (path, one, two)


def _array(value):
  import numpy as np

  try:
    dtype = np.dtype(value[1])
  except TypeError:
    import ml_dtypes

    if hasattr(ml_dtypes, value[1]):
      dtype = np.dtype(getattr(ml_dtypes, value[1]))
    else:  # a structure, such as a quantized type's
      dtype = np.dtype(ast.literal_eval(value[1]))
  return np.frombuffer(value[3], dtype).reshape(value[2])


def _array_difference(stock, ours, options, path):
  import numpy as np

  if stock[1:3] != ours[1:3]:
    return "%s: stock has %s of shape %s, millrace %s of shape %s" % (path, stock[1], stock[2], ours[1], ours[2])
  if stock[1] == "object":
    for index, (one, two) in enumerate(zip(stock[3], ours[3])):
      text = value_difference(one, two, options, "%s[%d]" % (path, index))
      if text:
        return text
    return None
  if stock[3] == ours[3]:
    return None
  one, two = _array(stock), _array(ours)
  rtol, atol = options.get("rtol", 0), options.get("atol", 0)
  if one.dtype.names:
    return "%s\nstock:    %s\nmillrace: %s" % (path, one, two)
  wide_one, wide_two = (one, two) if one.dtype.kind in "biufc" else (one.astype(np.float64), two.astype(np.float64))
  if one.dtype.kind in "biu":
    close = wide_one == wide_two
  else:
    with np.errstate(all="ignore"):
      close = np.isclose(wide_two, wide_one, rtol=rtol, atol=atol, equal_nan=True)
  if close.all():
    return None
  where = tuple(int(i) for i in np.argwhere(~close)[0])
  return "%s: %d of %d elements differ, first at %s: stock %r, millrace %r" % (
    path,
    int((~close).sum()),
    close.size,
    where,
    one[where],
    two[where],
  )


def _brief(value):
  text = repr(value)
  return text if len(text) < 300 else text[:300] + "..."


def shown(name, record, whole):
  """A text for people of one record."""
  if record is None or "crash" in record:
    return "%s: %s" % (name, "no record" if record is None else record["crash"])
  lines = ["%s: %.1f s" % (name, record["seconds"])]
  if record["error"]:
    lines.append("  raised %s: %s" % (record["error"][0], record["error"][2 if whole else 1][:3000]))
  if whole and record["graph"] is not None:
    lines.extend(_indent(node_text(node)) for node in _graph(record["graph"]).node)
    lines.append("  collections %s" % record["collections"])
  if whole:
    lines.append("  value %s" % (_brief(record["values"]),))
  return "\n".join(lines)
