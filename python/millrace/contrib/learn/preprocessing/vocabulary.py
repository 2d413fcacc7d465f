"""CategoricalVocabulary: numbers of words, by the order in which they come or by how frequent they are."""

import collections


class CategoricalVocabulary:
  """Maps words to numbers from 1 on; 0 is every word that it doesn't know."""

  def __init__(self, unknown_token="<UNK>", support_reverse=True):
    self._unknown_token = unknown_token
    self._mapping = {unknown_token: 0}
    self._support_reverse = support_reverse
    self._reverse_mapping = [unknown_token] if support_reverse else None
    self._freq = collections.defaultdict(int)
    self._freeze = False

  def __len__(self):
    return len(self._mapping)

  def freeze(self, freeze=True):
    """From now on (or no more) words that it doesn't know are 0 instead of new."""
    self._freeze = freeze

  def get(self, category):
    """The number of a word, which is added unless the vocabulary is frozen."""
    if category not in self._mapping:
      if self._freeze:
        return 0
      self._mapping[category] = len(self._mapping)
      if self._support_reverse:
        self._reverse_mapping.append(category)
    return self._mapping[category]

  def add(self, category, count=1):
    """Counts a word."""
    if self.get(category) > 0:
      self._freq[category] += count

  def trim(self, min_frequency, max_frequency=-1):
    """Keeps the words that are more frequent than `min_frequency` (and less than `max_frequency`, if positive), numbered anew by
    their frequency."""
    by_frequency = sorted(self._freq.items(), key=lambda item: (-item[1], isinstance(item[0], str), item[0]))
    kept = [
      (word, count)
      for word, count in by_frequency
      if count > min_frequency and not (max_frequency > 0 and count >= max_frequency)
    ]
    self._mapping = {self._unknown_token: 0}
    for word, _ in kept:
      self._mapping[word] = len(self._mapping)
    if self._support_reverse:
      self._reverse_mapping = list(self._mapping)
    self._freq = collections.defaultdict(int, kept)

  def reverse(self, class_id):
    """The word of a number. Raises ValueError if it doesn't keep them."""
    if not self._support_reverse:
      raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
    return self._reverse_mapping[class_id]
