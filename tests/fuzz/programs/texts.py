"""Texts of code points, and what is printed."""

from computing import EVERYWHERE, compute, numbers, task_of
from generate import BRANCH, CHAIN, FUNCTION, statement


@statement(1, *EVERYWHERE)
def of_code_points(g, scope):
  x = numbers(g, scope, ("int32",), literals=0.1, want=lambda v: v.dtype == "int32" and v.shape is not None)
  if x.shape is None:
    x = g.literal("int32", (3,))
  points = "tf.math.floormod({0}, 700) + 40"
  text, dtype, shape = g.choose(
    [
      (
        f"tf.strings.unicode_encode(tf.expand_dims({points}, -1), '{g.choose(['UTF-8', 'UTF-16-BE', 'UTF-32-BE'])}')",
        "string",
        x.shape,
      ),
      (f"tf.strings.unicode_encode(tf.reshape({points}, [1, -1]), 'UTF-8')", "string", (1,)),
      (f"tf.strings.unicode_script({points})", "int32", x.shape),
    ]
  )
  if len(x.shape) > 1 and "expand_dims" in text:
    return False
  compute(g, scope, text, [x], dtype, shape)
  return True


@statement(1, *EVERYWHERE)
def in_characters(g, scope):
  x = g.pick(scope, "string", None, literals=0.2, want=lambda v: v.shape is not None and len(v.shape) == 1)
  if x.shape is None or len(x.shape) != 1:
    x = g.literal("string", (3,))
  name = g.choose(["UTF-8", "ISO-8859-1"])
  text, dtype, shape = g.choose(
    [
      (f"tf.strings.unicode_decode({{0}}, '{name}').flat_values", "int32", None),
      (f"tf.strings.unicode_decode_with_offsets({{0}}, '{name}')[1].flat_values", "int64", None),
      ("tf.strings.unicode_decode({0}, 'UTF-8').to_tensor(0, shape=[None, 6])", "int32", (x.shape[0], 6)),
      ("tf.strings.unicode_split({0}, 'UTF-8').flat_values", "string", None),
      (f"tf.strings.unicode_transcode({{0}}, '{name}', '{g.choose(['UTF-16-BE', 'UTF-32-BE', 'UTF-8'])}')", "string", x.shape),
    ]
  )
  compute(g, scope, text, [x], dtype, shape)
  return True


@statement(0.5, *EVERYWHERE)
def in_words(g, scope):
  """Floats are said with as many digits as rounding leaves."""
  kinds = ("int32", "int64", "bool", "uint8")
  x = numbers(g, scope, kinds, literals=0.1, want=lambda v: v.dtype in kinds and v.shape is not None)
  if x.shape is None:
    return False
  text = g.choose(["tf.strings.format('a {{}} b', {0}, summarize=2)", "tf.strings.format('{{}}', {0})"])
  compute(g, scope, text, [x], "string", ())
  return True


@statement(1, CHAIN, BRANCH, FUNCTION)
def print_values(g, scope):
  """Prints to nowhere: what comes next waits for it."""
  x = g.pick(scope, literals=0.1, want=lambda v: v.shape is not None and not v.is_ref)
  y = g.pick(scope, "int32", ())
  lines = ["print{n} = tf.print('x:', {0}, {1}, summarize=3, output_stream='file:///dev/null')"]
  g.add(scope, "print", lines, [x, y], task=task_of(g, scope, [x]), tail="print{n}")
  return True
