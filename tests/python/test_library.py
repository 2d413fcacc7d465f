"""libmillrace.so, which the extension and the command of the package share."""

import glob
import os
import re
import subprocess

import package
import pair_runner

FOLDER = os.path.join(pair_runner.package_folder(), "millrace")


def test_onednn_runs_on_threads_of_millrace():
  """libgomp, which oneDNN is linked with, would begin as many threads as this variable says."""
  program = """
import os
import numpy as np, millrace as tf
x = tf.constant(np.ones([16, 32, 32, 64], np.float32))
y = tf.nn.conv2d(x, np.ones([3, 3, 64, 64], np.float32), [1, 1, 1, 1], "SAME")
with tf.Session() as session:
  print(session.run(tf.reduce_max(y)))
print(len(os.listdir("/proc/self/task")))
"""
  os.environ["OMP_NUM_THREADS"] = "60"
  try:
    largest, threads = package.said(program).split()
  finally:
    del os.environ["OMP_NUM_THREADS"]
  assert float(largest) == 576.0 and int(threads) < 60


def test_shows_what_the_two_use():
  """Symbols of other libraries that are linked in stay inside: another package in the process may have others of that name."""
  for path in glob.glob(os.path.join(FOLDER, "libmillrace.so")) + glob.glob(os.path.join(FOLDER, "_binding.*.so")):
    shown = subprocess.run(["nm", "--dynamic", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in shown.splitlines()]
    assert names and len(names) < 600
    assert not [name for name in names if re.search("grpc|protobuf|SSL|deflate|jpeg|png", name)], path


def test_the_command_is_that_of_the_build():
  command = os.environ.get("MILLRACE_COMMAND", os.path.join(pair_runner.ROOT, "build", "dev", "millrace"))
  for words in (["--version"], ["server", "--help"]):
    said = [
      subprocess.run([path, *words], capture_output=True, text=True, check=True).stdout
      for path in (command, FOLDER + "/bin/millrace")
    ]
    assert said[0] == said[1]


def test_fetches_of_variables_are_copies():
  """Of any size, also where several threads make them: writing to one changes neither the variable nor another fetch."""
  program = """
import numpy as np, millrace as tf
for count, dtype in ((3, tf.float32), (1023, tf.float64), (262144 + 5, tf.float32), (1 << 20, tf.uint8), (5000003, tf.float32), (4000001, tf.int64)):
  value = (np.arange(count) % 251).astype(dtype.as_numpy_dtype)
  v = tf.Variable(value)
  with tf.Session() as session:
    session.run(v.initializer)
    one, two = session.run(v), session.run(v)
    assert (one == value).all() and one.dtype == value.dtype and one.flags.writeable
    one[:] = 7
    three = session.run(v)
    assert (two == value).all() and (three == value).all()
    session.run(tf.assign_add(v, tf.ones_like(v)))
    assert (three == value).all() and (session.run(v) == value + 1).all()
  assert (three == value).all()
print("copies")
"""
  assert package.said(program) == "copies\n"
