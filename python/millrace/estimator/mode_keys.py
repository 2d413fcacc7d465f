"""ModeKeys: what a model function is called for."""


class ModeKeys:
  """The names of training, evaluation and prediction."""

  TRAIN = "train"
  EVAL = "eval"
  PREDICT = "infer"
