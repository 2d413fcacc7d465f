"""What comparing the records of a pair notices."""

import numpy as np
import pair_compare
import pair_side


def values_differ(one, two, **options):
  return pair_compare.value_difference(pair_side.plain(one), pair_side.plain(two), options)


def test_equal_values():
  value = {"a": [np.float32([1, np.nan]), np.array([b"x", None], object), 1.5], "b": (True, "t", None, np.int64(3))}
  assert values_differ(value, value) is None


def test_different_values():
  assert values_differ(1, 2)
  assert values_differ(1, 1.0)
  assert values_differ([1], (1,))
  assert values_differ(np.float32(1), np.float64(1))
  assert values_differ(np.zeros(2), np.zeros((2, 1)))
  assert values_differ(np.float32([1, 2]), np.float32([1, 2.5]))
  assert values_differ({"a": 1}, {"b": 1})
  assert values_differ(np.array([b"x"], object), np.array([b"y"], object))
  assert values_differ(ValueError("one text here and there"), ValueError("another text"))
  assert values_differ(ValueError("a"), TypeError("a"))


def test_tolerance():
  one, two = np.float32([1, 100]), np.float32([1.00001, 100])
  assert values_differ(one, two)
  assert values_differ(one, two, rtol=1e-4) is None
  assert values_differ(1.0, 1.00001, rtol=1e-4) is None


def test_errors_are_compared_by_class_and_first_words():
  base = {"values": None, "error": None}
  raised = dict(base, error=("ValueError", "the first five words count, 17", "trace"))
  other = dict(base, error=("ValueError", "the first five words count, 18", "trace"))
  assert pair_compare.difference(raised, other, {"values_only": True}) is None
  early = dict(base, error=("ValueError", "the first 5 words count, 17", "trace"))
  assert pair_compare.difference(raised, early, {"values_only": True})
  assert pair_compare.difference(raised, base, {"values_only": True})
  assert pair_compare.difference(base, raised, {"values_only": True})


def graph(*nodes):
  """A GraphDef of (name, op, inputs, attributes by kind)."""
  from google.protobuf import message_factory

  cls = message_factory.GetMessageClass(pair_compare._pool().FindMessageTypeByName("tensorflow.GraphDef"))
  made = cls()
  for name, op, inputs, attrs in nodes:
    node = made.node.add(name=name, op=op, input=inputs)
    for key, value in attrs.items():
      node.attr[key].i = value
  return made


def test_a_mistake_of_the_program_is_none_of_both():
  mistaken = {"values": None, "error": ("NameError", "name 'x' is not defined", "trace")}
  assert "the program itself is wrong" in pair_compare.difference(mistaken, mistaken, {"values_only": True})


def test_nodes():
  one = graph(("a", "Const", [], {"k": 1}), ("b", "Neg", ["a"], {}))
  assert pair_compare.node_difference(list(one.node), list(one.node)) is None
  for other in (
    graph(("a", "Const", [], {"k": 2}), ("b", "Neg", ["a"], {})),
    graph(("b", "Neg", ["a"], {}), ("a", "Const", [], {"k": 1})),
    graph(("a", "Const", [], {"k": 1}), ("b", "Neg", ["^a"], {})),
    graph(("a", "Const", [], {"k": 1})),
  ):
    assert pair_compare.node_difference(list(one.node), list(other.node))


def test_nodes_of_gradients_are_left_out():
  record = {"nodes_before_gradients": None}
  nodes = graph(("a", "Const", [], {}), ("s/gradients_1/x", "Fill", [], {}), ("gradientsx/y", "Neg", [], {})).node
  assert pair_compare._first_of_gradients(record, nodes) == 1
  assert pair_compare._first_of_gradients({"nodes_before_gradients": 0}, nodes) == 0


def test_options(tmp_path):
  path = tmp_path / "x.py"
  path.write_text("def program_a(tf):\n  pass\n\n\nprogram_a.rtol = 1e-5\nprogram_a.values_only = True\n")
  assert pair_compare.options_of(str(path)) == {"a": {"rtol": 1e-5, "values_only": True}}
