"""Scripts that import tensorflow run unchanged: `python -m millrace`, `millrace.install()`, names from before 1.0."""

import os
import subprocess

import numpy as np
import package
import pytest

PROGRAM = """
import sys
import tensorflow as tf
import tensorflow.compat.v1 as v1
from tensorflow.python.framework import ops, dtypes, tensor_shape
from tensorflow.python.platform import gfile, flags, tf_logging as logging
from tensorflow.python.util import nest
from tensorflow.core.framework import summary_pb2, types_pb2
import tensorflow.python.ops.array_ops as array_ops
from tensorflow.python.ops import math_ops

def main(argv):
  assert v1 is tf and tf.__version__ == "1.15.0" and dtypes.float32 is tf.float32
  assert gfile.GFile is tf.gfile.GFile and types_pb2.DT_FLOAT == 1 and summary_pb2.Summary is tf.Summary
  assert ops.Graph is tf.Graph and array_ops.reshape is tf.reshape and math_ops.reduce_mean is tf.reduce_mean
  assert tf.python.framework.ops.Tensor is tf.Tensor and nest.flatten([1, [2]]) == [1, 2]
  with tf.Session() as session:
    print("value", session.run(tf.constant([1.0, 2.0]) * 2.0))
  print("main", __name__, argv[1:], tf.app.flags.FLAGS.steps, __file__ == sys.argv[0])

if __name__ == "__main__":
  tf.app.flags.DEFINE_integer("steps", 3, "How many.")
  tf.app.run()
"""


def test_script(tmp_path):
  ran = package.script(tmp_path, PROGRAM, "--steps=7", "rest")
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.splitlines() == ["value [2. 4.]", "main __main__ ['rest'] 7 True"]


def test_module_and_text(tmp_path):
  (tmp_path / "prog.py").write_text("import sys, tensorflow as tf\nprint(__name__, tf.VERSION, sys.argv[1:])\n")
  ran = package.python("-m", "millrace", "-m", "prog", "a", cwd=str(tmp_path))
  assert ran.stdout == "__main__ 1.15.0 ['a']\n", ran.stderr
  ran = package.python("-m", "millrace", "-c", "import sys, tensorflow as tf; print(tf.VERSION, sys.argv)", "b")
  assert ran.stdout == "1.15.0 ['-c', 'b']\n", ran.stderr
  ran = package.python("-m", "millrace", "-", input="import tensorflow as tf\nprint(tf.VERSION)\n")
  assert ran.stdout == "1.15.0\n", ran.stderr


def test_modules_beside_the_script(tmp_path):
  (tmp_path / "beside.py").write_text("import tensorflow as tf\nVALUE = tf.float32.name\n")
  ran = package.script(tmp_path, "import beside\nprint(beside.VALUE)\n")
  assert ran.stdout == "float32\n", ran.stderr


def test_traceback_has_the_scripts_frames_alone(tmp_path):
  text = (
    "from tensorflow.python.util import nest\n\n\ndef fail(x):\n  raise ValueError('boom')\n\n\nnest.map_structure(fail, [1])\n"
  )
  ran = package.script(tmp_path, text)
  path = os.path.join(str(tmp_path), "script.py")
  alone = [line for line in ran.stderr.splitlines() if line.strip().startswith("File ")]
  assert ran.returncode == 1
  assert alone == ['  File "%s", line 8, in <module>' % path, '  File "%s", line 5, in fail' % path]
  assert ran.stderr.splitlines()[0] == "Traceback (most recent call last):" and ran.stderr.splitlines()[-1] == "ValueError: boom"


def test_exit_codes(tmp_path):
  assert package.script(tmp_path, "import sys\nsys.exit(5)\n").returncode == 5
  assert package.script(tmp_path, "raise SystemExit('text')\n").returncode == 1
  assert package.python("-m", "millrace").returncode == 2
  assert package.python("-m", "millrace", "--what", "x.py").returncode == 2
  assert package.python("-m", "millrace", "--tf", "7", "x.py").returncode == 2
  ran = package.python("-m", "millrace", "missing.py", cwd=str(tmp_path))
  assert ran.returncode == 2 and "can't open file" in ran.stderr
  ran = package.script(tmp_path, "def f(:\n")
  assert ran.returncode == 1 and "SyntaxError" in ran.stderr


