"""TensorShape and Dimension: what they say, and the errors of what does not fit."""

import numpy as np


def _all(tf, texts):
  """The value of each expression, or its error."""
  scope = {"tf": tf, "T": tf.TensorShape, "D": tf.Dimension, "np": np}
  found = []
  for text in texts:
    try:
      value = eval(text, scope)
      found.append((text, value if isinstance(value, (int, bool, str, type(None))) else repr(value)))
    except Exception as error:
      found.append((text, error))
  return found


def program_making(tf):
  return _all(
    tf,
    [
      "T(None)",
      "T([1, None])",
      "T([])",
      "T(5)",
      "T((np.int64(3), None))",
      "T(np.array([1, 2]))",
      "T(T([1]))",
      "T([D(3), 4])",
      "T([-1])",
      "T('ab')",
      "T(['a'])",
      "T(1.5)",
      "T({'a': 1})",
      "D(-1)",
      "D('a')",
      "D(1.5)",
      "D(D(3))",
      "D(np.int32(3))",
      "T(T([1, None]).as_proto())",
      "T(T(None).as_proto())",
    ],
  )


def program_texts(tf):
  return _all(
    tf,
    ["str(T(%s))" % dims for dims in ("None", "[]", "[2]", "[1, None, 3]")]
    + ["repr(T(%s))" % dims for dims in ("None", "[]", "[2]", "[1, None, 3]")]
    + ["repr(D(None))", "str(D(3))", "str(D(None))", "str(T([1, None]).as_proto())"],
  )


def program_reading(tf):
  return _all(
    tf,
    [
      "T(None).as_list()",
      "T([1, None]).as_list()",
      "T([1, None])[0]",
      "T([1, None])[1]",
      "T([1, None])[-1]",
      "T([1, 2])[5]",
      "T(None)[0]",
      "T(None)[1:]",
      "T(None)[:2]",
      "T(None)[1:3]",
      "T(None)[:-1]",
      "T([1, 2, 3])[1:]",
      "T([1, 2, 3])[::2]",
      "len(T(None))",
      "len(T([1, 2]))",
      "bool(T(None))",
      "bool(T([]))",
      "list(T([1, 2]))",
      "list(T(None))",
      "T(None).ndims",
      "T([1, 2]).rank",
      "T([1, 2]).dims",
      "T(None).dims",
      "T(None).num_elements()",
      "T([None]).num_elements()",
      "T([2, 3]).num_elements()",
      "T([]).num_elements()",
      "T([1, 2]).is_fully_defined()",
      "T([None]).is_fully_defined()",
      "tf.dimension_value(D(3))",
      "tf.dimension_value(None)",
      "tf.dimension_at_index(T(None), 1)",
      "tf.dimension_at_index(T([1, 2]), 1)",
      "np.zeros(T([2, 3])).shape",
      "hash(T([1, 2])) == hash(T([1, 2]))",
    ],
  )


def program_comparing(tf):
  return _all(
    tf,
    [
      "T([1, 2]) == [1, 2]",
      "T([1, 2]) == T([1, 3])",
      "T(None) == T(None)",
      "T(None) == None",
      "T([None]) == T([None])",
      "T([1, 2]) != [1, 2]",
      "T([1, 2]) == 5",
      "T([1, 2]) == 'ab'",
      "T([1, 2]).is_compatible_with([None, 2])",
      "T([1, 2]).is_compatible_with([2])",
      "T([1]).merge_with([2])",
      "T([1, None]).merge_with([None, 2])",
      "T([1]).merge_with([2, 3])",
      "T([1]).merge_with(None)",
      "T([1]).assert_is_compatible_with([2])",
      "T([1]).assert_same_rank([1, 2])",
      "T([1]).assert_has_rank(2)",
      "T(None).with_rank(2)",
      "T([1]).with_rank(2)",
      "T([1]).with_rank_at_least(2)",
      "T([1, 2]).with_rank_at_least(1)",
      "T([1, 2]).with_rank_at_most(1)",
      "T([None]).assert_is_fully_defined()",
      "T([1, 2]).most_specific_compatible_shape([1, 3])",
      "T([1, 2]).most_specific_compatible_shape([1])",
      "T([1]).concatenate([2, None])",
      "T(None).concatenate([2])",
      "T([1, 2]) + [3]",
      "[1] + T([2])",
    ],
  )


def program_dimensions(tf):
  return _all(
    tf,
    [
      "D(3) + 2",
      "2 + D(3)",
      "D(3) - 2",
      "2 - D(3)",
      "D(3) * None",
      "2 * D(3)",
      "D(7) // 2",
      "7 // D(2)",
      "D(7) / 2",
      "2 / D(3)",
      "D(7) % 4",
      "7 % D(4)",
      "D(3) < 4",
      "D(3) <= 3",
      "D(3) > 4",
      "D(3) >= 3",
      "D(None) < 4",
      "D(None) == None",
      "D(None) == 3",
      "D(3) == 3",
      "D(3) == 'a'",
      "D(3) != 3",
      "D(None) != 3",
      "int(D(3))",
      "int(D(None))",
      "float(D(3))",
      "range(D(3))",
      "D(3).value",
      "D(3).merge_with(4)",
      "D(None).merge_with(4)",
      "D(3).is_compatible_with(None)",
      "D(3).assert_is_compatible_with(4)",
      "hash(D(3))",
      "D(3) + 'a'",
      "bool(D(0))",
      "bool(D(None))",
    ],
  )
