#!/usr/bin/env python3
"""Prints the schema of ops as the stock client's registry has it, in the signature grammar of millrace/graph.

  python opdef.py MatMul FIFOQueueV2        schemas by name
  python opdef.py --json MatMul             the same for a program

Needs a Python with the tensorflow-cpu wheel (.venv/bin/python). `~` marks a stateful op, `+` a commutative one,
`&` an aggregate, `?` one that allows uninitialized input, `!` a deprecated one.
  --kernels also lists the dtypes that have a kernel on the CPU in the wheel.
"""

import argparse
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


GRAMMAR = {"float32": "float", "float64": "double", "float16": "half"}  # the signature grammar's names


def dtype_name(value):
  from tensorflow.python.framework import dtypes

  name = dtypes.as_dtype(value).name
  return GRAMMAR.get(name, name)


def attr_value(a, kind):
  which = a.WhichOneof("value")
  if which is None:
    return None
  if which == "list":
    for field in ("s", "i", "f", "b", "type", "shape"):
      values = list(getattr(a.list, field))
      if values:
        return [one_value(field, v) for v in values]
    return []
  return one_value(which, getattr(a, which))


def one_value(field, v):
  if field == "s":
    return v.decode("utf-8", "replace")
  if field == "type":
    return dtype_name(v)
  if field == "shape":
    return None if v.unknown_rank else [d.size for d in v.dim]
  if field == "tensor":
    return "<tensor>"
  if field == "func":
    return v.name
  return v


def arg_text(arg):
  base = arg.type_attr or arg.type_list_attr or dtype_name(arg.type)
  if arg.is_ref:
    base = "Ref(%s)" % base
  if arg.number_attr:
    base = "%s * %s" % (arg.number_attr, base)
  return "%s: %s" % (arg.name, base)


def schema(op):
  attrs = []
  for a in op.attr:
    text = a.type
    allowed = attr_value(a.allowed_values, a.type)
    if allowed:
      quote = "'%s'" if "string" in a.type else "%s"
      text = "{%s}" % ", ".join(quote % v for v in allowed)
      if a.type.startswith("list"):
        text = "list(%s)" % text
    if a.has_minimum:
      text += " >= %d" % a.minimum
    if a.HasField("default_value"):
      text += " = %s" % json.dumps(attr_value(a.default_value, a.type))
    attrs.append("%s: %s" % (a.name, text))
  return dict(
    name=op.name,
    stateful=op.is_stateful,
    commutative=op.is_commutative,
    aggregate=op.is_aggregate,
    deprecated=op.deprecation.version if op.HasField("deprecation") else 0,
    inputs=[arg_text(x) for x in op.input_arg],
    outputs=[arg_text(x) for x in op.output_arg],
    attrs=attrs,
    allows_uninitialized_input=op.allows_uninitialized_input,
  )


def cpu_kernels(name):
  """Returns one line for each kernel on the CPU (device CPU or DEFAULT): its dtype constraints."""
  from tensorflow.python.framework import kernels

  lines = set()
  for k in kernels.get_registered_kernels_for_op(name).kernel:
    if k.device_type in ("CPU", "DEFAULT"):
      types = "; ".join("%s: %s" % (c.name, ", ".join(dtype_name(v) for v in c.allowed_values.list.type)) for c in k.constraint)
      lines.add(types or "any")
  return sorted(lines)


def main():
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("names", nargs="+")
  ap.add_argument("--json", action="store_true")
  ap.add_argument("--kernels", action="store_true")
  args = ap.parse_args()
  try:
    import tensorflow  # noqa: F401  registers the ops
  except ModuleNotFoundError:
    sys.exit(
      "%s has no TensorFlow: run .venv/bin/python tools/opdef.py, once ./dev test LeakyRelu has installed it there"
      % sys.executable
    )
  from tensorflow.python.framework import op_def_registry

  missing = 0
  for name in args.names:
    op = op_def_registry.get(name)
    if op is None:
      print("%s: not in the registry" % name, file=sys.stderr)
      missing += 1
      continue
    s = schema(op)
    if args.json:
      print(json.dumps(s))
      continue
    marks = "".join(
      m
      for m, on in (
        ("~", s["stateful"]),
        ("+", s["commutative"]),
        ("&", s["aggregate"]),
        ("?", s["allows_uninitialized_input"]),
        ("!", s["deprecated"]),
      )
      if on
    )
    print("%s%s(%s) -> (%s)" % (s["name"], marks, ", ".join(s["inputs"]), ", ".join(s["outputs"])))
    for a in s["attrs"]:
      print("    %s" % a)
    if args.kernels:
      for line in cpu_kernels(name):
        print("    cpu: %s" % line)
  return 1 if missing else 0


if __name__ == "__main__":
  sys.exit(main())
