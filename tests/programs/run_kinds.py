"""Runs kinds of runs in one session of the stock client, each over all tasks of a cluster, and says after each hundred how many:
run_kinds.py TARGET COUNT TASK..., where a task is a device's name. It goes on when it reads a line."""

import sys

import tensorflow as tf

tf1 = tf.compat.v1

FIRST = 100  # so many tensors of a task are the first that a run fetches of it
DEPTH = 10  # ops behind each


def graph_of(tasks, seconds):
  """Two lists of tensors for each task, of FIRST and of `seconds`: each ends a chain of ops on its task that begins with an
  update of a variable on another one."""

  @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
  def twice(x):
    return tf.reduce_sum(tf.stack([x, x])) * 1.0

  with tf.Graph().as_default() as graph:
    lists = []
    for i, task in enumerate(tasks):
      with tf.device(tasks[i - 1]):
        start = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name=f"start{i}")
        init = tf.raw_ops.AssignVariableOp(resource=start, value=tf.constant(1.0))
        with tf.control_dependencies([init]):
          value = tf.raw_ops.ReadVariableOp(resource=start, dtype=tf.float32)
      with tf.device(task):

        def chain(j):
          x = value + float(j)
          for _ in range(DEPTH):
            x = tf.sin(x)
          return twice(x)

        lists.append([[chain(j) for j in range(FIRST)], [chain(FIRST + j) for j in range(seconds)]])
  return graph, lists


def main():
  target, count, tasks = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
  graph, lists = graph_of(tasks, -(-count // FIRST))
  with tf1.Session(target, graph=graph) as session:
    expected = {}
    for i in range(count):
      # No two have the same of any task.
      fetches = [of_task[place] for first, second in lists for of_task, place in ((first, i % FIRST), (second, i // FIRST))]
      for tensor, value in zip(fetches, session.run(fetches)):
        if expected.setdefault(tensor.name, value) != value:
          raise AssertionError(f"{tensor.name} is {value} in run {i}, and was {expected[tensor.name]}")
      if (i + 1) % 100 == 0:
        print(i + 1, flush=True)
        if not sys.stdin.readline():
          return


if __name__ == "__main__":
  main()
