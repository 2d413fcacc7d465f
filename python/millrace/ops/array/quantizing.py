"""Tensors of few bits: quantize, dequantize, and joined."""

from millrace import gen


def quantize(input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None):
  """Returns floats as the quantized type `T`, with the smallest and the largest value that they stand for."""
  return gen.quantize_v2(input, min_range, max_range, T=T, mode=mode, round_mode=round_mode, name=name)


def quantize_v2(input, min_range, max_range, T, mode="MIN_COMBINED", name=None, round_mode="HALF_AWAY_FROM_ZERO"):
  """The older order of the arguments of `quantize`."""
  return gen.quantize_v2(input, min_range, max_range, T=T, mode=mode, round_mode=round_mode, name=name)


def dequantize(input, min_range, max_range, mode="MIN_COMBINED", name=None):
  """Returns quantized values as floats between the two ranges."""
  return gen.dequantize(input, min_range, max_range, mode=mode, name=name)


def quantized_concat(concat_dim, values, input_mins, input_maxes, name=None):
  """Returns quantized tensors joined along a dimension, with the smallest and the largest value that they stand for."""
  return gen.quantized_concat(concat_dim, values, input_mins, input_maxes, name=name)


def quantize_and_dequantize(
  input,
  input_min,
  input_max,
  signed_input=True,
  num_bits=8,
  range_given=False,
  round_mode="HALF_TO_EVEN",
  name=None,
  narrow_range=False,
):
  """Returns floats as they are after quantizing to `num_bits` and back."""
  return gen.quantize_and_dequantize_v2(
    input,
    input_min,
    input_max,
    signed_input=signed_input,
    num_bits=num_bits,
    range_given=range_given,
    round_mode=round_mode,
    narrow_range=narrow_range,
    name=name,
  )
