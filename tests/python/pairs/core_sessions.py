"""Sessions: fetches, feeds, callables, partial runs, and their errors."""

import collections

import numpy as np


def _fails(call):
  try:
    return repr(call())
  except Exception as error:
    return "%s: %s" % (type(error).__name__, str(error).split("\n")[0])


Point = collections.namedtuple("Point", "x y")


def program_fetches(tf):
  a = tf.constant([1.0, 2.0], name="a")
  b = tf.constant(3, name="b")
  c = tf.constant("text", name="c")
  sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
  slices = tf.IndexedSlices(a, tf.constant([0, 1]), tf.constant([4]))
  nothing = tf.no_op(name="n")
  with tf.Session() as session:
    results = [
      session.run(a),
      session.run([a, b]),
      session.run((a, [b, (c,)])),
      session.run({"k": a, "m": [b, {"n": c}]}),
      session.run(Point(a, b)),
      session.run(collections.OrderedDict([("z", a), ("y", b)])),
      session.run("a:0"),
      session.run(["b:0", "n", nothing]),
      session.run(nothing),
      session.run([]),
      session.run({}),
      session.run([a, a, [a]]),
      list(session.run(sparse)),
      list(session.run(slices)),
      [type(x).__name__ for x in session.run([sparse, slices, Point(a, b), b, a, c])],
      session.run([a[0], a.op]),
    ]
    return results


def program_feeds(tf):
  x = tf.placeholder(tf.float32, [None, 2], name="x")
  i = tf.placeholder(tf.int32, name="i")
  s = tf.placeholder(tf.string, name="s")
  b = tf.placeholder(tf.bool, [], name="b")
  h = tf.placeholder(tf.bfloat16, name="h")
  c = tf.constant(2.0, name="c")
  sp = tf.sparse_placeholder(tf.float32, [2, 2], name="sp")
  d = tf.placeholder_with_default([1.0], [None])
  with tf.Session() as session:
    return [
      session.run(x * c, {x: [[1, 2], [3, 4]]}),
      session.run(x * c, {"x:0": np.arange(4, dtype=np.float64).reshape(2, 2), c: 5}),
      session.run([i + 1, i], {i: 7}),
      session.run(i, {i: np.int64(3)}),
      session.run(s, {s: "text"}),
      session.run(s, {s: [b"a", "b"]}),
      session.run(s, {s: np.array([["a", "bc"]])}),
      session.run(b, {b: True}),
      session.run(tf.cast(h, tf.float32), {h: [1.0, 2.5]}),
      list(session.run(sp, {sp: tf.SparseTensorValue([[0, 0]], [3.0], [2, 2])})),
      list(session.run(sp, {sp: ([[1, 1]], [4.0], [2, 2])})),
      session.run([x, c], {(x, c): ([[1, 2]], 9)}),
      session.run(d),
      session.run(d, {d: [2, 3]}),
      session.run(x, {x: np.zeros([0, 2])}),
      session.run(x * 1, {x: np.arange(8.0).reshape(2, 4)[:, ::2]}),
      session.run(x * 1, {x: np.arange(4.0).reshape(2, 2).T}),
    ]


def program_errors(tf):
  x = tf.placeholder(tf.float32, [None, 2], name="x")
  i = tf.placeholder(tf.int32, [], name="i")
  y = tf.identity(x, name="y")
  bad = tf.Session(graph=tf.Graph())
  with tf.Graph().as_default():
    other = tf.constant(1.0, name="other")
  with tf.Session() as session:
    calls = [
      lambda: session.run(None),
      lambda: session.run(3),
      lambda: session.run("none:0"),
      lambda: session.run("x:7"),
      lambda: session.run("x:0:0"),
      lambda: session.run(other),
      lambda: session.run([y, None]),
      lambda: session.run(y, {x: [1, 2]}),
      lambda: session.run(y, {"none:0": 1}),
      lambda: session.run(y, {other: 1}),
      lambda: session.run(y, {3: 1}),
      lambda: session.run(y, {x: y}),
      lambda: session.run(i, {i: 2**40}),
      lambda: session.run(i, {i: 1.5}),
      lambda: session.run(y, {x: [[1, 2], [3]]}),
      lambda: bad.run("x:0"),
      lambda: tf.Session(3),
      lambda: tf.Session(graph=3),
      lambda: tf.Session(config=3),
    ]
    found = [_fails(call) for call in calls]
  session.close()
  return found + [_fails(lambda: session.run(y)), _fails(lambda: y.eval()), _fails(lambda: y.op.run())]


