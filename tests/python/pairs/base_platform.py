"""Devices, texts, errors, files, flags and logging."""

import os
import tempfile


def _try(function):
  try:
    value = function()
    return value if isinstance(value, (bool, int, float, str, bytes, list, tuple, type(None))) else repr(value)
  except BaseException as error:
    return error


def program_device_spec(tf):
  spec = tf.DeviceSpec
  changed = spec(job="a", task=1)
  changed.merge_from(spec(job="b", device_type="gpu"))
  parsed = spec().parse_from_string("/job:k/replica:1")
  texts = [
    "/job:w/gpu:1",
    "/job:w/device:XLA_GPU:*",
    "/gpu:*",
    "/foo",
    "",
    "/cpu:0/gpu:1",
    "/job:a/task:x",
    "/device:CPU:0",
    "/replica:0/task:1/cpu:2",
    "cpu:0",
    "/job:a/job:b",
    "/CPU:0",
    "/task:1:2",
    "/device:GPU",
    "/job:*",
  ]
  return [_try(lambda text=text: spec.from_string(text).to_string()) for text in texts] + [
    spec(job="a", replica=1, task=2, device_type="cpu", device_index=3).to_string(),
    repr(spec(job="a")),
    changed.to_string(),
    parsed.to_string(),
    spec(job="a").make_merged_spec(spec(job="b", task=1)).to_string(),
    spec(job="a").replace(task=3).to_string(),
    spec(job="a") == spec(job="a"),
    hash(spec(job="a")) == hash(spec(job="a")),
    spec(device_type="gpu").device_type,
    spec(task="3").task,
    spec(device_index=2).device_index,
    spec(replica=4).replica,
    spec(job=3).job,
  ]


def program_texts(tf):
  compat = tf.compat
  return [
    _try(function)
    for function in [
      lambda: compat.as_bytes("é"),
      lambda: compat.as_bytes("é", encoding="latin-1"),
      lambda: compat.as_bytes(b"a"),
      lambda: compat.as_bytes(1),
      lambda: compat.as_text(b"a"),
      lambda: compat.as_text(b"\xe9", encoding="latin-1"),
      lambda: compat.as_text(1),
      lambda: compat.as_str(b"a"),
      lambda: compat.as_str_any(1),
      lambda: compat.as_str_any(b"k"),
      lambda: compat.path_to_str("u"),
      lambda: [t.__name__ for t in compat.integral_types],
      lambda: [t.__name__ for t in compat.real_types],
      lambda: [t.__name__ for t in compat.complex_types],
      lambda: [t.__name__ for t in compat.bytes_or_text_types],
      lambda: compat.forward_compatible(2018, 1, 1),
      lambda: compat.forward_compatible(2050, 1, 1),
    ]
  ]


def program_error_classes(tf):
  errors = tf.errors
  names = sorted(name for name in dir(errors) if name.isupper())
  found = [(name, getattr(errors, name)) for name in names]
  for code in range(1, 17):
    cls = errors.exception_type_from_error_code(code)
    error = cls(None, None, "text")
    found.append((code, cls.__name__, str(error), error.message, error.error_code, error.op, error.node_def))
    found.append(errors.error_code_from_exception_type(cls))
  found.append(_try(lambda: errors.exception_type_from_error_code(99)))
  found.append(issubclass(errors.NotFoundError, tf.OpError))
  found.append(errors.OpError(None, None, "m", 3).error_code)
  with errors.raise_exception_on_not_ok_status() as status:
    found.append(status is not None)
  return found


def program_error_of_a_step(tf):
  p = tf.placeholder(tf.float32, name="pp")
  y = tf.log(p, name="yy")
  with tf.Session() as session:
    try:
      session.run(y)
    except tf.errors.InvalidArgumentError as error:
      return [
        error,
        error.error_code,
        error.op is p.op,
        error.node_def.name,
        "pp" in error.message,
        "base_platform.py" in str(error),
      ]


def _in_new_folder(function):
  """Runs a function in a folder of its own."""
  before = os.getcwd()
  with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
      return function()
    finally:
      os.chdir(before)


