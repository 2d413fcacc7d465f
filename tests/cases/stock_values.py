"""How near a value of ours must be to stock's: the same answers as compare.cc."""

import numpy as np

# Relative and absolute tolerance by dtype name, as in compare.cc.
TOLERANCE = {"float64": 1e-12, "complex128": 1e-12, "float32": 1e-5, "complex64": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")


def ordered(values):
  """Floating numbers as integers in the same order."""
  bits = values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]).astype(object)
  least = -(1 << (8 * values.dtype.itemsize - 1))
  return np.where(values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]) >= 0, bits, least - bits - 1)


def same_floats(case, got, want, relative, absolute):
  """Elementwise; got and want have one of the FLOATS types. absolute may be an array."""
  g, w = got.astype(np.float64), want.astype(np.float64)
  both_nan = np.isnan(g) & np.isnan(w)
  if case["ulp"] >= 0:
    close = np.abs((ordered(got) - ordered(want)).astype(np.float64)) <= case["ulp"]
    if case["ulp"] > 0:
      close |= g == w
    return np.where(np.isnan(g) | np.isnan(w), both_nan, close)
  with np.errstate(all="ignore"):
    close = np.abs(g - w) <= absolute + relative * np.abs(w)
  infinite = np.isinf(g) | np.isinf(w)
  return both_nan | (g == w) | (close & ~infinite)


def same_elements(case, got, want, name):
  relative, absolute = TOLERANCE.get(name, 0), TOLERANCE.get(name, 0)
  if case["has_tolerance"]:
    relative, absolute = case["relative"], case["absolute"]
  if name in FLOATS:
    return same_floats(case, got, want, relative, absolute)
  if name in COMPLEX:
    size = np.maximum(np.abs(want.real), np.abs(want.imag)).astype(np.float64)
    slack = absolute + np.where(np.isfinite(size), relative * size, 0)
    return same_floats(case, np.ascontiguousarray(got.real), np.ascontiguousarray(want.real), relative, slack) & same_floats(
      case, np.ascontiguousarray(got.imag), np.ascontiguousarray(want.imag), relative, slack
    )
  if case["has_tolerance"] and got.dtype.kind in "iu":
    return (got == want) | (
      np.abs(got.astype(np.float64) - want.astype(np.float64)) <= absolute + relative * np.abs(want.astype(np.float64))
    )
  return got == want


def plain(array):
  """Quantized elements, structures of one integer, as integers."""
  return array[array.dtype.names[0]] if array.dtype.names else array


def to_bytes(array):
  return np.vectorize(lambda s: s if isinstance(s, bytes) else str(s).encode(), otypes=[object])(array)


def as_array(value):
  """An array; a string scalar as an object, since numpy's own string type drops zero bytes at the end."""
  return np.array(value, dtype=object) if isinstance(value, (bytes, str)) else np.asarray(value)


def difference(case, ours, stock):
  """Empty if `ours` is what stock gave."""
  ours, stock = plain(as_array(ours)), plain(as_array(stock))
  if ours.dtype.kind in "OSU" or stock.dtype.kind in "OSU":
    if ours.size and stock.size:
      ours, stock = to_bytes(ours), to_bytes(stock)
  elif ours.dtype != stock.dtype:
    return "dtype is %s, stock's is %s" % (ours.dtype, stock.dtype)
  if ours.shape != stock.shape:
    return "shape is %s, stock's is %s" % (list(ours.shape), list(stock.shape))
  if case["random"] or ours.size == 0:
    return ""
  flat_ours, flat_stock = np.ascontiguousarray(ours).reshape(-1), np.ascontiguousarray(stock).reshape(-1)
  good = np.asarray(same_elements(case, flat_ours, flat_stock, ours.dtype.name), dtype=bool)
  if good.all():
    return ""
  i = int(np.argmin(good))
  return "element %d is %r, stock's is %r (%d of %d differ)" % (i, flat_ours[i], flat_stock[i], int((~good).sum()), good.size)