def program_run_errors(tf):
  x = tf.placeholder(tf.float32, name="x")
  y = tf.matmul(x, x, name="y")
  z = tf.reshape(x, [3], name="z")
  v = tf.Variable(1.0, use_resource=False, name="v")
  with tf.Session() as session:
    found = []
    for fetch, feed in ((y, {}), (y, {x: np.zeros([2, 3])}), (z, {x: [1, 2]}), (v, {})):
      try:
        session.run(fetch, feed)
      except tf.errors.OpError as error:
        found += [type(error).__name__, error.error_code, error.op and error.op.name, error.node_def and error.node_def.op]
  return found


def program_unfeedable(tf):
  graph = tf.get_default_graph()
  a = tf.constant(1.0, name="a")
  graph.prevent_feeding(a)
  graph.prevent_fetching(a.op)
  with tf.Session() as session:
    found = [
      _fails(lambda: session.run(a + 1, {a: 2.0})),
      graph.is_feedable(a),
      graph.is_fetchable(a),
    ]
  return found


def program_callables(tf):
  x = tf.placeholder(tf.float32, [], name="x")
  y = tf.placeholder(tf.float32, [], name="y")
  z = x * 2 + y
  with tf.Session() as session:
    f = session.make_callable({"z": z}, [x, y])
    g = session.make_callable([z.op])
    h = session.make_callable(z, ["x:0", y], accept_options=True)
    metadata = tf.RunMetadata()
    found = [
      f(1, 2),
      f(np.float64(3), 4),
      _fails(lambda: session.make_callable(z, 3)),
      h(5, 6, options=tf.RunOptions(), run_metadata=metadata),
    ]
    return found + [type(_fails(lambda: g())).__name__]


