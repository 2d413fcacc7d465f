"""What programs use of the insides: contexts, switches, meta graphs with loops, gradients through imported loops."""

import os
import tempfile


def _x(tf, name="x", shape=(2,)):
  return tf.placeholder(tf.float32, shape, name=name)


def _run(tf, fetches, *feeds):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(fetches, feed) for feed in feeds]


def _ops(tf):
  if tf.__name__ == "millrace":
    from millrace.ops.control_flow import control_flow_ops
  else:
    from tensorflow.python.ops import control_flow_ops
  return control_flow_ops


def _queries(tf):
  if tf.__name__ == "millrace":
    from millrace.ops.control_flow import context_queries
  else:
    from tensorflow.python.ops import control_flow_util as context_queries
  return context_queries


def program_questions_about_contexts(tf):
  q = _queries(tf)
  seen = []

  def ask(value):
    inner = (value + 1).op
    context = inner._get_control_flow_context()
    within = [q.GetContainingWhileContext(context), q.GetContainingCondContext(context), q.GetWhileContext(inner)]
    seen.append([found and type(found).__name__ for found in within] + [q.IsInWhileLoop(inner), q.IsInCond(inner)])
    around = context and context.outer_context
    seen.append([q.IsContainingContext(context, around), q.IsContainingContext(around, context), q.OpInContext(inner, context)])
    seen.append([q.IsInXLAContext(inner), q.InXlaContext(inner.graph), q.GraphOrParentsInXlaContext(inner.graph)])
    return inner.outputs[0]

  x = _x(tf, shape=[])
  ask(x)
  tf.while_loop(lambda i: i < 3.0, lambda i: tf.cond(i > 1.0, lambda: ask(i), lambda: i + 2.0), [x], name="loop")
  tf.cond(x > 0.0, lambda: ask(x), lambda: x)
  kinds = ("Switch", "Merge", "Enter", "Exit")
  questions = (q.IsSwitch, q.IsMerge, q.IsLoopEnter, q.IsLoopExit, q.IsCondSwitch, q.IsCondMerge, q.IsLoopSwitch, q.IsLoopMerge)
  for op in tf.get_default_graph().get_operations():
    if op.type in kinds:
      seen.append([op.name] + [bool(question(op)) for question in questions])
      outputs = q.GetOutputContext(op)
      seen.append([outputs and type(outputs).__name__, bool(q.IsLoopEnter(op) and q.IsLoopConstantEnter(op))])
  return seen


def program_with_dependencies(tf):
  c = _ops(tf)
  x, n = _x(tf), tf.no_op()
  rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([5, 1]))
  found = [c.with_dependencies([n], x), c.with_dependencies([n], x, name="wd"), c.with_dependencies([n], rows).values]
  return _run(tf, found, {x: [1, 2]})


def program_switch_and_merge(tf):
  c = _ops(tf)
  x, p = _x(tf), tf.placeholder(tf.bool, [], name="p")
  a, b = c.switch(x, p)
  m = c.merge([a * 2, b * 3])
  rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([5, 1]))
  j, k = c.switch(rows, p, name="sw")
  n = c.merge([j, k], name="mg")
  return _run(tf, [m.output, m.value_index, n[0].values], {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def _graph(tf):
  x = _x(tf)
  p = tf.placeholder(tf.bool, [], name="p")

  def body(i, a):
    return i + 1, tf.cond(i < 2, lambda: a * x, lambda: a + tf.constant(1.0))

  loop = tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]
  one = tf.constant(1.0)
  branch = tf.cond(
    p,
    lambda: tf.while_loop(lambda i: i < 3, lambda i: i + one, [0.0], maximum_iterations=3),
    lambda: tf.cond(p, lambda: one, lambda: 1.0),
  )
  tf.identity(loop, name="loop")
  tf.identity(branch, name="branch")


def program_meta_graph(tf):
  _graph(tf)
  meta = tf.train.export_meta_graph()
  found = []
  graph = tf.get_default_graph()
  for key in ("cond_context", "while_context"):
    messages = [context.to_proto() for context in graph.get_collection(key)]
    found.append([str(message) for message in messages])
    found.append([len(value) for value in meta.collection_def[key].bytes_list.value])
  return found


def program_imported_loops(tf):
  with tf.Graph().as_default():
    _graph(tf)
    tf.Variable(1.0, name="v")
    path = os.path.join(tempfile.mkdtemp(), "graph.meta")
    tf.train.export_meta_graph(path)
  tf.train.import_meta_graph(path)
  graph = tf.get_default_graph()
  x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("loop:0")
  context = graph.get_collection("while_context")[0]
  inner = graph.get_operation_by_name("while/cond/mul")._get_control_flow_context()
  facts = [context.name, inner.name, inner.outer_context.name, len(graph.get_collection("cond_context"))]
  gradient = tf.gradients(y, x)[0]
  with tf.Session() as session:
    return facts + [session.run([y, gradient], {x: [2, 3]})]


def program_imported_in_a_branch(tf):
  with tf.Graph().as_default() as graph:
    a = _x(tf, "a")
    tf.identity(a * 2.0 + tf.constant(1.0), name="r")
    definition = graph.as_graph_def()
  x, p = _x(tf), tf.placeholder(tf.bool, [], name="p")

  def taken():
    return tf.import_graph_def(definition, input_map={"a:0": x}, return_elements=["r:0"], name="imp")[0]

  return _run(tf, tf.cond(p, taken, lambda: x), {p: True, x: [1, 2]}, {p: False, x: [1, 2]})


def program_contexts_of_graphs(tf):
  x, p = _x(tf), tf.placeholder(tf.bool, [], name="p")
  graph = tf.get_default_graph()
  found = [graph._get_control_flow_context() is None]

  def taken():
    context = graph._get_control_flow_context()
    found.append([context.name, context.branch, context.pred.name, context.pivot.name, context.outer_context is None])
    with tf.control_dependencies(None):
      found.append(graph._get_control_flow_context() is None)
    with tf.Graph().as_default():
      found.append(tf.get_default_graph()._get_control_flow_context() is None)
    found.append(graph._get_control_flow_context() is context)
    return x + 1

  def body(i):
    context = graph._get_control_flow_context()
    found.append(
      [context.name, context.parallel_iterations, context.back_prop, context.swap_memory, context.GetWhileContext() is context]
    )
    return i + 1

  tf.cond(p, taken, lambda: x)
  tf.while_loop(lambda i: i < 3, body, [0], parallel_iterations=4, back_prop=False, swap_memory=True)
  try:
    tf.cond(p, lambda: 1 / 0, lambda: x)
  except ZeroDivisionError:
    found.append(graph._get_control_flow_context() is None)
  return found
