"""Graphs and sessions of the Python package: what programs in pairs with TensorFlow cannot show."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf  # noqa: E402
from millrace import gen  # noqa: E402
from millrace.framework import op_defs  # noqa: E402


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()


def program(text, timeout=60):
  """Runs a program in a process of its own; returns what it printed."""
  done = subprocess.run(
    [sys.executable, "-c", text],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    timeout=timeout,
    env=dict(os.environ, PYTHONPATH=pair_runner.package_folder()),
  )
  assert done.returncode == 0, done.stdout
  return done.stdout


def test_every_op_has_a_wrapper():
  names = dir(gen)
  assert len(names) > 1000
  for function in (
    "mat_mul",
    "add_v2",
    "lrn",
    "bias_add_v1",
    "conv2d_backprop_input",
    "resource_apply_adam",
    "fifo_queue_v2",
    "_print",
  ):
    assert callable(getattr(gen, function)), function
  with pytest.raises(AttributeError):
    gen.nothing_of_the_kind  # noqa: B018


def test_schemas():
  schema = op_defs.get("Split")
  assert [arg.name for arg in schema.inputs] == ["split_dim", "value"]
  assert schema.parameters == ["num_split"]
  assert schema.outputs[0].number_attr == "num_split"
  assert op_defs.proto("MatMul").attr[0].name
  with pytest.raises(ValueError, match="Unrecognized Op name"):
    op_defs.get("NoSuchOp")


def test_identity_of_objects():
  a = tf.constant([1.0, 2.0])
  b = a + 1.0
  assert b.op.inputs[0] is a and a.op.outputs[0] is a
  assert tf.get_default_graph().get_tensor_by_name(a.name) is a
  a.op.note = "kept"
  assert tf.get_default_graph().get_operations()[0].note == "kept"


def test_where_an_op_was_made():
  def outer():
    return tf.placeholder(tf.float32, name="lost")  # this line

  tensor = outer()
  frames = [frame for frame in tensor.op.traceback if frame[0] == __file__]
  assert frames[-1][2] == "outer" and "this line" in frames[-1][3]
  with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as error:
    session.run(tensor + 1.0)
  assert "lost" in str(error.value) and os.path.basename(__file__) in str(error.value)
  assert error.value.op is tensor.op


def test_a_graph_goes_with_its_last_reference():
  graph = tf.Graph()
  with graph.as_default():
    kept = tf.constant(1.0) + 2.0
  gone = weakref.ref(graph)
  del graph
  gc.collect()
  assert gone() is kept.graph
  del kept
  gc.collect()
  assert gone() is None


def test_memory_is_flat():
  def once():
    with tf.Graph().as_default(), tf.Session() as session:
      a = tf.placeholder(tf.float32, [None])
      assert session.run(a * 2.0, {a: np.ones(3)}).sum() == 6

  def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
      return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

  for _ in range(100):
    once()
  before = resident()
  for _ in range(400):
    once()
  assert resident() - before < 8 << 20


def test_feeds_are_lent():
  data = np.random.rand(1 << 20).astype(np.float32)
  x = tf.placeholder(tf.float32, [None])
  v = tf.Variable(np.zeros([1 << 20], np.float32), use_resource=False)
  resource = tf.Variable(np.zeros([1 << 20], np.float32), use_resource=True)
  queue = tf.FIFOQueue(2, tf.float32)
  enqueue, dequeue = queue.enqueue([x]), queue.dequeue()
  with tf.Session() as session:
    session.run([v.initializer, resource.initializer])
    before = data.copy()
    session.run([tf.assign(v, x), tf.assign(resource, tf.identity(x)), enqueue], {x: data})
    references = sys.getrefcount(data)
    data[:] = -1
    assert np.array_equal(session.run(v), before)
    assert np.array_equal(session.run(resource), before)
    assert np.array_equal(session.run(dequeue), before)
    data[:] = before
    for fetch in (tf.assign_add(v, x), tf.negative(x), tf.reshape(x, [2, -1]), tf.identity(x)):
      result = session.run(fetch, {x: data})
      result += 1.0
      assert np.array_equal(data, before)
  assert sys.getrefcount(data) == references


def test_results_are_writable_and_apart():
  v = tf.Variable(np.ones([5000], np.float32), use_resource=False)
  big = tf.ones([5000])
  with tf.Session() as session:
    session.run(v.initializer)
    one, two = session.run([v, v])
    one[:] = 3
    assert session.run(v)[0] == 1
    first, second = session.run([big, tf.identity(big)])
    first[:] = 5
    assert second[0] == 1 and first.flags.writeable
    assert two.flags.owndata or two.base is not None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int64", "bool", "complex64", "uint64"])
def test_types_go_there_and_back(dtype):
  x = tf.placeholder(dtype)
  with tf.Session() as session:
    for shape in ((), (3,), (2, 0), (2, 3, 4)):
      value = np.asarray(np.random.rand(*shape) * 2).astype(dtype)
      back = session.run(tf.identity(x), {x: value})
      assert back.dtype == value.dtype and np.shape(back) == shape and np.array_equal(back, value)
    transposed = np.arange(6).reshape(2, 3).astype(dtype).T
    assert np.array_equal(session.run(tf.identity(x), {x: transposed}), transposed)


def test_texts():
  x = tf.placeholder(tf.string)
  with tf.Session() as session:
    assert session.run(tf.identity(x), {x: "é"}) == "é".encode()
    assert session.run(tf.identity(x), {x: b"a\0b"}) == b"a\0b"
    back = session.run(tf.identity(x), {x: np.array([["a", "bc"], ["", "d"]])})
    assert back.dtype == object and back.tolist() == [[b"a", b"bc"], [b"", b"d"]]
    assert session.run(tf.identity(x), {x: [b"x" * 10000]})[0] == b"x" * 10000
    assert session.run(tf.identity(x), {x: np.zeros([0, 2], object)}).shape == (0, 2)


def test_bfloat16_without_ml_dtypes():
  out = program(
    "import sys; sys.modules['ml_dtypes'] = None\n"
    "import millrace as tf\n"
    "x = tf.cast([1.0, 2.5], tf.bfloat16)\n"
    "with tf.Session() as s: print(s.run([x, tf.cast(x, tf.float32)]))\n"
  )
  assert "2.5" in out


def test_threads_share_a_graph_and_a_session():
  v = tf.Variable(0, use_resource=False)
  add = tf.assign_add(v, 1)
  graph = tf.get_default_graph()
  errors = []

  def work(session, number):
    try:
      with graph.as_default(), tf.name_scope("thread_%d" % number):
        for _ in range(20):
          session.run(add)
          assert tf.constant(1).name.startswith("thread_%d/" % number)
    except BaseException as error:  # noqa: B902
      errors.append(error)

  with tf.Session() as session:
    session.run(v.initializer)
    threads = [threading.Thread(target=work, args=(session, i)) for i in range(5)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    assert not errors
    assert session.run(v) == 100


def test_the_interpreter_goes_on_while_a_step_runs():
  queue = tf.FIFOQueue(1, tf.float32)
  get, put = queue.dequeue(), queue.enqueue([1.0])
  with tf.Session() as session:
    got = []
    thread = threading.Thread(target=lambda: got.append(session.run(get)))
    thread.start()
    time.sleep(0.1)
    assert not got
    session.run(put)
    thread.join(10)
    assert got == [1.0]


def test_closing_ends_a_run():
  get = tf.FIFOQueue(1, tf.float32).dequeue()
  session = tf.Session()
  errors = []

  def work():
    try:
      session.run(get)
    except tf.errors.OpError as error:
      errors.append(error)

  thread = threading.Thread(target=work)
  thread.start()
  time.sleep(0.1)
  session.close()
  thread.join(10)
  assert [type(error) for error in errors] == [tf.errors.CancelledError]


def test_importing_and_building_start_no_thread():
  out = program(
    "import os, threading\nimport numpy\nbefore = len(os.listdir('/proc/self/task'))\n"
    "import millrace as tf\n"
    "x = tf.matmul(tf.ones([2, 2]), tf.placeholder(tf.float32, [2, 2]))\n"
    "print(len(os.listdir('/proc/self/task')) - before)\n"
  )
  assert out.strip() == "0"


def test_interrupt_ends_a_blocked_run():
  text = (
    "import os, signal, threading, time\n"
    "import millrace as tf\n"
    "get = tf.FIFOQueue(1, tf.float32).dequeue()\n"
    "s = tf.Session()\n"
    "s.run(tf.constant(1))\n"
    "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
    "start = time.time()\n"
    "try:\n  s.run(get)\n"
    "except KeyboardInterrupt:\n  print('interrupted', time.time() - start < 1.3)\n"
    "print(s.run(tf.constant(2)))\n"
  )
  assert program(text).split() == ["interrupted", "True", "2"]


BLOCKED = """
import threading
get = tf.FIFOQueue(1, tf.float32).dequeue()
begun = threading.Event()
def work():
  begun.set()
  session.run(get)
