"""Schedules of learning rates: tensors of the rate at a global step."""

import math

import millrace as tf
from millrace.framework import convert, dtypes


def _fraction(global_step, decay_steps, staircase):
  """global_step / decay_steps, whole if `staircase`."""
  p = global_step / decay_steps
  return tf.floor(p) if staircase else p


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
  """learning_rate * decay_rate ^ (global_step / decay_steps). Raises ValueError if `global_step` is None."""
  if global_step is None:
    raise ValueError("global_step is required for exponential_decay.")
  with tf.name_scope(name or "ExponentialDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    decay_steps = tf.cast(decay_steps, dtype)
    decay_rate = tf.cast(decay_rate, dtype)
    p = _fraction(tf.cast(global_step, dtype), decay_steps, staircase)
    return tf.multiply(learning_rate, tf.pow(decay_rate, p), name=scope)


def piecewise_constant(x, boundaries, values, name=None):
  """values[i] where x is above boundaries[i-1] and not above boundaries[i].

  `x` and the boundaries are scalars of one integer or float type, but int64 takes int32 boundaries. Raises ValueError
  for types or numbers that do not fit.
  """
  boundaries = [convert.convert_to_tensor(b) for b in boundaries]
  values = [convert.convert_to_tensor(v) for v in values]
  # For its type; the tensor that is compared belongs to the name scope.
  x_type = convert.convert_to_tensor(x).dtype.base_dtype
  if len(boundaries) != len(values) - 1:
    raise ValueError("The length of boundaries should be 1 less than the length of values")
  for i, boundary in enumerate(boundaries):
    if boundary.dtype.base_dtype != x_type:
      if boundary.dtype.base_dtype == dtypes.int32 and x_type == dtypes.int64:
        boundaries[i] = tf.cast(boundary, x_type)
      else:
        raise ValueError(f"Boundaries ({boundary.dtype.base_dtype}) must have the same dtype as x ({x_type}).")
  for v in values[1:]:
    if v.dtype.base_dtype != values[0].dtype.base_dtype:
      raise ValueError(
        f"Values must have elements all with the same dtype ({values[0].dtype.base_dtype} vs {v.dtype.base_dtype})."
      )
  with tf.name_scope(name or "PiecewiseConstant"):
    x = convert.convert_to_tensor(x)
    cases = [(x <= boundaries[0], lambda: values[0]), (x > boundaries[-1], lambda: values[-1])]
    for low, high, v in zip(boundaries[:-1], boundaries[1:], values[1:-1]):
      inside = (x > low) & (x <= high)
      cases.append((inside, lambda v=v: v))
    return tf.case(cases, lambda: values[0], exclusive=True)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
  """From `learning_rate` to `end_learning_rate` in `decay_steps`, by a power; with `cycle` the steps start anew each time."""
  if global_step is None:
    raise ValueError("global_step is required for polynomial_decay.")
  with tf.name_scope(name or "PolynomialDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    end_learning_rate = tf.cast(end_learning_rate, dtype)
    power = tf.cast(power, dtype)
    step = tf.cast(global_step, dtype)
    steps = tf.cast(decay_steps, dtype)
    if cycle:
      # The number of the cycle; step 0 is in the first one.
      one = tf.where_v2(tf.equal(step, 0), 1.0, tf.ceil(step / decay_steps))
      steps = tf.multiply(steps, one)
    else:
      step = tf.minimum(step, steps)
    p = tf.divide(step, steps)
    return tf.add(tf.multiply(learning_rate - end_learning_rate, tf.pow(1 - p, power)), end_learning_rate, name=scope)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
  """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
  natural_exp_rate = tf.exp(tf.negative(decay_rate))
  return exponential_decay(learning_rate, global_step, decay_steps, natural_exp_rate, staircase=staircase, name=name)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
  """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
  if global_step is None:
    raise ValueError("global_step is required for inverse_time_decay.")
  with tf.name_scope(name or "InverseTimeDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    decay_steps = tf.cast(decay_steps, dtype)
    decay_rate = tf.cast(decay_rate, dtype)
    p = _fraction(tf.cast(global_step, dtype), decay_steps, staircase)
    const = tf.cast(tf.constant(1), dtype)
    return tf.divide(learning_rate, tf.add(const, tf.multiply(decay_rate, p)), name=scope)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
  """From `learning_rate` to its part `alpha` in `decay_steps`, by half a wave of the cosine."""
  if global_step is None:
    raise ValueError("cosine decay requires global_step")
  with tf.name_scope(name or "CosineDecay"):
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    decay_steps = tf.cast(decay_steps, dtype)
    step = tf.minimum(tf.cast(global_step, dtype), decay_steps)
    completed = step / decay_steps
    cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi, dtype=dtype) * completed))
    return tf.multiply(learning_rate, (1 - alpha) * cosine + alpha)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
  """Cosine decay that starts anew: each period is `t_mul` times as long and `m_mul` times as high as the one before."""
  if global_step is None:
    raise ValueError("cosine decay restarts requires global_step")
  with tf.name_scope(name or "SGDRDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    first_decay_steps = tf.cast(first_decay_steps, dtype)
    alpha = tf.cast(alpha, dtype)
    t_mul = tf.cast(t_mul, dtype)
    m_mul = tf.cast(m_mul, dtype)
    completed = tf.cast(global_step, dtype) / first_decay_steps

    def same_length():
      restart = tf.floor(completed)
      return restart, completed - restart

    def growing_length():
      restart = tf.floor(tf.log(1.0 - completed * (1.0 - t_mul)) / tf.log(t_mul))
      before = (1.0 - t_mul**restart) / (1.0 - t_mul)
      return restart, (completed - before) / t_mul**restart

    restart, fraction = tf.cond(tf.equal(t_mul, 1.0), same_length, growing_length)
    m_fac = m_mul**restart
    cosine = 0.5 * m_fac * (1.0 + tf.cos(tf.constant(math.pi, dtype=dtype) * fraction))
    return tf.multiply(learning_rate, (1 - alpha) * cosine + alpha, name=scope)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
  """A line that falls to zero, times `num_periods` waves of the cosine; `alpha` is added to the one, `beta` to both."""
  if global_step is None:
    raise ValueError("linear cosine decay requires global_step")
  with tf.name_scope(name or "LinearCosineDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    decay_steps = tf.cast(decay_steps, dtype)
    num_periods = tf.cast(num_periods, dtype)
    alpha = tf.cast(alpha, dtype)
    beta = tf.cast(beta, dtype)
    step = tf.minimum(tf.cast(global_step, dtype), decay_steps)
    linear = (decay_steps - step) / decay_steps
    completed = step / decay_steps
    fraction = 2.0 * num_periods * completed
    cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi, dtype=dtype) * fraction))
    return tf.multiply(learning_rate, (alpha + linear) * cosine + beta, name=scope)


