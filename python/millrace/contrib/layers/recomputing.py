"""Values that are computed again for gradients instead of being kept."""

import functools

import millrace as tf
from millrace import gen
from millrace.framework import convert, nest
from millrace.framework import graph as ops
from millrace.ops.gradients import registry


def with_gradient(results, inputs, gradient):
  """Returns the results such that their gradients to `inputs` are what gradient(results, *gradients of them) returns: a list
  with one, or None, for each input."""
  count = len(results)

  def of_all(op, *grads):
    return [None] * count + list(gradient(list(op.outputs[:count]), *grads[:count]))

  name = "Recomputed-%d" % ops.uid()
  registry.register_internal(name, of_all)
  with ops.get_default_graph().gradient_override_map({"IdentityN": name}):
    return gen.identity_n(list(results) + list(inputs))[:count]


def variables_of(scope):
  """Returns the trained variables of a scope of variables."""
  return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope.name + "/" if scope.name else None)


def values_of(variables):
  return [convert.convert_to_tensor(variable) for variable in variables]


def recompute_grad(fn=None, use_data_dep=None, tupleize_grads=False):
  """Returns the function with values that are computed again for its gradients: saves memory, takes time.

  Takes tensors and returns a tensor or a list of them; its variables are those that it makes by get_variable. With
  `use_data_dep` the second computation waits for gradients by an op that they go through, otherwise by control inputs.
  `tupleize_grads` lets each gradient wait for all. A decorator, also with arguments. TypeError for arguments by name.
  """
  if fn is None:
    return functools.partial(recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads)

  @functools.wraps(fn)
  def recomputed(*args):
    inputs = [convert.convert_to_tensor(value) for value in nest.flatten(list(args))]
    arguments = nest.pack_sequence_as(list(args), inputs)
    scope = tf.get_variable_scope()
    with tf.variable_scope(scope):
      before = {id(v) for v in tf.trainable_variables()}
      result = fn(*arguments)
    new = [v for v in tf.trainable_variables() if id(v) not in before]
    variables = new or variables_of(scope)
    single = not isinstance(result, (list, tuple))
    results = [result] if single else list(result)

    def gradient(_, *grads):
      grads = [tf.zeros_like(r) if g is None else convert.convert_to_tensor(g) for r, g in zip(results, grads)]
      if use_data_dep:
        held = gen.identity_n(inputs + grads)
        copies, grads = held[: len(inputs)], held[len(inputs) :]
      else:
        with ops.control_dependencies(grads):
          copies = [tf.identity(value) for value in inputs]
      with tf.variable_scope(scope, reuse=True):
        again = fn(*nest.pack_sequence_as(list(args), copies))
      found = tf.gradients([again] if single else list(again), copies + variables, grads)
      if tupleize_grads:
        known = iter(tf.tuple([g for g in found if g is not None]))
        found = [None if g is None else next(known) for g in found]
      return found

    outputs = with_gradient(results, inputs + values_of(variables), gradient)
    return outputs[0] if single else list(outputs)

  return recomputed
