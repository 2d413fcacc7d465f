"""Each test builds in a graph of its own."""

import pytest

import millrace as tf


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()
