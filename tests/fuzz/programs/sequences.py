"""Recurrent cells as single ops, and losses and decoders of sequences."""

import program as p
from computing import EVERYWHERE, floats, tame, task_of
from generate import statement
from program import Literal

UNITS = 3


def _weights(shape, phase):
  return f"tf.constant(np.reshape(0.2 * np.cos({phase} + np.arange({p.elements(shape)})), {list(shape)}), tf.float32)"


@statement(1, *EVERYWHERE)
def lstm(g, scope):
  x, state = floats(g, scope, (4, 16), ("float32",)), floats(g, scope, (2, 3), ("float32",))
  peephole = g.choose([True, False])
  output, steps = g.choose(["h", "cs", "co"]), g.choose([1, 2])
  one = g.choose(["LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"])
  bias = "" if one == "BlockLSTMV2" else "forget_bias=1.0, cell_clip=3.0, "
  # Of the steps behind seq_len_max, which are zeros, stock leaves some numbers as they are in memory.
  sizes, shape, cut = "seq_len_max=tf.constant(%d, tf.int64), " % steps, (steps, 2, UNITS), "[:%d]" % steps
  if one == "LSTMBlockCell":
    sizes, shape, cut = "", (2, UNITS), ""
  lines = [
    f"few{{n}} = tf.reshape({tame('{0}')}, [2, 2, 16]){'[0]' if not sizes else ''}",
    f"state{{n}} = {tame('{1}')}",
    f"some{{n}} = [{_weights((UNITS,), 1)}] * 3",
    f"{{o0}} = tf.raw_ops.{one}({sizes}x=few{{n}}, cs_prev=state{{n}}, h_prev=state{{n}} * 0.5, w={_weights((16 + UNITS, 4 * UNITS), 2)}, "
    f"wci=some{{n}}[0], wcf=some{{n}}[1], wco=some{{n}}[2], b={_weights((4 * UNITS,), 3)}, {bias}use_peephole={peephole}).{output}{cut}",
  ]
  g.add(scope, "cell", lines, [x, state], outs=[("float32", shape, {})], task=task_of(g, scope, [x, state]))
  return True


@statement(0.5, *EVERYWHERE)
def gru(g, scope):
  x, state = floats(g, scope, (4, 16), ("float32",)), floats(g, scope, (2, 3), ("float32",))
  lines = [
    f"{{o0}} = tf.raw_ops.GRUBlockCell(x={tame('{0}')}[:2], h_prev={tame('{1}')}, w_ru={_weights((16 + UNITS, 2 * UNITS), 1)}, "
    f"w_c={_weights((16 + UNITS, UNITS), 2)}, b_ru={_weights((2 * UNITS,), 3)}, b_c={_weights((UNITS,), 4)}).{g.choose(['h', 'c', 'r'])}"
  ]
  g.add(scope, "cell", lines, [x, state], outs=[("float32", (2, UNITS), {})], task=task_of(g, scope, [x, state]))
  return True


@statement(1, *EVERYWHERE)
def ctc(g, scope):
  """A loss, its slope, or what a decoder gives of five steps of four classes. One class of each step is far above the others."""
  x = floats(g, scope, (5, 16), ("float32",))
  best = Literal("int32", (5,), data=str([g.rng.randrange(4) for _ in range(5)]))
  lines = [
    f"logits{{n}} = tf.reshape({tame('{0}')}[:, :4] * 0.5 + tf.one_hot({{1}}, 4) * 6.0, [5, 1, 4])",
    "steps{n} = tf.constant([5])",
  ]
  loss = (
    "tf.raw_ops.CTCLoss(inputs=logits{n}, labels_indices=tf.constant([[0, 0], [0, 1]], tf.int64), "
    f"labels_values=tf.constant({g.choose([[0, 1], [2, 0], [1, 1]])}), sequence_length=steps{{n}})"
  )
  greedy = f"tf.raw_ops.CTCGreedyDecoder(inputs=logits{{n}}, sequence_length=steps{{n}}, merge_repeated={g.chance(0.5)})"
  beams = (
    "tf.raw_ops.CTCBeamSearchDecoder(inputs=logits{n}, sequence_length=steps{n}, beam_width=4, top_paths=1, merge_repeated=False)"
  )
  text, dtype, shape = g.choose(
    [
      (loss + ".loss", "float32", (1,)),
      # Squared: the slopes of a step add up to nothing but rounding.
      (f"tf.square({loss}.gradient)", "float32", (5, 1, 4)),
      (greedy + ".decoded_values", "int64", None),
      (greedy + ".log_probability", "float32", (1, 1)),
      (beams + ".decoded_values[0]", "int64", None),
      (beams + ".log_probability", "float32", (1, 1)),
    ]
  )
  g.add(scope, "sequence", lines + ["{o0} = " + text], [x, best], outs=[(dtype, shape, {})], task=task_of(g, scope, [x]))
  return True
