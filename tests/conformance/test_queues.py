"""Queues, readers and synchronous training by the stock client, on servers of ours and of stock: the same values, codes
and first words."""

import os
import re
import threading
import time

import numpy as np
import pytest

import task_servers

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1
errors = tf.errors

if not os.path.exists(task_servers.COMMAND):
  pytest.skip(f"{task_servers.COMMAND} is not built", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
SOON = tf1.RunOptions(timeout_in_ms=700)
PLENTY = tf1.RunOptions(timeout_in_ms=60_000)
tf1.logging.set_verbosity("ERROR")


@pytest.fixture(scope="module")
def clusters():
  with task_servers.Cluster({"ps": 1, "worker": 2}) as ours:
    with task_servers.Cluster({"ps": 1, "worker": 2}, kind="stock") as stock:
      yield ours, stock


PREFACE = re.compile(r"Graph execution error:|Detected at node |    File |Node: '|=====|([A-Z_]+: )?From /job:|$")


def words(error):
  """What the kernel said, without the client's preface, who tells it, and numbers of private names."""
  text = next(line for line in error.message.split("\n") if not PREFACE.match(line))
  text = text.split("\t [[")[0].split("' failed with")[0]
  return re.sub(r"(?<!\w)_\d+_", "_N_", text)


class Seen:
  """What a program saw: pairs of a name and a value, or an error's class and words."""

  def __init__(self, session):
    self.session = session
    self.all = []

  def run(self, name, fetches, feed=None, options=PLENTY):
    try:
      value = self.session.run(fetches, feed, options=options)
      if isinstance(value, (list, tuple)):
        value = [np.asarray(v).tolist() for v in value]
      elif value is not None:
        value = np.asarray(value).tolist()
      self.add(name, value)
    except errors.OpError as e:
      # Who ends a step at its deadline says so in words of its own.
      timed_out = isinstance(e, errors.DeadlineExceededError)
      self.add(name, (type(e).__name__, "" if timed_out else words(e)))

  def add(self, name, value):
    self.all.append((name, value))


def compare(clusters, program, config=None, deviations=()):
  """Runs `program(seen)` on both; entries named in `deviations` may differ."""
  results = []
  for cluster in clusters:
    with tf1.Graph().as_default():
      with tf1.Session(cluster.target("worker"), config=config) as session:
        seen = Seen(session)
        program(seen)
        results.append(seen.all)
  ours, stock = results
  assert len(ours) == len(stock)
  checked = 0
  for mine, theirs in zip(ours, stock):
    if mine[0] in deviations:
      continue
    assert mine == theirs
    checked += 1
  print(f"{program.__name__}: {checked} checks")
  return ours


KINDS = {
    "fifo": lambda cap, types, shapes, **kw: tf1.FIFOQueue(cap, types, shapes, **kw),
    "padding": lambda cap, types, shapes, **kw: tf1.PaddingFIFOQueue(cap, types, shapes, **kw),
    "shuffle": lambda cap, types, shapes, **kw: tf1.RandomShuffleQueue(cap, 0, types, shapes, seed=5, **kw),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_life_of_a_queue(clusters, kind):

  def life(seen):
    with tf.device("/job:ps/task:0"):
      q = KINDS[kind](4, [tf.int32, tf.float32], [[], [2]], name="q")
    x = tf1.placeholder(tf.int32, [])
    rows = tf1.placeholder(tf.int32, [None])
    put = q.enqueue([x, tf.stack([tf.cast(x, tf.float32), 0.5])])
    many = q.enqueue_many([rows, tf.stack([tf.cast(rows, tf.float32)] * 2, axis=1)])
    size, take, take2, up_to = q.size(), q.dequeue(), q.dequeue_many(2), q.dequeue_up_to(3)
    closed, close, stop = q.is_closed(), q.close(), q.close(cancel_pending_enqueues=True)
    wrong = q.enqueue_many([rows, tf1.placeholder_with_default(np.zeros([1, 2], np.float32), [None, 2])])
    seen.run("size", size)
    for i in range(3):
      seen.run("put", put, {x: i})
    seen.run("size", size)
    seen.run("take", take)
    seen.run("take2", take2)
    seen.run("none", take, options=SOON)
    seen.run("full", many, {rows: range(10, 16)}, options=SOON)
    seen.run("size", size)
    seen.run("take2", take2)
    seen.run("wrong", wrong, {rows: [1, 2, 3]})
    seen.run("closed", closed)
    seen.run("close", close)
    seen.run("closed", closed)
    seen.run("closed put", put, {x: 1})
    seen.run("closed many", many, {rows: [1]})
    seen.run("close again", close)
    seen.run("stop", stop)
    seen.run("up to", up_to)
    seen.run("up to", up_to)
    seen.run("take", take)
    seen.run("take2", take2)

  compare(clusters, life)


def test_a_dequeue_that_times_out_loses_nothing(clusters):

  def lose(seen):
    q = tf1.FIFOQueue(10, [tf.int32], [[]], name="kept")
    seen.run("put", q.enqueue_many([[1, 2, 3]]))
    seen.run("late", q.dequeue_many(5), options=SOON)
    seen.run("size", q.size())  # 0 on stock: what it had taken is gone
    if seen.all[-1][1] == 3:
      assert seen.session.run(q.dequeue_many(3)).tolist() == [1, 2, 3]

  ours = compare(clusters, lose, deviations=("size",))
  assert ours[-1] == ("size", 3)


def test_priority(clusters):

  def order(seen):
    q = tf1.PriorityQueue(100, [tf.string], [[]], name="p")
    seen.run("put", q.enqueue_many([[3, 1, 2, 1, 3, -1], ["a", "b", "c", "d", "e", "f"]]))
    seen.run("take", q.dequeue())
    seen.run("many", q.dequeue_many(4))
    seen.run("size", q.size())

  compare(clusters, order)


def test_padding(clusters):

  def pads(seen):
    q = tf1.PaddingFIFOQueue(100, [tf.int32, tf.string], [[None], [None, 2]], name="pad")
    for n in (1, 3, 2):
      seen.run("put", q.enqueue([tf.range(n), tf.fill([n, 2], "x")]))
    seen.run("many", q.dequeue_many(3))

  compare(clusters, pads)


def test_shuffle_is_stocks(clusters):

  def shuffles(seen):
    q = tf1.RandomShuffleQueue(200, 10, [tf.int32], [[]], seed=42, name="s")
    seen.run("put", q.enqueue_many([tf.range(100)]))
    for _ in range(3):
      seen.run("take", q.dequeue_many(20))
    seen.run("one", q.dequeue())
    seen.run("close", q.close())
    seen.run("rest", q.dequeue_up_to(100))

  compare(clusters, shuffles)


def test_shared_queues(clusters):

  def shares(seen):
    with tf.device("/job:ps/task:0"):
      a = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="both")
      b = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="both")
      other = tf1.FIFOQueue(9, [tf.int32], [[]], shared_name="both")
      types = tf1.FIFOQueue(10, [tf.int64], [[]], shared_name="both")
      kind = tf1.RandomShuffleQueue(10, 0, [tf.int32], [[]], shared_name="both")
    seen.run("put", a.enqueue(7))
    seen.run("take", b.dequeue())
    seen.run("capacity", other.size())
    seen.run("types", types.size())
    seen.run("kind", kind.size())
    chosen = tf1.QueueBase.from_list(tf1.placeholder_with_default(1, []), [a, b])
    seen.run("put", a.enqueue(8))
    seen.run("chosen", chosen.dequeue())
    with tf1.Session(seen.session.sess_str) as second:
      second.run(a.enqueue(9), options=PLENTY)
    seen.run("of the other session", b.dequeue())

  compare(clusters, shares)


