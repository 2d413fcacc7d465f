"""The op registry and CPU kernels of the installed wheel, in the form of `cases_tests --dump_schema`."""

import itertools

from tensorflow.python.framework import kernels, op_def_registry, ops

TYPE_LIMIT = 24  # Millrace refuses the types from here on by name


def attr_value(a):
  """As AttrWriter of schema_json.cc writes it."""
  which = a.WhichOneof("value")
  if which is None:
    return None
  if which == "list":
    for field in ("s", "i", "f", "b", "type", "shape", "func"):
      values = list(getattr(a.list, field))
      if values:
        return [one_value(field, v) for v in values]
    return []
  return one_value(which, getattr(a, which))


def one_value(field, v):
  if field == "s":
    return v.decode("latin-1")
  if field == "shape":
    return None if v.unknown_rank else [d.size for d in v.dim]
  if field == "func":
    return v.name
  if field == "tensor":
    return "tensor"
  if field == "f":
    return float("%.9g" % v)
  return v


def arg(a):
  return dict(
    name=a.name, type=a.type, type_attr=a.type_attr, number_attr=a.number_attr, type_list_attr=a.type_list_attr, is_ref=a.is_ref
  )


def attr(a):
  out = dict(
    name=a.name,
    type=a.type,
    has_default=a.HasField("default_value"),
    minimum=a.minimum if a.has_minimum else None,
    allowed=attr_value(a.allowed_values) if a.HasField("allowed_values") else None,
  )
  if out["has_default"]:
    out["default"] = attr_value(a.default_value)
  return out


def schema(name):
  """Of an op, None if the wheel has none of that name."""
  op = op_def_registry.get(name)
  if op is None:
    return None
  return dict(
    inputs=[arg(a) for a in op.input_arg],
    outputs=[arg(a) for a in op.output_arg],
    attrs=[attr(a) for a in op.attr],
    is_stateful=op.is_stateful,
    is_commutative=op.is_commutative,
    is_aggregate=op.is_aggregate,
    allows_uninitialized_input=op.allows_uninitialized_input,
    deprecated=op.deprecation.version if op.HasField("deprecation") else 0,
  )


def gradient(name):
  """Whether an op has a gradient function: False if it is declared to have none, None if nothing is."""
  try:
    return ops.gradient_registry.lookup(name) is not None
  except LookupError:
    return None


def cpu_kernels(name):
  """[{attr: [type numbers]}], one a kernel on CPU or DEFAULT; kernels with a label are other implementations."""
  rows = []
  for k in kernels.get_registered_kernels_for_op(name).kernel:
    if k.device_type in ("CPU", "DEFAULT") and not k.label:
      rows.append({c.name: list(c.allowed_values.list.type) for c in k.constraint})
  return rows


def normalized(schema_dict):
  """Without what does not count: types from 24 on, the order of allowed values, an empty list for none."""
  out = dict(schema_dict)
  out["attrs"] = []
  for a in schema_dict["attrs"]:
    a = dict(a)
    if a["allowed"] is not None:
      allowed = [v for v in a["allowed"] if not (isinstance(v, int) and v >= TYPE_LIMIT)]
      a["allowed"] = sorted(allowed, key=str) or None
    if isinstance(a.get("default"), float):
      a["default"] = float("%.6g" % a["default"])
    if a["type"] == "tensor":
      a.pop("default", None)
    out["attrs"].append(a)
  return out


def type_domain(schema_dict, name):
  for a in schema_dict["attrs"]:
    if a["name"] == name:
      if a["allowed"]:
        return {t for t in a["allowed"] if t < TYPE_LIMIT}
      return set(range(1, TYPE_LIMIT))
  return set(range(1, TYPE_LIMIT))


def expand(rows, names, schema_dict):
  """All combinations of types of these attributes that the rows allow."""
  out = set()
  for row in rows:
    choices = [sorted(t for t in row.get(n, type_domain(schema_dict, n)) if t in type_domain(schema_dict, n)) for n in names]
    out.update(itertools.product(*choices))
  return out


def constrained(schema_dict, *tables):
  """Type attributes of the op that any row of the tables names (some kernels of stock name others)."""
  types = {a["name"] for a in schema_dict["attrs"] if a["type"] in ("type", "list(type)")}
  return sorted({n for rows in tables for row in rows for n in row} & types)
