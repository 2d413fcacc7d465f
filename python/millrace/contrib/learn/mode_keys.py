"""ModeKeys: what a model function is called for."""


class ModeKeys:
  """The names of training, evaluation and inference."""

  TRAIN = "train"
  EVAL = "eval"
  INFER = "infer"

  @classmethod
  def validate(cls, key):
    """Raises ValueError for a name that is none."""
    if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
      raise ValueError(f"Invalid mode {key}.")
