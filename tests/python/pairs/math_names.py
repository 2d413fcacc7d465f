"""Every function of elements by each of its names, with all of its arguments, one call a line."""

import numpy as np

_X = np.array([0.1, 0.4, 0.9], dtype=np.float32)
_Y = np.array([2.0, 0.5, -1.0], dtype=np.float32)


def _run(tf, tensors):
  with tf.Session() as session:
    return session.run(tensors)


def program_elements(tf):
  results = [
    tf.abs(x=_X, name="n"),
    tf.acos(x=_X, name="n"),
    tf.asin(x=_X, name="n"),
    tf.asinh(x=_X, name="n"),
    tf.atan(x=_X, name="n"),
    tf.atanh(x=_X, name="n"),
    tf.ceil(x=_X, name="n"),
    tf.cos(x=_X, name="n"),
    tf.cosh(x=_X, name="n"),
    tf.digamma(x=_X, name="n"),
    tf.erf(x=_X, name="n"),
    tf.erfc(x=_X, name="n"),
    tf.exp(x=_X, name="n"),
    tf.expm1(x=_X, name="n"),
    tf.floor(x=_X, name="n"),
    tf.is_finite(x=_X, name="n"),
    tf.is_inf(x=_X, name="n"),
    tf.is_nan(x=_X, name="n"),
    tf.lgamma(x=_X, name="n"),
    tf.log(x=_X, name="n"),
    tf.log1p(x=_X, name="n"),
    tf.log_sigmoid(x=_X, name="n"),
    tf.negative(x=_X, name="n"),
    tf.reciprocal(x=_X, name="n"),
    tf.rint(x=_X, name="n"),
    tf.round(x=_X, name="n"),
    tf.rsqrt(x=_X, name="n"),
    tf.sigmoid(x=_X, name="n"),
    tf.sign(x=_X, name="n"),
    tf.sin(x=_X, name="n"),
    tf.sinh(x=_X, name="n"),
    tf.sqrt(x=_X, name="n"),
    tf.square(x=_X, name="n"),
    tf.tan(x=_X, name="n"),
    tf.tanh(x=_X, name="n"),
    tf.conj(x=_X, name="n"),
    tf.angle(input=_X, name="n"),
    tf.real(input=_X, name="n"),
    tf.imag(input=_X, name="n"),
  ]
  return _run(tf, results)


program_elements.rtol = 1e-5
program_elements.atol = 1e-6


def program_elements_in_math(tf):
  results = [
    tf.math.abs(x=_X, name="n"),
    tf.math.acos(x=_X, name="n"),
    tf.math.asin(x=_X, name="n"),
    tf.math.asinh(x=_X, name="n"),
    tf.math.atan(x=_X, name="n"),
    tf.math.atanh(x=_X, name="n"),
    tf.math.ceil(x=_X, name="n"),
    tf.math.cos(x=_X, name="n"),
    tf.math.cosh(x=_X, name="n"),
    tf.math.digamma(x=_X, name="n"),
    tf.math.erf(x=_X, name="n"),
    tf.math.erfc(x=_X, name="n"),
    tf.math.exp(x=_X, name="n"),
    tf.math.expm1(x=_X, name="n"),
    tf.math.floor(x=_X, name="n"),
    tf.math.is_finite(x=_X, name="n"),
    tf.math.is_inf(x=_X, name="n"),
    tf.math.is_nan(x=_X, name="n"),
    tf.math.lgamma(x=_X, name="n"),
    tf.math.log(x=_X, name="n"),
    tf.math.log1p(x=_X, name="n"),
    tf.math.log_sigmoid(x=_X, name="n"),
    tf.math.negative(x=_X, name="n"),
    tf.math.reciprocal(x=_X, name="n"),
    tf.math.rint(x=_X, name="n"),
    tf.math.round(x=_X, name="n"),
    tf.math.rsqrt(x=_X, name="n"),
    tf.math.sigmoid(x=_X, name="n"),
    tf.math.sign(x=_X, name="n"),
    tf.math.sin(x=_X, name="n"),
    tf.math.sinh(x=_X, name="n"),
    tf.math.sqrt(x=_X, name="n"),
    tf.math.square(x=_X, name="n"),
    tf.math.tan(x=_X, name="n"),
    tf.math.tanh(x=_X, name="n"),
    tf.math.conj(x=_X, name="n"),
    tf.math.angle(input=_X, name="n"),
    tf.math.real(input=_X, name="n"),
    tf.math.imag(input=_X, name="n"),
  ]
  return _run(tf, results)


