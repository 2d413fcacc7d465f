"""Functions of one tensor, element by element: every one by its names, of the types that it takes."""

import numpy as np

_REAL = np.array([[-1.5, -0.5, 0.0], [0.25, 1.0, 2.5]], dtype=np.float32)
_POSITIVE = np.array([0.1, 0.5, 1.0, 2.0, 3.5], dtype=np.float32)
_UNIT = np.array([-0.9, -0.3, 0.0, 0.4, 0.8], dtype=np.float32)
_COMPLEX = np.array([1 + 2j, -3 + 0.5j, 0j, -1j], dtype=np.complex64)


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def _apply(tf, names, value, module=None):
  x = tf.placeholder(value.dtype, [None] * value.ndim, name="x")
  results = []
  for name in names.split():
    function = getattr(module or tf, name)
    results.append(function(x))
    results.append(function(x, name="named_" + name))
    results.append(function(value))
  return _run(tf, results, {x: value})


def program_of_real_numbers(tf):
  return _apply(tf, "abs ceil cos cosh erf erfc exp expm1 floor is_finite is_inf is_nan negative rint round sigmoid sign", _REAL)


program_of_real_numbers.rtol = 1e-5
program_of_real_numbers.atol = 1e-6


def program_more_of_real_numbers(tf):
  return _apply(tf, "sin sinh square tan tanh asinh atan log_sigmoid conj real imag angle", _REAL)


program_more_of_real_numbers.rtol = 1e-5
program_more_of_real_numbers.atol = 1e-6


def program_of_positive_numbers(tf):
  return _apply(tf, "log log1p sqrt rsqrt reciprocal lgamma digamma acosh", _POSITIVE + 1)


program_of_positive_numbers.rtol = 1e-5
program_of_positive_numbers.atol = 1e-6


def program_between_minus_one_and_one(tf):
  return _apply(tf, "acos asin atanh", _UNIT)


program_between_minus_one_and_one.rtol = 1e-5
program_between_minus_one_and_one.atol = 1e-6


def program_names_in_math(tf):
  names = (
    "abs acos acosh asin asinh atan atanh ceil conj cos cosh digamma erf erfc exp expm1 floor imag is_finite is_inf is_nan lgamma "
    "log log1p log_sigmoid negative real reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh angle"
  )
  x = tf.placeholder(tf.float64, [3], name="x")
  return [getattr(tf.math, name)(x).name for name in names.split()]


def program_of_complex_numbers(tf):
  return _apply(tf, "abs conj real imag angle negative square exp sin cos tanh sqrt sign reciprocal", _COMPLEX[:2])


program_of_complex_numbers.rtol = 1e-5
program_of_complex_numbers.atol = 1e-6


def program_of_double_complex_numbers(tf):
  return _apply(tf, "abs conj real imag angle", _COMPLEX.astype(np.complex128))


program_of_double_complex_numbers.rtol = 1e-12


def program_of_integers(tf):
  return _apply(tf, "abs negative sign square round conj real imag", np.array([-3, 0, 7], dtype=np.int32))


def program_bessel_functions_scaled(tf):
  return _apply(tf, "bessel_i0e bessel_i1e", _REAL, tf.math)


program_bessel_functions_scaled.rtol = 1e-5


def program_bessel_functions(tf):
  """Millrace has no op of their own for these: it computes them as 1.15 does."""
  return _apply(tf, "bessel_i0 bessel_i1", _REAL, tf.math)


program_bessel_functions.rtol = 1e-5
program_bessel_functions.values_only = True


def program_reciprocal_no_nan(tf):
  return _apply(tf, "reciprocal_no_nan", _REAL, tf.math)


def program_invert_and_not(tf):
  numbers = np.array([0, 5, -7], dtype=np.int32)
  flags = np.array([True, False])
  results = [
    tf.bitwise.invert(numbers),
    tf.bitwise.invert(numbers.astype(np.uint8), name="bytes"),
    tf.logical_not(flags),
    tf.math.logical_not(flags, name="named"),
  ]
  return _run(tf, results)


def program_of_sparse_tensors(tf):
  x = tf.SparseTensor([[0, 1], [2, 0]], [0.5, -0.25], [3, 2])
  names = "abs negative sign square erf tanh sin tan asin atan asinh atanh"
  results = [getattr(tf, name)(x) for name in names.split()]
  results += [tf.abs(x, name="named"), tf.sign(x, name="signs"), tf.sqrt(tf.abs(x)), tf.square(x, name="s/t")]
  return _run(tf, [[r.indices, r.values, r.dense_shape] for r in results])


program_of_sparse_tensors.rtol = 1e-5


def program_wrong_arguments(tf):
  x = tf.placeholder(tf.string, [2], name="x")
  numbers = tf.placeholder(tf.int32, [2], name="numbers")
  return [
    _raised(lambda: tf.exp(numbers)),
    _raised(lambda: tf.exp(1)),
    _raised(lambda: tf.conj(x)),
    _raised(lambda: tf.sqrt(x)),
    _raised(lambda: tf.exp(tf.SparseTensor([[0]], [1.0], [3]))),
    _raised(lambda: tf.abs(None)),
    _raised(lambda: tf.logical_not(numbers)),
  ]


def program_lbeta(tf):
  x = tf.placeholder(tf.float32, [None, 3], name="x")
  value = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 4.0]], dtype=np.float32)
  return _run(tf, [tf.lbeta(x), tf.math.lbeta(x, name="named"), tf.lbeta([2.0, 3.0])], {x: value})


program_lbeta.rtol = 1e-5


def program_nested_scopes(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  with tf.name_scope("outer"):
    a = tf.log_sigmoid(x)
    with tf.name_scope("inner"):
      b = tf.abs(tf.exp(a))
    c = tf.log_sigmoid(b, name="named")
  with tf.name_scope("outer"):
    d = tf.math.reciprocal_no_nan(c)
  return [t.name for t in (a, b, c, d)]
