"""Pinning operations to tasks: by hand, by a function of the operation, and by blocks inside blocks."""

import re

from local_cluster import LocalCluster, placement, short, tf

cluster = LocalCluster(ps=2, worker=2)

with tf.device("/job:ps/task:1/cpu:0"):
  a = tf.Variable(3.0, name="a")
  b = tf.constant(4.0, name="b")


def variables_on_ps(op):
  return "/job:ps/task:0" if op.type.startswith(("Variable", "VarHandle")) else "/job:worker/task:1"


with tf.device(variables_on_ps):
  c = tf.Variable(5.0, name="c")
  d = tf.multiply(c, 2.0, name="d")

# An inner block completes or overrides the outer one, and a block without a device takes everything back.
with tf.device("/job:worker/task:0"):
  with tf.device("/cpu:0"):
    e = tf.add(a, b, name="e")
  with tf.device("/job:ps/task:0"):
    f = tf.add(e, d, name="f")
  with tf.device(None), tf.device("/job:worker/task:1"):
    g = tf.square(f, name="g")

with tf.Session(cluster.target("worker")) as session:
  session.run(tf.global_variables_initializer())
  print("g =", session.run(g))
  where = placement(session, g)
  for name in ("a", "c", "d", "e", "f", "g"):
    print("%-2s is on %s" % (name, short(where[name])))

# A device that does not exist is an error that names it. In a graph of its own, as a graph is placed whole.
with tf.Graph().as_default(), tf.Session(cluster.target("worker")) as session:
  with tf.device("/job:worker/task:7"):
    h = tf.constant(1.0, name="h")
  try:
    session.run(h)
  except tf.errors.InvalidArgumentError as error:
    print(re.search(r"Cannot assign a device for operation \w+", error.message).group())

# Soft placement takes a device of another kind where there is none of the wished one.
with tf.Graph().as_default():
  with tf.device("/job:worker/task:1/gpu:0"):
    i = tf.Variable(1.0, name="i")
  with tf.Session(cluster.target("worker"), config=tf.ConfigProto(allow_soft_placement=True)) as session:
    print("i is on", short(placement(session, i.initializer)["i"]))
