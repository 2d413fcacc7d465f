"""The sum of the losses of a graph."""

from millrace.ops.losses import collection


def get_total_loss(add_regularization_losses=True, name="total_loss"):
  """The sum of all losses, and of those of regularizers if they are wanted. ValueError if there are none."""
  return collection.get_total_loss(add_regularization_losses, name)
