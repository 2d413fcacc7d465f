"""tf.keras.losses and the session of tf.keras.backend, as programs without models of Keras use them."""

import package


def test_losses():
  package.said(
    """
import millrace as tf
import numpy as np
labels = np.array([[1.0, 2.0], [-4.0, 0.5]])
predictions = tf.constant([[1.5, 1.0], [-3.0, 0.5]], tf.float64)
losses = tf.keras.losses
weighted = losses.MeanSquaredError()(labels, predictions, sample_weight=[1.0, 0.0])
class Twice(losses.Loss):
  def call(self, y_true, y_pred):
    return 2.0 * losses.MAE(y_true, y_pred)
with tf.Session() as session:
  found = session.run([
    losses.MeanSquaredError()(labels, predictions), losses.MeanAbsoluteError()(labels, predictions),
    losses.MeanAbsolutePercentageError()(labels, predictions), losses.MeanAbsoluteError(reduction="sum")(labels, predictions),
    weighted, Twice()(labels, predictions)])
  each = session.run(losses.MeanAbsoluteError(reduction="none")(labels, predictions))
np.testing.assert_allclose(found, [(0.625 + 0.5) / 2, (0.75 + 0.5) / 2, (50.0 + 12.5) / 2, 1.25, 0.3125, 1.25])
np.testing.assert_allclose(each, [0.75, 0.5])
tf.keras.backend.clear_session()
assert not tf.get_default_graph().get_operations()
"""
  )


def test_labels_predictions_and_weights_do_not_broadcast_over_samples():
  package.said(
    """
import millrace as tf
import numpy as np
losses = tf.keras.losses
labels, predictions = tf.constant([1.0, 2.0, 4.0]), tf.constant([[1.5], [1.0], [3.0]])
summed = losses.MeanSquaredError(losses.Reduction.SUM)
rows, weights = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [0.0]])
with tf.Session() as session:
  mean, total = session.run([losses.MeanSquaredError()(labels, predictions), summed(labels[:, None], predictions)])
  weighted = session.run([summed(rows, rows + 1.0, sample_weight=by) for by in (weights, weights[:, 0], 3.0)])
np.testing.assert_allclose(mean, (0.25 + 1 + 1) / 3)
np.testing.assert_allclose(total, 0.25 + 1 + 1)
np.testing.assert_allclose(weighted, [1.0, 1.0, 6.0])
"""
  )


def test_an_unknown_reduction_is_refused():
  said = package.said(
    """
import millrace as tf
try:
  tf.keras.losses.MeanSquaredError(tf.losses.Reduction.SUM)
except ValueError as error:
  print(error)
"""
  )
  assert said.startswith("Invalid Reduction Key weighted_sum.")
