"""Random numbers of generators, whose state is a variable."""

from generate import CHAIN, statement
from storing import new, place

DRAWS = [
  ("StatefulUniform", "float32", "dtype=tf.float32"),
  ("StatefulUniform", "float64", "dtype=tf.float64"),
  ("StatefulStandardNormalV2", "float32", "dtype=tf.float32"),
  ("StatefulTruncatedNormal", "float32", "dtype=tf.float32"),
  ("StatefulUniformFullInt", "uint32", "dtype=tf.uint32"),
  ("StatefulUniformFullInt", "int64", "dtype=tf.int64"),
  ("StatefulUniformInt", "int32", "minval=tf.constant(-5), maxval=tf.constant(20)"),
  ("StatefulUniformInt", "int64", "minval=tf.constant(0, tf.int64), maxval=tf.constant(1000, tf.int64)"),
]


@statement(2, CHAIN)
def generator(g, scope):
  """Draws, or skips numbers; each changes what comes next."""
  fit = g.of_kind("generator")
  if not fit or g.chance(0.2):
    n = g.count + 1
    state = f"tf.constant([{g.rng.randrange(9)}, 0, {g.rng.randrange(1, 99)}], tf.int64)"
    q = new(g, "generator", f'NAME = tf1.Variable({state}, name="generator{n}", use_resource=True)', place(g), "int64", (3,))
  else:
    q = g.choose(fit)
  common = dict(handles=[q], task=q.task, changes=(q.name,))
  philox = "resource={h0}.handle, algorithm=tf.constant(1, tf.int64)"
  if g.chance(0.2):
    skip = f"skip{{n}} = tf.raw_ops.RngSkip({philox}, delta=tf.constant({g.choose([1, 7, 256])}, tf.int64))"
    g.add(scope, "generator", [skip], [], tail="skip{n}", **common)
    return True
  shape = g.shape()
  name, dtype, more = g.choose(DRAWS)
  sizes = f"tf.constant({list(shape)}, tf.int64)"
  g.add(scope, "generator", f"{{o0}} = tf.raw_ops.{name}({philox}, shape={sizes}, {more})", outs=[(dtype, shape, {})], **common)
  return True
