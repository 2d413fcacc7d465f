"""State that sessions share on the cluster: names, containers, and a reset of some of them."""

from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=2)


def counter(graph_of, container=""):
  """A client of its own: its own graph and session, the same variable on the ps."""
  graph = tf.Graph()
  with graph.as_default(), tf.device("/job:ps/task:0"), tf.container(container):
    x = tf.Variable(0.0, name="x")
    increment = tf.assign_add(x, 1.0)
    init = tf.global_variables_initializer()
  return tf.Session(cluster.target("worker", graph_of), graph=graph), x, increment, init


# Two clients of two masters: the variable is the same, as it has the same name.
first, x1, increment1, init1 = counter(0)
second, x2, increment2, _ = counter(1)
first.run(init1)
first.run(increment1)
second.run(increment2)
print("shared:", first.run(x1), second.run(x2))

# In a container of its own it is another one.
other, x3, increment3, init3 = counter(0, container="problem1")
other.run(init3)
other.run(increment3)
print("in a container:", other.run(x3), "outside:", first.run(x1))

# A reset of the container leaves the rest alone. It ends the sessions of its master.
tf.Session.reset(cluster.target("worker", 0), ["problem1"])
again, x4, _, init4 = counter(0, container="problem1")
try:
  again.run(x4)
except tf.errors.FailedPreconditionError as error:
  print("after the reset:", type(error).__name__)
print("the default container:", second.run(x2))

# Queues are shared by `shared_name`.
with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
  queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], shared_name="numbers")
  put = queue.enqueue_many([[1.0, 2.0, 3.0]])
  with tf.Session(cluster.target("worker", 0)) as session:
    session.run(put)
with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
  queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], shared_name="numbers")
  with tf.Session(cluster.target("worker", 1)) as session:
    print("from the shared queue:", session.run(queue.dequeue_many(3)).tolist())
