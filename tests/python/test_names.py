"""Public names: where they are found, what is said of those that are not there, and what importing costs."""

import package
import pytest


def test_names_are_found_in_every_way():
  package.said(
    """
import millrace as tf
import millrace.train
import millrace.compat.v1 as v1
import millrace.compat.v1.errors
from millrace.train import SaverDef
from millrace.compat.v1 import train
from millrace import float32, errors
assert v1 is tf and tf.compat.v1 is tf and train is tf.train and millrace.train is tf.train
assert millrace.compat.v1.errors is tf.errors is errors
assert float32 is tf.float32 is tf.dtypes.float32
assert SaverDef is tf.train.SaverDef
assert "float32" in dir(tf) and "SaverDef" in dir(tf.train) and "train" in tf.__all__
assert tf.__spec__.name == "millrace" and tf.train.__spec__.name == "millrace.train"
import pickle
assert pickle.loads(pickle.dumps(tf.float32)) is tf.float32
assert pickle.loads(pickle.dumps(tf.errors)) is tf.errors
"""
  )


def test_star_import():
  assert "tf.float32" in package.said("from millrace import *\nimport sys\nsys.stdout.write(repr(float32))")


def test_unknown_names():
  said = package.said(
    """
import millrace as tf
for name in ("flaot32", "placholder", "zzzz"):
  assert not hasattr(tf, name)
  try:
    getattr(tf, name)
  except AttributeError as error:
    print(error)
try:
  from millrace.train import Savor
except ImportError as error:
  print(error)
try:
  tf.train.savers
except AttributeError as error:
  print(error)
"""
  ).splitlines()
  assert "float32" in said[0] and "module 'millrace' has no attribute 'flaot32'" in said[0]
  assert "placeholder" in said[1]
  assert said[2] == "module 'millrace' has no attribute 'zzzz'"
  assert "cannot import name 'Savor'" in said[3]
  assert "millrace.train" in said[4]


@pytest.mark.parametrize(
  "name",
  [
    "tpu.rewrite",
    "mlir",
    "distribute.MirroredStrategy",
    "xla",
    "autograph.to_graph",
    "config",
    "function",
    "enable_eager_execution",
  ],
)
def test_names_out_of_scope(name):
  said = package.said(
    """
import millrace as tf
try:
  found = tf
  for part in %r.split("."):
    found = getattr(found, part)
except AttributeError as error:
  print(error)
"""
    % name
  )
  assert said.startswith("tf.%s is not part of Millrace. " % name) and len(said) > len(name) + 40


def test_converters_for_phones_can_be_imported():
  said = package.said(
    """
import millrace
millrace.install()
import tensorflow.lite
from tensorflow import lite
from tensorflow.contrib import lite as older
from tensorflow.contrib.lite.python import lite as within
for module in (lite, older, within):
  try:
    module.TFLiteConverter.from_session(None, [], [])
  except AttributeError as error:
    print(error)
"""
  ).splitlines()
  assert len(said) == 3
  for line in said:
    assert ".TFLiteConverter.from_session is not part of Millrace. Export a model by tf.saved_model" in line


def test_modules_out_of_scope_cannot_be_imported():
  said = package.said(
    """
try:
  import millrace.xla.experimental
except ModuleNotFoundError as error:
  print(error)
"""
  )
  assert said.startswith("tf.xla is not part of Millrace. There is no XLA")


def test_functions_stay_as_they_are_for_autograph():
  package.said(
    """
import millrace as tf
@tf.autograph.experimental.do_not_convert
def f():
  return 1
@tf.autograph.experimental.do_not_convert()
def g():
  return 2
assert (f(), g(), tf.contrib.autograph.do_not_convert(f)) == (1, 2, f)
"""
  )


