"""Training: what pairs do not show, since stock 2.21 has it not or says it otherwise."""

import package

import millrace as tf


def test_schedules_need_a_step():
  program = """
import millrace as tf
train = tf.train
for make in (lambda: train.exponential_decay(0.1, None, 10, 0.9), lambda: train.polynomial_decay(0.1, None, 10),
             lambda: train.inverse_time_decay(0.1, None, 10, 0.5), lambda: train.cosine_decay(0.1, None, 10),
             lambda: train.cosine_decay_restarts(0.1, None, 10), lambda: train.linear_cosine_decay(0.1, None, 10),
             lambda: train.noisy_linear_cosine_decay(0.1, None, 10), lambda: train.natural_exp_decay(0.1, None, 10, 0.5)):
  try:
    make()
  except ValueError as error:
    print(error)
"""
  said = package.said(program).splitlines()
  assert len(said) == 8 and all("global_step" in line for line in said), said


def test_closed_session_says_so():
  program = """
import millrace as tf
v = tf.get_variable("v", [1])
session = tf.train.MonitoredSession()
session.close()
for call in (lambda: session.run(v), lambda: session.run_step_fn(lambda step_context: None), session.close):
  try:
    call()
  except (AttributeError, RuntimeError) as error:
    print(type(error).__name__, error)
print(session.graph)
"""
  assert package.said(program).splitlines() == [
    "AttributeError 'NoneType' object has no attribute 'run'",
    "AttributeError 'NoneType' object has no attribute 'run_step_fn'",
    "RuntimeError Session is already closed.",
    "None",
  ]


def test_coordinator_keeps_errors_that_are_not_being_handled():
  program = """
import millrace as tf
coordinator = tf.train.Coordinator()
coordinator.request_stop(ValueError("kept"))
try:
  coordinator.join()
except ValueError as error:
  print(error)
try:
  coordinator.request_stop(KeyError("late"))
except KeyError as error:
  print("late", error)
"""
  assert package.said(program).splitlines() == ["kept", "late 'late'"]


def test_checksums():
  program = """
from millrace.summary import crc32c
assert crc32c.crc32c(b"123456789") == 0xE3069283
assert crc32c.crc32c(bytes(32)) == 0x8A9136AA
assert crc32c.crc32c(bytes(range(32))) == 0x46DD794E
data = bytes(i * 7 % 256 for i in range(300001))
plain = crc32c._extend(0xFFFFFFFF, data) ^ 0xFFFFFFFF
assert crc32c.crc32c(data) == plain
print("equal")
"""
  assert package.said(program) == "equal\n"


def test_records_of_a_damaged_file(tmp_path):
  program = f"""
import millrace as tf
from millrace.summary import records
path = {str(tmp_path / "events")!r}
writer = records.RecordWriter(path)
writer.write(b"one")
writer.write(b"two")
writer.close()
data = open(path, "rb").read()
print(list(records.read_records(path)))
open(path, "wb").write(data[:-1])
print(list(records.read_records(path)))
open(path, "wb").write(data[:-6] + b"x" + data[-5:])
try:
  list(records.read_records(path))
except tf.errors.DataLossError as error:
  print(error.message)
"""
  assert package.said(program).splitlines() == ["[b'one', b'two']", "[b'one']", "corrupted record at 19"]


def test_checkpoint_of_objects(tmp_path):
  program = f"""
import millrace as tf
v = tf.get_variable("v", initializer=[1.0])
checkpoint = tf.train.Checkpoint(v=v, more=[v])
manager = tf.train.CheckpointManager(checkpoint, {str(tmp_path / "m")!r}, max_to_keep=2, checkpoint_name="c")
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  paths = [manager.save() for _ in range(3)]
  print([p.rsplit("/", 1)[1] for p in manager.checkpoints], manager.latest_checkpoint == paths[-1], manager.save(9)[-3:])
  session.run(tf.assign(v, [5.0]))
  status = checkpoint.restore(manager.latest_checkpoint)
  status.assert_consumed().assert_nontrivial_match().expect_partial().run_restore_ops(session)
  print(session.run([v, checkpoint.save_counter]))
  again = tf.train.CheckpointManager(checkpoint, {str(tmp_path / "m")!r}, max_to_keep=None, keep_checkpoint_every_n_hours=1)
  print(len(again.checkpoints))
  other = tf.train.Checkpoint(w=tf.get_variable("w", [1]))
  for check in ("assert_consumed", "assert_existing_objects_matched"):
    try:
      getattr(other.restore(paths[-1]), check)()
    except AssertionError as error:
      print(str(error).split(":")[0])
  other.restore(None).initialize_or_restore(session)
  try:
    tf.train.Checkpoint(v=3)
  except ValueError as error:
    print(str(error)[:12])
"""
  assert package.said(program).splitlines() == [
    "['c-2', 'c-3'] True c-9",
    "[array([1.], dtype=float32), np.int64(4)]",
    "2",
    "Unresolved object in checkpoint (root).more",
    "Object not assigned a value from checkpoint",
    "`Checkpoint`",
  ]


