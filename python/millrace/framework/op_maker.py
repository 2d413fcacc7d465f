"""Makes ops whose inputs are any values: converts them by the schema, infers attributes, and says what does not fit.

The wrappers of ops come here when the extension's own way, for tensors alone, does not do.
"""

import collections

from millrace import _binding
from millrace.framework import convert, default_graphs, dtypes, op_defs, scopes
from millrace.framework.tensor import Tensor


def apply(op_type, name, inputs, attrs):
  """Makes an op from a wrapper's arguments: inputs and attributes in the order of its parameters."""
  schema = op_defs.get(op_type)
  given = {}
  for key, value in zip(schema.parameters, attrs):
    attr = schema.attr(key)
    if value is None and (attr.has_default or attr.kind != "shape"):
      if not attr.has_default:
        raise TypeError("Missing value for attr '%s' of '%s' Op." % (key, op_type))
      continue
    given[key] = value
  return _Making(schema, name, dict(zip([arg.name for arg in schema.inputs], inputs)), given).result()


def op(op_type, inputs=(), attrs=None, name=None):
  """Makes an op of any type: inputs in the order of the schema, attributes by their names."""
  schema = op_defs.get(op_type)
  if len(inputs) != len(schema.inputs):
    raise ValueError("'%s' Op takes %d inputs, got %d" % (op_type, len(schema.inputs), len(inputs)))
  return _Making(schema, name, dict(zip([arg.name for arg in schema.inputs], inputs)), dict(attrs or {})).result()


def apply_op(op_type_name, name=None, **keywords):
  """Makes an op from inputs and attributes by their names; returns its outputs."""
  schema = op_defs.get(op_type_name)
  inputs = {}
  for arg in schema.inputs:
    key = arg.name if arg.name in keywords else arg.name + "_"
    if key not in keywords:
      raise TypeError("No argument for input " + arg.name)
    inputs[arg.name] = keywords.pop(key)
  attrs = {}
  for attr in schema.attrs:
    key = attr.name if attr.name in keywords else attr.name + "_"
    if key in keywords:
      value = keywords.pop(key)
      if value is not None or not attr.has_default:
        attrs[attr.name] = value
  if keywords:
    raise TypeError("apply_op() got unexpected keyword arguments: " + ", ".join(sorted(keywords)))
  return _Making(schema, name, inputs, attrs).result()


def _function_name(op_type):
  from millrace.gen import index

  return next((name.lstrip("_") for name, known in index.FUNCTIONS.items() if known == op_type), op_type)


def _name_of(dtype):
  return dtypes.as_dtype(dtype).base_dtype.name