program_elements_in_math.rtol = 1e-5
program_elements_in_math.atol = 1e-6


def program_elements_of_large_numbers(tf):
  results = [
    tf.acosh(x=_X + 1, name="n"),
    tf.math.acosh(x=_X + 1, name="n"),
    tf.nn.sigmoid(x=_X, name="n"),
    tf.nn.tanh(x=_X, name="n"),
    tf.math.bessel_i0e(x=_X, name="n"),
    tf.math.bessel_i1e(x=_X, name="n"),
    tf.math.reciprocal_no_nan(x=_X, name="n"),
    tf.logical_not(x=_X > 0.5, name="n"),
    tf.math.logical_not(x=_X > 0.5, name="n"),
    tf.bitwise.invert(x=np.array([1, 5]), name="n"),
    tf.lbeta(x=_X, name="n"),
    tf.math.lbeta(x=_X, name="n"),
  ]
  return _run(tf, results)


program_elements_of_large_numbers.rtol = 1e-5
program_elements_of_large_numbers.atol = 1e-6


def program_pairs_of_elements(tf):
  results = [
    tf.add(x=_X, y=_Y, name="n"),
    tf.subtract(x=_X, y=_Y, name="n"),
    tf.multiply(x=_X, y=_Y, name="n"),
    tf.maximum(x=_X, y=_Y, name="n"),
    tf.minimum(x=_X, y=_Y, name="n"),
    tf.squared_difference(x=_X, y=_Y, name="n"),
    tf.div(x=_X, y=_Y, name="n"),
    tf.divide(x=_X, y=_Y, name="n"),
    tf.truediv(x=_X, y=_Y, name="n"),
    tf.realdiv(x=_X, y=_Y, name="n"),
    tf.floordiv(x=_X, y=_Y, name="n"),
    tf.floor_div(x=_X, y=_Y, name="n"),
    tf.mod(x=_X, y=_Y, name="n"),
    tf.floormod(x=_X, y=_Y, name="n"),
    tf.equal(x=_X, y=_Y, name="n"),
    tf.not_equal(x=_X, y=_Y, name="n"),
    tf.less(x=_X, y=_Y, name="n"),
    tf.less_equal(x=_X, y=_Y, name="n"),
    tf.greater(x=_X, y=_Y, name="n"),
    tf.greater_equal(x=_X, y=_Y, name="n"),
    tf.div_no_nan(x=_X, y=_Y, name="n"),
    tf.pow(x=_X, y=_Y, name="n"),
    tf.truncatediv(x=np.array([7, -7]), y=np.array([2, 2]), name="n"),
    tf.truncatemod(x=np.array([7, -7]), y=np.array([2, 2]), name="n"),
    tf.atan2(y=_Y, x=_X, name="n"),
  ]
  return _run(tf, results)


program_pairs_of_elements.rtol = 1e-5


def program_pairs_of_elements_in_math(tf):
  results = [
    tf.math.add(x=_X, y=np.abs(_Y), name="n"),
    tf.math.subtract(x=_X, y=np.abs(_Y), name="n"),
    tf.math.multiply(x=_X, y=np.abs(_Y), name="n"),
    tf.math.maximum(x=_X, y=np.abs(_Y), name="n"),
    tf.math.minimum(x=_X, y=np.abs(_Y), name="n"),
    tf.math.squared_difference(x=_X, y=np.abs(_Y), name="n"),
    tf.math.divide(x=_X, y=np.abs(_Y), name="n"),
    tf.math.truediv(x=_X, y=np.abs(_Y), name="n"),
    tf.math.floordiv(x=_X, y=np.abs(_Y), name="n"),
    tf.math.mod(x=_X, y=np.abs(_Y), name="n"),
    tf.math.floormod(x=_X, y=np.abs(_Y), name="n"),
    tf.math.equal(x=_X, y=np.abs(_Y), name="n"),
    tf.math.not_equal(x=_X, y=np.abs(_Y), name="n"),
    tf.math.less(x=_X, y=np.abs(_Y), name="n"),
    tf.math.less_equal(x=_X, y=np.abs(_Y), name="n"),
    tf.math.greater(x=_X, y=np.abs(_Y), name="n"),
    tf.math.greater_equal(x=_X, y=np.abs(_Y), name="n"),
    tf.math.pow(x=_X, y=np.abs(_Y), name="n"),
    tf.math.divide_no_nan(x=_X, y=np.abs(_Y), name="n"),
    tf.math.multiply_no_nan(x=_X, y=np.abs(_Y), name="n"),
    tf.math.xlogy(x=_X, y=np.abs(_Y), name="n"),
    tf.math.xdivy(x=_X, y=np.abs(_Y), name="n"),
    tf.math.atan2(y=_Y, x=_X, name="n"),
    tf.math.nextafter(x1=_X, x2=_Y, name="n"),
  ]
  return _run(tf, results)