def test_what_is_not_there(tmp_path):
  text = """
for module in ("tensorflow.xla.experimental", "tensorflow.foo", "tensorflow.python.foo.bar"):
  try:
    __import__(module)
  except ImportError as error:
    print(error)
for line in (
  "from tensorflow.xla import experimental",
  "from tensorflow.python.xla import other",
  "from tensorflow.contrib import ffmpeg",
  "from tensorflow.python.ops import foo",
  "from tensorflow.python.ops.rnn import _foo",
  "from millrace.xla import experimental",
):
  try:
    exec(line)
  except ImportError as error:
    print(error)
import tensorflow as tf
try:
  tf.enable_eager_execution()
except AttributeError as error:
  print(error)
"""
  said = package.script(tmp_path, text).stdout.splitlines()
  assert said[0].startswith("tensorflow.xla is not part of Millrace. There is no XLA")
  assert said[1].startswith("No module named 'tensorflow.foo'") and said[2].startswith("No module named 'tensorflow.python.foo")
  assert said[3].startswith("tensorflow.xla is not part of Millrace. There is no XLA")
  assert said[4].startswith("tensorflow.python.xla is not part of Millrace. There is no XLA")
  assert said[5].startswith("tf.contrib.ffmpeg is not part of Millrace. Use tf.audio")
  assert said[6].startswith("No module named 'tensorflow.python.ops.foo': Millrace has ")
  assert said[7].startswith("No module named 'tensorflow.python.ops.rnn._foo': Millrace has ")
  assert said[8].startswith("tf.xla is not part of Millrace. There is no XLA")
  assert said[9].startswith("tf.enable_eager_execution is not part of Millrace. ")


def test_names_are_located_by_their_paths(tmp_path):
  """Libraries take classes by their full names out of files of settings."""
  program = """
import pydoc
import tensorflow as tf
assert pydoc.locate("tensorflow.layers.Dense") is tf.layers.Dense
assert pydoc.locate("tensorflow.contrib.rnn.GRUCell") is tf.contrib.rnn.GRUCell
assert pydoc.locate("tensorflow.nn.relu") is tf.nn.relu
assert pydoc.locate("tensorflow.keras.regularizers.L1L2") is tf.keras.regularizers.L1L2
for name in ("tensorflow.relu", "tensorflow.keras.initializers.glorot_uniform_initializer", "tensorflow.python.foo.bar", "tensorflow.layers.foo", "tensorflow.xla.foo", "tensorflow.contrib.nccl.x"):
  assert pydoc.locate(name) is None, name
"""
  ran = package.script(tmp_path, program)
  assert ran.returncode == 0, ran.stderr


def test_install_in_a_notebook():
  package.said(
    """
import millrace
millrace.install()
millrace.install()
import tensorflow as tf
assert tf is millrace and tf.__version__ == "1.15.0"
try:
  millrace.install("0.12")
  raise AssertionError
except RuntimeError:
  pass
"""
  )


def test_the_package_of_estimators(tmp_path):
  text = """
import tensorflow_estimator as estimators
from tensorflow_estimator.python.estimator import estimator as estimator_lib, model_fn
from tensorflow_estimator.python.estimator.head import regression_head
from tensorflow_estimator.python.estimator.canned import head as head_lib
import tensorflow as tf
assert estimators.estimator is tf.estimator and estimator_lib.Estimator is tf.estimator.Estimator
assert regression_head.RegressionHead is tf.estimator.RegressionHead and model_fn.EstimatorSpec is tf.estimator.EstimatorSpec
print("same")
"""
  ran = package.script(tmp_path, text)
  assert ran.stdout == "same\n", ran.stderr


def test_internals_under_the_names_of_this_package():
  package.said(
    """
import millrace as tf
from millrace.core.framework import summary_pb2
from millrace.examples.tutorials.mnist import input_data
from millrace.python.client import device_lib
from millrace.python.framework import ops
from millrace.python.ops import array_ops, rnn_cell
import millrace.python.ops.math_ops as math_ops
assert ops.Tensor is tf.Tensor and array_ops.reshape is tf.reshape and math_ops.add is tf.add
assert rnn_cell.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell and summary_pb2.Summary is tf.Summary
assert input_data.read_data_sets and device_lib.list_local_devices() and "reshape" in dir(array_ops)
for module in ("millrace.python.foo", "millrace.foo"):
  try:
    __import__(module)
  except ModuleNotFoundError as error:
    assert str(error) == "No module named %r" % module, error
  else:
    raise AssertionError(module)
"""
  )


def test_install_after_tensorflow():
  pytest.importorskip("tensorflow")
  said = package.said("import tensorflow, millrace\ntry:\n  millrace.install()\nexcept RuntimeError as error:\n  print(error)\n")
  assert "TensorFlow is imported already" in said


def test_spawned_processes_have_it(tmp_path):
  text = """
import multiprocessing
import tensorflow as tf

def work(queue):
  import millrace
  queue.put((tf is millrace, tf.__version__))

if __name__ == "__main__":
  context = multiprocessing.get_context("spawn")
  queue = context.Queue()
  process = context.Process(target=work, args=(queue,))
  process.start()
  print(queue.get(timeout=60))
  process.join()
"""
  ran = package.script(tmp_path, text)
  assert ran.stdout == "(True, '1.15.0')\n", ran.stderr


