"""function.Defun: a function of Python as a function of graphs, which ops call by its name."""

import inspect

from millrace.framework import convert, dtypes
from millrace.framework import graph as graphs
from millrace.framework import protos, tensor
from millrace.ops.gradients import function_graph, function_names


class Defun:
  """Decorates a Python function that builds ops, so that calls of it become single ops that call a function of the graph.

  The types of the arguments are given (`@Defun(tf.float32, tf.float32)`); without them a function is made for each combination
  of types that it is called with. Options: `func_name`; `grad_func`, a Defun that takes the arguments and the gradients of the
  results; `python_grad_func(op, *grads)`; `out_names`; `shape_func(op)`, which returns the shapes of the results; `noinline`;
  `capture_by_value`. Tensors of outside that the function uses become further arguments.
  """

  def __init__(self, *input_types, **kwargs):
    self._input_types = [dtypes.as_dtype(t) for t in input_types]
    self._func_name = kwargs.pop("func_name", None)
    self._grad_func = kwargs.pop("grad_func", None)
    self._python_grad_func = kwargs.pop("python_grad_func", None)
    self._out_names = kwargs.pop("out_names", None)
    self._shape_func = kwargs.pop("shape_func", None)
    self._capture_by_value = kwargs.pop("capture_by_value", False)
    self._extra_kwargs = kwargs

  def __call__(self, func):
    if not callable(func):
      raise ValueError("Function %s must be a callable." % (func,))
    low, high = _argument_counts(func)
    if self._input_types:
      count = len(self._input_types)
      if count < low or (high is not None and count > high):
        raise ValueError(
          "The number of tf.function input types is not compatible with the allowed arguments of %s. The tf.function have %d "
          "input types, while the python function allows minimum %d and maximum %s arguments."
          % (func, count, low, "inf" if high is None else high)
        )
      names = list(inspect.signature(func).parameters)
      names = [names[i] if high is not None and i < len(names) else "arg%d" % i for i in range(count)]
      return DefinedFunction(func, names, self._input_types, **self._options())
    if low == 0 and high == 0:
      return DefinedFunction(func, [], [], **self._options())
    return OverloadedFunction(func, list(inspect.signature(func).parameters), **self._options())

  def _options(self):
    return dict(
      func_name=self._func_name,
      grad_func=self._grad_func,
      python_grad_func=self._python_grad_func,
      out_names=self._out_names,
      shape_func=self._shape_func,
      capture_by_value=self._capture_by_value,
      **self._extra_kwargs,
    )


def with_arguments(func, count):
  """Returns a function of any number of arguments as one with `count` of them, from whose names Defun takes its own."""
  names = ", ".join("arg%d" % i for i in range(count))
  made = eval("lambda %s: func(%s)" % (names, names), {"func": func})
  # The name of the function of the graph begins with it.
  made.__name__ = func.__name__ if func.__name__.isidentifier() else "function"
  return made


def _argument_counts(func):
  """The least and the largest number of arguments; None for any number."""
  low = high = 0
  for parameter in inspect.signature(func).parameters.values():
    if parameter.kind is parameter.VAR_POSITIONAL:
      high = None
    elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
      if parameter.default is parameter.empty:
        low += 1
      if high is not None:
        high += 1
  return low, high


class DefinedFunction:
  """A function of graphs. It is defined when it is first needed, and added to each graph in which it is called."""

  def __init__(
    self,
    func,
    argnames,
    input_types,
    func_name=None,
    grad_func=None,
    python_grad_func=None,
    out_names=None,
    shape_func=None,
    capture_by_value=False,
    allowlisted_stateful_ops=None,
    capture_resource_var_by_value=True,
    **kwargs,
  ):
    self._func = func
    self._arg_names = argnames
    self._types = [dtypes.as_dtype(t) for t in input_types]
    self._func_name = func_name
    self._grad_func = grad_func
    self.python_grad_func = python_grad_func
    self._out_names = out_names
    self._shape_func = shape_func
    self._capture_by_value = capture_by_value
    self._options = kwargs
    self._definition = None
    self._outer = None

  @property
  def name(self):
    """The name, under which graphs have it."""
    self._define()
    return self._name

  @property
  def definition(self):
    """The FunctionDef."""
    self._define()
    return self._definition

  @property
  def _signature(self):
    return self.definition.signature

  @property
  def declared_input_types(self):
    """The types of the arguments that the Python function has."""
    return tuple(self._types)

  @property
  def captured_inputs(self):
    """The tensors of outside that are further arguments."""
    self._define()
    return self._extra_inputs

  @property
  def stateful_ops(self):
    """(name, type) of the ops with state."""
    self._define()
    return self._stateful_ops

  @property
  def grad_func_name(self):
    """The name of the function that is the gradient; None if there is none."""
    return self._grad_func.name if self._grad_func else None

  @property
  def grad_func(self):
    return self._grad_func

  def set_grad_func(self, grad_func):
    """Sets the Defun that is the gradient."""
    self._grad_func = grad_func

  def _define(self):
    if self._definition is not None:
      return
    graph = function_graph.FunctionGraph(self._func.__name__, self._capture_by_value)
    outputs = self._build(graph)
    inputs = graph.inputs + graph.extra_args
    made = function_graph.definition(graph, inputs, outputs, self._out_names, self._arg_names, self._func.__doc__)
    for function in graph._functions.values():
      function.add_to_graph(graph.outer_graph)
    base = self._func_name
    if base is None:
      base = self._func.__name__
      if self._grad_func:
        base += "_" + self._grad_func.name
      base += "_" + function_names.suffix(made)
    self._name = made.signature.name = base
    for option, value in sorted(self._options.items()):
      made.attr["_" + option].CopyFrom(_attr_value(value))
    made.attr["_disable_call_shape_inference"].b = True
    self._extra_inputs = list(graph.extra_inputs)
    self._stateful_ops = [(op.name, op.type) for op in graph.get_operations() if op._is_stateful]
    self._sub_functions = dict(graph._functions)
    self._outer = graph.outer_graph
    self._output_shapes = [value.get_shape() for value in outputs]
    self._definition = made

  def _build(self, graph):
    """Calls the Python function within `graph`. Returns the tensors that it returns."""
    from millrace.ops.array import placeholders
    from millrace.ops.variables import scope as scopes

    with graph.as_default():
      for name, dtype in zip(self._arg_names, self._types):
        graph.inputs.append(placeholders.placeholder(dtype, name=name))
      with scopes.variable_scope("", custom_getter=_VariablesOfOutside(graph)):
        result = self._func(*graph.inputs)
      if result is None:
        return []
      results = list(result) if isinstance(result, (list, tuple)) else [result]
      results = [convert.convert_to_tensor(value) for value in results]
      return [graph.capture(value) if value.graph is not graph else value for value in results]

  def add_to_graph(self, g):
    """Adds the function, what it calls, and its gradient to a graph."""
    self._define()
    for function in self._sub_functions.values():
      function.add_to_graph(g)
    if self._grad_func:
      self._grad_func.add_to_graph(g)
    g._add_function(self)

  def __call__(self, *args, **kwargs):
    self._define()
    graph = graphs.get_default_graph()
    self.add_to_graph(graph)
    inputs = [convert.convert_to_tensor(arg) for arg in args]
    return _call(self, inputs, kwargs)