program_pairs_of_elements_in_math.rtol = 1e-5


def program_logic(tf):
  results = [
    tf.logical_and(x=_X > 0.3, y=_Y > 0, name="n"),
    tf.logical_or(x=_X > 0.3, y=_Y > 0, name="n"),
    tf.logical_xor(x=_X > 0.3, y=_Y > 0, name="n"),
    tf.math.logical_and(x=_X > 0.3, y=_Y > 0, name="n"),
    tf.math.logical_or(x=_X > 0.3, y=_Y > 0, name="n"),
    tf.math.logical_xor(x=_X > 0.3, y=_Y > 0, name="n"),
  ]
  return _run(tf, results)


def program_special_functions(tf):
  results = [
    tf.igamma(a=_X + 1, x=_X, name="n"),
    tf.math.igamma(a=_X + 1, x=_X, name="n"),
    tf.igammac(a=_X + 1, x=_X, name="n"),
    tf.math.igammac(a=_X + 1, x=_X, name="n"),
    tf.zeta(x=_X + 2, q=_X + 1, name="n"),
    tf.math.zeta(x=_X + 2, q=_X + 1, name="n"),
    tf.polygamma(a=np.float32([1, 2, 3]), x=_X + 1, name="n"),
    tf.math.polygamma(a=np.float32([1, 2, 3]), x=_X + 1, name="n"),
    tf.betainc(a=_X + 1, b=_X + 2, x=_X, name="n"),
    tf.math.betainc(a=_X + 1, b=_X + 2, x=_X, name="n"),
    tf.complex(real=_X, imag=_Y, name="n"),
    tf.scalar_mul(scalar=2.0, x=tf.constant(_X), name="n"),
    tf.math.scalar_mul(scalar=2.0, x=tf.constant(_X), name="n"),
    tf.math.polyval(coeffs=[1.0, 2.0], x=_X, name="n"),
  ]
  return _run(tf, results)


program_special_functions.rtol = 1e-4


def program_reductions(tf):
  m = tf.constant([[1.0, 2.0, 0.5], [0.25, 3.0, 1.5]])
  results = [
    tf.reduce_sum(m, axis=1, keepdims=True, name="n"),
    tf.reduce_sum(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_mean(m, axis=1, keepdims=True, name="n"),
    tf.reduce_mean(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_prod(m, axis=1, keepdims=True, name="n"),
    tf.reduce_prod(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_max(m, axis=1, keepdims=True, name="n"),
    tf.reduce_max(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_min(m, axis=1, keepdims=True, name="n"),
    tf.reduce_min(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_logsumexp(m, axis=1, keepdims=True, name="n"),
    tf.reduce_logsumexp(m, reduction_indices=[0], keep_dims=True),
    tf.reduce_all(m > 1, axis=1, keepdims=True, name="n"),
    tf.reduce_all(m > 1, reduction_indices=[0], keep_dims=True),
    tf.reduce_any(m > 1, axis=1, keepdims=True, name="n"),
    tf.reduce_any(m > 1, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_sum(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_sum(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_mean(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_mean(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_prod(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_prod(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_max(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_max(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_min(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_min(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_logsumexp(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_logsumexp(m, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_all(m > 1, axis=1, keepdims=True, name="n"),
    tf.math.reduce_all(m > 1, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_any(m > 1, axis=1, keepdims=True, name="n"),
    tf.math.reduce_any(m > 1, reduction_indices=[0], keep_dims=True),
    tf.math.reduce_euclidean_norm(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_std(m, axis=1, keepdims=True, name="n"),
    tf.math.reduce_variance(m, axis=1, keepdims=True, name="n"),
  ]
  return _run(tf, results)


program_reductions.rtol = 1e-5
