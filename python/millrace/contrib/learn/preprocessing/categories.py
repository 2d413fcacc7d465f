"""CategoricalProcessor: columns of categories as numbers."""

import numpy as np

from millrace.contrib.learn.preprocessing.text import VocabularyProcessor
from millrace.contrib.learn.preprocessing.vocabulary import CategoricalVocabulary


class CategoricalProcessor:
  """Rows of categories as rows of their numbers; 0 is one that is unknown, or a NaN.

  Each column has a vocabulary of its own, unless `vocabularies` are given or `share` says that all have the same one. Categories
  that aren't more frequent than `min_frequency` are unknown.
  """

  def __init__(self, min_frequency=0, share=False, vocabularies=None):
    self.min_frequency = min_frequency
    self.share = share
    self.vocabularies_ = vocabularies

  def freeze(self, freeze=True):
    """From now on (or no more) categories that the vocabularies don't know are 0 instead of new."""
    for vocabulary in self.vocabularies_:
      vocabulary.freeze(freeze)

  def fit(self, x, unused_y=None):
    """Learns the categories of rows; returns itself."""
    del unused_y
    for row in x:
      if self.vocabularies_ is None:
        one = CategoricalVocabulary()
        self.vocabularies_ = [one if self.share else CategoricalVocabulary() for _ in row]
      for vocabulary, value in zip(self.vocabularies_, row):
        if not _is_nan(value):
          vocabulary.add(value)
    if self.min_frequency > 0:
      for vocabulary in self.vocabularies_:
        vocabulary.trim(self.min_frequency)
    self.freeze()
    return self

  def fit_transform(self, x, unused_y=None):
    """Learns the categories of rows; yields the rows as numbers."""
    self.fit(x, unused_y)
    return self.transform(x)

  def transform(self, x):
    """Yields the numbers of each row, int64."""
    self.freeze()
    for row in x:
      numbers = [0 if _is_nan(value) else vocabulary.get(value) for vocabulary, value in zip(self.vocabularies_, row)]
      yield np.array(numbers, np.int64)

  save = VocabularyProcessor.save
  restore = classmethod(VocabularyProcessor.restore.__func__)


def _is_nan(value):
  return isinstance(value, (float, np.floating)) and np.isnan(value)
