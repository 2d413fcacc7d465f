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


def program_old_placeholders(tf):
  """An empty shape is none up to version 21."""
  found = []
  for version in (21, 22):
    graph_def = tf.GraphDef()
    graph_def.versions.producer = version
    x = graph_def.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = 1
    x.attr["shape"].shape.SetInParent()
    graph_def.node.add(name="y", op="Neg", input=["x"]).attr["T"].type = 1
    with tf.Graph().as_default():
      x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"], name="")
      with tf.Session() as session:
        found += [str(x.shape), str(y.shape), session.run(y, {x: 3.0})]
        found.append(_fails(lambda: session.run(y, {x: [3.0, 4.0]})))
  return found


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


def program_an_import_that_fails_leaves_nothing(tf):
  bad = tf.GraphDef()
  for name, size in (("a", 2), ("b", 3)):
    node = bad.node.add(name=name, op="Placeholder")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.dim.add(size=size)
  bad.node.add(name="c", op="Add", input=["a", "b"]).attr["T"].type = 1
  found = []
  for name in ("bad", "bad", ""):
    try:
      tf.import_graph_def(bad, name=name)
    except Exception as error:
      found.append(type(error).__name__)
    found.append([op.name for op in tf.get_default_graph().get_operations()])
  good = _some_graph(tf)
  tf.import_graph_def(good, name="good")
  a = tf.constant(1.0, name="a")
  found.append([op.name for op in tf.get_default_graph().get_operations()])
  with tf.Session() as session:
    return found + [session.run(a + 1.0)]


def program_training_goes_on(tf):
  graph_def = _some_graph(tf)
  b, c = tf.import_graph_def(graph_def, name="", return_elements=["b/Assign", "c:0"])
  loss = tf.reduce_sum(c)
  gradient = tf.gradients(loss, ["b/read:0"] and tf.get_default_graph().get_tensor_by_name("b/read:0"))[0]
  with tf.Session() as session:
    session.run(b)
    return session.run([c, gradient], {"a:0": [[1.0, 2.0]]})


def _train(tf, w, b):
  tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients([(tf.zeros([2, 1]), w), (tf.zeros([1]), b)], name="train")


def _trained_graph(tf, device=None):
  """A model with variables, slots, a queue and ops that are colocated with ops that are colocated."""
  with tf.Graph().as_default() as graph:
    with tf.device(device):
      x = tf.placeholder(tf.float32, [None, 2], name="x")
      w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer(), use_resource=False)
      b = tf.get_variable("b", [1], initializer=tf.zeros_initializer(), use_resource=True)
      tf.add(tf.matmul(x, w), b, name="y")
      tf.FIFOQueue(2, [tf.float32], name="queue").enqueue(1.0, name="enqueue")
      _train(tf, w, b)
      tf.train.Saver()
  graph_def = graph.as_graph_def()
  made = graph_def.node.add(name="last", op="NoOp", device="/job:worker/task:1")
  made.attr["_class"].list.s.extend([b"loc:@first", b"loc:@w/read"])
  made = graph_def.node.add(name="first", op="NoOp")
  made.attr["_class"].list.s.append(b"loc:@first")
  return graph_def


def _devices(graph):
  return [(op.name, op.device) for op in graph.get_operations()]


def program_devices_of_what_is_colocated(tf):
  import contextlib

  setter = tf.train.replica_device_setter(
    cluster={"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}, worker_device="/job:worker/task:1"
  )
  found = []
  for asked in (None, "/job:ps/task:1", "/cpu:0"):
    graph_def = _trained_graph(tf, asked)
    for name in ("", "x"):
      for blocks in (
        [],
        [setter],
        ["/job:worker/task:1"],
        ["/job:a", "/task:2", None, "/cpu:1"],
        ["/gpu:1", setter],
        [setter, "/gpu:1"],
      ):
        with tf.Graph().as_default() as graph:
          with contextlib.ExitStack() as stack:
            for block in blocks:
              stack.enter_context(tf.device(block))
            tf.import_graph_def(graph_def, name=name)
          found.append(_devices(graph))
  return found


def program_devices_by_functions(tf):
  graph_def = _trained_graph(tf)
  seen = []

  def by_name(op):
    seen.append((op.name, op.device))
    return "/job:ps" if op.type.startswith("Var") else "/job:worker/cpu:%d" % (len(op.name) % 3)

  def only_tasks(op):
    return "/task:%d" % (len(op.inputs) % 2)

  with tf.device(only_tasks), tf.device("/replica:1"), tf.device(by_name):
    tf.import_graph_def(graph_def, name="x")
  return sorted(seen)


def program_devices_that_clash(tf):
  # What the program asks for in vain: the node that is colocated gets the device of the others.
  with tf.Graph().as_default() as graph:
    with tf.device("/job:ps/task:0"):
      v = tf.get_variable("v", initializer=3.0, use_resource=False)
    tf.assign(v, 4.0, name="as")
    graph_def = graph.as_graph_def()
  for node in graph_def.node:
    if node.name == "as":
      node.device = "/job:worker/task:1"
  tf.import_graph_def(graph_def, name="")


def program_meta_graphs(tf):
  import os
  import tempfile

  setter = tf.train.replica_device_setter(
    cluster={"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}, worker_device="/job:worker/task:1"
  )
  with tf.Graph().as_default(), tf.device("/job:other/task:3"):
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer(), use_resource=False)
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer(), use_resource=True)
    _train(tf, w, b)
    meta = tf.train.Saver().export_meta_graph(os.path.join(tempfile.mkdtemp(), "m"))
  found = []
  for clear in (True, False):
    for scope in (None, "s"):
      for device in (setter, "/job:worker/task:1", None):
        with tf.Graph().as_default() as graph:
          with tf.device(device):
            # TensorFlow clears them in the message itself.
            tf.train.import_meta_graph(
              tf.MetaGraphDef.FromString(meta.SerializeToString()), clear_devices=clear, import_scope=scope
            )
          found.append(_devices(graph))
  return found


