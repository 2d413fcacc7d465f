"""Integration with steps as large as the wanted precision allows."""

import collections

import millrace as tf
from millrace.contrib.integrate import dopri5
from millrace.contrib.integrate.arguments import checked_values
from millrace.framework.graph import name_scope

# Where the integration is: y and slope at `t`, the next step, and the last one, from `start` to t, as its coefficients; the step's
# number within those of an output, and what is told of all steps.
_State = collections.namedtuple("_State", ["y", "slope", "start", "t", "step", "between", "evaluations", "points", "ratios"])
_OPTIONS = ("first_step", "safety", "ifactor", "dfactor", "max_num_steps")


def odeint(func, y0, t, rtol=1e-6, atol=1e-12, method=None, options=None, full_output=False, name=None):
  """The solution of dy/dt = func(y, t) with y = y0 at t[0], at all times of the vector `t`: of the shape [len(t)] + y0's.

  Steps are those of Dormand and Prince ("dopri5", the only `method`), so that the estimated error of each is below
  atol + rtol |y|. `options` may have "first_step", "safety" (0.9), "ifactor" and "dfactor" (10 and 0.2: how much larger and smaller
  the next step may be), and "max_num_steps" (1000, between two times). With `full_output` the result is (y, dictionary of the number
  of evaluations, the ends of all steps that were tried, and the ratios of their errors to what is allowed).

  Raises:
    ValueError: for another method or unknown options.
    InvalidArgumentError: when it runs, for times that do not increase, and if more or smaller steps were needed than there may be.
  """
  if method is not None and method != "dopri5":
    raise ValueError(f"invalid method: {method!r}")
  options = {} if options is None else options
  if method is None and options:
    raise ValueError("cannot supply `options` without specifying `method`")
  unknown = sorted(set(options) - set(_OPTIONS))
  if unknown:
    raise TypeError(f"odeint() got unexpected options {unknown}; it has {list(_OPTIONS)}")
  with name_scope(name, "odeint", [y0, t, rtol, atol]):
    y0, t = checked_values(y0, t)
    real = y0.dtype.real_dtype
    rtol, atol = tf.convert_to_tensor(rtol, dtype=real, name="rtol"), tf.convert_to_tensor(atol, dtype=real, name="atol")
    return _integrated(func, y0, t, rtol, atol, options, full_output)


def _integrated(func, y0, t, rtol, atol, options, full_output):
  safety, larger, smaller = (options.get(*pair) for pair in (("safety", 0.9), ("ifactor", 10.0), ("dfactor", 0.2)))
  most = tf.convert_to_tensor(options.get("max_num_steps", 1000), dtype=tf.int32)
  first = options.get("first_step")
  count = tf.shape(t)[0]
  if first is None:
    first = tf.cond(count > 1, lambda: t[1] - t[0], lambda: tf.ones([], t.dtype))
  else:
    first = tf.cast(first, t.dtype)

  def function(y, at):
    return tf.convert_to_tensor(func(y, at), dtype=y0.dtype)

  def attempt(state, number):
    step = state.step
    checks = [
      tf.Assert(number < most, ["max_num_steps exceeded"]),
      tf.Assert(state.t + step > state.t, ["underflow in dt", step]),
      tf.Assert(tf.reduce_all(tf.is_finite(tf.abs(state.y))), ["non-finite values in state `y`", state.y]),
    ]
    with tf.control_dependencies(checks):
      step = tf.identity(step)
    y, slope, error, between = dopri5.take(function, state.y, state.slope, state.t, step)
    allowed = atol + rtol * tf.maximum(tf.abs(state.y), tf.abs(y))
    ratio = tf.sqrt(tf.reduce_mean(tf.square(tf.abs(error) / allowed)))
    is_taken = ratio <= 1.0
    # A step without an error grows as much as it may.
    factor = tf.where(ratio > 0.0, safety * tf.maximum(ratio, 1e-30) ** -0.2, tf.constant(larger, dtype=ratio.dtype))
    lowest = tf.where(is_taken, tf.ones_like(ratio), tf.constant(smaller, dtype=ratio.dtype))
    factor = tf.clip_by_value(factor, lowest, larger)
    place = state.points.size() if full_output else 0
    return (
      _State(
        y=_chosen(is_taken, y, state.y),
        slope=_chosen(is_taken, slope, state.slope),
        start=_chosen(is_taken, state.t, state.start),
        t=_chosen(is_taken, state.t + step, state.t),
        step=step * tf.cast(factor, step.dtype),
        between=tuple(_chosen(is_taken, new, old) for new, old in zip(between, state.between)),
        evaluations=state.evaluations + dopri5.EVALUATIONS,
        points=state.points.write(place, state.t + step) if full_output else state.points,
        ratios=state.ratios.write(place, tf.cast(ratio, tf.float64)) if full_output else state.ratios,
      ),
      number + 1,
    )

  def told(dtype):
    return tf.TensorArray(dtype, size=0, dynamic_size=full_output, element_shape=[], infer_shape=False) if full_output else 0

  slope = function(y0, t[0])
  zeros = tf.zeros_like(y0)
  state = _State(y0, slope, t[0], t[0], first, (y0, zeros, zeros, zeros, zeros), tf.constant(1), told(t.dtype), told(tf.float64))
  outputs = tf.TensorArray(y0.dtype, size=count, element_shape=y0.get_shape()).write(0, y0)

  def solve(place, outputs, state):
    wanted = t[place]
    state, _ = tf.while_loop(lambda state, _: wanted > state.t, attempt, (state, tf.constant(0)))
    width = state.t - state.start
    share = tf.where(width > 0, (wanted - state.start) / width, tf.ones_like(width))
    return place + 1, outputs.write(place, dopri5.values(state.between, share)), state

  _, outputs, state = tf.while_loop(lambda place, *_: place < count, solve, (tf.constant(1), outputs, state))
  y = outputs.stack()
  y.set_shape(t.get_shape().concatenate(y0.get_shape()))
  if not full_output:
    return y
  told_of = {
    "num_func_evals": state.evaluations,
    "integrate_points": state.points.stack(),
    "error_ratio": tf.cast(state.ratios.stack(), rtol.dtype),
  }
  return y, told_of


def _chosen(is_taken, new, old):
  result = tf.cond(is_taken, lambda: tf.identity(new), lambda: tf.identity(old))
  result.set_shape(old.get_shape())
  return result
