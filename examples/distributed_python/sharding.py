"""Variables sharded over parameter servers: replica_device_setter, strategies, and one variable in parts."""

from local_cluster import LocalCluster, placement, short, tf

cluster = LocalCluster(ps=2, worker=1)

with tf.device(tf.train.replica_device_setter(cluster=cluster.spec)):
  v = [tf.get_variable("v%d" % i, initializer=float(i)) for i in range(5)]  # ps 0, 1, 0, 1, 0
  total = tf.add_n([v_i * 2.0 for v_i in v], name="total")  # worker 0
  with tf.device("/task:0"):
    step = tf.assign_add(v[1], total, name="step")


class LeastBytes:
  """A strategy of ours: bytes so far by task."""

  def __init__(self, tasks):
    self.bytes = [0] * tasks

  def __call__(self, op):
    task = self.bytes.index(min(self.bytes))
    self.bytes[task] += op.outputs[0].shape.num_elements() * 4 if op.type == "VariableV2" else 1
    return task


with tf.device(tf.train.replica_device_setter(cluster=cluster.spec, ps_strategy=LeastBytes(2))):
  big = tf.Variable(tf.zeros([1000]), name="big")
  small = [tf.Variable(tf.zeros([100]), name="small%d" % i) for i in range(3)]

# One table in four parts, round robin over the servers; a lookup asks only the parts that it needs.
with tf.device(tf.train.replica_device_setter(cluster=cluster.spec)):
  table = tf.get_variable("table", [10, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(4))
  rows = tf.nn.embedding_lookup(table, [0, 4, 9], name="rows")

with tf.Session(cluster.target("worker")) as session:
  session.run(tf.global_variables_initializer())
  print("total =", session.run(total), "v1 =", session.run(step))
  where = placement(session, [total, big, rows] + small)
  for name in ["v%d" % i for i in range(5)] + ["total", "big"] + ["small%d" % i for i in range(3)]:
    print("%-7s is on %s" % (name, short(where[name])))
  for part in table:
    print("%-13s %-8s is on %s" % (part.op.name, part.shape, short(where[part.op.name])))
  print("rows:", session.run(rows).tolist())
