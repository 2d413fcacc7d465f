"""Reversible residual networks: the inputs of each layer are computed from its outputs, so that none need be kept."""

import millrace as tf
from millrace.contrib.layers import recomputing
from millrace.framework import graph as ops
from millrace.layers import base


class RevBlock(base.Layer):
  """Layers y1 = x1 + f(x2), y2 = x2 + g(y1), one behind the other.

  `f` and `g` are functions, or lists of one a layer, that return a tensor of the shape of their input; `f_side_input` and
  `g_side_input` are lists of tensors that they take, as one more argument. With `use_efficient_backprop` gradients are computed
  from the outputs, without what was in between. ValueError where the lists are not of `num_layers`.
  """

  def __init__(
    self,
    f,
    g,
    num_layers=1,
    f_side_input=None,
    g_side_input=None,
    use_efficient_backprop=True,
    name="revblock",
    **kwargs,
  ):
    super().__init__(name=name, **kwargs)
    self.num_layers = num_layers
    self.f = self._each(f, "f")
    self.g = self._each(g, "g")
    self.f_side_input = f_side_input or []
    self.g_side_input = g_side_input or []
    self._use_efficient_backprop = use_efficient_backprop

  def _each(self, function, name):
    if not isinstance(function, list):
      return [function] * self.num_layers
    if len(function) != self.num_layers:
      raise ValueError(f"Length of {name} must equal num_layers: {len(function)} and {self.num_layers}.")
    return function

  def build(self, input_shape):
    self.built = True

  def __call__(self, x1, x2=None):
    """Returns (y1, y2) of the last layer."""
    return self.forward(*x1) if x2 is None else self.forward(x1, x2)

  call = __call__

  def forward(self, x1, x2):
    """Returns (y1, y2) of the last layer."""
    self._set_scope(None)
    with tf.variable_scope(self._scope, reuse=True if self.built else None, auxiliary_name_scope=False) as scope:
      self._current_scope = scope
      with ops.name_scope(self._name_scope()):
        y1, y2 = x1, x2
        for index in range(self.num_layers):
          y1, y2 = self._layer(index, y1, y2)
        self._keep(recomputing.variables_of(scope))
        if self._use_efficient_backprop:
          y1, y2 = self._with_recomputed_gradient(scope, x1, x2, y1, y2)
    self.built = True
    return y1, y2

  def backward(self, y1, y2):
    """Returns (x1, x2) of the first layer, from the outputs of the last."""
    with tf.variable_scope(self._scope, reuse=True):
      for index in reversed(range(self.num_layers)):
        x2 = y2 - self._g(index, y1)
        y1, y2 = y1 - self._f(index, x2), x2
    return y1, y2

  def _keep(self, variables):
    known = {id(v) for v in self._trainable_weights}
    self._trainable_weights += [v for v in variables if id(v) not in known]

  def _f(self, index, x):
    with tf.variable_scope("revlayer_%d/f" % index):
      return self.f[index](x, self.f_side_input) if self.f_side_input else self.f[index](x)

  def _g(self, index, x):
    with tf.variable_scope("revlayer_%d/g" % index):
      return self.g[index](x, self.g_side_input) if self.g_side_input else self.g[index](x)

  def _layer(self, index, x1, x2):
    y1 = x1 + self._f(index, x2)
    return y1, x2 + self._g(index, y1)

  def _with_recomputed_gradient(self, scope, x1, x2, y1, y2):
    sides = self.f_side_input + self.g_side_input
    variables = recomputing.variables_of(scope)

    def gradient(outputs, grad1, grad2):
      y1, y2 = outputs
      grads = [tf.zeros_like(y) if g is None else g for y, g in zip(outputs, (grad1, grad2))]
      others = [None] * (len(sides) + len(variables))
      with tf.variable_scope(scope, reuse=True):
        for index in reversed(range(self.num_layers)):
          y1, y2, grads, others = self._step_back(index, y1, y2, grads, sides + variables, others)
      return grads + others

    inputs = [x1, x2] + list(sides) + recomputing.values_of(variables)
    return recomputing.with_gradient([y1, y2], inputs, gradient)

  def _step_back(self, index, y1, y2, grads, inputs, totals):
    """Returns (x1, x2, gradients to them, totals of the gradients to `inputs`) of a layer."""
    grad1, grad2 = grads
    with ops.control_dependencies([grad1, grad2]):
      y1 = tf.stop_gradient(y1)
    of_g = self._g(index, y1)
    x2 = tf.stop_gradient(y2 - of_g)
    found = tf.gradients(of_g, [y1] + inputs, grad2)
    grad1 = _sum(grad1, found[0])
    totals = [_sum(total, one) for total, one in zip(totals, found[1:])]
    of_f = self._f(index, x2)
    x1 = y1 - of_f
    found = tf.gradients(of_f, [x2] + inputs, grad1)
    grad2 = _sum(grad2, found[0])
    totals = [_sum(total, one) for total, one in zip(totals, found[1:])]
    return x1, x2, [grad1, grad2], totals


def _sum(one, two):
  if one is None or two is None:
    return two if one is None else one
  return tf.convert_to_tensor(one) + tf.convert_to_tensor(two)


def rev_block(x1, x2, f, g, num_layers=1, f_side_input=None, g_side_input=None, is_training=True):
  """Returns (y1, y2) of reversible layers: see RevBlock. Gradients are recomputed if `is_training`."""
  block = RevBlock(
    f=f,
    g=g,
    num_layers=num_layers,
    f_side_input=f_side_input,
    g_side_input=g_side_input,
    use_efficient_backprop=is_training,
    _reuse=tf.get_variable_scope().reuse,
  )
  return block.forward(x1, x2)