def test_cancel_by_closing_the_session(clusters):
  for cluster in clusters:
    with tf1.Graph().as_default():
      q = tf1.FIFOQueue(10, [tf.int32], [[]], name="blocked")
      take = q.dequeue()
      session = tf1.Session(cluster.target("worker"))
      session.run(q.size())
      caught = []

      def run():
        try:
          session.run(take)
        except errors.OpError as e:
          caught.append(e)

      thread = threading.Thread(target=run)
      thread.start()
      time.sleep(0.5)
      session.close()
      thread.join(20)
      assert not thread.is_alive()
      assert isinstance(caught[0], (errors.CancelledError, errors.AbortedError)), caught


def drain(seen, fetch, limit=1000):
  """All batches until the end of the input."""
  batches = []
  for _ in range(limit):
    try:
      batches.append(seen.session.run(fetch, options=PLENTY))
    except errors.OutOfRangeError as e:
      seen.add("end", re.sub(r"\(requested.*", "", words(e)))
      return batches
  raise AssertionError("no end")


def with_runners(seen, body):
  seen.session.run(tf1.local_variables_initializer())
  coordinator = tf1.train.Coordinator()
  threads = tf1.train.start_queue_runners(seen.session, coordinator)
  body()
  coordinator.request_stop()
  coordinator.join(threads, stop_grace_period_secs=20)
  seen.add("stopped", coordinator.should_stop())