session = tf.Session(target)
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
FED = """
import numpy as np
def slow():
  return np.float32(sum(i % 7 for i in range(20_000)))
queue = tf.FIFOQueue(4, tf.float32, shapes=[[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.py_func(slow, [], tf.float32))] * 2))
get = queue.dequeue()
session = tf.Session(target)
tf.train.start_queue_runners(session)
for _ in range(10): session.run(get)
"""
ON_A_SERVER = "server = tf.train.Server.create_local_server()\ntarget = server.target\n"


@pytest.mark.parametrize("target", ["target = ''\n", ON_A_SERVER], ids=["local", "server"])
@pytest.mark.parametrize("end", ["", "session.close()\n"], ids=["open", "closed"])
@pytest.mark.parametrize("threads", [BLOCKED, FED], ids=["blocked", "fed"])
def test_a_program_ends_while_threads_run(threads, end, target):
  """Daemon threads, as queue runners have, neither keep the process nor end it by an abort."""
  for _ in range(3):
    assert "ends here" in program("import millrace as tf\n" + target + threads + end + "print('ends here')\n", timeout=30)


@pytest.mark.parametrize("target", ["target = ''\n", ON_A_SERVER], ids=["local", "server"])
def test_a_program_ends_while_a_function_of_its_own_runs(target):
  """Python ends the thread of the session within the function, as soon as something that ends late gives up the GIL."""
  spinning = """
import threading, time
class Late:
  def __del__(self, wait=time.sleep): wait(0.1)
late = Late()
begun = threading.Event()
def spin():
  begun.set()
  while True: pass
call = tf.py_func(spin, [], [])
session = tf.Session(target)
threading.Thread(target=lambda: session.run(call), daemon=True).start()
begun.wait()
"""
  assert "ends here" in program("import millrace as tf\n" + target + spinning + "print('ends here')\n", timeout=60)


