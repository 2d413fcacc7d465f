"""What libraries of distributions and of learning take from within TensorFlow."""

import package


def test_linear_operators():
  package.said(
    """
import millrace as tf
import numpy as np
from millrace.python.ops.linalg import linear_operator_addition, linear_operator_util
linalg = tf.linalg
diag = linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
lower = linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [3.0, 2.0]])
full = linalg.LinearOperatorFullMatrix([[0.0, 5.0], [0.0, 0.0]])
scaled = linalg.LinearOperatorScaledIdentity(2, 3.0)
same = linalg.LinearOperatorIdentity(2)
with tf.Session() as session:
  for terms, kind in (
    ([same, scaled], "LinearOperatorScaledIdentity"),
    ([same, diag, scaled], "LinearOperatorDiag"),
    ([diag, lower, same], "LinearOperatorLowerTriangular"),
    ([diag, lower, full, scaled], "LinearOperatorFullMatrix"),
    ([lower], "LinearOperatorLowerTriangular"),
  ):
    (total,) = linear_operator_addition.add_operators(terms)
    assert type(total).__name__ == kind, total
    wanted = sum(session.run(term.to_dense()) for term in terms)
    np.testing.assert_array_equal(session.run(total.to_dense()), wanted)
  assert linear_operator_addition.add_operators([diag, diag])[0].is_positive_definite
  matrices = np.random.RandomState(0).rand(3, 1, 2, 2) + np.eye(2)
  right = np.random.RandomState(1).rand(4, 2, 1)
  product = linear_operator_util.matmul_with_broadcast(matrices, right)
  solved = linear_operator_util.matrix_solve_with_broadcast(matrices, product)
  assert session.run(product).shape == (3, 4, 2, 1)
  np.testing.assert_allclose(session.run(solved), np.broadcast_to(right, (3, 4, 2, 1)), rtol=1e-6)
  lower = np.tril(matrices)
  solved = linear_operator_util.matrix_triangular_solve_with_broadcast(lower, right)
  np.testing.assert_allclose(lower @ session.run(solved), np.broadcast_to(right, (3, 4, 2, 1)), rtol=1e-6)
  assert session.run(linear_operator_util.shape_tensor([2, 3])).dtype == np.int32
variable = tf.Variable(1.0)
assert linear_operator_util.convert_nonref_to_tensor(variable) is variable
assert linear_operator_util.convert_nonref_to_tensor(1.0, dtype_hint=tf.float64).dtype == tf.float64
for wrong in (lambda: linear_operator_util.convert_nonref_to_tensor(variable, dtype=tf.int32), lambda: linear_operator_addition.add_operators([3])):
  try:
    wrong()
    raise AssertionError
  except TypeError:
    pass
"""
  )


def test_cases_by_another_condition():
  package.said(
    """
import millrace as tf
from millrace.python.ops import control_flow_ops
asked = []

def cond(pred, true_fn, false_fn):
  asked.append(pred)
  return true_fn() if pred is True else false_fn() if pred is False else tf.cond(pred, true_fn, false_fn)

x = tf.placeholder(tf.int32, [])
pairs = [(False, lambda: tf.constant(1)), (x > 5, lambda: tf.constant(2))]
chosen = control_flow_ops._case_helper(cond, pairs, lambda: tf.constant(3), False, "choose", allow_python_preds=True)
with tf.Session() as session:
  assert session.run(chosen, {x: 6}) == 2 and session.run(chosen, {x: 5}) == 3
assert asked[0] is False and len(asked) == 2
try:
  control_flow_ops._case_helper(cond, pairs, None, False, "choose")
  raise AssertionError
except TypeError:
  pass
"""
  )


def test_events_are_written_one_by_one(tmp_path):
  package.said(
    """
import millrace as tf
from millrace.core.util import event_pb2
from millrace.python import pywrap_tensorflow
from millrace.python.util import compat
writer = pywrap_tensorflow.EventsWriter(compat.as_bytes(%r))
writer.WriteEvent(event_pb2.Event(step=3, summary=tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])))
writer.Flush()
events = list(tf.train.summary_iterator(writer.FileName().decode()))
writer.Close()
assert events[0].file_version and events[1].step == 3 and events[1].summary.value[0].simple_value == 0.5
"""
    % str(tmp_path / "events")
  )


def test_what_is_known_of_functions_and_values():
  package.said(
    """
import functools
import sys
import millrace as tf
from millrace.python import pywrap_tensorflow
from millrace.python.framework import ops
from millrace.python.ops import nn_ops
from millrace.python.util import all_util, lazy_loader, tf_inspect

@functools.wraps(tf.matmul)
def around(*args, **kwargs):
  return tf.matmul(*args, **kwargs)

assert tf_inspect.getfullargspec(around).args[:2] == ["a", "b"]
known = tf.constant(True)
evaluate = pywrap_tensorflow.TF_TryEvaluateConstant_wrapper
assert evaluate(known.graph._c_graph, known._as_tf_output()) == True
assert evaluate(known.graph._c_graph, tf.placeholder(tf.bool, [])._as_tf_output()) is None
computed = tf.equal(tf.where(tf.constant(2) < 0, 1, 5), 5)
assert evaluate(computed.graph._c_graph, computed._as_tf_output()) == True

def not_taken():
  raise AssertionError

assert tf.contrib.framework.smart_cond(computed, lambda: 7, not_taken) == 7
assert tf.contrib.framework.smart_constant_value(tf.logical_not(computed)) == False
assert not ops.inside_function() and tf.Module()._no_dependency([1]) == [1]
convolve = nn_ops.Convolution(tf.TensorShape([1, 4, 4, 1]), tf.TensorShape([2, 2, 1, 3]), "VALID", data_format="NHWC")
assert convolve(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 3])).shape.as_list() == [1, 3, 3, 3]
loaded = lazy_loader.LazyLoader("colors", globals(), "colorsys")
assert "colorsys" not in sys.modules and loaded.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0) and colors is sys.modules["colorsys"]
all_util.remove_undocumented(__name__)
"""
  )


def test_tensors_have_operators_before_there_is_a_tensor():
  package.said(
    """
import millrace as tf
missing = [name for name in tf.Tensor.OVERLOADABLE_OPERATORS if not hasattr(tf.Tensor, name)]
assert not missing, missing
assert callable(tf.Tensor.__add__) and callable(tf.Tensor.__rfloordiv__)
"""
  )


def test_sizes_are_whole_numbers_of_any_kind():
  package.said(
    """
import millrace as tf
import numpy as np
assert tf.Dimension(2) == np.ones(1)[0] + 1 and tf.Dimension(np.float32(3)) == 3 and not tf.Dimension(2) != 2.0
assert tf.TensorShape(2 * np.ones(2)).as_list() == [2, 2] and (tf.Dimension(2) == 1.5) is False
"""
  )
