"""tf.import_graph_def in the branches of conditionals and in the bodies of loops: what it adds, and what it leaves when it fails."""


def _names(tf):
  return [op.name for op in tf.get_default_graph().get_operations()]


def _simple(tf, bad=None):
  """A graph of a placeholder and what is made of it; `bad` makes it one that can't be imported."""
  with tf.Graph().as_default() as graph:
    a = tf.placeholder(tf.float32, [2], name="a")
    b = tf.constant([1.0, 2.0], name="b")
    with tf.control_dependencies([b]):
      c = tf.add(a, b, name="c")
    tf.split(c, 2, name="d")
    graph_def = graph.as_graph_def()
  if bad == "shape":
    graph_def.node[1].attr["value"].tensor.tensor_shape.dim[0].size = 3
    graph_def.node[1].attr["value"].tensor.ClearField("tensor_content")
    graph_def.node[1].attr["value"].tensor.float_val.append(1.0)
  elif bad == "input":
    graph_def.node.add(name="z", op="Neg", input=["none"]).attr["T"].type = 1
  elif bad == "op":
    graph_def.node.add(name="z", op="NoSuchOp")
  elif bad == "device":
    graph_def.node.add(name="z", op="NoOp", device="rubbish//x")
  elif bad == "group":
    graph_def.node.add(name="z", op="NoOp").attr["_class"].list.s.append(b"loc:@none")
  elif bad == "attr":
    graph_def.node.add(name="z", op="Neg", input=["c"]).attr["T"].type = 3
  elif bad == "twice":
    graph_def.node.add(name="c", op="NoOp")
  elif bad == "cycle":
    for name, other in (("y", "z"), ("z", "y")):
      graph_def.node.add(name=name, op="Neg", input=[other]).attr["T"].type = 1
  return graph_def


def _loop_graph(tf):
  with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [], name="x")
    tf.identity(tf.while_loop(lambda i: i < 10.0, lambda i: i * 2.0, [x]), name="end")
    tf.cond(x > 1.0, lambda: x + 1.0, lambda: x - 1.0)
    return graph.as_graph_def()


BAD = ["shape", "input", "op", "device", "group", "attr", "twice", "cycle"]


def _where(tf, place, function):
  """Calls a function in a place of a graph; returns the value of that place."""
  x = tf.constant([3.0, 4.0], name="outside")
  p = tf.placeholder_with_default(True, [], name="p")
  if place == "top":
    return function(x)
  if place == "cond":
    return tf.cond(p, lambda: function(x), lambda: tf.zeros([2]))
  if place == "nested":
    return tf.cond(p, lambda: tf.cond(p, lambda: function(x), lambda: x), lambda: tf.zeros([2]))
  if place == "while":
    return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, function(s)), [0, x])[1]
  if place == "cond_in_while":
    body = lambda i, s: (i + 1, tf.cond(i < 1, lambda: function(s), lambda: s * 2.0))
    return tf.while_loop(lambda i, _: i < 3, body, [0, x])[1]
  raise ValueError(place)


PLACES = ["top", "cond", "nested", "while", "cond_in_while"]


def program_good(tf):
  """Imported nodes belong to the context: a branch's to the branch, a body's to its iterations."""
  graph_def = _simple(tf)
  found = []
  for place in PLACES:
    with tf.Graph().as_default():
      result = _where(tf, place, lambda x: tf.import_graph_def(graph_def, {"a": x}, ["c:0"])[0])
      found.append(_names(tf))
      with tf.Session() as session:
        found += [session.run(result), session.run(result, {"p:0": place == "top"})]
  return found


def program_constants_only(tf):
  """What has no inputs runs with its branch, too."""
  with tf.Graph().as_default() as graph:
    tf.constant([1.0, 2.0], name="k")
    tf.no_op(name="n")
    graph_def = graph.as_graph_def()
  found = []
  for place in PLACES:
    with tf.Graph().as_default() as graph:
      result = _where(tf, place, lambda x: x + tf.import_graph_def(graph_def, None, ["k:0"])[0])
      node = next(op for op in graph.get_operations() if op.name.endswith("import/n"))
      found.append([op.type for op in node.control_inputs])
      with tf.Session() as session:
        found.append(session.run(result))
  return found


