"""Whether what is drawn from a distribution is a differentiable function of its parameters."""


class ReparameterizationType:
  """One of the two values below. Equal only to itself."""

  def __init__(self, rep_type):
    self._rep_type = rep_type

  def __repr__(self):
    return f"<Reparameterization Type: {self._rep_type}>"

  def __eq__(self, other):
    return self is other

  def __hash__(self):
    return id(self)


# Gradients go through samples to the parameters.
FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
# They do not, or would be wrong.
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