def test_producers_and_batches(clusters):

  def produce(seen):
    names = tf1.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    numbers = tf1.train.range_input_producer(6, num_epochs=1, shuffle=False)
    batch = tf1.train.batch([names.dequeue(), numbers.dequeue()], 4, allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("all", [[v.tolist() for v in b] for b in drain(seen, batch)]))

  compare(clusters, produce)


def test_slices_and_shuffled_batches(clusters):

  def shuffles(seen):
    x, y = tf1.train.slice_input_producer([tf.range(30), tf.range(30) * 10], num_epochs=1, shuffle=True, seed=3)
    batch = tf1.train.shuffle_batch([x, y], 5, capacity=20, min_after_dequeue=5, seed=4)

    def body():
      got = drain(seen, batch)
      flat = sorted(int(v) for b in got for v in b[0])
      assert all((b[1] == b[0] * 10).all() for b in got)
      seen.add("elements", flat)

    with_runners(seen, body)

  compare(clusters, shuffles)


def test_four_threads_of_shuffle_batch_join(clusters):

  def joins(seen):
    numbers = tf1.train.range_input_producer(100, num_epochs=1, shuffle=False)
    batch = tf1.train.shuffle_batch_join([[numbers.dequeue()] for _ in range(4)], 10, 50, 10,
                                         allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("elements", sorted(int(v) for b in drain(seen, batch) for v in b)))

  compare(clusters, joins)


