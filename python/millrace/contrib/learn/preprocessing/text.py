"""VocabularyProcessor and ByteProcessor: documents as rows of numbers."""

import pickle
import re

import numpy as np

import millrace as tf
from millrace.contrib.learn.preprocessing.vocabulary import CategoricalVocabulary

_ALL_CAPITALS = "[A-Z][A-Z]+(?![a-z])"
_PART_OF_CAMEL_CASE = "[A-Z][a-z]+(?=[A-Z])"
_ANY_WORD = r"[\w'-]+"
TOKENIZER_RE = re.compile(f"{_ALL_CAPITALS}|{_PART_OF_CAMEL_CASE}|{_ANY_WORD}")


def tokenizer(iterator):
  """Yields the list of words of each document."""
  for text in iterator:
    yield TOKENIZER_RE.findall(text)


class ByteProcessor:
  """Documents as rows of `max_document_length` bytes."""

  def __init__(self, max_document_length):
    self.max_document_length = max_document_length

  def fit(self, x):
    """Has nothing to learn; returns itself."""
    del x
    return self

  def fit_transform(self, x):
    return self.transform(x)

  def reverse(self, x):
    """Yields the texts of rows; what is no text is shown by signs of replacement."""
    for row in x:
      yield bytes(bytearray(int(byte) for byte in row)).rstrip(b"\0").decode("utf-8", errors="replace")

  def transform(self, x):
    """Yields the row of each document, filled with zeros."""
    for document in x:
      data = document if isinstance(document, bytes) else document.encode("utf-8")
      row = np.zeros(self.max_document_length, np.uint8)
      cut = data[: self.max_document_length]
      row[: len(cut)] = np.frombuffer(cut, np.uint8)
      yield row


class VocabularyProcessor:
  """Documents as rows of the numbers of their first `max_document_length` words; 0 is an unknown word, or none.

  Words that aren't more frequent than `min_frequency` are unknown. `tokenizer_fn` yields the words of documents.
  """

  def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
    self.max_document_length = max_document_length
    self.min_frequency = min_frequency
    self.vocabulary_ = vocabulary or CategoricalVocabulary()
    self._tokenizer = tokenizer_fn or tokenizer

  def fit(self, raw_documents, unused_y=None):
    """Learns the words of documents; returns itself."""
    del unused_y
    for words in self._tokenizer(raw_documents):
      for word in words:
        self.vocabulary_.add(word)
    if self.min_frequency > 0:
      self.vocabulary_.trim(self.min_frequency)
    self.vocabulary_.freeze()
    return self

  def fit_transform(self, raw_documents, unused_y=None):
    """Learns the words of documents; yields their rows."""
    self.fit(raw_documents, unused_y)
    return self.transform(raw_documents)

  def transform(self, raw_documents):
    """Yields the row of each document, int64."""
    for words in self._tokenizer(raw_documents):
      row = np.zeros(self.max_document_length, np.int64)
      for i, word in enumerate(words[: self.max_document_length]):
        row[i] = self.vocabulary_.get(word)
      yield row

  def reverse(self, documents):
    """Yields the text of each row."""
    for row in documents:
      yield " ".join(self.vocabulary_.reverse(number) for number in row)

  def save(self, filename):
    """Writes itself into a file."""
    with tf.gfile.GFile(filename, "wb") as file:
      file.write(pickle.dumps(self))

  @classmethod
  def restore(cls, filename):
    """What was written into a file, which has to be trusted: it is a pickle."""
    with tf.gfile.GFile(filename, "rb") as file:
      return pickle.loads(file.read())
