"""The three figures of coverage_of_api.py, and its own rules."""

import ast
import json
import os

import coverage_of_api
import package

FIGURES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import coverage_of_api
import millrace as tf
areas, _ = coverage_of_api.count(tf, coverage_of_api.Coverage(tf, True))
print(json.dumps(areas))
"""


def test_figures(record_property):
  """Reports them. Each is a note of the test run; what is missing is printed by coverage_of_api.py --missing.

  In a process of its own: what other tests have imported, such as absl's flags, changes the package.
  """
  ran = package.python("-c", FIGURES, os.path.dirname(os.path.abspath(__file__)))
  assert ran.returncode == 0, ran.stderr
  areas = json.loads(ran.stdout)
  keys = ("present", "signature", "parameters", "present_other", "called", "present_member")
  for key in keys:
    part = sum(figures.get(key, (0, 0))[0] for figures in areas.values())
    of = sum(figures.get(key, (0, 0))[1] for figures in areas.values())
    record_property("summary", "%s: %s" % (key, coverage_of_api.percent(part, of)))
    assert part == of > 0, "coverage_of_api.py --missing names %d" % (of - part)


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
