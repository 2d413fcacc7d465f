"""`python -m millrace --explain`: names of TensorFlow that a script uses and that are not there, and what a name is."""

import package
import pytest
from millrace.scripts import names_in_script

SCRIPT = """\
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.tensorrt import create_inference_graph
from tensorflow.python.ops import rnn_cell, nothing_here

layers = tf.layers
layers.denze(tf.zeros([1, 2]), 3)
x = tf.keras.layers.Dense(3)
tf.app.flags.FLAGS.anything
slim.learning.trian(1)


def other(tf):
  return tf.no_name_of_tensorflow


tf.math.conv2d
"""


def explain(*words, cwd):
  return package.python("-m", "millrace", "--explain", *words, cwd=str(cwd))


def test_a_script(tmp_path):
  (tmp_path / "train.py").write_text(SCRIPT)
  ran = explain("train.py", cwd=tmp_path)
  assert ran.returncode == 1, ran.stderr
  lines = ran.stdout.splitlines()
  heads = [line for line in lines if line.startswith("train.py:")]
  assert [head.split(" ")[0] for head in heads[:-1]] == [f"train.py:{line}:" for line in (4, 5, 8, 9, 11, 18)]
  assert "tf.contrib.tensorrt is not part of Millrace. There is no TensorRT" in heads[0]
  assert "tensorflow.python.ops.nothing_here is not there" in heads[1]
  assert "tf.layers.denze is not there. Near to it: tf.layers.dense" in heads[2]
  assert "tf.keras.layers is not part of Millrace. Use tf.layers" in heads[3]
  assert "Near to it: tf.contrib.slim.learning.train" in heads[4]
  assert "tf.nn.conv2d" in heads[5]
  assert lines[lines.index(heads[2]) + 1] == "    layers.denze(tf.zeros([1, 2]), 3)"
  assert heads[-1] == "train.py: 6 names of TensorFlow that it uses are not there."


def test_a_script_with_all_names(tmp_path):
  (tmp_path / "fine.py").write_text("import tensorflow as tf\nprint(tf.train.Saver, tf.contrib.slim.learning)\n")
  ran = explain("fine.py", cwd=tmp_path)
  assert (ran.returncode, ran.stdout) == (0, "fine.py: all names of TensorFlow that it uses are there.\n")


def test_names(tmp_path):
  ran = explain(
    "tf.train.Saver",
    "nn.relu",
    "tensorflow.train",
    "tf.slim",
    "tf.contrib.layers.relu",
    "tf.layers.dense",
    "tf.float32",
    cwd=tmp_path,
  )
  assert ran.returncode == 1
  lines = ran.stdout.splitlines()
  assert lines[0].startswith("tf.train.Saver is there: a class, Saver(var_list=None, reshape=False, ")
  assert lines[1].startswith("  Saves variables")
  assert lines[2].startswith("tf.nn.relu is there: a function, relu(features, name=None)")
  assert any(line.startswith("tf.train is there: a module of ") for line in lines)
  assert any("tf.slim is not there. Near to it: tf.contrib.slim" in line for line in lines)
  assert any("activation_fn=relu, " in line for line in lines)
  assert any("bias_initializer=zeros_initializer(), " in line for line in lines)
  assert lines[-1] == "tf.float32 is there: a value, DType"


def test_only_what_is_near_is_said_to_be_near(tmp_path):
  ran = explain(
    "tf.foal",
    "tf.contrib.qux",
    "tensorflow.tools.docs",
    "tf.contrib.grid_rnn",
    "tf.nn.embeding_lookup",
    "tf.contrib.bar",
    cwd=tmp_path,
  )
  assert ran.returncode == 1
  lines = ran.stdout.splitlines()
  assert not any("Near to it" in lines[i] for i in (0, 1, 2, 3, 5)), lines
  assert "tensorflow.tools.docs is not there. module 'tensorflow.tools' has no attribute" in lines[2]
  assert "Use tf.contrib.rnn.GridLSTMCell" in lines[3]
  assert lines[4] == "tf.nn.embeding_lookup is not there. Near to it: tf.nn.embedding_lookup, tf.nn.embedding_lookup_sparse"
  ran = explain("tf.contrib.gan.features.VBN", "tensorflow.tools.graph_transforms", cwd=tmp_path)
  lines = ran.stdout.splitlines()
  assert "is not part of Millrace. Use tf.contrib.layers.batch_norm" in lines[0]
  assert lines[1] == "tensorflow.tools.graph_transforms is there: a module of 1 names"


def test_usage(tmp_path):
  assert explain(cwd=tmp_path).returncode == 2
  ran = explain("absent.py", cwd=tmp_path)
  assert ran.returncode == 2 and "cannot read absent.py" in ran.stderr
  (tmp_path / "two.py").write_text("import tensorflow as tf\nprint 'Python 2'\n")
  ran = explain("two.py", cwd=tmp_path)
  assert ran.returncode == 2 and "two.py:2:" in ran.stderr and "no program of Python 3" in ran.stderr


def test_a_program_that_fails_says_it(tmp_path):
  ran = package.script(tmp_path, "import tensorflow as tf\ntf.trian\n")
  assert ran.returncode == 1 and ran.stderr.splitlines()[-1].startswith("millrace: `python -m millrace --explain ")
  ran = package.script(tmp_path, "import tensorflow as tf\nraise ValueError('mine')\n")
  assert "--explain" not in ran.stderr


@pytest.mark.parametrize(
  ("text", "wanted"),
  [
    ("import tensorflow\ntensorflow.a.b\n", [("tensorflow", 1), ("tensorflow.a.b", 2)]),
    ("import tensorflow.contrib.x\n", [("tensorflow.contrib.x", 1)]),
    ("import tensorflow as tf\ntf = 3\ntf.a\n", [("tensorflow", 1)]),
    ("from tensorflow import *\n", [("tensorflow", 1)]),
    ("from tensorflow import a as b\nb.c.d()\n", [("tensorflow.a", 1), ("tensorflow.a.c.d", 2)]),
    ("from other import tf\ntf.a\n", []),
    ("import tensorflow as tf\nimport other as tf\ntf.a\n", [("tensorflow", 1)]),
    ("import tensorflow as tf\ndef f(x, *, tf=tf.b):\n  tf.a\n", [("tensorflow", 1), ("tensorflow.b", 2)]),
    ("import tensorflow as tf\ntf.a(tf.b).c = tf.d\n", [("tensorflow", 1)] + [("tensorflow." + n, 2) for n in "dab"]),
  ],
)
def test_uses_of_names(text, wanted):
  assert sorted((use.name, use.line) for use in names_in_script.uses_in(text)) == sorted(wanted)
