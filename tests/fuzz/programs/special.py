"""Special functions, and numbers of few bits, of values for which rounding decides nothing."""

import program as p
from computing import EVERYWHERE, compute, floats, numbers, tame
from generate import statement


@statement(1, *EVERYWHERE)
def special(g, scope):
  x = floats(g, scope)
  some, large = tame("{0}"), f"({tame('{0}')} + 3)"
  text = g.choose(
    [f"tf.math.bessel_i0e({some})", f"tf.math.bessel_i1e({some})"] * 2
    + [
      f"tf.math.erf({some})",
      f"tf.math.lgamma({large})",
      f"tf.math.digamma({large})",
      f"tf.math.igamma({large}, tf.ones_like({{0}}))",
      f"tf.math.zeta({large}, tf.ones_like({{0}}))",
      f"tf.math.polygamma(tf.ones_like({{0}}), {large})",
      f"tf.math.xlogy({some}, {large})",
      f"tf.math.atan2({some}, {large})",
      f"tf.math.asinh({some})",
      f"tf.math.log1p({large})",
      f"tf.math.expm1({some})",
    ]
  )
  compute(g, scope, text, [x], x.dtype, x.shape)
  return True


@statement(1, *EVERYWHERE)
def few_bits(g, scope):
  """Eighths, none of which lies in the middle of two steps."""
  x = floats(g, scope, dtypes=("float32",))
  eighths = f"(tf.round({tame('{0}')} * 7.3) / 8.0)"
  bits = g.choose([5, 8])
  given = f"input={eighths}, input_min=-2.2, input_max=2.2, range_given=True"
  text = g.choose(
    [
      f"tf.raw_ops.QuantizeAndDequantizeV2({given}, num_bits={bits})",
      # Stock's version 3 refuses scalars.
      f"tf.raw_ops.QuantizeAndDequantizeV{3 if x.shape else 2}({given}, num_bits={bits})",
      f"tf.raw_ops.QuantizeAndDequantizeV2({given}, num_bits={bits}, narrow_range=True)",
      f"tf.quantization.fake_quant_with_min_max_args({eighths}, -2.0, 2.2, 8)",
      f"tf.quantization.fake_quant_with_min_max_vars({eighths}, -2.0, 2.2, 8)",
    ]
  )
  compute(g, scope, text, [x], x.dtype, x.shape)
  return True


@statement(1, *EVERYWHERE)
def bits(g, scope):
  x = numbers(g, scope, ("int32", "int64", "uint8", "int16"), literals=0.05)
  if x.shape is None:
    return False
  y = g.pick(scope, x.dtype, x.shape)
  text = g.choose(
    [
      "tf.bitwise.bitwise_and({0}, {1})",
      "tf.bitwise.bitwise_xor({0}, {1})",
      "tf.bitwise.invert({0})",
      "tf.math.floormod({0}, {2})",
    ]
  )
  compute(g, scope, text, [x, y, p.Literal(x.dtype, (), 7)], x.dtype, x.shape)
  return True