def program_files(tf):
  g = tf.gfile

  def run():
    steps = [
      lambda: g.GFile("nope").read(),
      lambda: g.GFile("a", "w").write("hé"),
      lambda: g.Exists("a"),
      lambda: g.GFile("a").read(),
      lambda: g.FastGFile("a", "rb").read(),
      lambda: g.Open("a").read(1),
      lambda: g.GFile("a").readline(),
      lambda: g.GFile("a").readlines(),
      lambda: g.GFile("a").size(),
      lambda: g.GFile("a").name,
      lambda: g.GFile("a", mode="rb").mode,
      lambda: g.GFile("a", "x"),
      lambda: g.GFile("a", "w").read(),
      lambda: g.GFile("a", "r").write("x"),
      lambda: g.GFile("a", "r+").write("x"),
      lambda: g.GFile("a").seekable(),
      lambda: g.GFile("a").tell(),
      lambda: g.GFile("a").seek(offset=1, whence=0),
      lambda: g.GFile("a").seek(offset=1, whence=2),
      lambda: g.GFile("a").seek(),
      lambda: g.GFile("a").seek(1, 7),
      lambda: g.Remove("nope"),
      lambda: g.MkDir("d"),
      lambda: g.MkDir("x/y"),
      lambda: g.MakeDirs("x/y/z"),
      lambda: g.MakeDirs("x/y/z"),
      lambda: g.MakeDirs("a"),
      lambda: g.IsDirectory("x"),
      lambda: g.IsDirectory("a"),
      lambda: g.IsDirectory("nope"),
      lambda: g.ListDirectory("x"),
      lambda: sorted(g.ListDirectory(".")),
      lambda: g.ListDirectory("nope"),
      lambda: g.ListDirectory("a"),
      lambda: sorted(g.Glob("*")),
      lambda: g.Glob(["a", "d*"]),
      lambda: g.Glob("nope*"),
      lambda: g.Glob("x/*/z"),
      lambda: g.Copy("a", "b"),
      lambda: g.Copy("a", "b"),
      lambda: g.Copy("a", "b", overwrite=True),
      lambda: g.Copy("nope", "c"),
      lambda: g.Rename("b", "c"),
      lambda: g.Rename("a", "c"),
      lambda: g.Rename("a", "c", overwrite=True),
      lambda: g.Rename("nope", "e"),
      lambda: (g.Stat("c").length, g.Stat("c").is_directory),
      lambda: g.Stat("nope"),
      lambda: list(g.Walk("x")),
      lambda: list(g.Walk("x", in_order=False)),
      lambda: list(g.Walk("nope")),
      lambda: g.DeleteRecursively("x"),
      lambda: g.DeleteRecursively("nope"),
      lambda: g.Remove("d"),
      lambda: g.Exists("foo://bar"),
      lambda: g.GFile("file://" + os.getcwd() + "/c").read(),
      lambda: g.Exists(3),
      lambda: g.GFile("q", "a").write("more\nlines\n"),
      lambda: list(g.GFile("q")),
      lambda: g.GFile("q").next(),
      lambda: g.GFile("q").close(),
      lambda: g.GFile("q").flush(),
      lambda: tf.io.gfile.GFile("q").read(),
      lambda: tf.io.gfile.exists("q"),
      lambda: tf.io.gfile.glob("q"),
      lambda: tf.io.gfile.copy("q", "r", overwrite=True),
      lambda: tf.io.gfile.rename("r", "s", overwrite=True),
      lambda: tf.io.gfile.mkdir("m"),
      lambda: tf.io.gfile.makedirs("n/o"),
      lambda: tf.io.gfile.isdir("n"),
      lambda: tf.io.gfile.listdir("n"),
      lambda: list(tf.io.gfile.walk("n", topdown=False)),
      lambda: tf.io.gfile.stat("s").length,
      lambda: tf.io.gfile.remove("s"),
      lambda: tf.io.gfile.rmtree("n"),
    ]
    found = [_try(step) for step in steps]
    with g.GFile("w", "w") as file:
      file.write("a\nb\n")
      found.append(file.tell())
    with g.GFile("w") as file:
      found.append([file.readline(), file.tell(), file.read(), file.readline(), file.seek(0), list(file)])
    return found

  return _in_new_folder(run)