def test_names_of_keras_are_there_until_they_are_used():
  """Programs derive classes from Keras' for a part of theirs that not all use."""
  said = package.said(
    """
import abc
import millrace as tf
import millrace.keras.layers as layers
from millrace.python.keras.utils import generic_utils
from millrace.keras.optimizers import Optimizer
from millrace.contrib.keras import models
from millrace.contrib import eager as tfe
from millrace.contrib.eager.python import tfe as below
assert tfe is tf.contrib.eager and not tfe.executing_eagerly() and below.in_graph_mode()
assert layers is tf.keras.layers is tf.compat.v1.keras.layers and Optimizer is tf.keras.optimizers.Optimizer
assert generic_utils is tf.keras.utils.generic_utils and not hasattr(layers, "__version__")

class Mine(tf.keras.layers.Layer, abc.ABC):
  def __init__(self, units=tf.keras.backend.floatx, reduction=tf.keras.losses.Reduction.SUM):
    super().__init__()

@tf.keras.utils.register_keras_serializable(package="mine")
class Other(tf.keras.Model):
  pass

kept = tf.compat.v2.summary.scalar  # which a library replaces for a while, and puts back
tf.compat.v2.summary.scalar = print
tf.compat.v2.summary.scalar = kept
tf.keras.utils.get_custom_objects().update({"Other": Other})
assert not hasattr(Other, "no_name")
assert issubclass(Mine, tf.keras.layers.Layer) and not isinstance(tf.constant(1.0), (Mine, tf.keras.Model))
for use in (lambda: Mine(3), lambda: layers.Dense(2), lambda: tf.keras.backend.floatx(), lambda: models.Sequential(), tfe.Network):
  try:
    use()
  except AttributeError as error:
    print(error)
"""
  ).splitlines()
  assert said[0].startswith("Mine derives from what is not there: tf.keras.layers.Layer is not part of Millrace. Use tf.layers")
  assert said[1].startswith("tf.keras.layers.Dense is not part of Millrace. Use tf.layers")
  assert said[2].startswith("tf.keras.backend.floatx is not part of Millrace. Use the functions of tf")
  assert said[4].startswith("tf.contrib.eager.Network is not part of Millrace. Everything is a graph")
  assert said[3].startswith("tf.contrib.keras.models.Sequential is not part of Millrace. Use tf.layers")


def test_names_of_tensorflow_2_in_graphs():
  said = package.said(
    """
import inspect
import millrace as tf
import millrace.compat.v2 as second
from millrace.compat.v2 import nn
import millrace.compat.v2.keras.layers
assert second is tf.compat.v2 is second.compat.v2 and nn is second.nn and second.float32 is tf.float32
assert second.keras is tf.keras and not hasattr(second, "nothing") and issubclass(second.optimizers.Adam, object)
assert str(inspect.signature(second.gather)) == "(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None)"
assert "where" in dir(second) and "set_seed" in dir(second.random)
from millrace.api import modules
from millrace.compat.second import _names
for name, order in _names.orders.items():
  modules.resolve(_names.own[name]) if name in _names.own else None
  at = second
  for part in name.split(".")[1:]:
    at = getattr(at, part)
  first = tf
  for part in name.split(".")[1:]:
    first = getattr(first, part)
  takes = inspect.signature(first).parameters
  given = [word.split("~")[0].split(":")[0].split("=")[-1] for word in order.split()]
  needed = [name for name, argument in takes.items() if argument.default is argument.empty]
  if not set(needed) <= set(given) or not set(given) <= set(takes):
    print(name, needed, given)
"""
  )
  assert said == ""


def test_programs_replace_names():
  package.said(
    """
import millrace as tf
from unittest import mock
before = tf.train.SaverDef
with mock.patch.object(tf.train, "SaverDef", 5):
  assert tf.train.SaverDef == 5
assert tf.train.SaverDef is before
"""
  )


def test_versions():
  package.said(
    """
import millrace as tf
assert tf.VERSION == tf.version.VERSION == "1.15.0"
assert tf.__version__[0].isdigit() and tf.GIT_VERSION and tf.COMPILER_VERSION
assert tf.__git_version__ == tf.GIT_VERSION and tf.__compiler_version__ == tf.COMPILER_VERSION
assert tf.pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader
"""
  )


def test_importing_is_cheap():
  """It reads few modules, none of them numpy, which takes longer than all of ours."""
  said = package.said(
    """
import sys
before = set(sys.modules)
import millrace
import re, threading
ours = [name for name in set(sys.modules) - before if name.startswith("millrace")]
memory = re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read()).group(1)
print(len(ours), int(memory) // 1024, threading.active_count(), "numpy" in sys.modules)
"""
  ).split()
  assert int(said[0]) < 40 and int(said[1]) < 60 and said[2] == "1" and said[3] == "False", said