class _Making:
  """One op on its way."""

  def __init__(self, schema, name, inputs, attrs):
    self.schema = schema
    self.name = name
    self.values = inputs
    self.attrs = attrs
    self.tensors = []  # the op's inputs
    self.inferred_from = {}

  def result(self):
    graph = scopes._get_graph_from_inputs(_flat(self.values.values()))
    if graph is not default_graphs.get_default_graph():
      with graph.as_default():
        return self._made(graph)
    return self._made(graph)

  def _made(self, graph):
    graph._check_not_finalized()
    name = self.name
    if name is None:
      name = self.schema.name
    for arg in self.schema.inputs:
      if arg.is_list and not isinstance(self.values[arg.name], (list, tuple)):
        raise TypeError(
          "Expected list for '%s' argument to '%s' Op, not %r."
          % (arg.name, _function_name(self.schema.name), self.values[arg.name])
        )
    for key, value in self.attrs.items():
      if hasattr(value, "add_to_graph"):
        value.add_to_graph(graph)
      elif isinstance(value, (list, tuple)):
        for item in value:
          if hasattr(item, "add_to_graph"):
            item.add_to_graph(graph)
    with graph.name_scope(name) as scope:
      for key, value in list(self.attrs.items()):
        attr = self.schema.attr(key)
        if attr is not None and attr.kind == "type" and value is not None:
          self.attrs[key] = _type_of(value, key)
      for arg in self.schema.inputs:
        self._take(arg, self.values[arg.name])
      if scope:
        full_name = scope[:-1]
      else:
        full_name = graph.unique_name(self.schema.name)
      if graph.building_function:
        self.tensors = [tensor if tensor.graph is graph else graph.capture(tensor) for tensor in self.tensors]
      made = _create(graph, self.schema, full_name, self.tensors, self.attrs)
    return _binding.result(made)

  def _take(self, arg, value):
    if arg.is_list:
      tensors = self._take_list(arg, value)
    else:
      tensors = [self._take_one(arg, value)]
    types = [tensor.dtype.base_dtype for tensor in tensors]
    if arg.number_attr:
      self._infer_number(arg, len(tensors))
      if any(dtype is not types[0] for dtype in types):
        raise TypeError("All tensors passed to '%s' of '%s' Op must have the same type." % (arg.name, self.schema.name))
      if arg.type_attr and arg.type_attr not in self.attrs:
        if not types:
          raise TypeError(
            "Don't know how to infer type variable from empty input list passed to input '%s' of '%s' Op."
            % (arg.name, self.schema.name)
          )
        self._infer_type(arg, types[0])
    elif arg.type_attr:
      self._infer_type(arg, types[0])
    elif arg.type_list_attr:
      self._infer_types(arg, types)
    if arg.is_ref and not all(tensor.dtype._is_ref_dtype for tensor in tensors):
      raise TypeError("'%s' Op requires that input '%s' be a mutable tensor (e.g.: a tf.Variable)" % (self.schema.name, arg.name))
    self.tensors.extend(tensors)

  def _known_type(self, arg):
    """The type that an argument must have, as far as it is known, and a type that it should have."""
    if arg.type is not None:
      return arg.type, None
    if arg.type_attr:
      if arg.type_attr in self.attrs:
        return self.attrs[arg.type_attr], None
      attr = self.schema.attr(arg.type_attr)
      if attr is not None and attr.has_default:
        return None, attr.default
    return None, None

  def _take_one(self, arg, value):
    dtype, hint = self._known_type(arg)
    if dtype is not None:
      dtype = dtypes.as_dtype(dtype)
    try:
      if hint is not None and dtype is None and not isinstance(value, Tensor):
        # The value's own type goes before the attribute's default; a constant of a type that the op lacks stays in the graph.
        allowed = self.schema.attr(arg.type_attr).allowed
        if allowed is not None:
          try:
            made = convert.internal_convert_to_tensor(value, None, arg.name, arg.is_ref)
            if made.dtype.base_dtype in allowed:
              return made
          except (TypeError, ValueError):
            pass
      return convert.internal_convert_to_tensor(value, dtype, arg.name, arg.is_ref, hint)
    except TypeError as error:
      if dtype is None:
        raise
      raise TypeError(
        "Expected %s passed to parameter '%s' of op '%s', got %s of type '%s' instead. Error: %s"
        % (dtype.name, arg.name, self.schema.name, repr(value), type(value).__name__, error)
      ) from None
    except ValueError:
      try:
        observed = convert.internal_convert_to_tensor(value, as_ref=arg.is_ref).dtype.name
      except ValueError as error:
        raise ValueError("Tried to convert '%s' to a tensor and failed. Error: %s" % (arg.name, error)) from None
      start = "Input '%s' of '%s' Op has type %s that does not match" % (arg.name, self.schema.name, observed)
      if arg.type is not None:
        raise TypeError("%s expected type of %s." % (start, arg.type.name)) from None
      if arg.type_attr not in self.attrs:
        raise
      raise TypeError(
        "%s type %s of argument '%s'."
        % (start, _name_of(self.attrs[arg.type_attr]), self.inferred_from.get(arg.type_attr, arg.type_attr))
      ) from None

  def _take_list(self, arg, values):
    dtype, hint = self._known_type(arg)
    if dtype is None and arg.number_attr:
      dtype = next((value.dtype for value in values if isinstance(value, Tensor)), None)
    if dtype is not None and not arg.is_ref:
      dtype = dtypes.as_dtype(dtype).base_dtype
    try:
      tensors = convert.internal_convert_n_to_tensor(values, dtype, arg.name, arg.is_ref, None if dtype is not None else hint)
      if arg.number_attr and len({tensor.dtype.base_dtype for tensor in tensors}) > 1:
        raise TypeError()
      return tensors
    except (TypeError, ValueError):
      self._complain_of_list(arg, values, dtype)

  def _complain_of_list(self, arg, values, dtype):
    observed = []
    for value in values:
      try:
        observed.append(convert.internal_convert_to_tensor(value, as_ref=arg.is_ref).dtype.base_dtype.name)
      except (TypeError, ValueError):
        observed.append("<NOT CONVERTIBLE TO TENSOR>")
    start = "Tensors in list passed to '%s' of '%s' Op have types [%s]" % (arg.name, self.schema.name, ", ".join(observed))
    if not arg.number_attr:
      raise TypeError("%s that are invalid. Tensors: %s" % (start, values)) from None
    if arg.type is not None:
      raise TypeError("%s that do not match expected type %s." % (start, dtype.name)) from None
    if arg.type_attr in self.attrs:
      raise TypeError("%s that do not match type %s inferred from earlier arguments." % (start, dtype.name)) from None
    raise TypeError("%s that don't all match." % start) from None

  def _infer_number(self, arg, number):
    known = self.attrs.get(arg.number_attr)
    if known is None:
      attr = self.schema.attr(arg.number_attr)
      if attr.minimum is not None and number < attr.minimum:
        raise ValueError(
          "List argument '%s' to '%s' Op with length %d shorter than minimum length %d."
          % (arg.name, self.schema.name, number, attr.minimum)
        )
      self.attrs[arg.number_attr] = number
      self.inferred_from[arg.number_attr] = arg.name
    elif number != known:
      raise ValueError(
        "List argument '%s' to '%s' Op with length %d must match length %d of argument '%s'."
        % (arg.name, self.schema.name, number, known, self.inferred_from.get(arg.number_attr, arg.number_attr))
      )

  def _infer_type(self, arg, dtype):
    known = self.attrs.get(arg.type_attr)
    if known is None:
      self._check_allowed(arg, arg.type_attr, [dtype])
      self.attrs[arg.type_attr] = dtype
      self.inferred_from[arg.type_attr] = arg.name
    elif dtypes.as_dtype(known).base_dtype is not dtype:
      raise TypeError(
        "Input '%s' of '%s' Op has type %s that does not match type %s of argument '%s'."
        % (arg.name, self.schema.name, dtype.name, _name_of(known), self.inferred_from.get(arg.type_attr, arg.type_attr))
      )

  def _infer_types(self, arg, types):
    known = self.attrs.get(arg.type_list_attr)
    if known is None:
      self._check_allowed(arg, arg.type_list_attr, types)
      self.attrs[arg.type_list_attr] = types
      self.inferred_from[arg.type_list_attr] = arg.name
    elif [dtypes.as_dtype(dtype).base_dtype for dtype in known] != types:
      raise TypeError(
        "Input '%s' of '%s' Op has type list of %s that does not match type list %s of argument '%s'."
        % (
          arg.name,
          self.schema.name,
          ", ".join(dtype.name for dtype in types),
          ", ".join(_name_of(dtype) for dtype in known),
          self.inferred_from.get(arg.type_list_attr, arg.type_list_attr),
        )
      )
    minimum = self.schema.attr(arg.type_list_attr).minimum
    if minimum is not None and len(types) < minimum:
      raise ValueError(
        "Attr '%s' of '%s' Op passed list of length %d less than minimum %d."
        % (arg.type_list_attr, self.schema.name, len(types), minimum)
      )

  def _check_allowed(self, arg, name, types):
    allowed = self.schema.attr(name).allowed
    if allowed is None:
      return
    for dtype in types:
      if dtype not in allowed:
        raise TypeError(
          "Value passed to parameter '%s' has DataType %s not in list of allowed values: %s"
          % (arg.name, dtype.name, ", ".join(known.name for known in allowed))
        )


def _type_of(value, name):
  try:
    return dtypes.as_dtype(value).base_dtype
  except TypeError:
    raise TypeError("Expected DataType for argument '%s' not %s." % (name, repr(value))) from None


def _create(graph, schema, name, tensors, attrs):
  values = {}
  for key, value in attrs.items():
    if schema.attr(key) is None:
      raise TypeError("'%s' Op got an unexpected attribute '%s'" % (schema.name, key))
    values[key] = value
  return _binding.create(graph, schema.name, name, tensors, [], values)


def _flat(values):
  for value in values:
    if isinstance(value, (list, tuple)):
      yield from _flat(value)
    else:
      yield value


_result_classes = {}


def result_class(op_type):
  """The named tuple of an op's outputs."""
  found = _result_classes.get(op_type)
  if found is None:
    names = [arg.name + "_" if _is_reserved(arg.name) else arg.name for arg in op_defs.get(op_type).outputs]
    found = _result_classes.setdefault(op_type, collections.namedtuple(op_type, names, rename=True))
  return found


def _is_reserved(name):
  import keyword

  return keyword.iskeyword(name)


_binding.set_hooks(apply=apply, result=result_class)