class Numbered(Exception):
  """As those of databases are, where 0 is a number of an error, too."""

  def __init__(self, error_code):
    super().__init__("numbered")
    self.error_code = error_code


class Mute(Exception):
  def __str__(self):
    raise RuntimeError("there is no text")


def raised_by_a_function(make):
  """The error of a step whose function raises what `make` returns, and whether the function's argument is gone after it."""
  arguments = []

  def fails(a):
    arguments.append(weakref.ref(a))
    raise make()

  call = tf.py_func(fails, [tf.constant([1.0, 2.0])], tf.float32)
  with tf.Session() as session, pytest.raises(tf.errors.OpError) as caught:
    session.run(call)
  gc.collect()
  return caught.value, arguments[0]() is None


@pytest.mark.parametrize(
  ("make", "kind", "text"),
  [
    (lambda: Numbered(0), tf.errors.UnknownError, "Numbered: numbered"),
    (lambda: Numbered(1045), tf.errors.UnknownError, "Numbered: numbered"),
    (lambda: Numbered(True), tf.errors.UnknownError, "Numbered: numbered"),
    (lambda: tf.errors.AbortedError(None, None, "lost"), tf.errors.AbortedError, "AbortedError: lost"),
    (lambda: tf.errors.UnknownError(None, None, "lost", 1045), tf.errors.UnknownError, "UnknownError: lost"),
    (lambda: tf.errors.UnknownError(None, None, "lost", 0), tf.errors.UnknownError, "UnknownError: lost"),
    (lambda: ValueError("a\ud800b"), tf.errors.InvalidArgumentError, "ValueError: a?b"),
    (Mute, tf.errors.UnknownError, "Mute: <no text>"),
  ],
  ids=["zero", "large", "true", "aborted", "large of ours", "zero of ours", "surrogate", "mute"],
)
def test_what_functions_raise(make, kind, text):
  error, is_freed = raised_by_a_function(make)
  assert type(error) is kind and error.message.startswith(text + "\n")
  assert "in fails" in error.message
  assert is_freed


def test_an_interrupt_ends_no_later_run():
  """A program that saves its work when it is interrupted does so by a run, which must not be cancelled, too."""
  text = (
    "import os, signal, threading\n"
    "import millrace as tf\n"
    "x = tf.constant(1) + 1\n"
    "server = tf.train.Server.create_local_server()\n"
    "s = tf.Session(server.target)\n"
    "saved = 0\n"
    "for i in range(30):\n"
    "  threading.Timer(0.01 + 0.001 * i, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
    "  try:\n"
    "    while True: s.run(x)\n"
    "  except KeyboardInterrupt:\n"
    "    for _ in range(20): s.run(x)\n"
    "    saved += 1\n"
    "print(saved)\n"
  )
  assert program(text).split()[-1] == "30"


