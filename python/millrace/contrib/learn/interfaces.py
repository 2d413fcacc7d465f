"""What can be trained, and what can be evaluated."""

import abc


class Trainable(metaclass=abc.ABCMeta):
  """Something that has `fit`."""

  @abc.abstractmethod
  def fit(self, x=None, y=None, input_fn=None, steps=None, batch_size=None, monitors=None, max_steps=None):
    """Trains on arrays or on an input function; returns itself."""


class Evaluable(metaclass=abc.ABCMeta):
  """Something that has `evaluate` and a folder."""

  @property
  @abc.abstractmethod
  def model_dir(self):
    """The folder of the model."""

  @abc.abstractmethod
  def evaluate(
    self,
    x=None,
    y=None,
    input_fn=None,
    feed_fn=None,
    batch_size=None,
    steps=None,
    metrics=None,
    name=None,
    checkpoint_path=None,
    hooks=None,
  ):
    """Evaluates on arrays or on an input function; returns a map of metrics."""
