"""tf.print by the stock client, on servers of ours and of stock."""

import os
import tempfile

import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1


def test_texts_to_files(on_both):
  def program(cluster):
    path = os.path.join(tempfile.mkdtemp(), "printed.txt")
    with tf.device("/job:ps/task:1"):
      values = tf.range(10)
      printed = tf.print("values:", values, {"a": 1.5}, summarize=2, output_stream="file://" + path)
      again = tf.print("again", end="", output_stream="file://" + path)
      bad = tf.print("x", output_stream="file://" + path + "/x")
    with tf1.Session(cluster.target("worker")) as session:
      session.run(printed)
      session.run(again)
      with open(path, encoding="utf-8") as file:
        text = file.read()
      return {"text": text, "bad": outcome(lambda: session.run(bad))[0]}

  assert on_both(program)["text"].endswith("again")
