"""Variables in two parts."""

from generate import CHAIN, statement
from program import W0, PS
from storing import computed, new

SHAPES = [(4, 16), (5, 16), (2, 3), (32,)]
PARTS = "tf1.fixed_size_partitioner(2)"


@statement(3, CHAIN)
def partitioned(g, scope):
  """Reads, lookups or an update of a partitioned variable. What it gives is joined of its parts, and so nobody's buffer."""
  fit = g.of_kind("parts")
  if not fit or g.chance(0.2):
    dtype, shape = g.choose(["float32", "float32", "float64"]), g.choose(SHAPES)
    n, is_ref = g.count + 1, g.chance(g.references)
    q = new(
      g,
      "parts",
      f'NAME = tf1.get_variable("parts{n}", {list(shape)}, tf.{dtype}, tf1.ones_initializer(), partitioner={PARTS}, '
      f"use_resource={not is_ref})",
      g.choose([PS, PS, W0]),
      dtype,
      shape,
    )
  else:
    q = g.choose(fit)
  ids = [g.rng.randrange(q.shape[0]) for _ in range(g.choose([1, 2, 3]))]
  looked = (len(ids),) + q.shape[1:]
  lookup = f'tf1.nn.embedding_lookup(list({{h0}}), {ids}, partition_strategy="div")'
  kind = g.choose(["read", "lookup", "add", "train"])
  if kind == "read":
    # The variable's own value has no control inputs: it would be read at any time.
    g.add(scope, "parts", "{o0} = tf.concat(list({h0}), 0)", [], [q], outs=[(q.dtype, q.shape, {})], task=q.task)
  elif kind == "lookup":
    g.add(scope, "parts", "{o0} = " + lookup, [], [q], outs=[(q.dtype, looked, {})], task=q.task)
  elif kind == "add":
    x = computed(g, scope, q.dtype, q.shape)
    g.add(scope, "update", "step{n} = tf.group(*{h0}.assign_add({0}))", [x], [q], task=q.task, tail="step{n}", changes=(q.name,))
  else:
    lines = [
      f"loss{{n}} = tf.reduce_sum(tf.square({lookup}))",
      "pairs{n} = tf1.train.GradientDescentOptimizer(0.125).compute_gradients(loss{n}, list({h0}))",
      "with tf.control_dependencies([loss{n}] + [g for g, _ in pairs{n}]):",
      "  step{n} = tf1.train.GradientDescentOptimizer(0.125).apply_gradients(pairs{n})",
      "{o0} = tf.identity(loss{n})",
    ]
    g.add(scope, "optimizer", lines, [], [q], outs=[(q.dtype, (), {})], task=q.task, tail="step{n}, {o0}", changes=(q.name,))
  return True