def noisy_linear_cosine_decay(
  learning_rate,
  global_step,
  decay_steps,
  initial_variance=1.0,
  variance_decay=0.55,
  num_periods=0.5,
  alpha=0.0,
  beta=0.001,
  name=None,
):
  """`linear_cosine_decay` with noise on the line, whose variance is initial_variance / (1 + step) ^ variance_decay."""
  if global_step is None:
    raise ValueError("noisy linear cosine decay requires global_step")
  with tf.name_scope(name or "NoisyLinearCosineDecay") as scope:
    learning_rate = convert.convert_to_tensor(learning_rate, name="initial_learning_rate")
    dtype = learning_rate.dtype
    decay_steps = tf.cast(decay_steps, dtype)
    initial_variance = tf.cast(initial_variance, dtype)
    variance_decay = tf.cast(variance_decay, dtype)
    num_periods = tf.cast(num_periods, dtype)
    alpha = tf.cast(alpha, dtype)
    beta = tf.cast(beta, dtype)
    step = tf.minimum(tf.cast(global_step, dtype), decay_steps)
    linear = (decay_steps - step) / decay_steps
    std = tf.sqrt(initial_variance / (tf.pow(1.0 + step, variance_decay)))
    noisy = linear + tf.random_normal(linear.shape, stddev=std)
    completed = step / decay_steps
    fraction = 2.0 * num_periods * completed
    cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi, dtype=dtype) * fraction))
    return tf.multiply(learning_rate, (alpha + noisy) * cosine + beta, name=scope)