def program_metadata(tf):
  a = tf.constant([[1.0]])
  b = tf.matmul(a, a, name="b")
  metadata = tf.RunMetadata()
  with tf.Session(config=tf.ConfigProto(device_count={"CPU": 1})) as session:
    session.run(b, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    names = [d.name.split("/")[-1] for d in session.list_devices()]
  return [len(metadata.step_stats.dev_stats) > 0, names]


def program_partial_runs(tf):
  a = tf.placeholder(tf.float32, [], name="a")
  b = tf.placeholder(tf.float32, [], name="b")
  c = tf.placeholder(tf.float32, [], name="c")
  r1 = a + b
  r2 = r1 * c
  with tf.Session() as session:
    h = session.partial_run_setup([r1, r2], [a, b, c])
    first = session.partial_run(h, r1, {a: 1, b: 2})
    second = session.partial_run(h, r2, {c: first * 17})
    h = session.partial_run_setup([r1.op, r2], [a, b, c])
    found = [first, second, session.partial_run(h, [], {a: 1, b: 2}), session.partial_run(h, {"r": r2}, {c: 3.0})]
    h = session.partial_run_setup([r1, r2], [a, b, c])
    found.append(_fails(lambda: session.partial_run(h, r2, {a: 1, b: 2}))[:20])
    h = session.partial_run_setup([r1], [a, b])
    found.append(_fails(lambda: session.partial_run(h, r1, {c: 1}))[:20])
  return found


def program_partial_run_that_was_not_set_up(tf):
  x = tf.placeholder(tf.float32, [], name="x")
  y = x + 1.0
  with tf.Session() as session:
    return _fails(lambda: session.partial_run("h", y, {x: 1.0}))


def program_defaults(tf):
  a = tf.constant(1.0)
  found = [tf.get_default_session() is None]
  with tf.Session() as one:
    found += [tf.get_default_session() is one, a.eval()]
    with tf.Session().as_default() as two:
      found += [tf.get_default_session() is two, a.eval(session=one), a.eval({a: 3.0})]
    found += [tf.get_default_session() is one]
  interactive = tf.InteractiveSession()
  found += [tf.get_default_session() is interactive, (a + 1).eval()]
  interactive.close()
  return found + [tf.get_default_session() is None, one.graph is tf.get_default_graph(), one.sess_str]


def program_growing(tf):
  with tf.Session() as session:
    v = tf.Variable(1.0, use_resource=False)
    session.run(v.initializer)
    found = [session.run(v)]
    w = tf.assign_add(v, 2.0)
    found += [session.run(w), session.run(v + 1.0)]
  return found


def program_handles(tf):
  a = tf.constant([1.0, 2.0])
  with tf.Session() as session:
    handle = session.run(tf.get_session_handle(a * 2))
    holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
    found = [session.run(tensor + 1, {holder: handle.handle}), handle.eval()]
    holder, deleter = tf.delete_session_tensor(handle.handle)
    session.run(deleter, {holder: handle.handle})
  return found


def program_writable(tf):
  v = tf.Variable(np.zeros([2000], np.float32), use_resource=False)
  p = tf.placeholder(tf.float32, [None])
  with tf.Session() as session:
    session.run(v.initializer)
    one = session.run(v)
    one += 1
    two = session.run(v)
    fed = np.ones([5000], np.float32)
    back = session.run(tf.identity(p), {p: fed})
    back += 1
    session.run(tf.assign(v, p[:2000]), {p: fed})
    fed[:] = 7
    session.run(tf.assign_add(v, v))
    return [one[:3], two[:3], back[:3], fed[:3], session.run(v)[:3], one.flags.writeable]


def program_quantized_fetches(tf):
  """What is fetched are plain integers; they can be fed again, and so can lists."""
  found = []
  with tf.Session() as session:
    for kind in (tf.quint8, tf.qint8, tf.qint32):
      numbers = tf.quantize([1.0, 2.0], 0.0, 4.0, kind).output
      back = tf.dequantize(numbers, 0.0, 4.0)
      fetched = session.run(numbers)
      found += [fetched, session.run(back, {numbers: fetched}), session.run(back, {numbers: [1, 2]}), session.run(numbers[0])]
  return found


def _fails(call):
  try:
    return call()
  except Exception as error:
    return "%s: %s" % (
      type(error).__name__,
      str(error).replace("Graph execution error:", "").strip().split("{target")[0].split(" A target")[0][:60],
    )


def program_reset_in_this_process(tf):
  """It ends all sessions of the process, whatever it names."""
  v = tf.Variable(3.0, use_resource=False)
  found = []
  for arguments in ([""], ["", None], ["", ["a"]], [None]):
    session = tf.Session()
    session.run(v.initializer)
    call = session.make_callable(v)
    found += [
      tf.Session.reset(*arguments),
      _fails(lambda: session.run(v)),
      _fails(lambda: session.run(v.initializer)),
      _fails(call),
    ]
    found += [session.close(), _fails(lambda: session.run(v))]
  with tf.Session() as session:
    session.run(v.initializer)
    return found + [session.run(v)]


def program_targets_that_are_none(tf):
  found = []
  schemes = ("grpc:/x", "localhost:2222", "http://localhost:2222", "grpcs://x:1", "GRPC://x:1", b"grpc:/y")
  addresses = ("grpc://", "grpc://x", "grpc://x:", "grpc://x:http", "grpc://a/b:1", "grpc://:-1", b"grpc://y")
  for target in schemes + addresses:
    found += [
      _fails(lambda: tf.Session(target)),
      _fails(lambda: tf.InteractiveSession(target)),
      _fails(lambda: tf.Session.reset(target)),
    ]
  return found


def program_feeds_by_structures(tf):
  """A key of a feed may be a structure of any kind that can be a key."""

  class Spaces(dict):
    __hash__ = object.__hash__

  class Listed(list):
    __hash__ = object.__hash__

  a, b, c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
  total = a + 10.0 * b + 100.0 * c
  with tf.Session() as session:
    return [
      session.run(total, {Spaces(second=b, first=a): {"first": 1.0, "second": 2.0}, c: 3.0}),
      session.run(total, {Listed([a, b]): [1.0, 2.0], (c,): (3.0,)}),
    ]


def program_callables_with_too_few_and_too_many_values(tf):
  x = tf.placeholder_with_default(1.0, [], name="x")
  y = tf.placeholder(tf.float32, [], name="y")
  z = x + y
  with tf.Session() as session:
    by_list, empty, none = session.make_callable(z, [y, x]), session.make_callable(x, []), session.make_callable(x)
    return [
      by_list(1.0, 2.0),
      by_list(5.0),
      by_list(1.0, 2.0, 3.0),
      _caught(by_list),
      empty(7.0),
      none(),
      type(_caught(lambda: none(7.0))).__name__,
      by_list(1.0, 2.0, options=tf.RunOptions()),
    ]


def program_wrong_feeds_are_found_before_wrong_fetches(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  with tf.Session() as session:
    handle = session.partial_run_setup([x + 1.0], [x])
    return [
      _caught(lambda: session.run("nope", {"x": [1.0, 2.0]})),
      _caught(lambda: session.run("nope:0", {x: [1.0]})),
      _caught(lambda: session.run(None, {x: [1.0]})),
      _caught(lambda: session.partial_run(handle, "nope", {x: [1.0]})),
      _caught(lambda: session.run("nope:0", {x: [1.0, 2.0]})),
    ]


def _caught(call):
  try:
    return call()
  except Exception as error:
    return error