def test_raw_ops():
  package.said(
    """
import millrace as tf
import numpy as np
product = tf.raw_ops.MatMul(a=np.float32([[1, 2]]), b=np.float32([[3], [4]]), name="m")
assert product.op.type == "MatMul" and product.op.name == "m"
assert "MatMul" in dir(tf.raw_ops) and len(dir(tf.raw_ops)) > 1000
for bad in (lambda: tf.raw_ops.MatMul(1, 2), lambda: tf.raw_ops.MatMul(a=1)):
  try:
    bad()
    raise AssertionError
  except TypeError:
    pass
assert not hasattr(tf.raw_ops, "NoSuchOp")
"""
  )


@pytest.mark.parametrize("order", ["tensorflow.compat.v1 millrace", "millrace tensorflow.compat.v1"])
def test_beside_tensorflow(order):
  """Both packages live in one process; messages of TensorFlow's are taken by their bytes."""
  pytest.importorskip("tensorflow")
  first, second = order.split()
  package.said(
    """
import importlib
first, second = importlib.import_module(%r), importlib.import_module(%r)
tf, stock = (first, second) if first.__name__ == "millrace" else (second, first)
from millrace.framework import protos
theirs = stock.ConfigProto(device_count={"CPU": 2})
assert type(theirs) is not tf.ConfigProto
ours = protos.coerce(tf.ConfigProto, theirs)
assert type(ours) is tf.ConfigProto and ours.device_count["CPU"] == 2
try:
  protos.coerce(tf.ConfigProto, stock.GraphDef())
  raise AssertionError
except TypeError:
  pass
with tf.Graph().as_default(), tf.Session(config=theirs) as session:
  assert session.run(tf.constant(3)) == 3
with stock.Graph().as_default(), stock.Session() as session:
  assert session.run(stock.constant(4)) == 4
"""
    % (first, second)
  )


def test_messages():
  package.said(
    """
import copy, pickle
import millrace as tf
from millrace.framework import protos
config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
assert pickle.loads(pickle.dumps(config)) == config == copy.deepcopy(config)
assert protos.DT_FLOAT == 1 and protos.DataType.Name(1) == "DT_FLOAT" and protos.SaverDef.V2 == 2
example = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))}))
assert tf.train.Example.FromString(example.SerializeToString()) == example
try:
  protos.NoSuchMessage
  raise AssertionError
except AttributeError:
  pass
"""
  )


def test_messages_of_an_older_protobuf():
  """Before 4.22 pure Python's classes do not have those of the messages inside of them."""
  package.said(
    """
from google.protobuf import message_factory
class Bare:
  made = {}
  def __init__(self, pool):
    pass
  def GetPrototype(self, descriptor):
    return self.made.setdefault(descriptor.full_name, type(descriptor.name, (), {"DESCRIPTOR": descriptor}))
del message_factory.GetMessageClass
message_factory.MessageFactory = Bare
from millrace.framework import protos
assert protos.Summary.Value is Bare.made["tensorflow.Summary.Value"]
assert protos.MetaGraphDef.MetaInfoDef is protos.message_class("tensorflow.MetaGraphDef.MetaInfoDef")
"""
  )


def test_threads_that_begin_at_once():
  """The first use of names, by several threads, each in a graph of its own."""
  said = package.said(
    """
import threading
import millrace as tf
errors = []
def work():
  try:
    for name in ("Session", "placeholder", "Variable", "gradients"):
      getattr(tf, name)
    tf.train.AdamOptimizer, tf.nn.relu, tf.image.resize_images, tf.summary.scalar
    with tf.Graph().as_default(), tf.Session() as session:
      x = tf.Variable(1.0)
      y = x + tf.constant(2.0) % 3.0
      session.run(x.initializer)
      assert session.run(y) == 3.0
  except Exception as error:
    errors.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads:
  thread.start()
for thread in threads:
  thread.join()
print(errors)
"""
  )
  assert said == "[]\n"
