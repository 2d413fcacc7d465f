"""Ops on strings."""

from computing import EVERYWHERE, compute, numbers
from generate import statement


@statement(2, *EVERYWHERE)
def of_numbers(g, scope):
  x = numbers(g, scope, ("int32", "int64", "bool"), literals=0.05)
  if x.shape is None:
    return False
  compute(g, scope, "tf.as_string({0})", [x], "string", x.shape)
  return True


@statement(3, *EVERYWHERE)
def of_strings(g, scope):
  x = g.pick(scope, "string", None, literals=0.1, want=lambda v: v.shape is not None)
  y = g.pick(scope, "string", x.shape)
  text, dtype = g.choose(
    [
      ("tf.strings.join([{0}, {1}], '-')", "string"),
      ("tf.strings.length({0})", "int32"),
      ("tf.strings.substr({0}, 0, 1)", "string"),
      ("tf.strings.upper({0})", "string"),
      ("tf.strings.to_hash_bucket_fast({0}, 100)", "int64"),
      ("tf.strings.regex_replace({0}, 's', 'ab')", "string"),
      ("tf.equal({0}, {1})", "bool"),
      ("{0} + {1}", "string"),
    ]
  )
  compute(g, scope, text, [x, y], dtype, x.shape)
  return True
