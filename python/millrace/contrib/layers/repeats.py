"""The same layer many times, one behind the other."""

import millrace as tf


def _name_of(layer, default):
  if hasattr(layer, "__name__"):
    return layer.__name__
  return getattr(getattr(layer, "func", None), "__name__", default)


def repeat(inputs, repetitions, layer, *args, **kwargs):
  """Returns layer(layer(... (inputs))), each with the arguments: scopes are `scope`_1, `scope`_2 ..., below `scope`.

  Without a `scope` it is called like the layer. ValueError for fewer than one repetition.
  """
  scope = kwargs.pop("scope", None)
  with tf.variable_scope(scope, "Repeat", [inputs]):
    outputs = tf.convert_to_tensor(inputs)
    scope = scope or _name_of(layer, "repeat")
    for i in range(repetitions):
      outputs = layer(outputs, *args, **{**kwargs, "scope": f"{scope}_{i + 1}"})
    return outputs


def stack(inputs, layer, stack_args, **kwargs):
  """Returns layer(... layer(inputs, *stack_args[0]) ..., *stack_args[-1]), with `kwargs` for each; scopes as those of repeat.

  A single argument needs no tuple. ValueError where `stack_args` is no list, or `reuse` is given without a scope.
  """
  scope = kwargs.pop("scope", None)
  if scope is None and kwargs.get("reuse"):
    raise ValueError("'reuse' cannot be specified without a scope.")
  if not isinstance(stack_args, (list, tuple)):
    raise ValueError("stack_args need to be a list or tuple")
  with tf.variable_scope(scope, "Stack", [inputs]):
    outputs = tf.convert_to_tensor(inputs)
    scope = scope or _name_of(layer, "stack")
    for i, arguments in enumerate(stack_args):
      if not isinstance(arguments, (list, tuple)):
        arguments = [arguments]
      outputs = layer(outputs, *arguments, **{**kwargs, "scope": f"{scope}_{i + 1}"})
    return outputs
