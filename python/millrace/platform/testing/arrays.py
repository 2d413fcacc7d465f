"""Comparisons of arrays and structures of them, for TestCase. Tensors among them are evaluated."""

import collections.abc

import numpy as np


class ArrayAssertions:
  """Methods of a test case that has `evaluate(tensors)` and `fail(text)`."""

  def _array(self, value):
    """The numpy array of a value, which may be a tensor."""
    if isinstance(value, np.ndarray):
      return value
    from millrace.framework import tensor_values

    if tensor_values.is_tensor(value):
      value = self.evaluate(value)
    if isinstance(value, (list, tuple)) and any(tensor_values.is_tensor(element) for element in value):
      value = self.evaluate(list(value))
    return value if isinstance(value, np.ndarray) else np.array(value)

  def _text(self, *parts):
    return "\n".join(str(part) for part in parts if part)

  def assertShapeEqual(self, input_a, input_b, msg=None):
    """The shapes of two arrays or tensors are equal."""
    shapes = [tuple(x.shape.as_list()) if hasattr(x.shape, "as_list") else tuple(x.shape) for x in (input_a, input_b)]
    self.assertEqual(shapes[0], shapes[1], msg)

  def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
    """Two structures of numbers differ at most by `atol + rtol * abs(b)`, element by element."""
    self._all_close(a, b, rtol, atol, [], msg)

  def _all_close(self, a, b, rtol, atol, path, msg):
    where = "".join("[%s]" % part for part in path)
    a = a._asdict() if hasattr(a, "_asdict") else a
    b = b._asdict() if hasattr(b, "_asdict") else b
    a_is_dict, b_is_dict = isinstance(a, collections.abc.Mapping), isinstance(b, collections.abc.Mapping)
    if a_is_dict != b_is_dict:
      raise ValueError("Can't compare dict to non-dict, a%s vs b%s. %s" % (where, where, msg or ""))
    if a_is_dict:
      self.assertEqual(
        set(a), set(b), "mismatched keys: a%s has keys %s, but b%s has keys %s. %s" % (where, list(a), where, list(b), msg or "")
      )
      for key in a:
        self._all_close(a[key], b[key], rtol, atol, [*path, key], msg)
      return
    if isinstance(a, (list, tuple)):
      try:
        one, two = self._array(a), self._array(b)
        regular = one.dtype != object and two.dtype != object
      except (ValueError, TypeError):
        regular = False
      if not regular:
        self.assertEqual(
          len(a),
          len(b),
          "Mismatched length: a%s has %d items, but b%s has %d items. %s" % (where, len(a), where, len(b), msg or ""),
        )
        for index, (first, second) in enumerate(zip(a, b)):
          self._all_close(first, second, rtol, atol, [*path, str(index)], msg)
        return
    self._array_close(
      self._array(a), self._array(b), rtol, atol, "Mismatched value: a%s is different from b%s. %s" % (where, where, msg or "")
    )

  def _array_close(self, a, b, rtol, atol, msg):
    self.assertEqual(a.shape, b.shape, self._text("Shape mismatch: expected %s, got %s." % (a.shape, b.shape), msg))
    a, b = _comparable(a), _comparable(b)
    if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
      return
    with np.errstate(all="ignore"):
      far = np.abs(a - b) > atol + rtol * np.abs(b)
      far = np.logical_or(far, np.isnan(a) != np.isnan(b))
    np.testing.assert_allclose(
      a,
      b,
      rtol=rtol,
      atol=atol,
      equal_nan=True,
      err_msg=self._text(
        msg, "not close where = %s" % (np.where(far),), "not close lhs = %s" % a[far], "not close rhs = %s" % b[far]
      ),
    )

  def assertAllCloseAccordingToType(
    self,
    a,
    b,
    rtol=1e-6,
    atol=1e-6,
    float_rtol=1e-6,
    float_atol=1e-6,
    half_rtol=1e-3,
    half_atol=1e-3,
    bfloat16_rtol=1e-2,
    bfloat16_atol=1e-2,
    msg=None,
  ):
    """As assertAllClose, with wider bounds for narrower types."""
    a, b = self._array(a), self._array(b)
    names = {str(a.dtype), str(b.dtype)}
    if names & {"float32", "complex64"}:
      rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
    if "float16" in names:
      rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
    if "bfloat16" in names:
      rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
    self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

  def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
    try:
      self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
    except AssertionError:
      return
    raise AssertionError("The two values are close at all elements. %s" % (msg or ""))

  def assertAllEqual(self, a, b, msg=None):
    """Two arrays or tensors have one shape and equal elements; NaN is equal to NaN."""
    a, b = self._array(a), self._array(b)
    if (b.ndim <= 3 or b.size < 500) and a.shape != b.shape:
      self.fail(self._text("Shape mismatch: expected %s, got %s. Contents: %s." % (a.shape, b.shape, b), msg))
    self.assertEqual(a.shape, b.shape, self._text("Shape mismatch: expected %s, got %s." % (a.shape, b.shape), msg))
    same = np.asarray(a == b)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
      same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
    if np.all(same):
      return
    different = np.logical_not(same)
    where = np.where(different)
    self.fail(
      self._text(
        "Arrays are not equal.",
        "not equal where = %s" % (where,),
        "not equal lhs = %r" % (a[different] if a.ndim else a,),
        "not equal rhs = %r" % (b[different] if b.ndim else b,),
        msg,
      )
    )

  def assertNotAllEqual(self, a, b, msg=None):
    try:
      self.assertAllEqual(a, b, msg)
    except AssertionError:
      return
    raise AssertionError("The two values are equal at all elements. %s" % (msg or ""))

  def assertAllGreater(self, a, comparison_target):
    self.assertGreater(np.min(self._array(a)), comparison_target)

  def assertAllLess(self, a, comparison_target):
    self.assertLess(np.max(self._array(a)), comparison_target)

  def assertAllGreaterEqual(self, a, comparison_target):
    self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

  def assertAllLessEqual(self, a, comparison_target):
    self.assertLessEqual(np.max(self._array(a)), comparison_target)

  def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
    """All elements are between the bounds, which belong to the range unless they are open."""
    target = self._array(target)
    if target.dtype.kind not in "fiu":
      raise AssertionError(
        "The value of %s does not have an ordered numeric type, instead it has type: %s" % (target, target.dtype)
      )
    nans = np.where(np.isnan(target)) if target.dtype.kind == "f" else ()
    if nans and nans[0].size:
      raise AssertionError("There are NaN values at %s." % (nans,))
    low = target <= lower_bound if open_lower_bound else target < lower_bound
    high = target >= upper_bound if open_upper_bound else target > upper_bound
    outside = np.where(np.logical_or(low, high))
    if outside[0].size if target.ndim else np.logical_or(low, high):
      shown = "%s%s, %s%s" % ("(" if open_lower_bound else "[", lower_bound, upper_bound, ")" if open_upper_bound else "]")
      raise AssertionError("Values are out of range %s at %s: %s" % (shown, outside, target[outside] if target.ndim else target))

  def assertAllInSet(self, target, expected_set):
    """All elements are among those of a set."""
    target = self._array(target)
    missing = set(np.unique(target).tolist()) - set(expected_set)
    if missing:
      raise AssertionError("%d unique element(s) are not in the set %s: %s" % (len(missing), expected_set, sorted(missing)))

  def assertDTypeEqual(self, target, expected_dtype):
    """An array or tensor has this type."""
    target = self._array(target)
    from millrace.framework import dtypes

    self.assertEqual(dtypes.as_dtype(target.dtype), dtypes.as_dtype(expected_dtype), "the type is not %s" % (expected_dtype,))

  def assertNear(self, f1, f2, err, msg=None):
    """Two numbers differ by at most `err`."""
    self.assertTrue(
      f1 == f2 or abs(f1 - f2) <= err, "%f != %f +/- %f%s" % (f1, f2, err, " (%s)" % msg if msg is not None else "")
    )

  def assertArrayNear(self, farray1, farray2, err, msg=None):
    """Two sequences of numbers have one length and differ by at most `err` each."""
    self.assertEqual(len(farray1), len(farray2), msg)
    for f1, f2 in zip(farray1, farray2):
      self.assertNear(float(f1), float(f2), err, msg)

  def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
    """The norm of the difference of two arrays is less than `err`."""
    self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg)


def _comparable(array):
  """Integers and small floats as types that can be subtracted."""
  if array.dtype.kind in "biu":
    return array.astype(np.float64)
  if array.dtype.kind not in "fcO":
    return array.astype(np.float32)
  return array
