"""Graphs: names, devices, colocation, control dependencies, containers, collections, looking up."""

import numpy as np


def program_names(tf):
  a = tf.constant(1.0, name="a")
  b = tf.constant(2.0, name="a")
  c = tf.constant(3.0, name="A")
  with tf.name_scope("s") as scope:
    d = tf.add(a, b, name="d")
    with tf.name_scope("t"):
      e = tf.add(d, 1.0)
    with tf.name_scope("t"):
      f = tf.add(d, [1.0, 2.0], name="sum")
    with tf.name_scope(None):
      g = tf.identity(e)
    with tf.name_scope(""):
      h = tf.identity(e, name="h")
  with tf.name_scope(scope):
    i = tf.identity(f, name="i")
  with tf.name_scope("s"):
    j = tf.identity(f, name="-j")
  with tf.name_scope("x", "default", [a]):
    k = tf.identity(c)
  with tf.name_scope(None, "default", [a]):
    m = tf.identity(k)
  names = [t.name for t in (a, b, c, d, e, f, g, h, i, j, k, m)]
  graph = tf.get_default_graph()
  names += [
    graph.unique_name("a"),
    graph.unique_name("a", mark_as_used=False),
    graph.unique_name("new"),
    graph.unique_name("new"),
  ]
  names.append(graph.get_name_scope())
  return names


def program_bad_names(tf):
  with tf.name_scope("bad name"):
    tf.constant(1.0)


def program_bad_root_name(tf):
  with tf.name_scope("_x"):
    tf.constant(1.0)


def program_bad_op_name(tf):
  tf.identity(1.0, name="a b")


def program_names_of_constants(tf):
  found = []
  for scope in ("", "s"):
    with tf.name_scope(scope):
      for name in ("a b", "_x", "x:0", "/a", "a>b", "a/b"):
        found.append(_fails(lambda name=name: tf.constant(1, name=name))[:40])
  return found


def program_scope_without_name(tf):
  with tf.name_scope(None, None, [tf.constant(1.0)]):
    pass


def program_devices(tf):
  with tf.device("/job:ps/task:1"):
    a = tf.constant(1.0)
    with tf.device("/cpu:0"):
      b = tf.identity(a)
      with tf.device("/job:worker/gpu:1"):
        c = tf.identity(b)
      with tf.device(None):
        d = tf.identity(c)
        with tf.device("/device:GPU:2"):
          e = tf.identity(d)
    with tf.device(""):
      f = tf.identity(e)
  with tf.device(lambda op: "/job:w/device:CPU:%d" % len(op.inputs)):
    g = tf.identity(f)
    with tf.device("/task:7"):
      h = tf.add(g, 1.0)
  with tf.device("/replica:1"):
    with tf.device(lambda op: ""):
      i = tf.identity(h)
  with tf.device(tf.DeviceSpec(job="x", task=2)):
    j = tf.identity(i)
  return [t.device for t in (a, b, c, d, e, f, g, h, i, j)]


def program_colocation(tf):
  with tf.device("/job:ps"):
    a = tf.constant(1.0, name="a")
    b = tf.constant(1.0, name="b")
  with tf.device("/cpu:0"):
    with tf.colocate_with(a):
      c = tf.identity(a, name="c")
      with tf.colocate_with(b.op):
        d = tf.identity(a, name="d")
        with tf.colocate_with(None, ignore_existing=True):
          e = tf.identity(a, name="e")
      with tf.device("/device:GPU:1"):
        f = tf.identity(a, name="f")
    with tf.colocate_with(c):
      tf.identity(a, name="g")
    with tf.colocate_with(b, ignore_existing=True):
      tf.identity(a, name="h")
  return [t.op.colocation_groups() for t in (a, c, d, e, f)] + [t.device for t in (a, c, d, e, f)]


def program_colocation_reset(tf):
  with tf.colocate_with(None):
    pass


def program_control_dependencies(tf):
  a = tf.constant(1.0, name="a")
  b = tf.constant(2.0, name="b")
  p = tf.placeholder(tf.float32, name="p")
  with tf.control_dependencies([a, b.op, a]):
    c = tf.identity(p, name="c")
    d = tf.identity(c, name="d")
    e = tf.identity(a, name="e")
    with tf.control_dependencies([c]):
      f = tf.identity(p, name="f")
      g = tf.add(c, 1.0, name="g")
    with tf.control_dependencies(None):
      h = tf.identity(p, name="h")
    with tf.control_dependencies(["p:0", "d"]):
      i = tf.no_op(name="i")
    tf.group(c, d, name="grouped")
  with tf.control_dependencies([]):
    j = tf.identity(p, name="j")
  return [[x.name for x in op.control_inputs] for op in (c.op, d.op, e.op, f.op, g.op, h.op, i, j.op)]


