"""Graphs from GraphDefs."""


def _fails(call):
  try:
    return repr(call())
  except Exception as error:
    return "%s: %s" % (type(error).__name__, str(error).split("\n")[0])


def _some_graph(tf):
  with tf.Graph().as_default() as graph:
    a = tf.placeholder(tf.float32, [None, 2], name="a")
    with tf.device("/job:ps"):
      b = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=False, name="b")
    with tf.control_dependencies([a]):
      c = tf.matmul(a, b, name="c")
    tf.split(c, 2, axis=1, name="d")
    with tf.colocate_with(b):
      tf.identity(c, name="e")
  return graph.as_graph_def()


def program_plain(tf):
  graph_def = _some_graph(tf)
  returned = [tf.import_graph_def(graph_def)]
  returned += [x.name for x in tf.import_graph_def(graph_def, return_elements=["c", "c:0", "d:1"])]
  tf.import_graph_def(graph_def, name="other")
  tf.import_graph_def(graph_def, name="")
  return returned


def program_scopes_and_devices(tf):
  graph_def = _some_graph(tf)
  with tf.name_scope("s"):
    with tf.device("/task:3"):
      tf.import_graph_def(graph_def, name="t")
  with tf.device("/job:w/device:CPU:1"):
    tf.import_graph_def(graph_def, name="u")


def program_input_map(tf):
  graph_def = _some_graph(tf)
  mine = tf.constant([[1.0, 1.0]], name="mine")
  c, a = tf.import_graph_def(graph_def, input_map={"a": mine, "b/read": [[1.0, 0.0], [0.0, 1.0]]}, return_elements=["c:0", "a:0"])
  d = tf.import_graph_def(graph_def, input_map={"c:0": mine}, return_elements=["d:0"], name="x")[0]
  with tf.Session() as session:
    return [session.run([c, d]), a.name, [i.name for i in c.op.inputs]]


def program_errors(tf):
  graph_def = _some_graph(tf)
  broken = tf.GraphDef()
  broken.node.add(name="x", op="Identity", input=["none"]).attr["T"].type = 1
  unknown = tf.GraphDef()
  unknown.node.add(name="x", op="NoSuchOpAtAll")
  calls = [
    lambda: tf.import_graph_def(3),
    lambda: tf.import_graph_def(graph_def, input_map=3),
    lambda: tf.import_graph_def(graph_def, return_elements="a"),
    lambda: tf.import_graph_def(graph_def, return_elements=["none"]),
    lambda: tf.import_graph_def(graph_def, return_elements=["none:0"]),
    lambda: tf.import_graph_def(graph_def, input_map={"none": tf.constant(1.0)}),
    lambda: tf.import_graph_def(graph_def, name="", input_map={"a": [[1.0, 1.0]]}),
  ]
  found = [_fails(call) for call in calls]
  for one in (broken, unknown):
    try:
      tf.import_graph_def(one)
    except Exception as error:
      found.append(type(error).__name__)
  return found


def program_training_goes_on(tf):
  graph_def = _some_graph(tf)
  b, c = tf.import_graph_def(graph_def, name="", return_elements=["b/Assign", "c:0"])
  loss = tf.reduce_sum(c)
  gradient = tf.gradients(loss, ["b/read:0"] and tf.get_default_graph().get_tensor_by_name("b/read:0"))[0]
  with tf.Session() as session:
    session.run(b)
    return session.run([c, gradient], {"a:0": [[1.0, 2.0]]})