def test_server_of_a_task_that_is_not_there():
  program = """
import millrace as tf
try:
  tf.train.Server({"a": ["localhost:0"]}, task_index=3)
except tf.errors.InternalError as error:
  print(error.message)
"""
  assert package.said(program) == 'Task 3 was not defined in job "a"\n'


def test_older_formats_are_read_where_blocks_are_packed():
  """Snappy's blocks: a literal, and copies of each width."""
  program = """
from millrace.train.saver import table
assert table._unsnap(bytes([5, 4 << 2]) + b"hello") == b"hello"
assert table._unsnap(bytes([12, 3 << 2]) + b"abcd" + bytes([1 | (4 << 2), 4])) == b"abcdabcdabcd"
assert table._unsnap(bytes([8, 0]) + b"a" + bytes([2 | (6 << 2), 1, 0])) == b"aaaaaaaa"
assert table._unsnap(bytes([4, 0]) + b"b" + bytes([3 | (2 << 2), 1, 0, 0, 0])) == b"bbbb"
print("read")
"""
  assert package.said(program) == "read\n"


def test_loss_scales():
  program = """
import numpy as np
import millrace as tf
experimental = tf.train.experimental
x = tf.get_variable("x", initializer=[2.0])
factor = tf.placeholder_with_default(1.0, [])
loss = tf.reduce_sum(x * factor)
scale = experimental.DynamicLossScale(initial_loss_scale=8, increment_period=2, multiplier=4)
optimizer = experimental.MixedPrecisionLossScaleOptimizer(tf.train.MomentumOptimizer(0.5, 0.0), scale)
train = optimizer.minimize(loss)
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  for value in (1.0, 1.0, float("inf"), 1.0):
    session.run(train, {factor: value})
    print(session.run(x).tolist(), float(session.run(scale())))
fixed = experimental.FixedLossScale(16)
print(fixed.get_config(), type(fixed).from_config({"loss_scale_value": 2}).get_config(), scale.get_config())
print(scale.initial_loss_scale, scale.increment_period, scale.multiplier, fixed.update([])[1])
other = experimental.enable_mixed_precision_graph_rewrite(tf.train.GradientDescentOptimizer(0.5), loss_scale=16)
step = other.minimize(loss)
experimental.disable_mixed_precision_graph_rewrite()
print(optimizer.get_slot_names(), optimizer.get_slot(x, "momentum").name, len(optimizer.variables()))
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  session.run(step)
  print(session.run(x).tolist())
for make in (lambda: experimental.FixedLossScale(0.5), lambda: experimental.LossScale(),
             lambda: experimental.enable_mixed_precision_graph_rewrite(other)):
  try:
    make()
  except (ValueError, TypeError) as error:
    print(type(error).__name__)
"""
  assert package.said(program).splitlines() == [
    "[1.5] 8.0",
    "[1.0] 32.0",
    "[1.0] 8.0",
    "[0.5] 8.0",
    (
      "{'loss_scale_value': 16.0} {'loss_scale_value': 2.0} {'initial_loss_scale': 8.0, 'increment_period': 2, 'multiplier': 4.0}"
    ),
    "8.0 2 4.0 True",
    "['momentum'] x/Momentum:0 1",
    "[1.5]",
    "ValueError",
    "TypeError",
    "ValueError",
  ]


def test_rates_of_ftrl_may_be_integers():
  """TensorFlow 1.15 takes them; later versions need a float."""
  program = """
import numpy as np
import millrace as tf
train, variables = [], []
for i, rate in enumerate((2.0, 2, np.int64(2), tf.constant(2))):
  for resource in (False, True):
    v = tf.get_variable("v%d%d" % (i, resource), initializer=[1.0, 3.0], use_resource=resource)
    train.append(tf.train.FtrlOptimizer(rate, l2_regularization_strength=0.5).minimize(tf.reduce_sum(v * v), var_list=[v]))
    variables.append(v)
with tf.Session() as session:
  session.run(tf.global_variables_initializer())
  for _ in range(2):
    session.run(train)
  found = np.array(session.run(variables))
assert not np.allclose(found[0], [1.0, 3.0])
np.testing.assert_allclose(found, np.tile(found[:1], [8, 1]), rtol=1e-6)
"""
  package.said(program)


