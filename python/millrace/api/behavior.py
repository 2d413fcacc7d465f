"""Switches between the behaviour of TensorFlow 1 and 2. Everything is TensorFlow 1's, so turning off what 2 has is done already."""


def disable_v2_behavior():
  """Of no effect: graphs, TensorFlow 1's shapes and control flow are all there is."""


def disable_eager_execution():
  """Of no effect: everything is a graph."""


def disable_control_flow_v2():
  """Of no effect: conditionals and loops are TensorFlow 1's."""


def disable_tensor_equality():
  """Of no effect: `==` of tensors says whether they are the same one."""


def disable_v2_tensorshape():
  """Of no effect: elements of shapes are Dimension objects."""


def control_flow_v2_enabled():
  return False


def executing_eagerly():
  """False: everything is a graph."""
  return False


def executing_eagerly_outside_functions():
  """False: everything is a graph."""
  return False