def test_readers(clusters, tmp_path):
  lines = tmp_path / "lines.csv"
  lines.write_text("x,y,label\r\n1.0,2.0,0\n,3.5,1\n\"4\",5,1")
  fixed = tmp_path / "fixed.bin"
  fixed.write_bytes(b"HEAD" + bytes(range(20)) + b"FOOT")
  for name, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
    with tf.io.TFRecordWriter(str(tmp_path / name), compression) as writer:
      for i in range(5):
        writer.write(b"record %d" % i)
  (tmp_path / "bad").write_bytes((tmp_path / "plain").read_bytes()[:-3])

  def reads(seen):

    def read(name, reader, files, n=None):
      queue = tf1.FIFOQueue(20, [tf.string], [[]], name="q_" + name.replace(" ", "_"))
      seen.run(name, queue.enqueue_many([[str(f) for f in files]]))
      seen.run(name, queue.close())
      record = reader.read(queue) if n is None else reader.read_up_to(queue, n)
      for _ in range(9):
        seen.run(name, record)
      seen.run(name, [reader.num_records_produced(), reader.num_work_units_completed()])
      seen.run(name, reader.serialize_state())
      seen.run(name, reader.reset())
      seen.run(name, [reader.num_records_produced(), reader.num_work_units_completed()])
      return record

    read("lines", tf1.TextLineReader(skip_header_lines=1), [lines, lines])
    read("up to", tf1.TextLineReader(), [lines, lines], 3)
    read("missing", tf1.TextLineReader(), [tmp_path / "none", lines])
    read("fixed", tf1.FixedLengthRecordReader(8, 4, 4), [fixed])
    read("hop", tf1.FixedLengthRecordReader(8, 4, 4, 3), [fixed])
    read("whole", tf1.WholeFileReader(), [fixed, lines])
    read("identity", tf1.IdentityReader(), ["a", "b"])
    for name, kind in (("plain", tf1.python_io.TFRecordCompressionType.NONE),
                       ("zlib", tf1.python_io.TFRecordCompressionType.ZLIB),
                       ("gzip", tf1.python_io.TFRecordCompressionType.GZIP)):
      options = tf1.python_io.TFRecordOptions(kind)
      read(name, tf1.TFRecordReader(options=options), [tmp_path / name])
    read("bad", tf1.TFRecordReader(), [tmp_path / "bad"])
    queue = tf1.FIFOQueue(20, [tf.string], [[]], name="states")
    whole = tf1.WholeFileReader(name="whole_state")
    seen.run("put", queue.enqueue_many([[str(fixed), str(lines)]]))
    seen.run("one", whole.read(queue))
    state = whole.serialize_state()
    seen.run("state", state)
    seen.run("restore", whole.restore_state(tf1.placeholder_with_default(b"\x08\x05\x10\x05\x18\x07", [])))
    seen.run("restored", [whole.num_records_produced(), whole.num_work_units_completed()])
    seen.run("bad state", whole.restore_state(tf1.placeholder_with_default(b"\xff", [])))

  compare(clusters, reads)


def test_csv_pipeline(clusters, tmp_path):
  for k in range(3):
    (tmp_path / f"part{k}.csv").write_text("a,b,label\n" + "".join(f"{k}.{i},{'' if i == 2 else i},{i % 2}\n"
                                                                   for i in range(6)))

  def pipeline(seen):
    files = tf1.matching_files(str(tmp_path / "part*.csv"))
    names = tf1.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf1.TextLineReader(skip_header_lines=1).read(names)
    a, b, label = tf1.decode_csv(line, [[-1.0], [-1.0], [0]])
    batch = tf1.train.batch([tf.stack([a, b]), label], 4, allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("all", [[v.tolist() for v in part] for part in drain(seen, batch)]))

  compare(clusters, pipeline)


def train_together(cluster, steps):
  """Two workers train one weight by SyncReplicasOptimizer; returns the weight of the end."""
  failed = []

  def work(index):
    try:
      train(index)
    except Exception as e:  # pylint: disable=broad-except
      failed.append(e)

  def train(index):
    with tf1.Graph().as_default():
      with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec(), worker_device=f"/job:worker/task:{index}")):
        step = tf1.train.get_or_create_global_step()
        weights = tf1.get_variable("w", initializer=[1.0, 2.0, 3.0], use_resource=False)
        loss = tf.reduce_sum(tf.square(weights))
        optimizer = tf1.train.SyncReplicasOptimizer(tf1.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2,
                                                    total_num_replicas=2)
        update = optimizer.minimize(loss, global_step=step)
      hooks = [optimizer.make_session_run_hook(index == 0), tf1.train.StopAtStepHook(last_step=steps)]
      config = tf1.ConfigProto(operation_timeout_in_ms=60_000)
      with tf1.train.MonitoredTrainingSession(cluster.target("worker", index), is_chief=index == 0, hooks=hooks,
                                              config=config, save_summaries_steps=None, save_summaries_secs=None,
                                              log_step_count_steps=None, stop_grace_period_secs=5) as session:
        while not session.should_stop():
          session.run(update)

  threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(2)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join(180)
    assert not thread.is_alive()
  assert not failed, failed
  with tf1.Graph().as_default(), tf1.Session(cluster.target("worker")) as session:
    with tf.device("/job:ps/task:0"):
      weights = tf1.get_variable("w", shape=[3], use_resource=False)
    return session.run(weights, options=PLENTY)


