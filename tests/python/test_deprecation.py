"""What programs are told of functions that have a better name now."""

import gc
import importlib
import sys

import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

from millrace.api.tables import tables
from millrace.framework import deprecation

import millrace as tf


@pytest.fixture
def told(caplog, monkeypatch):
  """What was told up to now, as a function."""
  monkeypatch.setattr(deprecation, "_told", set())
  return lambda: [record.getMessage() for record in caplog.records if "is deprecated" in record.getMessage()]


def test_a_function_is_told_of_once(told, tmp_path):
  path = str(tmp_path / "one")
  with tf.python_io.TFRecordWriter(path) as writer:
    writer.write(b"x")
  for _ in range(2):
    assert list(tf.python_io.tf_record_iterator(path)) == [b"x"]
  assert list(tf.python_io.tf_record_iterator(path)) == [b"x"]
  assert len(told()) == 1 and told()[0].startswith("From %s:" % __file__)
  assert ": tf.io.tf_record_iterator is deprecated and will be removed in a future version" in told()[0]


def test_arguments_are_told_of_once_each(told):
  @deprecation.deprecated_args("2020-01-01", "Use c.", "a", "b")
  def f(a=None, b=None):
    return a, b

  assert [f(a=1), f(a=2, b=3), f(b=4), f()] == [(1, None), (2, 3), (None, 4), (None, None)]
  assert ["with a" in text for text in told()] == [True, False] and "with b" in told()[1]
  # A program's own functions are shown by their names and modules.
  assert "calling f (from %s) with a is" % __name__ in told()[0]


def test_every_call_is_told_if_so_asked(told):
  alias = deprecation.deprecated_alias("old", "new", len, warn_once=False)
  once = deprecation.deprecated_alias("older", "new", len)
  of = deprecation.deprecated(None, "Use g.", warn_once=False)(lambda: 1)
  values = tf.contrib.framework.deprecated_arg_values(None, "Use h.", x=1)(lambda x=0: x)
  for _ in range(2):
    assert [alias([1]), once([1]), of(), values(x=1)] == [1, 1, 1, 1]
  assert len(told()) == 6
  with deprecation.silence():
    of()
  assert len(told()) == 6


def test_names_that_are_shown_are_public(told):
  dataset = tf.data.Dataset.range(4)
  dataset.apply(tf.contrib.data.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x), 2))
  dataset.filter_with_legacy_function(lambda x: x > 1)
  with tf.Graph().as_default():
    tf.contrib.deprecated.scalar_summary("x", 1.0)
    tf.contrib.training.HParams(a=1).set_from_map({"a": 2})
  shown = [text.split(": ", 1)[1].partition(" is deprecated")[0] for text in told()]
  assert shown == [
    "tf.data.experimental.parallel_interleave",
    "tf.data.Dataset.filter_with_legacy_function",
    "tf.contrib.deprecated.scalar_summary",
    "tf.contrib.training.HParams.set_from_map",
  ]


def test_all_deprecated_functions_have_public_names():
  for place in sorted({place.partition(":")[0] for place in tables().places.values()}):
    importlib.import_module("millrace." + place)
  code = deprecation.deprecated(None, "")(len).__code__
  found = [one for one in gc.get_objects() if type(one).__name__ == "function" and one.__code__ is code]
  ours = [one for one in found if one.__wrapped__.__module__.startswith("millrace.")]
  assert len(ours) > 40
  without = [deprecation._shown(one.__wrapped__, one) for one in ours]
  assert [name for name in without if not name.startswith("tf.")] == []