def program_flags(tf):
  flags = tf.app.flags
  values = flags.FlagValues()
  where = {"flag_values": values}
  flags.DEFINE_string("s", "d", "the s", short_name="S", **where)
  flags.DEFINE_integer("i", 3, "the i", lower_bound=0, upper_bound=100, **where)
  flags.DEFINE_float("f", 0.5, "the f", lower_bound=None, upper_bound=1.0, **where)
  flags.DEFINE_boolean("b", False, "the b", **where)
  flags.DEFINE_bool("bb", True, "the bb", **where)
  flags.DEFINE_enum("e", "a", ["a", "b"], "the e", **where)
  flags.DEFINE_list("l", ["x", "y"], "the l", **where)
  flags.DEFINE_multi_string("m", None, "the m", **where)
  flags.DEFINE_multi_integer("mi", [1], "the mi", lower_bound=0, **where)
  flags.DEFINE_multi_float("mf", 1.5, "the mf", **where)
  flags.DEFINE_spaceseplist("sl", "a b", "the sl", **where)
  found = [_try(lambda: values.s)]
  for line in [
    "--s=1 --i 4 --b --f=.25 -e b --l=q,r --m=1 --m=2 --mi=7 --nobb rest",
    "--i=x",
    "--i=-1",
    "--i=101",
    "--f=2",
    "--f=x",
    "--e=z",
    "--b=maybe",
    "--b=true -S q",
    "--zz=1",
    "--i",
    "--nos",
    "--s= --l= --i=0x10",
    "-- --s=3",
    "a --s=3",
    "--undefok=zz --zz=1",
    "--nob=1",
    "--sl= --mf=2 --mf=3",
  ]:
    found.append((line, _try(lambda: values(["p", *line.split()])), _try(values.flag_values_dict)))
  found.append(values(["p", "--zz=1", "x", "--i=9"], known_only=True))
  found.append(_try(lambda: flags.DEFINE_string("s", "q", "again", **where)))
  found.append(_try(lambda: setattr(values, "i", -5)))
  found.append(_try(lambda: setattr(values, "nope", 1)))
  found.append(_try(lambda: values.nope))
  found.append([values["s"].default, values["s"].present, values["i"].using_default_value, "s" in values, len(values)])
  found.append(values.flags_into_string())
  flags.register_validator("i", lambda value: value != 13, message="unlucky", flag_values=values)
  found.append(_try(lambda: values(["p", "--i=13"])))
  flags.register_multi_flags_validator(["i", "f"], lambda d: d["i"] > d["f"], message="order", flag_values=values)
  found.append(_try(lambda: values(["p", "--i=0"])))
  found.append(_try(lambda: flags.DEFINE_integer("bad", "x", "d", **where)))
  found.append(_try(lambda: flags.DEFINE_string("bad name", "x", "d", **where)))
  return found


def program_logging(tf):
  log = tf.logging
  before = log.get_verbosity()
  log.set_verbosity(log.INFO)
  during = log.get_verbosity()
  log.set_verbosity(before)
  unknown = _try(lambda: log.set_verbosity("FOO"))
  return [[log.DEBUG, log.INFO, log.WARN, log.ERROR, log.FATAL], during, unknown, _try(log.flush)]


def program_errors_by_name(tf):
  e = tf.errors
  op = tf.constant(1, name="failing").op
  made = [
    e.CancelledError(op.node_def, op, "a message"),
    e.UnknownError(op.node_def, op, "a message"),
    e.InvalidArgumentError(op.node_def, op, "a message"),
    e.DeadlineExceededError(op.node_def, op, "a message"),
    e.NotFoundError(op.node_def, op, "a message"),
    e.AlreadyExistsError(op.node_def, op, "a message"),
    e.PermissionDeniedError(op.node_def, op, "a message"),
    e.UnauthenticatedError(op.node_def, op, "a message"),
    e.ResourceExhaustedError(op.node_def, op, "a message"),
    e.FailedPreconditionError(op.node_def, op, "a message"),
    e.AbortedError(op.node_def, op, "a message"),
    e.OutOfRangeError(op.node_def, op, "a message"),
    e.UnimplementedError(op.node_def, op, "a message"),
    e.InternalError(op.node_def, op, "a message"),
    e.UnavailableError(op.node_def, op, "a message"),
    e.DataLossError(op.node_def, op, "a message"),
    tf.OpError(op.node_def, op, "a message", 7),
  ]
  codes = [
    e.OK,
    e.CANCELLED,
    e.UNKNOWN,
    e.INVALID_ARGUMENT,
    e.DEADLINE_EXCEEDED,
    e.NOT_FOUND,
    e.ALREADY_EXISTS,
    e.PERMISSION_DENIED,
    e.UNAUTHENTICATED,
    e.RESOURCE_EXHAUSTED,
    e.FAILED_PRECONDITION,
    e.ABORTED,
    e.OUT_OF_RANGE,
    e.UNIMPLEMENTED,
    e.INTERNAL,
    e.UNAVAILABLE,
    e.DATA_LOSS,
  ]
  found = [
    [error, error.error_code, error.message, error.op is op, error.node_def.name, error.args, repr(error)] for error in made
  ]
  return [codes, found, ["Original stack trace for 'failing'" in str(error) for error in made]]


