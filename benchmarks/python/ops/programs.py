"""Control flow, data sets, optimizers and metrics."""

import functools

from ops.rows import bools, ints, op, uniform


def data(name, build):
  def elements(tf, _):
    iterator = tf.data.make_initializable_iterator(build(tf, tf.data.Dataset.range(2000)).repeat())
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()

  op("data/" + name, elements, uniform(1))


def optimizer(name, **options):
  def step(tf, x):
    with tf.variable_scope("optimizer"):
      weights = tf.get_variable("weights", [1000, 500])
    return getattr(tf.train, name)(0.01, **options).minimize(tf.reduce_sum(weights * x))

  op("train/" + name, step, uniform(1000, 500))


data("map", lambda tf, ds: ds.map(lambda v: v * 2).batch(100))
data("parallel_map", lambda tf, ds: ds.map(lambda v: tf.cast(v, tf.float32) * 2.0, num_parallel_calls=2).batch(100))
data("shuffle", lambda tf, ds: ds.shuffle(500).batch(100))
data("filter", lambda tf, ds: ds.filter(lambda v: tf.equal(v % 2, 0)).batch(50))
data("interleave", lambda tf, ds: ds.interleave(lambda v: tf.data.Dataset.range(5), cycle_length=4).batch(100))
data("flat_map", lambda tf, ds: ds.flat_map(lambda v: tf.data.Dataset.range(5)).batch(100))
data("padded", lambda tf, ds: ds.map(lambda v: tf.fill([v % 10], v)).padded_batch(50, [None]))
data("window", lambda tf, ds: ds.window(10, drop_remainder=True).flat_map(lambda w: w.batch(10)).batch(10))
data("prefetch", lambda tf, ds: ds.batch(100).map(lambda v: v + 1).prefetch(2))
data("one_by_one", lambda tf, ds: ds)
data("cache", lambda tf, ds: ds.cache().batch(100))
data("large", lambda tf, ds: ds.map(lambda v: tf.fill([100, 100], tf.cast(v, tf.float32))).batch(20))
for name in "Adagrad RMSProp Ftrl Adadelta Adam ProximalAdagrad GradientDescent".split():
  optimizer(name + "Optimizer")
optimizer("MomentumOptimizer", momentum=0.9)
op("flow/while", lambda tf, x: tf.while_loop(lambda k, y: k < 1000, lambda k, y: (k + 1, y * 1.0001), [0, x[0]])[1], uniform(1))
op(
  "flow/while_vec", lambda tf, x: tf.while_loop(lambda k, y: k < 300, lambda k, y: (k + 1, tf.tanh(y)), [0, x])[1], uniform(1000)
)
op("flow/map_fn", lambda tf, x: tf.map_fn(lambda y: y * 2.0 + 1.0, x), uniform(500, 10))
op("flow/scan", lambda tf, x: tf.scan(lambda a, y: a + y, x), uniform(500, 10))
op("flow/cond", lambda tf, x: tf.cond(x[0] > 0.5, lambda: x * 2, lambda: x * 3), uniform(1000))
op("flow/tensor_array", lambda tf, x: tf.TensorArray(tf.float32, 1000).unstack(x).stack(), uniform(1000, 100))
op(
  "flow/while_grad",
  lambda tf, x: tf.gradients(tf.while_loop(lambda k, y: k < 200, lambda k, y: (k + 1, tf.tanh(y)), [0, x])[1], [x]),
  uniform(1000),
)
op("flow/py_func", lambda tf, x: tf.py_func(lambda y: y + 1, [x], tf.float32), uniform(1000))
op("flow/chain", lambda tf, x: functools.reduce(lambda a, _: tf.nn.relu(a) + 1.0, range(200), x), uniform(10))
op(
  "flow/case", lambda tf, x: tf.case([(x[0] > 2.0, lambda: x), (x[0] > 1.0, lambda: x + 1)], default=lambda: x + 2), uniform(100)
)
op("flow/foldl", lambda tf, x: tf.foldl(lambda a, y: a * y, x), uniform(500, 10))
op("metric/auc", lambda tf, x, y: tf.metrics.auc(y, x)[1], uniform(1000), bools(1000))
op("metric/accuracy", lambda tf, x, y: tf.metrics.accuracy(x, y)[1], ints(10, 1000), ints(10, 1000))
