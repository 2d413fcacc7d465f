"""Ops on strings, and iterators of data sets."""

from computing import EVERYWHERE, compute, numbers
from generate import CHAIN, statement
from storing import new, place


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


DATA = [
  ("tf.data.Dataset.range(100).map(lambda x: x * 3)", "int64", ()),
  ("tf.data.Dataset.range(100).shuffle(10, seed=3).batch(2)", "int64", (2,)),
  ("tf.data.Dataset.from_tensor_slices(np.reshape(0.5 * np.arange(12.0), [4, 3])).repeat()", "float64", (3,)),
  ("tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x + 1)).repeat()", "int64", ()),
  ("tf.data.Dataset.range(4).filter(lambda x: x > 1)", "int64", ()),
  ("tf.data.Dataset.range(50).map(lambda x: tf.strings.as_string(x))", "string", ()),
]


@statement(2, CHAIN)
def iterator(g, scope):
  fit = g.of_kind("iterator")
  if not fit or g.chance(0.4):
    text, dtype, shape = g.choose(DATA)
    q = new(
      g,
      "iterator",
      [
        f"NAME = tf1.data.make_initializable_iterator({text})",
        "tf1.add_to_collection(tf1.GraphKeys.TABLE_INITIALIZERS, NAME.initializer)",
      ],
      place(g),
      dtype,
      shape,
    )
  else:
    q = g.choose(fit)
  g.blocking.add(scope.segment)
  g.add(
    scope,
    "iterator",
    "{o0} = tf.reshape({h0}.get_next(), %s)" % list(q.shape),
    [],
    [q],
    outs=[(q.dtype, q.shape, {})],
    task=q.task,
  )
  return True
