"""How losses of elements become what a loss function returns."""


class Reduction:
  """Names of the ways: none, the weighted sum, and means, which differ in what the sum is divided by."""

  NONE = "none"
  SUM = "weighted_sum"
  MEAN = "weighted_mean"  # by the sum of the weights
  SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"  # by the number of elements
  SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"  # by how many weights are not zero
  SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS  # its older name

  @classmethod
  def all(cls):
    """The names of all ways."""
    return (
      cls.NONE,
      cls.SUM,
      cls.MEAN,
      cls.SUM_OVER_BATCH_SIZE,
      cls.SUM_OVER_NONZERO_WEIGHTS,
      cls.SUM_BY_NONZERO_WEIGHTS,
    )

  @classmethod
  def validate(cls, key):
    """Raises ValueError if there is no such way."""
    if key not in cls.all():
      raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")
