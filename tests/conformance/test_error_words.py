"""Errors of the runtime begin with stock's words: of closed sessions, loops of functions, and variables without a value."""

import threading
import time

import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import attempts, first_words, outcome  # noqa: E402
from tensorflow.python.framework import function  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
PS1 = "/job:ps/task:1"


def test_a_close_under_a_blocked_run(on_both):
  def program(cluster):
    with tf.device(PS1):
      empty = tf1.FIFOQueue(1, [tf.int32], shared_name="empty").dequeue()
    # Which of the parts of a step stock tells is by chance: the master, or the op that waits.
    for _ in range(attempts(cluster)):
      session, seen = tf1.Session(cluster.target("worker")), []
      runs = threading.Thread(target=lambda session=session, seen=seen: seen.append(outcome(lambda: session.run(empty))))
      runs.start()
      time.sleep(0.3)  # the run has to be on its way, which nothing tells
      session.close()
      runs.join(60)
      if seen[0][2][:1] == ["Step"]:
        break
    return seen[0][0], seen[0][2]

  assert on_both(program) == ("CancelledError", ["Step", "was", "cancelled", "by", "an"])


@function.Defun(tf.int32, func_name="words_below_ten")
def below_ten(x):
  return x < 10


@function.Defun(tf.int32, func_name="words_two_conditions")
def two_conditions(x):
  return x < 10, x < 9


@function.Defun(tf.int32, func_name="words_next")
def following(x):
  return x + 1


@function.Defun(tf.int32, func_name="words_next_float")
def following_float(x):
  return tf.cast(x + 1, tf.float32)


@function.Defun(tf.int32, func_name="words_two_results")
def two_results(x):
  return x + 1, x


@pytest.mark.parametrize("op", ["While", "StatelessWhile"])
@pytest.mark.parametrize(
  "condition,body", [(below_ten, following_float), (below_ten, two_results), (two_conditions, following), (below_ten, following)]
)
def test_loops_of_functions(on_both, op, condition, body):
  def program(cluster):
    for f in (condition, body):
      f.add_to_graph(tf1.get_default_graph())
    with tf.device(PS1):
      (x,) = getattr(raw, op)(input=[tf1.placeholder_with_default(0, [])], cond=condition, body=body)
      x = tf.identity(x)
    with tf1.Session(cluster.target("worker")) as session:
      return outcome(lambda: session.run(x))[::2] if body is not following or condition is two_conditions else session.run(x)

  on_both(program)


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
def test_branches_with_other_results(on_both, op):
  def program(cluster):
    for f in (following, following_float, two_results):
      f.add_to_graph(tf1.get_default_graph())
    seen = {}
    choose = tf1.placeholder(tf.bool, [])
    with tf1.Session(cluster.target("worker")) as session:
      for other in (following_float, two_results):
        with tf.device(PS1):
          (x,) = getattr(raw, op)(
            cond=choose, input=[tf1.placeholder_with_default(0, [])], Tout=[tf.int32], then_branch=following, else_branch=other
          )
          x = tf.identity(x)
        for value in (True, False):
          result = outcome(lambda x=x, value=value: session.run(x, {choose: value}))
          seen[other.name, value] = result[::2] if isinstance(result, tuple) else result
    return seen

  on_both(program)


ELEMENTS = {
  "map": lambda v: tf1.data.Dataset.range(3).map(lambda x: x + v),
  "parallel map": lambda v: tf1.data.Dataset.range(3).map(lambda x: x + v, num_parallel_calls=2),
  "filter": lambda v: tf1.data.Dataset.range(3).filter(lambda x: x < v),
  "flat_map": lambda v: tf1.data.Dataset.range(3).flat_map(lambda x: tf1.data.Dataset.range(v)),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_data_sets_that_capture_a_variable_without_a_value(on_both, name):
  def program(cluster):
    with tf.device(PS1):
      v = tf1.get_variable("never_set", initializer=tf.constant(3, tf.int64), use_resource=True)
      iterator = tf1.data.make_initializable_iterator(ELEMENTS[name](v))
      following = iterator.get_next()
      read = v.read_value()
    with tf1.Session(cluster.target("worker")) as session:
      session.run(iterator.initializer)
      try:
        session.run(following)
      except tf.errors.FailedPreconditionError as e:
        return first_words(e.message), "Could not find variable never_set" in e.message, outcome(lambda: session.run(read))[::2]

  assert on_both(program)[1]


def test_a_shape_that_is_not_the_promised_one(on_both):
  def program(cluster):
    fed = tf1.placeholder(tf.float32)
    with tf.device(PS1):
      ensured = raw.EnsureShape(input=tf.multiply(fed, 2.0, name="given"), shape=[3])
    with tf1.Session(cluster.target("worker")) as session:
      return outcome(lambda: session.run(ensured, {fed: [1.0, 2.0]}))

  assert on_both(program)[2] == ["Shape", "of", "tensor", "given", "[2]"]
