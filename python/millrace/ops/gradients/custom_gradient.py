"""tf.custom_gradient: a function that brings its own gradient."""

import functools
import inspect

from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as graphs
from millrace.framework import nest
from millrace.ops.gradients import registry


def custom_gradient(f):
  """Decorates a function that returns (result, grad_fn), so that gradients of the result are what grad_fn returns.

  `f` takes tensors and returns a tensor or a structure of them; `grad_fn(*dresults)` returns the gradient of each argument. If
  `f` uses variables (of resources), `grad_fn` also takes `variables`, a list, and returns (gradients of the arguments, gradients
  of the variables). Raises TypeError where `f` makes variables of the other kind, and for a grad_fn that does not take them.
  """

  @functools.wraps(f)
  def decorated(*args, **kwargs):
    return _call(f, args, kwargs)

  decorated.__wrapped__ = f
  return decorated


def _call(f, args, kwargs):
  if kwargs:
    raise ValueError("The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled.")
  args = nest.map_structure(convert.convert_to_tensor, args)
  graph = graphs.get_default_graph()
  before = set(map(id, _made_variables(graph)))
  begin = graph._last_id
  result, grad_fn = f(*args)
  flat_args = nest.flatten(args)
  flat_result = [convert.convert_to_tensor(value) for value in nest.flatten(result)]
  variables = _used_variables(graph, begin, flat_args, flat_result)
  new = [v for v in _made_variables(graph) if id(v) not in before]
  if not all(_is_resource_variable(v) for v in new):
    raise TypeError(
      "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. Ensure that no `variable_scope` "
      "is created with `use_resource=False`."
    )
  takes_variables = _takes_variables(grad_fn)
  if variables and not takes_variables:
    raise TypeError(
      "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: %s" % (variables,)
    )
  for value in flat_result:
    gen.identity(value)

  def gradient(op, *grads):
    grads = grads[: len(flat_result)]
    if variables:
      input_grads, variable_grads = grad_fn(*grads, variables=variables)
      if len(variable_grads) != len(variables):
        raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
      variable_grads = list(variable_grads)
    else:
      input_grads, variable_grads = grad_fn(*grads), []
    return [None] * len(flat_result) + _as_grads(input_grads, len(flat_args)) + variable_grads

  name = "CustomGradient-%s" % graphs.uid()
  registry.register_internal(name, gradient)
  with graph.gradient_override_map({"IdentityN": name}):
    outputs = gen.identity_n(flat_result + flat_args + variables)
  for variable in variables:
    convert.convert_to_tensor(variable)
  return nest.pack_sequence_as(result, outputs[: len(flat_result)])


def _as_grads(grads, count):
  flat = nest.flatten(grads)
  if len(flat) != count:
    raise ValueError("custom_gradient function expected to return %d gradients, but returned %d instead." % (count, len(flat)))
  return flat


def _takes_variables(grad_fn):
  spec = inspect.getfullargspec(grad_fn)
  return "variables" in spec.args or "variables" in spec.kwonlyargs or bool(spec.varkw)


def _made_variables(graph):
  keys = graphs.GraphKeys
  return graph.get_collection(keys.GLOBAL_VARIABLES) + graph.get_collection(keys.LOCAL_VARIABLES)


def _is_resource_variable(variable):
  handle = getattr(variable, "handle", None)
  return handle is not None and handle.dtype == dtypes.resource


def _used_variables(graph, begin, inputs, results):
  """The trainable variables that are read on the way from the inputs to the results, or that were read since `begin`, by
  names."""
  by_name = {}
  for variable in _made_variables(graph):
    if not variable.trainable:
      continue
    by_name[(variable.handle if _is_resource_variable(variable) else variable).op.name] = variable
  stops, seen, waiting = {value.op for value in inputs}, set(), [value.op for value in results]
  found = {}
  while waiting:
    op = waiting.pop()
    if op in seen or op in stops:
      continue
    seen.add(op)
    if op.name in by_name:
      found[op.name] = by_name[op.name]
    if op._id >= begin or op.type in ("Identity", "ReadVariableOp", "Enter", "Switch", "RefEnter", "RefSwitch"):
      waiting.extend(value.op for value in op.inputs)
  return [found[name] for name in sorted(found)]


def recompute_grad(f):
  """Decorates a function whose values are computed again for its gradient instead of being kept."""

  @custom_gradient
  def computed(*args):
    from millrace.ops.gradients import backprop

    result = f(*args)

    def grad(*dresults, **kwargs):
      variables = kwargs.get("variables") or []
      copies = [gen.identity(arg) for arg in args]
      with graphs.control_dependencies(list(dresults)):
        again = f(*copies)
      ys = nest.flatten(again)
      grads = backprop.gradients(ys, copies + list(variables), list(dresults))
      return (grads[: len(copies)], grads[len(copies) :]) if variables else grads

    return result, grad

  return computed


def grad_pass_through(f):
  """Decorates a function whose gradient is that of the identity: the gradient of the result is that of the arguments."""

  @custom_gradient
  def passing(*args):
    def grad(*dresults, **kwargs):
      variables = kwargs.get("variables")
      return (dresults, [None] * len(variables)) if variables else dresults

    return f(*args), grad

  return functools.wraps(f)(passing)
