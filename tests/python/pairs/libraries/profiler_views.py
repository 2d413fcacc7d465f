"""tf.profiler: views of graphs and steps, as messages and as text; options; float operations."""

import os

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _model(tf):
  x = tf.placeholder(tf.float32, [5, 4], name="x")
  with tf.variable_scope("a"):
    w = tf.get_variable("w", [4, 3], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
    tf.get_variable("s", [], initializer=tf.zeros_initializer())
    h = tf.nn.bias_add(tf.matmul(x, w), b)
    with tf.variable_scope("c"):
      u = tf.get_variable("u", [3, 2], initializer=tf.zeros_initializer(), trainable=False)
      y = tf.matmul(h, u)
  return tf.reduce_sum(y * y, name="loss")


def _metadata(tf, accelerator=False):
  """The metadata of a step that nobody ran, so that its times are the same on both sides."""
  made = tf.RunMetadata()
  cpu = made.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:CPU:0")

  def node(device, name, start, end, memory=0, output=0):
    stats = device.node_stats.add(node_name=name, all_start_micros=start, op_start_rel_micros=1)
    stats.op_end_rel_micros, stats.all_end_rel_micros = end - 1, end
    if memory:
      stats.memory.add(allocator_name="cpu", total_bytes=memory, peak_bytes=memory + 5, live_bytes=7)
    if output:
      stats.output.add(slot=0).tensor_description.allocation_description.allocated_bytes = output
    stats.memory_stats.temp_memory_size, stats.memory_stats.persistent_memory_size = 11, 13

  node(cpu, "a/MatMul", 1000, 50, 100, 60)
  node(cpu, "a/MatMul", 2000, 30)
  node(cpu, "a/c/MatMul", 3000, 7000, 20, 10)
  node(cpu, "elsewhere", 3000, 7, 20, 10)
  node(cpu, "loss", 4000, 2500000, 2000000, 3000000000)
  node(cpu, "x", 100, 1)
  if accelerator:
    stream = made.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:GPU:0/stream:all")
    node(stream, "a/MatMul", 1010, 20)
  return made


def _tree(message):
  """A message as plain data, without the places of nodes in lists of shapes."""
  numbers = {
    field.name: value
    for field, value in message.ListFields()
    if field.name not in ("name", "children", "graph_nodes", "input_shapes", "devices", "shapes", "tensor_value")
  }
  shapes = []
  if hasattr(message, "input_shapes"):
    for index in sorted(message.input_shapes):
      shape = message.input_shapes[index]
      shapes.append([index, shape.unknown_rank, [dim.size for dim in shape.dim]])
  nodes = [node.name for node in getattr(message, "graph_nodes", ())]
  devices = list(getattr(message, "devices", ()))
  return [message.name, sorted(numbers.items()), shapes, nodes, devices, [_tree(child) for child in message.children]]


def _builder(tf, options=None):
  return tf.profiler.ProfileOptionBuilder(options)


def _profile(tf, builder, cmd="scope", build=_model, **kwargs):
  """The tree and the text of a view of a graph of its own."""
  with tf.Graph().as_default() as graph:
    build(tf)
    path = os.path.abspath("profile.txt")
    message = tf.profiler.profile(graph, cmd=cmd, options=builder.with_file_output(path).build(), **kwargs)
  with open(path) as file:
    text = file.read()
  os.remove(path)
  return [_tree(message), text[text.index("Profile:") :]]


_MEMORY = ["bytes", "peak_bytes", "residual_bytes", "output_bytes"]
_TIME = ["micros", "accelerator_micros", "cpu_micros"]
_REST = ["params", "float_ops", "occurrence", "device", "op_types", "input_shapes"]


def program_ready_options(tf):
  made = tf.profiler.ProfileOptionBuilder
  return [
    made.trainable_variables_parameter(),
    made.float_operation(),
    made.time_and_memory(
      min_micros=2,
      min_bytes=3,
      min_accelerator_micros=4,
      min_cpu_micros=5,
      min_peak_bytes=6,
      min_residual_bytes=7,
      min_output_bytes=8,
    ),
    made().build(),
  ]


def program_options_one_by_one(tf):
  builder = (
    _builder(tf, tf.profiler.ProfileOptionBuilder.float_operation())
    .with_max_depth(4)
    .with_min_memory(min_bytes=1, min_peak_bytes=2, min_residual_bytes=3, min_output_bytes=4)
    .with_min_execution_time(min_micros=5, min_accelerator_micros=6, min_cpu_micros=7)
    .with_min_parameters(8)
    .with_min_occurrence(9)
    .with_min_float_operations(10)
    .with_accounted_types(["A"])
    .with_node_names(start_name_regexes=["B"], show_name_regexes=["C"], hide_name_regexes=["D"], trim_name_regexes=["E"])
    .account_displayed_op_only(False)
    .order_by("params")
    .select(["bytes"])
    .with_step(3)
  )
  outputs = [
    builder.with_empty_output().build()["output"],
    builder.with_stdout_output().build()["output"],
    builder.with_timeline_output("t").build()["output"],
    builder.with_pprof_output("p").build()["output"],
    builder.with_file_output("f").build()["output"],
  ]
  return [sorted(builder.build().items()), outputs]


def program_trainable_parameters(tf):
  made = tf.profiler.ProfileOptionBuilder
  return _profile(tf, _builder(tf, made.trainable_variables_parameter()))


def program_float_operations(tf):
  made = tf.profiler.ProfileOptionBuilder
  return _profile(tf, _builder(tf, made.float_operation()))


def program_default_options(tf):
  _model(tf)
  return _tree(tf.profiler.profile())


def program_scopes(tf):
  return [
    _profile(tf, _builder(tf).select(_REST)),
    _profile(tf, _builder(tf).select(["params"]).with_min_parameters(4)),
    _profile(tf, _builder(tf).select(["params"]).with_max_depth(1)),
    _profile(tf, _builder(tf).select(["params"]).with_max_depth(3)),
  ]


def program_accounted_types(tf):
  accounted = _builder(tf).select(_REST).with_accounted_types(["MatMul", "_trainable_variables"])
  return [
    _profile(tf, accounted.account_displayed_op_only(True)),
    _profile(tf, _builder(tf).select(["params"]).with_accounted_types(["Assign"]).account_displayed_op_only(True)),
    _profile(tf, _builder(tf).select(["params"]).with_accounted_types(["Assign"])),
  ]


def program_names_of_scopes(tf):
  def of(**names):
    return _builder(tf).select(["params"]).with_node_names(**names)

  return [
    _profile(tf, of(start_name_regexes=["a/.*"])),
    _profile(tf, of(show_name_regexes=[".*w", ".*b"])),
    _profile(tf, of(hide_name_regexes=["a/w"])),
    _profile(tf, of(trim_name_regexes=["a/c"])),
    _profile(tf, of(hide_name_regexes=["a/w"]).account_displayed_op_only(True)),
  ]


def program_graphs(tf):
  return [
    _profile(tf, _builder(tf).select(["params", "float_ops"]), "graph"),
    _profile(
      tf,
      _builder(tf)
      .select(["params", "float_ops"])
      .with_max_depth(3)
      .account_displayed_op_only(True)
      .with_node_names(show_name_regexes=["a/.*"]),
      "graph",
    ),
    _profile(tf, _builder(tf).select(["op_types", "device", "occurrence", "input_shapes"]), "graph"),
  ]


def program_types(tf):
  return [
    _profile(tf, _builder(tf).select(_REST).order_by("name"), "op"),
    _profile(tf, _builder(tf).select(["float_ops"]).with_min_float_operations(1).order_by("float_ops"), "op"),
    _profile(
      tf,
      _builder(tf).select(["occurrence"]).with_min_occurrence(2).order_by("name").account_displayed_op_only(True),
      "op",
    ),
    _profile(
      tf,
      _builder(tf).select(["params"]).with_accounted_types(["MatMul", "Mul"]).with_node_names(start_name_regexes=["Ma.*"]),
      "op",
    ),
    _profile(tf, _builder(tf).select(["params"]).with_max_depth(2), "op"),
  ]


def program_steps(tf):
  metadata = _metadata(tf)
  every = _builder(tf).select(_MEMORY + _TIME + ["occurrence", "device"])
  made = tf.profiler.ProfileOptionBuilder
  return [
    _profile(tf, every, run_meta=metadata),
    _profile(tf, every, "graph", run_meta=metadata),
    _profile(tf, every.order_by("micros"), "op", run_meta=metadata),
    _profile(tf, _builder(tf, made.time_and_memory(min_micros=10, min_bytes=1)), run_meta=metadata),
    _profile(tf, _builder(tf).select(["micros"]).with_min_execution_time(min_micros=10), run_meta=metadata),
    _profile(tf, _builder(tf).select(["bytes"]).with_min_memory(min_bytes=50).order_by("bytes"), run_meta=metadata),
    _profile(tf, _builder(tf).select(["cpu_micros"]).with_accounted_types([".*cpu:0"]), run_meta=metadata),
  ]


def program_steps_on_an_accelerator(tf):
  metadata = _metadata(tf, accelerator=True)
  every = _builder(tf).select(_MEMORY + _TIME + ["occurrence", "device", "op_types", "input_shapes"])
  return [
    _profile(tf, every, run_meta=metadata),
    _profile(tf, every.order_by("accelerator_micros"), "op", run_meta=metadata),
  ]


def program_selections(tf):
  """Each column alone."""
  metadata = _metadata(tf)
  found = []
  for name in [*_MEMORY, *_TIME, *_REST]:
    builder = _builder(tf).select([name]).with_max_depth(2)
    found.append([name, _profile(tf, builder, run_meta=metadata)[1], _profile(tf, builder, "op", run_meta=metadata)[1]])
  return found


def program_shapes_that_are_not_known(tf):
  def build(tf):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    u = tf.placeholder(tf.float32, name="u")
    z = tf.placeholder(tf.float32, [0, 3], name="z")
    s = tf.placeholder(tf.float32, [], name="s")
    for name, tensor in (("ix", x), ("iu", u), ("iz", z), ("is", s)):
      tf.identity(tensor, name=name)
    tf.matmul(x, tf.ones([4, 2]))
    with tf.control_dependencies([x]):
      tf.no_op(name="n")

  builder = _builder(tf).select(["params", "input_shapes", "float_ops"])
  return [_profile(tf, builder, build=build), _profile(tf, builder, "op", build=build)]


def program_op_log(tf):
  log = tf.profiler.OpLogProto()
  log.log_entries.add(name="mul", float_ops=7, types=["mine", "two"])
  log.log_entries.add(name="a/MatMul", types=["mine"])
  log.log_entries.add(name="elsewhere", types=["mine"], float_ops=5)
  builder = _builder(tf).select(["float_ops", "op_types"]).with_accounted_types(["mine"])
  return _profile(tf, builder, op_log=log)


def program_lines_of_python(tf):
  """The frames of the program itself; those of the packages are their own."""
  builder = _builder(tf).select(["params"]).with_accounted_types(["_trainable_variables"])
  builder = builder.with_node_names(show_name_regexes=[".*profiler_views.py.*"])
  tree, text = _profile(tf, builder, "code")
  return [tree[0], dict(tree[1]), [line for line in text.splitlines() if "_model" in line]]


def program_profiler(tf):
  _model(tf)
  profiler = tf.profiler.Profiler()
  profiler.add_step(3, _metadata(tf))
  profiler.add_step(5, _metadata(tf, accelerator=True))
  made = _builder(tf, tf.profiler.ProfileOptionBuilder.time_and_memory()).with_empty_output()
  found = []
  for step in (3, 5, -1):
    found.append(_tree(profiler.profile_name_scope(made.with_step(step).build())))
  kinds = [
    type(profiler.profile_operations(made.build())).__name__,
    type(profiler.profile_graph(made.build())).__name__,
    type(profiler.profile_python(made.build())).__name__,
  ]
  path = os.path.abspath("timeline")
  profiler.profile_graph(made.with_timeline_output(path).build())
  files = sorted(name for name in os.listdir(".") if name.startswith("timeline"))
  return [found, kinds, files, len(profiler.serialize_to_string()) > 100]


def program_profiler_of_another_graph(tf):
  graph = tf.Graph()
  with graph.as_default():
    _model(tf)
  log = tf.profiler.OpLogProto()
  log.log_entries.add(name="mul", float_ops=1000)
  profiler = tf.profiler.Profiler(graph=graph, op_log=log)
  options = _builder(tf, tf.profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build()
  return _tree(profiler.profile_name_scope(options))


def program_written_log(tf):
  _model(tf)
  log = tf.profiler.OpLogProto()
  log.log_entries.add(name="mul", float_ops=7, types=["mine"])
  found = []
  os.makedirs("logs", exist_ok=True)
  for add_trace in (False, True):
    tf.profiler.write_op_log(
      tf.get_default_graph(), "logs", op_log=log, run_meta=_metadata(tf) if add_trace else None, add_trace=add_trace
    )
    with open("logs/tfprof_log", "rb") as file:
      written = tf.profiler.OpLogProto.FromString(file.read())
    entries = sorted((entry.name, entry.float_ops, sorted(entry.types)) for entry in written.log_entries)
    found.append([entries, all(len(entry.code_def.traces) > 0 for entry in written.log_entries)])
  return found


def program_unknown_view(tf):
  _model(tf)
  return _say(lambda: tf.profiler.profile(tf.get_default_graph(), cmd="other"))


def program_a_step_that_ran(tf):
  loss = _model(tf)
  metadata = tf.RunMetadata()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(loss, {"x:0": np.ones([5, 4])}, options=options, run_metadata=metadata)
  options = _builder(tf, tf.profiler.ProfileOptionBuilder.time_and_memory()).with_empty_output().build()
  message = tf.profiler.profile(tf.get_default_graph(), run_meta=metadata, cmd="op", options=options)
  return [message.total_exec_micros > 0, message.total_float_ops > 100]


def program_float_operations_of_ops(tf):
  """By total numbers, of one op a graph."""

  def placeholder(*shape):
    return tf.placeholder(tf.float32, shape)

  def gradient(function, *shapes):
    inputs = [placeholder(*shape) for shape in shapes]
    return tf.gradients(function(*inputs), inputs)

  picture = (2, 8, 8, 3)
  builds = [lambda f=f: f(placeholder(2, 3)) for f in (tf.reciprocal, tf.square, tf.rsqrt, tf.log, tf.negative)]
  builds += [lambda f=f: f(placeholder(2, 3)) for f in (tf.nn.l2_loss, tf.nn.softmax, tf.exp, tf.nn.relu)]
  binary = [tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.squared_difference]
  binary += [tf.greater_equal, tf.greater, tf.less_equal, tf.less, tf.equal, tf.not_equal]
  builds += [lambda f=f: f(placeholder(2, 3), placeholder(3)) for f in binary]
  builds += [lambda f=f: f(placeholder(2, 3), 1) for f in (tf.reduce_mean, tf.reduce_sum, tf.argmax, tf.argmin, tf.reduce_max)]
  builds += [
    lambda: tf.matmul(placeholder(3, 4), placeholder(4, 5)),
    lambda: tf.matmul(placeholder(4, 3), placeholder(5, 4), transpose_a=True, transpose_b=True),
    lambda: tf.matmul(placeholder(2, 3, 4), placeholder(2, 4, 5)),
    lambda: gradient(lambda x, w: tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), picture, (3, 3, 3, 7)),
    lambda: gradient(lambda x, w: tf.nn.conv2d(x, w, [1, 2, 2, 1], "VALID"), picture, (3, 3, 3, 7)),
    lambda: tf.nn.conv2d(placeholder(2, 3, 8, 8), placeholder(3, 3, 3, 7), [1, 1, 1, 1], "VALID", data_format="NCHW"),
    lambda: tf.nn.depthwise_conv2d(placeholder(*picture), placeholder(3, 3, 3, 2), [1, 1, 1, 1], "SAME"),
    lambda: tf.nn.dilation2d(placeholder(*picture), placeholder(3, 3, 3), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    lambda: gradient(tf.nn.bias_add, picture, (3,)),
    lambda: gradient(lambda x: tf.nn.avg_pool(x, [1, 2, 3, 1], [1, 2, 2, 1], "SAME"), picture),
    lambda: gradient(lambda x: tf.nn.max_pool(x, [1, 2, 3, 1], [1, 2, 2, 1], "SAME"), picture),
    lambda: tf.add_n([placeholder(2, 3)] * 4),
    lambda: tf.assign_add(tf.get_variable("v", [2, 3]), placeholder(2, 3)),
  ]
  options = _builder(tf, tf.profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build()
  found = []
  for build in builds:
    with tf.Graph().as_default() as graph:
      build()
      found.append(tf.profiler.profile(graph, options=options).total_float_ops)
  return found
