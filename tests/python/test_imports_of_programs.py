"""Imports that programs of TensorFlow 1 have, public names and internals, and what some of the internals compute."""

import importlib
import os
import sys

import numpy as np
import package
import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf
from millrace.scripts import internals

_TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "imports_of_programs.txt")


def imports():
  """[(module, names)] of the table."""
  found = []
  with open(_TABLE, encoding="utf-8") as file:
    for line in file:
      if line.startswith(" "):
        found[-1][1].extend(line.split())
      elif not line.startswith("#"):
        words = line.split()
        found.append((words[0], words[1:]))
  return found


def test_imports_work():
  lines = [f"from {module} import {name}" for module, names in imports() for name in names]
  assert len(lines) > 800
  said = package.said(
    f"""
import millrace
millrace.install()
failed = []
for line in {lines!r}:
  try:
    exec(line)
  except ImportError as error:
    failed.append((line, str(error)))
print(failed)
"""
  )
  assert said == "[]\n"


def internal(module, name):
  """A name of `tensorflow.python...`, without the hook."""
  return getattr(importlib.import_module("millrace" + module[len("tensorflow") :]), name)


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default():
    yield


def run(value):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session.run(value)


def test_places_are_there():
  for module, names in internals._tables().names.items():
    for name, place in names.items():
      assert internals._at(place) is not None, (module, name)


def test_hessian_vector_products():
  product = internal("tensorflow.python.ops.gradients_impl", "_hessian_vector_product")
  x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
  value = tf.reduce_sum(x**3) * y
  found = run(product(value, [x, y], [tf.constant([1.0, 10.0]), tf.constant(100.0)]))
  # Second derivatives: 6 x y at the diagonal, 3 x^2 beside y.
  np.testing.assert_allclose(found[0], [18 + 300, 360 + 1200])
  np.testing.assert_allclose(found[1], 3 * 1 + 12 * 10)
  with pytest.raises(ValueError, match="same length"):
    product(value, [x, y], [x])


def test_sampled_logits():
  logits_of = internal("tensorflow.python.ops.nn_impl", "_compute_sampled_logits")
  weights, biases = np.arange(8, dtype=np.float32).reshape(4, 2), np.array([0, 10, 20, 30], np.float32)
  inputs = np.array([[1, 2]], np.float32)
  sampled = (tf.constant([2, 3], tf.int64), tf.constant([[0.5]]), tf.constant([0.25, 0.125]))
  plain, labels = run(logits_of(weights, biases, tf.constant([[1]]), inputs, 2, 4, sampled_values=sampled, subtract_log_q=False))
  wanted = [weights[i] @ inputs[0] + biases[i] for i in (1, 2, 3)]
  np.testing.assert_allclose(plain, [wanted])
  np.testing.assert_allclose(labels, [[1, 0, 0]])
  less, _ = run(logits_of(weights, biases, tf.constant([[1]]), inputs, 2, 4, num_true=1, sampled_values=sampled, name="less"))
  np.testing.assert_allclose(less, [np.array(wanted) - np.log([0.5, 0.25, 0.125])], rtol=1e-6)
  hit = (tf.constant([1, 3], tf.int64), *sampled[1:])
  masked, _ = run(logits_of(weights, biases, tf.constant([[1]]), inputs, 2, 4, sampled_values=hit, remove_accidental_hits=True))
  assert masked[0, 1] < -1e30
  drawn = logits_of([weights[:2], weights[2:]], biases, tf.constant([[1]]), inputs, 2, 4, partition_strategy="div", seed=3)
  assert run(drawn)[0].shape == (1, 3)


def test_parts_of_decoders():
  zeros = internal("tensorflow.contrib.seq2seq.python.ops.decoder", "_create_zero_outputs")
  found = run(zeros((3, tf.TensorShape([2, 1])), (tf.float32, tf.int32), tf.constant(4)))
  assert [(value.shape, value.dtype.name) for value in found] == [((4, 3), "float32"), ((4, 2, 1), "int32")]
  array = internal("tensorflow.contrib.seq2seq.python.ops.helper", "_unstack_ta")(tf.constant([[1.0], [2.0]]))
  assert run(array.read(1)).tolist() == [2.0]
  turned = internal("tensorflow.contrib.seq2seq.python.ops.helper", "_transpose_batch_time")(tf.constant([[1, 2, 3]]))
  assert run(turned).tolist() == [[1], [2], [3]]
  shards = internal("tensorflow.contrib.rnn.python.ops.rnn_cell", "_get_sharded_variable")("w", [5, 2], tf.float32, 2)
  assert [(v.op.name, v.shape.as_list()) for v in shards] == [("w_0", [3, 2]), ("w_1", [2, 2])]


def test_confusions_are_counted():
  confusion = internal("tensorflow.python.ops.metrics_impl", "_streaming_confusion_matrix")
  total, update = confusion([0, 1, 1], [0, 1, 0], 2, weights=[1.0, 2.0, 3.0])
  assert run(update).tolist() == [[1, 0], [3, 2]] and total.op.name == "total_confusion_matrix"


