"""Control flow by functions: If, While and For take Defuns, and are single ops."""

from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as graphs
from millrace.gen import ops_f, ops_i, ops_w
from millrace.ops.gradients import defun


def _results(function):
  return [argument.type for argument in function.definition.signature.output_arg]


def remote_call(args, Tout, f, target, name=None):
  """Calls the Defun `f` on the device that the string `target` names; its results have the types `Tout`."""
  return gen.remote_call(target, list(args), Tout, f, name=name)


def If(cond, inputs, then_branch, else_branch, name=None):
  """Returns a list of what one of the functions returns for `inputs`. `cond` is a scalar; other types than bool are true unless 0
  or empty."""
  return ops_i._if(cond, list(inputs), _results(then_branch), then_branch, else_branch, name=name)


def While(input_, cond, body, name=None, hostmem=None):
  """Calls `body` with its own results, at first `input_`, while `cond` of them is true. Returns a list.

  What the body takes of outside goes through the loop unchanged. ValueError if the condition takes something of outside, or if
  both do not have the same arguments. `hostmem` is taken; all tensors of functions are on the host.
  """
  del hostmem
  if cond.captured_inputs:
    raise ValueError("While op 'cond' argument must be a function without implicitly captured inputs.")
  if cond.declared_input_types != body.declared_input_types:
    raise ValueError(
      "While op 'cond' and 'body' signatures do not match. %r vs %r" % (cond.declared_input_types, body.declared_input_types)
    )
  inputs = [convert.convert_to_tensor(value) for value in input_]
  if not body.captured_inputs:
    return ops_w._while(inputs, cond, body, name=name)
  body = _handing_on(body)
  captured, count = list(body.captured_inputs), len(inputs)
  types = list(cond.declared_input_types) + [value.dtype for value in captured]
  condition = defun.Defun(*types, func_name="%s_Wrapper" % cond.name)(
    defun.with_arguments(lambda *args: cond(*args[:count]), len(types))
  )
  return list(ops_w._while(inputs + captured, condition, body, name=name))[:count]


def For(start, limit, delta, inputs, body, name=None, hostmem=None, rewrite_with_while=None):
  """Calls `body` with a number, from `start` up to `limit` in steps of `delta`, and its own results, at first `inputs`. Returns a list.

  With `rewrite_with_while` the loop is a While.
  """
  del hostmem
  inputs = [convert.convert_to_tensor(value) for value in inputs]
  if rewrite_with_while:
    return _for_by_while(start, limit, delta, inputs, body, name)
  if not body.captured_inputs:
    return ops_f._for(start, limit, delta, inputs, body, name=name)
  body = _handing_on(body)
  return list(ops_f._for(start, limit, delta, inputs + list(body.captured_inputs), body, name=name))[: len(inputs)]


def _for_by_while(start, limit, delta, inputs, body, name):
  carried = [convert.convert_to_tensor(value, dtype=dtypes.int32) for value in (start, limit, delta)] + inputs
  types = [value.dtype for value in carried]

  def more(*args):
    return gen.greater(args[2] * (args[1] - args[0]), 0)

  def turn(*args):
    return [args[0] + args[2], args[1], args[2], *_as_list(body(args[0], *args[3:]))]

  condition = defun.Defun(*types)(defun.with_arguments(more, len(types)))
  step = defun.Defun(*types)(defun.with_arguments(turn, len(types)))
  return list(While(carried, condition, step, name=name))[3:]


def _handing_on(body):
  """A body that also returns, unchanged, what it takes of outside: these are further arguments of both."""

  def turn(*args):
    results = _as_list(body(*args))
    return [*results, *graphs.get_default_graph().extra_args]

  types = body.declared_input_types
  return defun.Defun(*types, func_name="%s_Wrapper" % body.name)(defun.with_arguments(turn, len(types)))


def _as_list(results):
  return list(results) if isinstance(results, (list, tuple)) else [results]