def program_control_dependency_of_nothing(tf):
  with tf.control_dependencies([1]):
    pass


def program_control_dependency_of_other_graph(tf):
  with tf.Graph().as_default():
    a = tf.constant(1)
  with tf.control_dependencies([a]):
    tf.constant(2)


def program_variables_and_containers(tf):
  with tf.container("c"):
    v = tf.Variable(1.0, use_resource=False, name="v")
    with tf.container("d"):
      q = tf.FIFOQueue(3, tf.float32)
    tf.constant(1.0)
  w = tf.Variable(1.0, use_resource=False, name="w")
  return [v.op.get_attr("container"), q.queue_ref.op.get_attr("container"), w.op.get_attr("container")]


def program_collections(tf):
  graph = tf.get_default_graph()
  a = tf.constant(1.0, name="x/a")
  b = tf.constant(1.0, name="y/b")
  tf.add_to_collection("c", a)
  tf.add_to_collection("c", b)
  tf.add_to_collections(["c", "d", "d"], a)
  tf.add_to_collections("e", 3)
  graph.get_collection_ref("f").append(1)
  lists = [[getattr(v, "name", v) for v in tf.get_collection(k)] for k in ("c", "d", "e", "f", "none")]
  lists.append([v.name for v in tf.get_collection("c", "x")])
  lists.append(sorted(graph.get_all_collection_keys()))
  graph.clear_collection("c")
  lists.append(tf.get_collection("c"))
  return lists


def program_finalized(tf):
  tf.constant(1.0)
  tf.get_default_graph().finalize()
  tf.constant(2.0)


def program_finalized_collection(tf):
  graph = tf.get_default_graph()
  graph.finalize()
  graph.add_to_collection("a", 1)


def _fails(call):
  try:
    return repr(call())
  except Exception as error:
    return "%s: %s" % (type(error).__name__, error)


def program_looking_up(tf):
  graph = tf.get_default_graph()
  tf.split(tf.constant([1.0, 2.0], name="c"), 2, name="s")
  names = ["c", "c:0", "s:1", "s:2", "none", "none:0", "a:b:c", "c:x", ":0", ""]
  found = [_fails(lambda n=n: graph.as_graph_element(n)) for n in names]
  found += [_fails(lambda n=n: graph.get_tensor_by_name(n)) for n in names + [3]]
  found += [_fails(lambda n=n: graph.get_operation_by_name(n)) for n in names + [None]]
  found += [_fails(lambda: graph.as_graph_element(5)), _fails(lambda: graph.as_graph_element("c", False, False))]
  found += [_fails(lambda: graph.as_graph_element(graph.get_tensor_by_name("c:0"), allow_tensor=False))[:20]]
  with tf.Graph().as_default():
    other = tf.constant(1.0, name="other")
  found += [_fails(lambda: graph.as_graph_element(other)), _fails(lambda: graph.as_graph_element(other.op))[:30]]
  found += [len(graph.get_operations()), [op.name for op in graph.get_operations()]]
  return found


def program_tensors(tf):
  a = tf.placeholder(tf.float32, [None, 3], name="a")
  b = tf.reshape(a, [-1, 3, 1], name="b")
  c = tf.placeholder(tf.int32, name="c")
  b.set_shape([4, None, None])
  texts = [str(x) for x in (a, b, c, a.op.name, a.dtype, b.op.outputs)] + [repr(a), repr(b), repr(c), repr(a.op)]
  texts += [b.shape.as_list(), c.shape.ndims, [op.name for op in a.consumers()], b.value_index, b.op.type]
  texts += [[t.name for t in b.op.inputs], len(b.op.values()), b.graph is tf.get_default_graph(), b.op.outputs[0] is b]
  texts += [
    _fails(lambda: bool(a))[:60],
    _fails(lambda: len(a)),
    _fails(lambda: b.set_shape([5, 3, 1])),
    _fails(lambda: [x for x in c])[:60],
  ]
  texts += [hash(a) == hash(a), a == a, a in [b, a], {a: 1}[a]]
  return texts


