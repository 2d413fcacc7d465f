"""The rules by which coverage_of_api.py counts. test_pairs.py has its figures."""

import ast
import os

import coverage_of_api


def test_parameters():
  assert coverage_of_api.parameters("(a, b=(1, 2), *args, c=[x, y], **kwargs)") == [
    ("a", None),
    ("b", "(1, 2)"),
    ("*args", None),
    ("c", "[x, y]"),
    ("**kwargs", None),
  ]
  assert coverage_of_api.parameters("") is None
  assert coverage_of_api.our_parameters(lambda a, b=2, *c, **d: None) == [("a", None), ("b", "2"), ("*c", None), ("**d", None)]


def test_set_parameters():
  facts = [("x", None), ("axis", "0"), ("name", "None")]

  def of(text):
    call = ast.parse(text).body[0].value
    keywords = {k.arg: k.value for k in call.keywords if k.arg}
    return coverage_of_api.set_parameters(facts, (call.args, keywords, False))

  assert of("f(x)") == {"x"}
  assert of("f(x, 0, name=None)") == {"x"}
  assert of("f(x, 1, name='n')") == {"x", "axis", "name"}


def test_calls(tmp_path):
  path = os.path.join(str(tmp_path), "calls.py")
  with open(path, "w", encoding="utf-8") as file:
    file.write(
      "def program_a(tf):\n  g = tf.nn\n  g.relu(1)\n  for f in (tf.sin, tf.cos):\n    f(2)\n\ndef program_b(tf):\n  tf.tan(3)\n"
    )
  names = {name for visitor in coverage_of_api.calls_in(path, ["a"]) for name in visitor.calls}
  assert names == {"tf.nn.relu", "tf.sin", "tf.cos"}