def test_synchronous_training(clusters):
  steps = 6
  for cluster in clusters:
    weights = train_together(cluster, steps)
    # As many updates as one worker alone would have done, or one more that was under way.
    expected = [np.array([1.0, 2.0, 3.0]) * 0.8**n for n in (steps, steps + 1)]
    assert any(np.allclose(weights, e, rtol=1e-5) for e in expected), weights


def test_accumulators(clusters):

  def accumulate(seen):
    with tf.device("/job:ps/task:0"):
      dense = tf1.ConditionalAccumulator(tf.float32, [2], name="dense")
      total = tf1.ConditionalAccumulator(tf.float32, [2], name="total", reduction_type="SUM")
      sparse = tf1.SparseConditionalAccumulator(tf.float32, [4, 2], name="sparse")
    for a in (dense, total):
      seen.run("apply", a.apply_grad([1.0, 2.0], local_step=0))
      seen.run("apply", a.apply_grad([3.0, 5.0], local_step=1))
      seen.run("count", a.num_accumulated())
      seen.run("take", a.take_grad(2))
      seen.run("late", a.apply_grad([3.0, 5.0], local_step=0))
      seen.run("count", a.num_accumulated())
      seen.run("none", a.take_grad(1), options=SOON)
      seen.run("set", a.set_global_step(7))
    seen.run("slices", sparse.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]]))
    seen.run("slices", sparse.apply_grad([2, 3], [[4.0, 4.0], [6.0, 6.0]]))
    seen.run("take", sparse.take_grad(2))

  compare(clusters, accumulate)


def test_waits_are_shown(clusters):
  """`millrace status` says who waits for which queue."""
  import subprocess
  ours = clusters[0]
  with tf1.Graph().as_default():
    with tf.device("/job:ps/task:0"):
      q = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="starved")
      take = q.dequeue(name="hungry")
    with tf1.Session(ours.target("worker")) as session:
      thread = threading.Thread(target=lambda: session.run(take, options=PLENTY))
      thread.start()

      def status():
        return subprocess.run([task_servers.COMMAND, "status", ours.address("ps")], capture_output=True, text=True,
                              check=True).stdout

      task_servers.wait_for(lambda: "dequeue from queue starved" in status(), status)
      assert "node hungry" in status()
      session.run(q.enqueue(1), options=PLENTY)
      thread.join(20)
      assert not thread.is_alive()


def test_staging_areas(clusters):
  from tensorflow.python.ops import data_flow_ops

  def stages(seen):
    with tf.device("/job:ps/task:0"):
      area = data_flow_ops.StagingArea([tf.int32, tf.string], [[], [2]], capacity=3, shared_name="area")
      x = tf1.placeholder(tf.int32, [])
      put = area.put([x, tf.constant(["s", "t"])])
      take, peek, size, clear = area.get(), area.peek(1), area.size(), area.clear()
      keyed = data_flow_ops.MapStagingArea([tf.int32, tf.float32], [[], [2]], ["a", "b"], ordered=True,
                                           shared_name="keyed")
      key = tf1.placeholder(tf.int64, [])
      both = keyed.put(key, {"a": x, "b": tf.constant([0.5, 1.5])})
      part_a, part_b = keyed.put(key, {"a": x}), keyed.put(key, {"b": tf.constant([2.5, 3.5])})
      taken, least = keyed.get(key), keyed.get()
      sizes = [keyed.size(), keyed.incomplete_size()]
    for i in range(3):
      seen.run("put", put, {x: i})
    seen.run("size", size)
    seen.run("peek", peek)
    seen.run("take", take)
    seen.run("put", put, {x: 3})
    seen.run("clear", clear)
    seen.run("size", size)
    for k in (7, 3, 5):
      seen.run("both", both, {key: k, x: k})
    seen.run("part", part_a, {key: 4, x: 44})
    seen.run("sizes", sizes)
    seen.run("again", part_a, {key: 4, x: 44})
    seen.run("part", part_b, {key: 4})
    seen.run("taken", [taken[1]["a"], taken[1]["b"]], {key: 5})
    for _ in range(3):
      seen.run("least", [least[0], least[1]["a"], least[1]["b"]])
    seen.run("sizes", sizes)

  compare(clusters, stages)