def program_devices_and_groups_that_are_none(tf):
  def imported(name, device=None, group=None):
    with tf.Graph().as_default() as graph:
      tf.constant(1.0, name="here")
      graph_def = tf.GraphDef()
      graph_def.node.add(name="x", op="NoOp", device="/job:ps")
      node = graph_def.node.add(name="y", op="NoOp", device=device or "")
      if group is not None:
        node.attr["_class"].list.s.append(group)
      tf.import_graph_def(graph_def, name=name)
      return _devices(graph)

  found = []
  for name in ("", "p/q"):
    for group in (b"loc:@none", b"loc:@here", b"loc:@x:0", b"loc:@y", b"loc:@x", b"x", b""):
      found.append(_fails(lambda name=name, group=group: imported(name, "/cpu:1", group)))
    for device in ("rubbish//x", "/job:a/job:b", "/cpu:0", "cpu:0", "/GPU", "/device:CPU:0/gpu:1", "/task:x", "/job:ps/cpu:1"):
      found.append(_fails(lambda name=name, device=device: imported(name, device)))
  return found


def program_mapped_but_not_taken(tf):
  """An input that nothing takes may be mapped if a node has it."""
  with tf.Graph().as_default() as graph:
    tf.placeholder(tf.float32, [2], name="image")
    tf.split(tf.constant([1.0, 2.0]), 2, name="parts")
    tf.no_op(name="nothing")
    graph_def = graph.as_graph_def()
  mine = tf.constant([5.0, 6.0], name="mine")
  return [
    _fails(lambda: [x.name for x in tf.import_graph_def(graph_def, {key: mine}, ["image:0"])])
    for key in ("image:0", "image", "parts:1", "parts:2", "image:1", "nothing", "^nothing", "^none", "none")
  ]


def program_names_that_are_taken(tf):
  """Nodes get numbers that neither the graph nor the GraphDef has, also where a scope has the name."""
  with tf.Graph().as_default() as graph:
    one, two = tf.constant(1.0), tf.constant(2.0)
    with tf.control_dependencies([two]):
      tf.add(one, two, name="add")
    with tf.colocate_with(two):
      tf.constant(3.0, name="Const_2_1")
    with tf.name_scope("deep"):
      tf.constant(4.0, name="inner")
    tf.constant(5.0, name="flat")
  graph_def = graph.as_graph_def()
  tf.constant(0, name="Const")
  tf.constant(0, name="flat/below")
  tf.constant(0, name="deep")
  names = []
  for name in ("", "", "again/", "again/"):
    found = tf.import_graph_def(graph_def, name=name, return_elements=["Const", "Const_1:0", "add", "deep/inner", "flat"])
    names.append([element.name for element in found])
  names.append(tf.constant(1.0).name)
  with tf.Session() as session:
    names.append(session.run([names[0][1], names[1][1], names[3][1], names[1][2] + ":0"]))
  return names


def program_an_import_into_a_scope_that_has_its_nodes(tf):
  with tf.Graph().as_default() as graph:
    tf.constant(1.0, name="import/Const")
    tf.constant(2.0)
  graph_def = graph.as_graph_def()
  tf.import_graph_def(graph_def, name="")
  first = tf.import_graph_def(graph_def, return_elements=["Const", "import/Const"])
  second = tf.import_graph_def(graph_def, return_elements=["Const", "import/Const"])
  return [op.name for op in first + second]
