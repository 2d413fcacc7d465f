"""What ends a step with an error at its place in the chain: what comes before has happened then, and nothing that comes after."""

from generate import CHAIN, statement
from program import Value


@statement(0.5, CHAIN)
def failure(g, scope):
  x = g.pick(scope, literals=0, want=lambda v: v.shape and v.dtype in ("float32", "int32") and not g.is_variable(v))
  if not isinstance(x, Value) or not x.shape:
    return False
  texts = [
    "tf.gather({0}, [{1}, 0])",
    "tf.slice({0}, [{1}] + [0] * %d, [1] + [-1] * %d)" % ((len(x.shape) - 1,) * 2),
    "tf.reshape({0}, [{1}])",
    "tf.strided_slice({0}, [{1}], [{1} + 1], shrink_axis_mask=1)",
  ]
  if x.dtype == "float32":
    texts.append("tf.debugging.check_numerics({0} / 0.0 + {0} * np.inf, 'not finite')")
  else:
    texts.append("{0} // tf.zeros_like({0})")
  guarded = "with tf.control_dependencies([tf1.Assert(tf.reduce_all(tf.equal({0}, {0} + 1)), ['unequal'])]):"
  if g.chance(0.3):
    lines = [guarded, "  {o0} = {0} + 1"]
  else:
    # The client knows no value of it, and does not refuse the graph.
    far = "far{n} = tf1.placeholder_with_default(tf.constant(1000000), [])"
    # It is read: rewriting drops what fails as well as anything else that nobody reads.
    kept = (
      "with tf.control_dependencies([tf.raw_ops.Assert(condition=tf1.placeholder_with_default(True, []), data=[far{n}_used])]):"
    )
    lines = [far, "far{n}_used = " + g.choose(texts).replace("{1}", "far{n}"), kept, "  {o0} = tf.identity(far{n}_used)"]
  g.add(scope, "failure", lines, [x], outs=[(x.dtype, None, {})], task=x.task)
  return True