OLD = """
import tensorflow as tf
assert tf.__version__ == "0.12.1"
a = tf.constant([[1.0, 2.0]])
parts = tf.split(1, 2, a)
tensors = [tf.concat(1, [a, a]), tf.mul(a, a), tf.sub(a, a), tf.neg(a), tf.pack([a, a]), parts[1], tf.unpack(a)[0]]
tensors.append(tf.select([[True, False]], a, -a))
tensors.append(tf.batch_matmul(a, a, adj_y=True))
tensors.append(tf.nn.softmax_cross_entropy_with_logits(a, tf.constant([[0.0, 1.0]])))
tensors.append(tf.reverse(a, [False, True]))
sparse = tf.SparseTensor(indices=[[0, 1]], values=[5], shape=[1, 2])
assert isinstance(sparse, tf.SparseTensor) and not isinstance(a, tf.SparseTensor)
assert tf.SparseTensor.from_value(tf.SparseTensorValue([[0]], [1], shape=[2])).get_shape() == [2]
tensors.append(tf.sparse_tensor_to_dense(sparse))
x = tf.Variable(3.0)
with tf.Session() as session:
  session.run(tf.initialize_all_variables())
  for value in session.run(tensors):
    print(value.tolist())
"""


def test_names_from_before_1_0(tmp_path):
  ran = package.script(tmp_path, OLD, options=["--tf", "0.12"])
  assert ran.returncode == 0, ran.stderr
  values = [eval(line) for line in ran.stdout.splitlines()]
  assert values[:9] == [
    [[1, 2, 1, 2]],
    [[1, 4]],
    [[0, 0]],
    [[-1, -2]],
    [[[1, 2]], [[1, 2]]],
    [[2]],
    [1, 2],
    [[1, -2]],
    [[5]],
  ]
  np.testing.assert_allclose(values[9], [np.log(np.exp(1) + np.exp(2)) - 2], rtol=1e-5)
  assert values[10:] == [[[2, 1]], [[0, 5]]]
  assert "Use tf.multiply." in ran.stderr and "Use tf.stack." in ran.stderr


def test_old_names_without_the_option(tmp_path):
  ran = package.script(tmp_path, "import tensorflow as tf\nprint(tf.mul(2, 3).op.type, tf.concat([[1], [2]], 0).shape)\n")
  assert ran.stdout == "Mul (2,)\n", ran.stderr


def test_modules_from_before_1_0(tmp_path):
  text = """
import tensorflow as tf
from tensorflow.models.rnn import seq2seq as models
from tensorflow.nn import seq2seq
from tensorflow.python.ops import seq2seq as internal
losses = tf.nn.seq2seq.sequence_loss_by_example([tf.zeros([2, 4])], [tf.constant([0, 1])], [tf.constant([1.0, 2.0])])
print(seq2seq.rnn_decoder is tf.contrib.legacy_seq2seq.rnn_decoder is internal.rnn_decoder is models.rnn_decoder)
print(tf.Session().run(losses).tolist())
"""
  ran = package.script(tmp_path, text, options=["--tf", "0.12"])
  assert ran.returncode == 0, ran.stderr
  said = ran.stdout.splitlines()
  assert said[0] == "True"
  np.testing.assert_allclose(eval(said[1]), [np.log(4), np.log(4)], rtol=1e-5)


def test_the_command(tmp_path):
  command = os.environ.get("MILLRACE_COMMAND")
  if not command or not os.path.exists(command):
    pytest.skip("needs the command, in $MILLRACE_COMMAND")
  path = tmp_path / "script.py"
  path.write_text("import sys, tensorflow as tf\nprint(tf.__version__, sys.argv[1:])\n")
  import sys

  def run(*words):
    ran = subprocess.run([command, "python", *words], capture_output=True, text=True, timeout=120, check=False)
    return ran.returncode, ran.stdout, ran.stderr

  assert run("--python", sys.executable, str(path), "--flag", "x")[:2] == (0, "1.15.0 ['--flag', 'x']\n")
  assert run("--python", sys.executable, "--tf", "0.12", str(path))[:2] == (0, "0.12.1 []\n")
  code, _, said = run()
  assert code == 2 and "the script is missing" in said


def test_flags_are_listed(tmp_path):
  text = """
import tensorflow as tf
tf.app.flags.DEFINE_integer("steps", 3, "How many.")
FLAGS = tf.app.flags.FLAGS
FLAGS._parse_flags()
for name, value in sorted(FLAGS.__flags.items()):
  print(name, value if isinstance(value, int) else value.value)
"""
  assert package.script(tmp_path, text, "--steps=5").stdout == "steps 5\n"
  assert package.script(tmp_path, text, "--steps=5", options=["--tf", "0.12"]).stdout == "steps 5\n"