def test_summaries_by_a_session(tmp_path):
  """A FileWriter of a session: the session's server writes the file."""
  program = f"""
import os
import millrace as tf
folder = {str(tmp_path / "logs")!r}
summary = tf.summary.scalar("x", tf.placeholder_with_default(2.0, []))
with tf.Session() as session:
  writer = tf.summary.FileWriter(folder, session=session, max_queue=3, flush_secs=10)
  writer.add_summary(session.run(summary), 7)
  writer.flush()
  writer.close()
(name,) = os.listdir(folder)
print([(e.step, [v.simple_value for v in e.summary.value]) for e in tf.train.summary_iterator(os.path.join(folder, name))][1:])
"""
  assert package.said(program) == "[(7, [2.0])]\n"


def test_profiler_hook(tmp_path):
  program = f"""
import os
import millrace as tf
folder = {str(tmp_path)!r}
step = tf.train.get_or_create_global_step()
train = tf.assign_add(step, 1)
hook = tf.train.ProfilerHook(save_steps=2, output_dir=folder, show_memory=True)
with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
  for _ in range(5):
    session.run(train)
names = sorted(name for name in os.listdir(folder) if name.startswith("timeline"))
print(len(names) > 0, "traceEvents" in open(os.path.join(folder, names[0])).read())
"""
  assert package.said(program) == "True True\n"


def test_a_server_goes_on_where_only_its_target_is_kept():
  program = """
import gc
import millrace as tf
target = tf.train.Server.create_local_server().target
gc.collect()
with tf.Session(target) as session:
  print(session.run(tf.constant(2) + 3))
"""
  assert package.said(program) == "5\n"


def test_steps_that_move_are_not_warned_of():
  """A hook may see the step of two runs alike, before and after its update; it looks again before it says so."""
  program = """
import logging
import millrace as tf
from types import SimpleNamespace as Of
said = []
tf.logging.warn = said.append
logging.getLogger("tensorflow").warning = lambda *words: said.append(words)
tf.logging.log_first_n = lambda level, *words: said.append(words)
tf.train.create_global_step()
hook = tf.train.StepCounterHook(every_n_steps=1000)
hook.begin()
for stale, now in ((1, 1), (1, 2), (2, 3), (3, 3), (3, 3)):
  context = Of(session=Of(run=lambda fetch, now=now: now))
  hook.after_run(context, Of(results=stale))
print(len(said))
"""
  assert package.said(program) == "1\n"


def test_event_files_of_one_second(tmp_path):
  """Each writer has a file of its own, also those of several programs in a folder."""
  writers = [tf.summary.FileWriter(str(tmp_path)) for _ in range(3)]
  for step, writer in enumerate(writers):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=step)]), step)
    writer.close()
  steps = [[event.step for event in tf.train.summary_iterator(str(path)) if event.summary.value] for path in tmp_path.iterdir()]
  assert sorted(steps) == [[0], [1], [2]]


def test_a_server_that_cannot_start_says_why():
  """Before any op was made, as in the script of a parameter server."""
  program = """
import socket
import millrace as tf
taken = socket.socket()
taken.bind(("127.0.0.1", 0))
taken.listen(1)
for address in ("127.0.0.1:%d" % taken.getsockname()[1], "nocolon", "127.0.0.1:99999"):
  try:
    tf.train.Server({"ps": [address]}, job_name="ps", task_index=0)
  except tf.errors.OpError as error:
    print(type(error).__name__, error.message.replace(address, "ADDRESS"))
"""
  said = package.said(program).splitlines()
  assert said[0] == "UnknownError Could not start gRPC server: cannot listen on ADDRESS: address already in use", said
  for line in said[1:]:
    assert line.startswith('InvalidArgumentError Could not parse port for local server from "ADDRESS". Invalid cluster: '), said
  assert len(said) == 3


def test_the_first_call_of_a_program_may_fail():
  """The extension knows the classes of errors before anything else of the package is there."""
  for call in ("_binding.Server(b'junk')", "_binding.reset('grpc:/x', [], b'')"):
    program = """
from millrace import _binding
try:
  %s
except Exception as error:
  print(type(error).__module__)
"""
    assert package.said(program % call).strip() == "millrace.framework.errors", call
