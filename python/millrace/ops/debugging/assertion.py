"""Checks for numbers that are infinite or none, and that a tensor is a scalar."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.graph import colocate_with, control_dependencies, get_default_graph, name_scope
from millrace.ops.control_flow.basics import with_dependencies


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
  """The tensor, once it was found to have no infinity and nothing that is no number.

  Raises:
    InvalidArgumentError: when it runs, with the message.
  """
  x = deprecated_argument_lookup("x", x, "t", t)
  message = deprecated_argument_lookup("message", message, "msg", msg)
  with name_scope(name, "VerifyFinite", [x]):
    x = convert_to_tensor(x, name="x")
    with colocate_with(x):
      check = gen.check_numerics(x, message=message)
      return with_dependencies([check], x)


def check_numerics(tensor, message, name=None):
  """The tensor; its op fails with the message when an element is infinite or no number."""
  return gen.check_numerics(tensor, message, name=name)


def add_check_numerics_ops():
  """An op that runs a check of every floating tensor of the graph, one after the other.

  Raises:
    ValueError: if the graph has control flow, inside of which the checks would have to be.
  """
  checks = []
  for op in get_default_graph().get_operations():
    for output in op.outputs:
      if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16):
        if op._get_control_flow_context() is not None:
          raise ValueError(
            "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such as `tf.cond()` or "
            "`tf.while_loop()`."
          )
        message = f"{op.name}:{output.value_index}"
        with control_dependencies(checks):
          checks = [gen.check_numerics(output, message=message)]
  return tf.group(*checks)


def assert_scalar(tensor, name=None, message=None):
  """The tensor. Raises ValueError unless it is known to be a scalar."""
  with name_scope(name, "assert_scalar", [tensor]) as scope:
    tensor = convert_to_tensor(tensor, name=scope)
    shape = tensor.get_shape()
    if shape.ndims != 0:
      said = f"{message}  " if message else ""
      raise ValueError(f"{said}Expected scalar shape for {tensor.name}, saw shape: {shape}.")
    return tensor
