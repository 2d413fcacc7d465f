"""The schemas of ops: op_defs.get("MatMul") has inputs, outputs and attributes."""

from millrace import _binding


class Argument:
  """An input or output: its name, and what says its type: `type`, or the attribute `type_attr` or `type_list_attr`. With a
  `number_attr` it is a list of that many tensors."""

  __slots__ = ("name", "type", "type_attr", "number_attr", "type_list_attr", "is_ref")

  def __init__(self, name, type, type_attr, number_attr, type_list_attr, is_ref):
    self.name, self.type, self.type_attr, self.is_ref = name, type, type_attr, is_ref
    self.number_attr, self.type_list_attr = number_attr, type_list_attr

  @property
  def is_list(self):
    return bool(self.number_attr or self.type_list_attr)

  def __repr__(self):
    return "<%s of an op>" % self.name


class Attribute:
  """An attribute: its name and kind ("type", "list(int)", ...), its default if it has one, and what is allowed."""

  __slots__ = ("name", "kind", "has_default", "default", "minimum", "allowed")

  def __init__(self, name, kind, has_default, default, minimum, allowed):
    self.name, self.kind, self.has_default, self.default = name, kind, has_default, default
    self.minimum, self.allowed = minimum, allowed

  @property
  def type(self):
    return self.kind

  def __repr__(self):
    return "<attr %s: %s>" % (self.name, self.kind)


class OpDef:
  """The schema of an op. `parameters` are the attributes that are not inferred from inputs, in the order of the wrapper."""

  __slots__ = ("name", "inputs", "outputs", "attrs", "parameters", "is_stateful", "deprecated", "_by_name")

  def __init__(self, name, inputs, outputs, attrs, parameters, is_stateful, deprecated):
    self.name = name
    self.inputs = [Argument(*fields) for fields in inputs]
    self.outputs = [Argument(*fields) for fields in outputs]
    self.attrs = [Attribute(*fields) for fields in attrs]
    self.parameters = list(parameters)
    self.is_stateful = is_stateful
    self.deprecated = deprecated
    self._by_name = {attr.name: attr for attr in self.attrs}

  def attr(self, name):
    """The attribute of that name, or None."""
    return self._by_name.get(name)

  def __repr__(self):
    return "<op %s>" % self.name


_known = {}


def get(op_type):
  """The schema of an op. Raises ValueError for a type that is not known."""
  found = _known.get(op_type)
  if found is None:
    fields = _binding.schema(op_type)
    if fields is None:
      raise ValueError("Unrecognized Op name %s" % op_type)
    found = _known.setdefault(op_type, OpDef(op_type, *fields))
  return found


def has(op_type):
  """True if there is such an op."""
  return op_type in _known or _binding.schema(op_type) is not None


def names():
  """The types of all ops."""
  return _binding.op_types()


def proto(op_type):
  """The OpDef message of an op. Raises KeyError for a type that is not known."""
  from millrace.framework import protos

  return protos.GraphDef.FromString(_binding.schema_bytes(op_type)).library.function[0].signature