class _VariablesOfOutside:
  """A function's variables are made in the graph around it; inside is their value."""

  def __init__(self, graph):
    self._graph = graph
    self._scope = _scope_of(graph.outer_graph)

  def __call__(self, getter, name, *args, **kwargs):
    from millrace.ops.variables import scope as scopes

    graph = self._graph
    kwargs.pop("reuse", None)
    with graph.outer_graph.as_default():
      variable = self._scope.get_variable(scopes._get_default_variable_store(), name, *args, **kwargs)
      graph.extra_vars.append(variable)
      value = variable.value() if hasattr(variable, "value") else variable
    return value


def _scope_of(graph):
  """The current variable scope of a graph."""
  from millrace.ops.variables import scope as scopes

  with graph.as_default():
    return scopes.get_variable_scope()


def _attr_value(value):
  made = protos.AttrValue()
  if isinstance(value, bool):
    made.b = value
  elif isinstance(value, int):
    made.i = value
  elif isinstance(value, float):
    made.f = value
  elif isinstance(value, (str, bytes)):
    made.s = value.encode() if isinstance(value, str) else value
  else:
    raise ValueError("Attribute values of functions are bool, int, float or text, not %r" % (value,))
  return made


def _call(function, inputs, kwargs):
  """Makes the op that calls a function. Returns its results as the Python function returns them."""
  kwargs = dict(kwargs)
  name = kwargs.pop("name", None)
  signature = function.definition.signature
  declared = len(function.declared_input_types)
  if len(inputs) != declared:
    raise ValueError("Expected %d arguments, got %d." % (declared, len(inputs)))
  attrs = {"_" + key: _attr_value(value) for key, value in kwargs.items()}
  attrs["_disable_call_shape_inference"] = protos.AttrValue(b=True)
  graph = graphs.get_default_graph()
  inputs = inputs + list(function.captured_inputs)
  with graphs.name_scope(name, signature.name, inputs) as scope:
    op = graph.create_op(
      signature.name,
      inputs,
      [dtypes.as_dtype(arg.type) for arg in signature.output_arg],
      name=scope,
      attrs=attrs,
    )
  if function._shape_func is not None:
    for shape, value in zip(function._shape_func(op), op.outputs):
      value.set_shape(shape)
  if not op.outputs:
    return op
  return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


class OverloadedFunction:
  """A Defun without types: one function of graphs for each combination of types."""

  def __init__(self, func, argnames, func_name=None, grad_func=None, python_grad_func=None, out_names=None, **kwargs):
    self._func = func
    self._arg_names = argnames
    self._func_name = func_name
    self._grad_func = grad_func
    self._python_grad_func = python_grad_func
    self._out_names = out_names
    self._options = kwargs
    self._made = {}

  def instantiate(self, input_types):
    """Returns the function for arguments of these types."""
    types = tuple(dtypes.as_dtype(t).base_dtype for t in input_types)
    found = self._made.get(types)
    if found is None:
      name = None
      if self._func_name is not None:
        name = "_".join([self._func_name, *[t.name for t in types]])
      names = self._arg_names if len(self._arg_names) == len(types) else ["arg%d" % i for i in range(len(types))]
      found = self._made[types] = DefinedFunction(
        self._func,
        names,
        types,
        name,
        None,
        self._python_grad_func,
        out_names=self._out_names,
        **self._options,
      )
      if self._grad_func is not None:
        outputs = [dtypes.as_dtype(arg.type) for arg in found._signature.output_arg]
        found._grad_func = self._grad_func.instantiate(list(types) + outputs)
    return found

  def __call__(self, *args, **kwargs):
    inputs = [arg if isinstance(arg, tensor.Tensor) else convert.convert_to_tensor(arg) for arg in args]
    return self.instantiate([value.dtype for value in inputs])(*inputs, **kwargs)
