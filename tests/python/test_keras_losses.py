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
