"""Optimizers outside of the graph, such as SciPy's: they ask for the loss and its gradient at points that they choose."""

import numpy as np

import millrace as tf
from millrace.train.optimizers.optimizer import is_resource_variable


class ExternalOptimizerInterface:
  """Base class: variables as one vector, the loss and constraints as functions of it, and the result written back.

  `equalities` are scalar tensors that shall be zero, `inequalities` such that shall not be negative. `var_to_bounds` maps variables
  to pairs (low, high) of numbers or arrays that broadcast to the variable, None or infinity where there is no bound. `var_list`
  defaults to the trainable variables. A subclass implements `_minimize`, which gets `optimizer_kwargs`.
  """

  def __init__(self, loss, var_list=None, equalities=None, inequalities=None, var_to_bounds=None, **optimizer_kwargs):
    self._loss = loss
    self._equalities = equalities or []
    self._inequalities = inequalities or []
    self._vars = tf.trainable_variables() if var_list is None else list(var_list)
    self._bounds = None if var_to_bounds is None else self._packed_bounds(var_to_bounds)
    self._update_placeholders = [tf.placeholder(var.dtype.base_dtype, var.get_shape()) for var in self._vars]
    self._var_updates = [tf.assign(var, value).op for var, value in zip(self._vars, self._update_placeholders)]
    self._packed_var = self._pack(self._vars)
    self._packed_loss_grad = self._packed_gradient(loss)
    self._packed_equality_grads = [self._packed_gradient(equality) for equality in self._equalities]
    self._packed_inequality_grads = [self._packed_gradient(inequality) for inequality in self._inequalities]
    sizes = [int(np.prod(var.get_shape().as_list(), dtype=np.int64)) for var in self._vars]
    ends = np.cumsum(sizes)
    self._slices = [slice(end - size, end) for end, size in zip(ends, sizes)]
    # Resources are not fed: what they hold is read by ops of its own, so they are written before each evaluation.
    self._feeds_variables = not any(is_resource_variable(var) for var in self._vars)
    self.optimizer_kwargs = optimizer_kwargs

  def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None, loss_callback=None, **run_kwargs):
    """Runs the optimization by calls of `session` (or the default session), and writes the result to the variables.

    `step_callback(vector)` is called after each step, `loss_callback(*values of fetches)` each time that the loss is computed.
    `run_kwargs` are given to session.run.
    """
    session = session or tf.get_default_session()
    feed_dict = feed_dict or {}
    fetches = fetches or []
    loss_callback = loss_callback or (lambda *values: None)
    step_callback = step_callback or (lambda vector: None)

    def at(tensors, callback=None):
      """The function of a vector that evaluates `tensors`, whose values go to `callback` behind the first two."""

      def evaluate(x):
        feeds = dict(feed_dict)
        values = self._unpacked(x)
        if self._feeds_variables:
          feeds.update(zip(self._vars, values))
        else:
          session.run(self._var_updates, feed_dict=dict(zip(self._update_placeholders, values)))
        found = session.run(tensors, feed_dict=feeds, **run_kwargs)
        if callback is not None:
          callback(*found[2:])
        return found

      return evaluate

    loss_and_more = at([self._loss, self._packed_loss_grad, *fetches], loss_callback)
    result = self._minimize(
      initial_val=session.run(self._packed_var),
      loss_grad_func=lambda x: tuple(loss_and_more(x)[:2]),
      equality_funcs=[at(tensor) for tensor in self._equalities],
      equality_grad_funcs=[at(tensor) for tensor in self._packed_equality_grads],
      inequality_funcs=[at(tensor) for tensor in self._inequalities],
      inequality_grad_funcs=[at(tensor) for tensor in self._packed_inequality_grads],
      packed_bounds=self._bounds,
      step_callback=step_callback,
      optimizer_kwargs=self.optimizer_kwargs,
    )
    values = self._unpacked(result)
    session.run(self._var_updates, feed_dict=dict(zip(self._update_placeholders, values)), **run_kwargs)

  def _minimize(
    self,
    initial_val,
    loss_grad_func,
    equality_funcs,
    equality_grad_funcs,
    inequality_funcs,
    inequality_grad_funcs,
    packed_bounds,
    step_callback,
    optimizer_kwargs,
  ):
    """The vector where the optimization ends. `loss_grad_func(vector)` is the pair (loss, gradient), the other functions are of
    one tensor each; `packed_bounds` is a list of pairs, an element of the vector each, or None."""
    raise NotImplementedError("To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method.")

  def _packed_bounds(self, var_to_bounds):
    pairs = []
    for var in self._vars:
      low, high = var_to_bounds.get(var, (None, None))
      shape = var.get_shape().as_list()
      low = np.broadcast_to(-np.inf if low is None else low, shape).ravel()
      high = np.broadcast_to(np.inf if high is None else high, shape).ravel()
      pairs.extend(zip(low.tolist(), high.tolist()))
    return pairs

  @staticmethod
  def _pack(tensors):
    """All elements as one vector."""
    if not tensors:
      return None
    return tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], axis=0)

  def _packed_gradient(self, tensor):
    gradients = tf.gradients(tensor, self._vars)
    return self._pack([tf.zeros_like(var) if g is None else g for g, var in zip(gradients, self._vars)])

  def _unpacked(self, vector):
    """The values of the variables in a vector."""
    vector = np.asarray(vector)
    return [
      vector[where].reshape(var.get_shape().as_list()).astype(var.dtype.base_dtype.as_numpy_dtype)
      for var, where in zip(self._vars, self._slices)
    ]


class ScipyOptimizerInterface(ExternalOptimizerInterface):
  """Minimizes by scipy.optimize.minimize, which has to be installed; `method` is its method, L-BFGS-B by default.

  Other `optimizer_kwargs` are given to it, such as `options`. Raises ValueError for those that this class sets itself, bounds among
  them, for which there is `var_to_bounds`.
  """

  _DEFAULT_METHOD = "L-BFGS-B"

  def _minimize(
    self,
    initial_val,
    loss_grad_func,
    equality_funcs,
    equality_grad_funcs,
    inequality_funcs,
    inequality_grad_funcs,
    packed_bounds,
    step_callback,
    optimizer_kwargs,
  ):
    import scipy.optimize

    def loss_and_gradient(x):
      loss, gradient = loss_grad_func(x)
      return float(loss), gradient.astype("float64")

    constraints = [
      {"type": kind, "fun": _in_doubles(function), "jac": _in_doubles(gradient)}
      for kind, functions, gradients in (
        ("eq", equality_funcs, equality_grad_funcs),
        ("ineq", inequality_funcs, inequality_grad_funcs),
      )
      for function, gradient in zip(functions, gradients)
    ]
    arguments = {"jac": True, "callback": step_callback, "constraints": constraints, "bounds": packed_bounds}
    more = dict(optimizer_kwargs)
    arguments["method"] = more.pop("method", self._DEFAULT_METHOD)
    for name in more:
      if name == "bounds":
        raise ValueError("Bounds must be set using the var_to_bounds argument")
      if name in arguments:
        raise ValueError(f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually")
    arguments.update(more)
    result = scipy.optimize.minimize(loss_and_gradient, initial_val.astype("float64"), **arguments)
    tf.logging.info(
      "Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n  Number of iterations: %s\n"
      "  Number of functions evaluations: %d",
      result.message,
      result.fun,
      getattr(result, "nit", "not said"),
      result.nfev,
    )
    return result["x"]


def _in_doubles(function):
  """The function with its value in doubles, which methods of SciPy ask for."""
  return lambda x: np.asarray(function(x), dtype=np.float64)