def program_attributes(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.matmul(a, a, transpose_b=True, name="b")
  c = tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="c")
  op = b.op
  op._set_attr("_mine", tf.AttrValue(s=b"text"))
  op._set_attr("_list", tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, 2])))
  values = [op.get_attr("transpose_b"), op.get_attr("T"), op.get_attr("_mine"), op.get_attr("_list"), c.op.get_attr("ksize")]
  values += [c.op.get_attr("padding"), _fails(lambda: op.get_attr("none")), str(a.op.get_attr("shape"))]
  op._set_device("/job:ps/task:1")
  values += [op.device, op.node_def.op, sorted(op.node_def.attr), op.op_def.name, [arg.name for arg in op.op_def.input_arg]]
  return values


def program_gradient_overrides(tf):
  graph = tf.get_default_graph()
  a = tf.constant(1.0)
  with graph.gradient_override_map({"Identity": "Mine", "Square": "Other"}):
    tf.identity(a)
    tf.square(a)
    with graph.gradient_override_map({"Identity": "Inner"}):
      tf.identity(a)
    tf.negative(a)
  tf.identity(a)


def program_changes(tf):
  a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
  d = tf.add(a, b)
  d.op._update_input(1, c)
  d.op._add_control_input(b.op)
  d.op._add_control_inputs([a.op, c.op])
  with tf.Session() as session:
    return session.run(d)


def program_other_graph(tf):
  with tf.Graph().as_default():
    a = tf.constant(1.0)
  tf.add(a, tf.constant(2.0))


def program_graph_of_inputs(tf):
  graph = tf.Graph()
  with graph.as_default():
    a = tf.constant(1.0)
  b = tf.add(a, 2.0)
  return [b.graph is graph, b.name]


def program_create_op(tf):
  graph = tf.get_default_graph()
  a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
  op = graph.create_op("MatMul", [a, a], name="product", attrs={"T": tf.AttrValue(type=1), "transpose_a": tf.AttrValue(b=True)})
  with tf.name_scope("s"):
    graph.create_op("Neg", [a], attrs={"T": tf.AttrValue(type=1)})
  text = tf.AttrValue(s=b"NHWC")
  biased = graph.create_op("BiasAdd", [a, a[0]], attrs={"T": tf.AttrValue(type=1), "data_format": text, "_mine": text})
  with tf.Session() as session:
    return session.run([op.outputs[0], biased.outputs[0]]), biased.get_attr("data_format"), biased.get_attr("_mine")


def program_versions(tf):
  graph = tf.get_default_graph()
  tf.constant(1.0)
  version = graph.version
  tf.constant(2.0, name="late")
  return [
    len(graph.as_graph_def().node),
    version > 0,
    graph.version > version,
  ]


def program_shapes_in_def(tf):
  tf.placeholder(tf.float32, [None, 2])
  tf.split(tf.zeros([4, 2]), 2)
  return str(tf.get_default_graph().as_graph_def(add_shapes=True).node[-1].attr["_output_shapes"])


def program_constants(tf):
  values = [1, 1.5, True, "text", b"bytes", [1, 2], [[1.0], [2.0]], 2**40, np.float64(1.0), np.arange(3), [], ["a", b"b"], 1 + 2j]
  values += [np.array([1, 2], np.uint8), np.zeros([0, 3], np.float32), [True, False], np.array(["x", "yz"]), np.float16(2)]
  made = [tf.constant(v) for v in values]
  made += [
    tf.constant(1, tf.float64),
    tf.constant([1, 2], tf.uint8),
    tf.constant(3.0, shape=[2, 2]),
    tf.constant([1.0, 2.0], shape=[4]),
  ]
  made += [
    tf.constant([[1, 2], [3, 4]], tf.int64, shape=[4], name="named"),
    tf.constant(1, tf.bfloat16),
    tf.constant(2.5, tf.half),
  ]
  with tf.Session() as session:
    return session.run(made)


def program_bad_constants(tf):
  values = [
    (1.5, tf.int32),
    ("a", tf.float32),
    ([1, "a"], None),
    ([[1], [1, 2]], None),
    (None, None),
    (object(), None),
    (2**40, tf.int32),
  ]
  found = [_fails(lambda v=v, t=t: tf.constant(v, t))[:60] for v, t in values if v is not None and type(v) is not object]
  found.append(_fails(lambda: tf.constant([1, 2, 3], shape=[2]))[:40])
  return found
