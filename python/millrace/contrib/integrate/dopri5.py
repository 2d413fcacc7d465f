"""One step of the method of Dormand and Prince (1980), of order 5 with an estimate of its error of order 4.

What is between the ends of a step follows from its stages to order 4 (Hairer, Norsett and Wanner, "Solving ordinary differential
equations I", II.6).
"""

import millrace as tf

_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
  (1 / 5,),
  (3 / 40, 9 / 40),
  (44 / 45, -56 / 15, 32 / 9),
  (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
  (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
  (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERRORS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_BETWEEN = (
  -12715105075 / 11282082432,
  0.0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
)

EVALUATIONS = 6  # of the function, a step


def _weighted(step, weights, slopes):
  """step * the sum of weights * slopes."""
  return tf.add_n([tf.cast(step * weight, slope.dtype) * slope for weight, slope in zip(weights, slopes) if weight])


def take(function, y, slope, t, step):
  """From y at the time t, where the slope is known: (y, slope) at its end, the estimated error, and the five coefficients of what is
  between, for values()."""
  slopes = [slope]
  for share, weights in zip(_TIMES, _STAGES):
    end = y + _weighted(step, weights, slopes)
    slopes.append(function(end, t + share * step))
  growth = end - y
  h = tf.cast(step, y.dtype)
  bend = h * slopes[0] - growth
  between = (y, growth, bend, growth - h * slopes[-1] - bend, _weighted(step, _BETWEEN, slopes))
  return end, slopes[-1], _weighted(step, _ERRORS, slopes), between


def values(between, share):
  """y at `share` of a step, from 0 to 1."""
  share = tf.cast(share, between[0].dtype)
  rest = 1 - share
  return between[0] + share * (between[1] + rest * (between[2] + share * (between[3] + rest * between[4])))
