"""A network of few bits, trained by gradients that programs put in the place of others; with prints, assertions and checks on the way."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

WORDS = ["assertion failed: [1 3]", "assertion failed: [of the domain]", "of a log : Tensor had", "of a quotient : Tensor had"]
WORDS += ["has no attribute 'nope'", "returns 2 values, but expects to see 1 values", "is double, but expects float"]
rng = np.random.RandomState(0)
graph = tf.get_default_graph()
tf.set_random_seed(3)


def quantize(x, bits):
  steps = float(2**bits - 1)
  with graph.gradient_override_map({"Round": "Identity"}):
    return tf.round(x * steps) / steps


def few_bits(w):
  w = tf.tanh(w)
  return 2 * quantize(w / tf.reduce_max(tf.abs(w)) * 0.5 + 0.5, 2) - 1


def one_bit(w):
  with graph.gradient_override_map({"Sign": "Identity"}):
    size = tf.stop_gradient(tf.reduce_mean(tf.abs(w)))
    return tf.sign(w / size) * size


class FlipGradient(object):
  calls = 0

  def __call__(self, x, rate=1.0):
    name = "FlipGradient%d" % self.calls
    self.calls += 1

    @ops.RegisterGradient(name)
    def _flip(op, grad):
      return [tf.negative(grad) * rate]

    with graph.gradient_override_map({"Identity": name}):
      return tf.identity(x)


def positive_part(x):
  def slope(op, grad):
    x = op.inputs[0]
    return grad * tf.py_func(lambda x: (x > 0).astype(np.float32), [x], tf.float32, stateful=False)

  name = "PyFuncGrad" + str(rng.randint(0, 1e8))
  tf.RegisterGradient(name)(slope)
  with graph.gradient_override_map({"PyFunc": name}):
    y = tf.py_func(lambda x: np.where(x <= 0, 0, x).astype(np.float32), [x], tf.float32, name="positive")
  y.set_shape(x.get_shape())
  return y


@tf.custom_gradient
def log1pexp(x):
  e = tf.exp(x)
  return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@tf.RegisterGradient("ClipMatMul")
def _clip(op, g):
  both = tf.matmul(g, op.inputs[1], transpose_b=True), tf.matmul(op.inputs[0], g, transpose_a=True)
  return [tf.clip_by_value(t, -0.1, 0.1) for t in both]


def dense(x, units, name, change):
  with tf.variable_scope(name):
    w = tf.get_variable(
      "W",
      [int(x.shape[1]), units],
      initializer=tf.glorot_uniform_initializer(seed=units),
      regularizer=lambda w: 0.01 * tf.nn.l2_loss(w),
    )
    b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, change(w)), b)


x = tf.placeholder(tf.float32, [None, 6], name="x")
y, domain = tf.placeholder(tf.int64, [None], name="y"), tf.placeholder(tf.int64, [None], name="domain")
hidden = positive_part(dense(x, 8, "first", few_bits))
hidden = quantize(tf.clip_by_value(log1pexp(dense(hidden, 8, "second", one_bit)), 0.0, 1.0), 3)
logits = dense(hidden, 3, "out", tf.identity)
domains = dense(FlipGradient()(hidden, 0.5), 2, "domains", tf.identity)
with tf.control_dependencies([tf.Assert(tf.reduce_all(y < 3), [y], summarize=2), tf.assert_rank_in(x, [1, 2])]):
  labels = tf.minimum(y, 2)
with tf.control_dependencies([tf.assert_less_equal(domain, tf.constant(1, tf.int64), message="of the domain", summarize=3)]):
  sides = tf.minimum(domain, 1)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels))
confusion = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=domains, labels=sides))
total = loss + confusion + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
total = tf.Print(total, [loss, tf.shape(x), y], message="losses: ", first_n=1, summarize=3)
step = tf.Variable(0, trainable=False, name="step")
optimizer = tf.train.AdamOptimizer(tf.train.piecewise_constant(step, [3, 6], [0.05, 0.02, 0.01]), epsilon=1e-2)
gradients = optimizer.compute_gradients(total)
noisy = [(g + tf.random_normal(g.shape, stddev=0.001, seed=5) if v.op.name.endswith("W") else g, v) for g, v in gradients]
train = optimizer.apply_gradients(noisy, step)
print([(g.name, v.name) for g, v in gradients])
X = rng.randn(32, 6)
feed = {x: X, y: X[:, :3].argmax(1), domain: (X[:, 3] > 0).astype(int)}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(6):
  fetched = sess.run([train, loss, confusion, total, step], feed)
  print(i, "%.4f %.4f %.4f" % tuple(fetched[1:4]))
with graph.gradient_override_map({"MatMul": "ClipMatMul"}):
  product = tf.matmul(x, tf.ones([6, 2]))
slopes = [tf.gradients(product, x)[0], tf.gradients(log1pexp(x), x)[0], tf.gradients(quantize(x, 2), x)[0]]
print(
  [value[0, :2].tolist() for value in sess.run(slopes, {x: np.full([1, 6], 100.0)})], product.op.get_attr("_gradient_op_type")
)


def fails(call):
  try:
    print(call())
  except tf.errors.OpError as error:
    # TensorFlow's later versions say more before and behind it.
    print(type(error).__name__, [part for part in WORDS if part in str(error)])
  except Exception as error:
    print(type(error).__name__, " ".join(str(error).split()[:5]))


def gradient(name, function):
  if function is not None:
    tf.RegisterGradient(name)(function)
  with graph.gradient_override_map({"Tanh": name}):
    return tf.gradients(tf.tanh(x), x)


fails(lambda: sess.run(labels, {y: [1, 3]}))
fails(lambda: sess.run(sides, {domain: [2]}))
fails(lambda: sess.run(tf.verify_tensor_all_finite(tf.log(x), "of a log"), feed))
fails(lambda: sess.run(tf.check_numerics(x / 0.0, "of a quotient"), feed))
fails(lambda: tf.RegisterGradient("ClipMatMul")(lambda op, g: g))
fails(lambda: gradient("Two", lambda op, g: [g, g]))
fails(lambda: gradient("Nothing", lambda op, g: None))
fails(lambda: gradient("Part", lambda op, g: g[:, :2]))
fails(lambda: gradient("Unknown", None))
fails(lambda: tf.gradients(tf.py_func(np.abs, [x], tf.float32), x))
fails(lambda: sess.run(tf.py_func(lambda a: a.nope, [x], tf.float32), feed))
fails(lambda: sess.run(tf.py_func(lambda a: [a, a], [x], [tf.float32]), feed))
fails(lambda: sess.run(tf.py_func(lambda a: a.astype(np.float64), [x], tf.float32), feed))
fails(lambda: tf.train.GradientDescentOptimizer(0.1).minimize(train))
fails(lambda: total + train)