def test_layer_arguments():
  def of(name):
    return internal("tensorflow.python.layers.utils", name)

  assert of("normalize_tuple")(2, 3, "kernel_size") == (2, 2, 2)
  assert [of("convert_data_format")("channels_first", 4), of("convert_data_format")("channels_last", 5)] == ["NCHW", "NDHWC"]
  with pytest.raises(ValueError, match="Input rank not supported: 6"):
    of("convert_data_format")("channels_last", 6)
  assert [of("conv_output_length")(10, 3, "valid", 2, dilation=2), of("deconv_output_length")(4, 3, "valid", 2)] == [3, 9]
  assert of("smart_cond")(True, lambda: 1, lambda: 2) == 1 and of("constant_value")(False) is False


def test_functions_are_inspected():
  def inner(a, *b, c=3, **d):
    return a

  tools = importlib.import_module("millrace.python.util.tf_inspect")
  assert tools.getfullargspec(inner).kwonlyargs == ["c"] and tools.isfunction(inner)
  with pytest.raises(ValueError, match="by keyword alone"):
    tools.getargspec(inner)
  assert tools.getargspec(lambda a, b=2, *c, **d: a) == (["a", "b"], "c", "d", (2,))
  make = internal("tensorflow.python.util.tf_decorator", "make_decorator")
  unwrap = internal("tensorflow.python.util.tf_decorator", "unwrap")
  wrapped = make(inner, lambda *args, **kwargs: inner(*args, **kwargs), "name", decorator_doc="text")
  assert wrapped.__name__ == "inner" and unwrap(wrapped) == ([wrapped], inner) and unwrap(inner) == ([], inner)
  export = internal("tensorflow.python.util.tf_export", "tf_export")
  assert export("train.Mine", v1=["train.Mine"])(inner) is inner and export("a").export_constant("m", "n") is None


def test_training_ops_update_variables():
  ops = importlib.import_module("millrace.python.training.training_ops")
  v = tf.Variable([1.0, 2.0])
  updated = ops.apply_gradient_descent(v, 0.1, tf.constant([10.0, 20.0]), use_locking=True)
  np.testing.assert_allclose(run(updated), [0.0, 0.0], atol=1e-6)


def test_the_registry_of_ops():
  registry = importlib.import_module("millrace.python.framework.op_def_registry")
  ops = registry.get_registered_ops()
  assert len(ops) > 1000 and "MatMul" in ops and "NoSuchOp" not in ops and registry.get("NoSuchOp") is None
  assert [arg.name for arg in ops["MatMul"].input_arg] == ["a", "b"] and registry.get("VarHandleOp").is_stateful
  registry.sync()
  registry.register_op_list(tf.MetaGraphDef().meta_info_def.stripped_op_list)


def test_a_scope_of_variables_alone():
  pure = internal("tensorflow.python.ops.variable_scope", "_pure_variable_scope")
  with tf.variable_scope("outer") as outer:
    with pure("inner") as inner:
      v = tf.get_variable("v", [1])
      noise = tf.constant(1.0, name="c")
    with pure(inner, reuse=True) as again:
      assert tf.get_variable("v", [1]) is v and again.original_name_scope == inner.original_name_scope
  assert v.op.name == "outer/inner/v" and noise.op.name == "outer/c" and outer.name == "outer"


def test_counts_at_thresholds():
  counts = internal("tensorflow.python.ops.metrics_impl", "_confusion_matrix_at_thresholds")
  labels, predictions = tf.constant([0, 1, 1]), tf.constant([0.2, 0.4, 0.9])
  values, updates = counts(labels, predictions, [0.1, 0.5], includes=("tp", "fn"))
  assert sorted(values) == sorted(updates) == ["fn", "tp"]
  found = run(updates)
  assert found["tp"].tolist() == [2, 1] and found["fn"].tolist() == [0, 1]
  with pytest.raises(ValueError, match="Invalid key: xx"):
    counts(labels, predictions, [0.1], includes=("xx",))


def test_the_variable_of_steps_per_run():
  made = internal("tensorflow.python.training.basic_session_run_hooks", "get_or_create_steps_per_run_variable")
  with tf.name_scope("elsewhere"):
    variable = made()
  assert made() is variable and variable.op.name == "hooks/steps_per_run" and run(variable) == 1


def test_behavior_of_two_is_off():
  two = importlib.import_module("millrace.python.tf2")
  two.disable()
  with pytest.raises(NotImplementedError, match="behavior of TensorFlow 2"):
    two.enable()
  assert not two.enabled()


def test_schemas_by_name():
  schemas = internal("tensorflow.python.framework.c_api_util", "ApiDefMap")()
  assert "MatMul" in schemas.op_names() and len(schemas.op_names()) > 900
  assert [argument.name for argument in schemas.get_op_def("MatMul").input_arg] == ["a", "b"]
  with pytest.raises(ValueError, match="No entry found for NoSuchOp"):
    schemas.get_op_def("NoSuchOp")


def test_insides_of_shapes():
  def of(name):
    return internal("tensorflow.python.ops.array_ops", name)

  x = tf.placeholder(tf.float32, [2, 3])
  assert run(of("shape_internal")(x)).tolist() == [2, 3] and run(of("size_internal")(x)) == 6 and run(of("rank_internal")(x)) == 2
  assert of("shape_internal")(x, optimize=False).op.type == "Shape" and of("shape_internal")(x).op.type == "Const"
  shape = internal("tensorflow.python.framework.constant_op", "_tensor_shape_tensor_conversion_function")
  assert run(shape(tf.TensorShape([4, 5]))).tolist() == [4, 5]
  assert run(internal("tensorflow.python.ops.variable_scope", "variable")(2.0, name="v", trainable=False)) == 2
