"""Checks: of types and ranks while the graph is built, of values when it runs."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


_PAIRS = "equal none_equal less less_equal greater greater_equal near"
_SIGNS = "negative positive non_negative non_positive"


def program_graphs_of_comparisons(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  i = tf.placeholder(tf.int32, [2], name="i")
  for name in _PAIRS.split():
    function = getattr(tf, "assert_" + name)
    function(x, x + 1)
    function(x, 1.0, data=["text", x], summarize=4, message="message", name="named_" + name)
    if name != "near":
      function(i, [1, 2], message="of integers")
      getattr(tf.debugging, "assert_" + name)(tf.constant([1, 2]), i)


def program_graphs_of_signs(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  for name in _SIGNS.split():
    function = getattr(tf, "assert_" + name)
    function(x)
    function(x, data=["text"], summarize=4, message="message", name="named_" + name)
    getattr(tf.debugging, "assert_" + name)(x, message="said")
  tf.assert_near(x, 1.0, rtol=0.1, atol=0.2)


def program_comparisons_hold(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  checks = [
    tf.assert_equal(x, [1.0, 2.0]),
    tf.assert_none_equal(x, 0.0),
    tf.assert_less(x, 3.0),
    tf.assert_less_equal(x, 2.0),
    tf.assert_greater(x, 0.0),
    tf.assert_greater_equal(x, 1.0),
    tf.assert_near(x, [1.0, 2.00000001]),
    tf.assert_positive(x),
    tf.assert_non_negative(x),
  ]
  found = []
  for value in ([1.0, 2.0], [0.0, -5.0], [3.0, 4.0]):
    found += [type(_raised(lambda check=check: _run(tf, check, {x: value}))).__name__ for check in checks]  # noqa: B023
  with tf.control_dependencies(checks):
    y = tf.identity(x)
  return found + [_run(tf, y, {x: [1.0, 2.0]})]


def program_messages(tf):
  x = tf.placeholder(tf.float32, [4], name="x")
  checks = [
    tf.assert_less(x, 0.0, message="first words of the message"),
    tf.assert_negative(x, message="other words of another message"),
    tf.assert_equal(x, 0.0, summarize=10),
    tf.assert_non_positive(x, data=["only these words are said", x]),
  ]
  return [_raised(lambda check=check: _run(tf, check, {x: [1.0, 2.0, 3.0, 4.0]})) for check in checks]


def program_known_values(tf):
  one = tf.constant(1)
  return [
    _raised(lambda: tf.assert_equal(1, 1)).name,
    _raised(lambda: tf.assert_equal(one, one)).name,
    _raised(lambda: tf.assert_equal([1], [1])).name,
    _raised(lambda: tf.assert_equal(1, 2)),
    _raised(lambda: tf.assert_equal([1, 2, 3], [1, 2, 4], message="said before")),
    _raised(lambda: tf.assert_less(2.0, 1.0)),
    _raised(lambda: tf.assert_positive([1, -1])),
    _raised(lambda: tf.assert_non_negative(-1, message="negative")),
    _raised(lambda: tf.assert_equal(tf.zeros([2]), tf.ones([2]))),
    _raised(lambda: tf.assert_none_equal(3, 3, data=["three"])),
  ]


def program_types(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  i = tf.placeholder(tf.int32, [2], name="i")
  s = tf.SparseTensor([[0]], [1.0], [3])
  return [
    tf.assert_integer(i).name,
    tf.debugging.assert_integer(3, name="named").name,
    _raised(lambda: tf.assert_integer(x)),
    _raised(lambda: tf.assert_integer(x, message="said", name="n")),
    tf.assert_type(x, tf.float32).name,
    tf.debugging.assert_type(s, tf.float32, name="t").name,
    _raised(lambda: tf.assert_type(x, tf.int32)),
    _raised(lambda: tf.assert_type(x, tf.int32, message="said")),
    tf.is_numeric_tensor(x),
    tf.debugging.is_numeric_tensor(3),
    tf.is_numeric_tensor(tf.constant("a")),
    tf.is_numeric_tensor(tf.constant(True)),
  ]


def program_ranks(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  u = tf.placeholder(tf.float32, name="u")
  r = tf.placeholder(tf.int32, [], name="r")
  checks = [
    tf.assert_rank(x, 1),
    tf.assert_rank(u, 1),
    tf.assert_rank(x, r, data=["text"], summarize=9, message="said", name="named"),
    tf.debugging.assert_rank(u, 1, message="said"),
    tf.assert_rank_at_least(x, 1),
    tf.assert_rank_at_least(u, 1, name="least"),
    tf.assert_rank_in(x, [1, 2]),
    tf.assert_rank_in(u, (0, 1), message="said", name="in"),
    tf.debugging.assert_rank_at_least(u, 0, data=[u], summarize=2),
    tf.debugging.assert_rank_in(u, [1], data=["d"], summarize=2),
  ]
  found = []
  for value, rank in (([1.0], 1), (2.0, 1), ([[1.0]], 2)):
    for check in checks:
      found.append(type(_raised(lambda: _run(tf, check, {x: [1.0, 2.0], u: value, r: rank}))).__name__)  # noqa: B023
  return found


def program_wrong_ranks(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  return [
    _raised(lambda: tf.assert_rank(x, 2)),
    _raised(lambda: tf.assert_rank(x, 2, message="said")),
    _raised(lambda: tf.assert_rank(x, [1, 2])),
    _raised(lambda: tf.assert_rank(x, 1.5)),
    _raised(lambda: tf.assert_rank_at_least(x, 2)),
    _raised(lambda: tf.assert_rank_at_least(x, 3, message="said")),
    _raised(lambda: tf.assert_rank_in(x, [2, 3])),
    _raised(lambda: tf.assert_rank_in(x, [2], message="said")),
  ]


def program_scalars(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  s = tf.placeholder(tf.float32, [], name="s")
  u = tf.placeholder(tf.float32, name="u")
  return [
    tf.assert_scalar(s).name,
    tf.debugging.assert_scalar(s, name="named").name,
    _raised(lambda: tf.assert_scalar(x)),
    _raised(lambda: tf.assert_scalar(u)),
    _raised(lambda: tf.assert_proper_iterable([1])),
    _raised(lambda: type(tf.assert_proper_iterable(1))),
    _raised(lambda: tf.debugging.assert_proper_iterable("abc")),
  ]


def program_same_floating_type(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  d = tf.placeholder(tf.float64, [2], name="d")
  i = tf.placeholder(tf.int32, [2], name="i")
  return [
    tf.assert_same_float_dtype([x, None, x]).name,
    tf.assert_same_float_dtype(None, tf.float64).name,
    tf.debugging.assert_same_float_dtype().name,
    tf.assert_same_float_dtype([d], tf.float64).name,
    _raised(lambda: tf.assert_same_float_dtype([x, d])),
    _raised(lambda: tf.assert_same_float_dtype([x], tf.float64)),
    _raised(lambda: tf.assert_same_float_dtype([i])),
    _raised(lambda: tf.assert_same_float_dtype(dtype=tf.int32)),
  ]


def program_shapes(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  v = tf.placeholder(tf.float32, [None], name="v")
  m = tf.placeholder(tf.float32, [None, 3], name="m")
  u = tf.placeholder(tf.float32, name="u")
  checks = [
    tf.debugging.assert_shapes([(x, ("N", "Q")), (v, ("N",))]),
    tf.debugging.assert_shapes([(m, ("N", "Q")), (v, ("N",))], message="said", name="named"),
    tf.debugging.assert_shapes([(u, ("N", 3))]),
    tf.debugging.assert_shapes([(u, ("*", 3))], summarize=2),
    tf.debugging.assert_shapes([(x, (None, 3)), (m, "ND")], data=["text"]),
  ]
  found = []
  for value in ([[1.0, 2.0, 3.0]], [[1.0, 2.0]], 3.0):
    for check in checks:
      feeds = {x: np.ones([2, 3]), v: [1.0, 2.0], m: np.ones([2, 3]), u: value}
      found.append(type(_raised(lambda: _run(tf, check, feeds))).__name__)  # noqa: B023
  return found


def program_wrong_shapes(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  y = tf.placeholder(tf.float32, [3], name="y")
  return [
    _raised(lambda: tf.debugging.assert_shapes([(x, ("N", "Q")), (y, ("N",))], message="said")),
    _raised(lambda: tf.debugging.assert_shapes([(x, ("N", 4))])),
    _raised(lambda: tf.debugging.assert_shapes([(x, ("N",))])),
    _raised(lambda: tf.debugging.assert_shapes([(x, ("N", "Q", "R"))])),
  ]


def program_numerics(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  results = [
    tf.check_numerics(x, "words of the message"),
    tf.debugging.check_numerics(x, message="words of the message", name="named"),
    tf.verify_tensor_all_finite(x, "words of the message"),
    tf.debugging.assert_all_finite(x=x, message="words of the message", name="all"),
  ]
  found = [_run(tf, results, {x: [1.0, 2.0]})]
  for value in ([np.nan, 1.0], [np.inf, 1.0]):
    found += [type(_raised(lambda r=r: _run(tf, r, {x: value}))).__name__ for r in results]  # noqa: B023
  return found


def program_check_all_numerics(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  y = tf.log(x)
  checks = tf.add_check_numerics_ops()
  found = [type(_raised(lambda value=value: _run(tf, [y, checks], {x: value}))).__name__ for value in ([1.0, 2.0], [0.0, 1.0])]
  return found + [tf.debugging.is_finite(x).name, tf.debugging.is_nan(x).name, tf.debugging.is_inf(x).name]


def program_log_placement(tf):
  tf.debugging.set_log_device_placement(False)
  return tf.debugging.get_log_device_placement()


def program_print(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  s = tf.SparseTensor([[0]], [1.0], [3])
  y = tf.Print(x, [x, "text"], "message", first_n=0, summarize=4, name="named")
  z = tf.Print(x, [tf.shape(x)], first_n=0)
  prints = [
    tf.print(x),
    tf.print(
      "hello", x, {"b": x, "a": 1}, [1, (x, "text")], output_stream=tf.logging.info, summarize=5, sep="|", end="!", name="p"
    ),
    tf.print("x"),
    tf.print(s),
    tf.print(x, "and", tf.constant("text"), summarize=-1),
    tf.print(tf.constant("text"), end=""),
    tf.print([x, x]),
  ]
  return [
    _run(tf, [y, z], {x: [1.0, 2.0]}),
    [p.type for p in prints],
    _raised(lambda: tf.print(x, other=1)),
    _raised(lambda: tf.print(x, output_stream=3)),
  ]


def program_print_to_a_file(tf):
  """The path, which is new in each run, is in the graph."""
  import os
  import tempfile

  path = os.path.join(tempfile.mkdtemp(), "printed")
  x = tf.placeholder(tf.float32, [None], name="x")
  printed = tf.print("values:", x, [x, "a"], output_stream="file://" + path, summarize=2)
  _run(tf, printed, {x: [1.0, 2.5, 3.0, 4.0, 5.0]})
  with open(path) as file:
    return file.read()


program_print_to_a_file.values_only = True