def program_more_texts(tf):
  return [
    tf.compat.as_str(b"\xe9", encoding="latin-1"),
    tf.compat.as_text("a", encoding="ascii"),
    _try(lambda: tf.compat.as_bytes("\u20ac", encoding="ascii")),
  ]


def program_main(tf):
  """What the main function gets and how the program ends."""
  found = []

  def run(main, argv):
    try:
      tf.app.run(main=main, argv=argv)
    except SystemExit as end:
      found.append(end.code)

  run(lambda argv: found.append(argv), ["program", "a", "--unknown=1"])
  run(lambda argv: 3, ["program"])
  run(lambda argv: None, argv=["program", "--", "x"])
  return found


def program_flags_with_bounds(tf):
  values = tf.flags.FlagValues()
  tf.app.flags.DEFINE_float("rate", 0.5, "The rate.", lower_bound=0.1, upper_bound=2.0, flag_values=values)
  tf.app.flags.DEFINE_integer("count", None, "The count.", lower_bound=1, upper_bound=5, flag_values=values, short_name="c")
  tf.app.flags.DEFINE_enum("kind", "one", ["one", "two"], "The kind.", flag_values=values, short_name="k")
  tf.app.flags.DEFINE_list("names", "a,b", "The names.", flag_values=values)
  found = []
  for argument in ["--rate=0.01", "--rate=3", "--rate=1", "-c=9", "-c=2", "-k=three", "-k=two", '--names=a,"b,c",d']:
    found.append(
      (_try(lambda argument=argument: values(["p", argument])), values["rate"].value, values["count"].value, values["kind"].value)
    )
  return found + [values.flag_values_dict()["names"]]


def program_test_machine(tf):
  return [
    tf.test.is_gpu_available(cuda_only=True, min_cuda_compute_capability=(3, 0)),
    tf.test.gpu_device_name(),
    tf.test.is_built_with_rocm(),
    tf.test.is_built_with_cuda(),
    tf.test.is_built_with_gpu_support(),
    os.path.isdir(tf.test.get_temp_dir()),
  ]


def program_gradients_are_checked(tf):
  import numpy as np

  x = tf.placeholder(tf.float32, [2, 3], name="x")
  z = tf.placeholder(tf.float32, name="z")
  y = tf.tanh(x) * z
  start = np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32)
  with tf.Session():
    theory, numeric = tf.test.compute_gradient(
      x, [2, 3], y, [2, 3], x_init_value=start, delta=1e-2, init_targets=[tf.no_op()], extra_feed_dict={z: 2.0}
    )
    error = tf.test.compute_gradient_error(
      x, [2, 3], y, [2, 3], x_init_value=start, delta=1e-2, init_targets=(tf.no_op(),), extra_feed_dict={z: 2.0}
    )
    by_list = tf.test.compute_gradient([x], [[2, 3]], y, [2, 3], x_init_value=[start], delta=1e-2, extra_feed_dict={z: 2.0})
  return [theory, theory.shape, np.abs(theory - numeric).max() < 1e-3, error < 1e-3, np.array(by_list).shape]


program_gradients_are_checked.rtol = 1e-5


def program_switches(tf):
  tf.disable_v2_behavior()
  tf.disable_eager_execution()
  tf.disable_control_flow_v2()
  tf.disable_tensor_equality()
  tf.disable_v2_tensorshape()
  return [
    tf.executing_eagerly(),
    tf.executing_eagerly_outside_functions(),
    tf.control_flow_v2_enabled(),
    _try(lambda: tf.load_op_library("/no/such/file.so")),
    _try(lambda: tf.load_library("/no/such/file.so")),
  ]