def test_threads_may_make_the_first_runs_at_once():
  """Each asks Python for its main thread, and may give up Python's lock in that."""
  text = (
    "import threading, time\n"
    "import millrace as tf\n"
    "main_thread = threading.main_thread\n"
    "def slow():\n"
    "  time.sleep(0.1)\n"
    "  return main_thread()\n"
    "threading.main_thread = slow\n"
    "x = tf.constant(1.0) + 1.0\n"
    "session = tf.Session()\n"
    "found = []\n"
    "threads = [threading.Thread(target=lambda: found.append(session.run(x))) for _ in range(4)]\n"
    "for t in threads: t.start()\n"
    "for t in threads: t.join()\n"
    "print(len(found), session.run(x))\n"
  )
  assert program(text).split() == ["4", "2.0"]


def test_a_thread_that_joins_a_server_ends_with_the_program():
  text = (
    "import threading, time\n"
    "import millrace as tf\n"
    "server = tf.train.Server.create_local_server()\n"
    "threading.Thread(target=server.join, daemon=True).start()\n"
    "time.sleep(0.2)\n"
    "print('ends here')\n"
  )
  assert "ends here" in program(text)


def test_forks():
  text = (
    "import os, sys\n"
    "import millrace as tf\n"
    "x = tf.constant(1) + 2\n"
    "def child(run):\n"
    "  pid = os.fork()\n"
    "  if pid == 0:\n"
    "    try: run()\n"
    "    except RuntimeError as e: print('refused:', 'spawn' in str(e))\n"
    "    sys.stdout.flush(); os._exit(0)\n"
    "  os.waitpid(pid, 0)\n"
    "child(lambda: print('first', tf.Session().run(x)))\n"
    "s = tf.Session()\n"
    "print('parent', s.run(x)); sys.stdout.flush()\n"
    "child(lambda: print('old', s.run(x)))\n"
    "child(lambda: print('new', tf.Session().run(x)))\n"
    "print('parent', s.run(x))\n"
  )
  lines = program(text).split("\n")
  assert lines == ["first 3", "parent 3", "refused: True", "refused: True", "parent 3", ""]


def test_a_forked_child_ends():
  text = (
    "import os, sys\n"
    "import millrace as tf\n"
    "s = tf.Session(); s.run(tf.constant(1))\n"
    "pid = os.fork()\n"
    "if pid == 0: sys.exit(0)\n"
    "print(os.waitpid(pid, 0)[1])\n"
  )
  assert program(text).strip() == "0"


def test_gradients_of_functions_with_random_numbers():
  """TensorFlow's draws other numbers than the function did; here it is refused, with the name of the op."""
  from millrace.ops.gradients.defun import Defun

  @Defun(tf.float32)
  def noisy(x):
    return x * tf.random_uniform([2])

  x = tf.placeholder(tf.float32, [2])
  with pytest.raises(NotImplementedError, match=r"\(op type: RandomUniform\) gave, which would run once more"):
    tf.gradients(noisy(x), x)


def test_a_server_of_this_process():
  cluster = tf.train.ClusterSpec({"local": ["localhost:0"]})
  del cluster
  server = tf.train.Server.create_local_server()
  v = tf.Variable(1.0, use_resource=False)
  with tf.Session(server.target) as session:
    session.run(v.initializer)
    assert session.run(tf.assign_add(v, 2.0)) == 3.0
    assert any("CPU" in device.name for device in session.list_devices())
  server.stop() if hasattr(server, "stop") else None


def test_making_ops_is_fast():
  """Far above what it takes; guards against a way that is a hundred times slower."""
  a = tf.constant(1.0)
  gen.add_v2(a, a)
  start = time.perf_counter()
  for _ in range(2000):
    gen.add_v2(a, a)
  assert (time.perf_counter() - start) / 2000 < 1e-3


def test_a_second_gradient_of_a_name_says_where_the_first_is():
  def register():
    tf.RegisterGradient("RegisteredTwice")(lambda op, grad: grad)

  register()
  with pytest.raises(KeyError, match=r"Previous registration was in register .*test_core\.py:\d+\)"):
    register()