def test_a_blocked_staging_area_heeds_the_deadline(clusters):
  """Stock's does not."""
  from tensorflow.python.ops import data_flow_ops
  with tf1.Graph().as_default(), tf1.Session(clusters[0].target("worker")) as session:
    area = data_flow_ops.StagingArea([tf.int32], [[]], capacity=2, shared_name="deadline")
    put, take, size = area.put([tf.constant(7)]), area.get(), area.size()
    with pytest.raises(errors.DeadlineExceededError):
      session.run(take, options=SOON)
    for _ in range(2):
      session.run(put, options=PLENTY)
    with pytest.raises(errors.DeadlineExceededError):
      session.run(put, options=SOON)
    assert session.run(size, options=PLENTY) == 2
    assert [np.ravel(session.run(take, options=PLENTY)).tolist() for _ in range(2)] == [[7], [7]]
    assert session.run(size, options=PLENTY) == 0


def test_barriers(clusters):
  from tensorflow.python.ops import data_flow_ops

  def meets(seen):
    with tf.device("/job:ps/task:0"):
      barrier = data_flow_ops.Barrier([tf.string, tf.int32], [[], []], name="b")
      seen.run("a", barrier.insert_many(0, ["k1", "k2"], ["a", "b"]))
      seen.run("b", barrier.insert_many(1, ["k1"], [1]))
      seen.run("c", barrier.insert_many(0, ["k3"], ["c"]))
      seen.run("d", barrier.insert_many(1, ["k3"], [3]))
      seen.run("e", barrier.insert_many(1, ["k2"], [2]))
      seen.run("ready", barrier.ready_size())
      indices, keys, (first, second) = barrier.take_many(2)
      seen.run("take", [indices, keys, first, second])
      seen.run("none", barrier.take_many(2)[1], options=SOON)
      seen.run("f", barrier.insert_many(0, ["k4"], ["d"]))
      seen.run("begun", barrier.incomplete_size())
      seen.run("close", barrier.close())
      seen.run("new", barrier.insert_many(0, ["k5"], ["e"]))
      seen.run("g", barrier.insert_many(1, ["k4"], [4]))
      seen.run("rest", barrier.take_many(5, allow_small_batch=True)[1])
      seen.run("end", barrier.take_many(1)[1])

  compare(clusters, meets)


def test_critical_sections(clusters):
  """Two threads of each of two sessions add to one variable, reading it first; no addition is lost."""

  def adds(seen):
    with tf.device("/job:ps/task:0"):
      counter = tf1.get_variable("counter", initializer=0, use_resource=True)
      section = tf1.CriticalSection(shared_name="section")

      def add():
        value = counter.read_value()
        with tf.control_dependencies([counter.assign(value + 1, read_value=False)]):
          return tf.identity(value)

      update = section.execute(add).op
    seen.run("init", counter.initializer)

    def work(target):
      with tf1.Session(target) as session:
        for _ in range(10):
          session.run(update, options=PLENTY)

    graph = tf1.get_default_graph()

    def in_graph():
      with graph.as_default():
        work(seen.session.sess_str)

    threads = [threading.Thread(target=in_graph) for _ in range(4)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join(120)
      assert not thread.is_alive()
    seen.run("counter", counter)

  assert compare(clusters, adds)[-1] == ("counter", 40)