def program_loops_and_conditionals(tf):
  graph_def = _loop_graph(tf)
  found = []
  for place in ("top", "cond", "nested"):
    with tf.Graph().as_default():
      result = _where(tf, place, lambda x: x * tf.import_graph_def(graph_def, {"x": x[0]}, ["end:0"])[0])
      with tf.Session() as session:
        found.append(session.run(result))
  return found


def _failing(tf, place, call):
  """What is there after a failure that the function of a place catches, and what its value is then."""
  with tf.Graph().as_default():
    errors = []

    def function(x):
      before = _names(tf)
      try:
        call(x)
      except Exception as error:  # noqa: BLE001
        errors.append(type(error).__name__)
      errors.append([name for name in _names(tf) if name not in before])
      return x + 1.0

    result = _where(tf, place, function)
    with tf.Session() as session:
      return [errors, session.run(result), _names(tf)]


def program_bad_graphs(tf):
  """A graph that can't be imported leaves nothing in any context, and the program goes on."""
  found = []
  for bad in BAD:
    graph_def = _simple(tf, bad)
    for place in PLACES:
      for name in (None, ""):
        found.append(_failing(tf, place, lambda x: tf.import_graph_def(graph_def, {"a": x}, name=name)))  # noqa: B023
  return found


def program_bad_arguments(tf):
  """Inputs that nobody takes and elements that are not there."""
  graph_def = _simple(tf)
  found = []
  for place in PLACES:
    calls = [
      lambda x: tf.import_graph_def(graph_def, {"none": x}),
      lambda x: tf.import_graph_def(graph_def, {"a": x, "none:1": x}),
      lambda x: tf.import_graph_def(graph_def, {"a": x}, ["none"]),
      lambda x: tf.import_graph_def(graph_def, {"a": x}, ["c:7"]),
      lambda x: tf.import_graph_def(graph_def, {"a": x}, ["c:0", "d:2"]),
      lambda x: tf.import_graph_def(graph_def, {"a": tf.cast(x, tf.int32)}),
      lambda x: tf.import_graph_def(graph_def, {"a": tf.zeros([3])}),
      lambda x: tf.import_graph_def(graph_def, {"a": "text"}),
    ]
    for call in calls:
      found.append(_failing(tf, place, call))
  return found


def program_inputs_of_other_loops(tf):
  """A value of the inside of a loop can't be mapped to an input outside of it."""
  graph_def = _simple(tf)
  found = []
  for place in PLACES:
    with tf.Graph().as_default():
      inside = []

      def body(i, s):
        inside.append(s * 2.0)  # noqa: B023
        return i + 1, s + 1.0

      tf.while_loop(lambda i, _: i < 2, body, [0, tf.zeros([2])])
      errors = []

      def function(x):
        try:
          tf.import_graph_def(graph_def, {"a": inside[0]})  # noqa: B023
        except Exception as error:  # noqa: BLE001
          errors.append(isinstance(error, (TypeError, ValueError)))  # noqa: B023
        return x + 1.0

      result = _where(tf, place, function)
      with tf.Session() as session:
        found.append([errors, session.run(result)])
  return found


def program_switches_beside_an_import_without_a_name(tf):
  """Switches of what is imported into a branch at the top of the graph are named as others of the branch."""
  graph_def = _simple(tf)
  found = []
  for place in ("cond", "nested", "cond_in_while"):
    with tf.Graph().as_default():
      result = _where(tf, place, lambda x: tf.import_graph_def(graph_def, {"a": x}, ["c:0"], name="")[0])
      with tf.Session() as session:
        found.append([_names(tf), session.run(result)])
  return found
