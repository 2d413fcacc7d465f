"""Quantization and back, in floating point, as networks are trained for it."""

from millrace import gen


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
  """Each element as the nearest of the 2 ** num_bits steps from `min` to `max`, which are numbers."""
  return gen.fake_quant_with_min_max_args(inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
  """The gradients where the inputs are between the limits, else 0."""
  return gen.fake_quant_with_min_max_args_gradient(
    gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
  )


fake_quant_with_min_max_vars = gen.fake_quant_with_min_max_vars
fake_quant_with_min_max_vars_gradient = gen.fake_quant_with_min_max_vars_gradient
fake_quant_with_min_max_vars_per_channel = gen.fake_quant_with_min_max_vars_per_channel
fake_quant_with_min_max_vars_per_channel_gradient = gen.fake_quant_with_min_max_vars_per_channel_gradient
