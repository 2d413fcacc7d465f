"""The twin of step_client.cc on the stock client: the same commands, the same answers."""

import os
import sys
import threading
import time

import tensorflow as tf

tf1 = tf.compat.v1

MATRIX = 96


def variable(name, shared):
  return tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name=f"{shared}_{name}", name=name)


def assign(name, handle, value):
  return tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(value), name=name)


def loop(name, gate):
  """Counts, and multiplies matrices, while the variable `gate` is zero."""
  matrix = tf.zeros([MATRIX, MATRIX])
  count, _ = tf.while_loop(
    lambda i, m: tf.equal(tf.raw_ops.ReadVariableOp(resource=gate, dtype=tf.int32), 0),
    lambda i, m: (i + 1, tf.matmul(m, matrix)),
    [tf.constant(0), matrix],
    parallel_iterations=1,
  )
  return tf.identity(count, name=name)


def graph_of_steps(loop_task, wait_task, aside_task, shared):
  with tf.Graph().as_default() as graph:
    with tf.device(loop_task):
      gate, count = variable("gate", shared), variable("count", shared)
      init = [assign("init_gate", gate, 0), assign("init_count", count, 0)]
      assign("release", gate, 1)
      looped = loop("loop", gate)
      counted = tf.raw_ops.AssignAddVariableOp(resource=count, value=tf.constant(1))
      with tf.control_dependencies([counted]):
        now = tf.raw_ops.ReadVariableOp(resource=count, dtype=tf.int32)
      tf.negative(tf.constant(7), name="at_loop")
      queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shared_name=f"{shared}_queue", name="queue")
      tf.raw_ops.QueueEnqueueV2(handle=queue, components=[tf.constant(1)], name="put")
      taken = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.int32])[0]
      pool = tf.raw_ops.RandomShuffleQueueV2(
        component_types=[tf.int32], shapes=[[]], capacity=16, min_after_dequeue=4, shared_name=f"{shared}_pool", name="pool"
      )
      batched = tf.raw_ops.QueueDequeueManyV2(handle=pool, n=tf.constant(8), component_types=[tf.int32])[0]
      tf.reduce_sum(batched, name="drain")
      tf.raw_ops.QueueSizeV2(handle=pool, name="pooled")
    with tf.device(aside_task):
      gate_aside = variable("gate_aside", shared)
      init.append(assign("init_aside", gate_aside, 0))
      assign("release_aside", gate_aside, 1)
      loop("aside", gate_aside)
    with tf.device(wait_task):
      tf.negative(looped, name="wait")
      tf.negative(taken, name="take")
      tf.negative(now, name="step")
      tf.negative(tf.constant(7), name="at_wait")
      tf.reduce_sum(batched, name="batch")
    for i in range(4):
      with tf.device(wait_task):
        made = tf.negative(tf.constant(7))
      with tf.device(loop_task):
        tf.raw_ops.QueueEnqueueV2(handle=pool, components=[made], name=f"join{i}")
    tf.group(init, name="init")
    tf.negative(tf.constant(7), name="near")
  return graph


class StepClient:
  def __init__(self):
    self.lock = threading.Lock()
    self.sessions = {}

  def take(self, words):
    threading.Thread(target=self.answer, args=[words], daemon=True).start()

  def answer(self, words):
    start = time.monotonic()
    try:
      code, text = "OK", self.do(*words[1:])
    except tf.errors.OpError as e:
      code, text = next(k for k, v in tf.errors.__dict__.items() if v == e.error_code and k.isupper()), e.message
    except Exception as e:  # pylint: disable=broad-except
      code, text = "UNKNOWN", repr(e)
    line = f"{words[0]}\t{code}\t{1000 * (time.monotonic() - start):.0f}\t{str(text).encode('unicode_escape').decode()}"
    with self.lock:
      print(line, flush=True)

  def do(self, what, name, *args):
    if what == "open":
      master, *tasks, timeout_ms = args
      graph = graph_of_steps(*tasks)
      config = tf1.ConfigProto(operation_timeout_in_ms=int(timeout_ms))
      self.sessions[name] = tf1.Session("grpc://" + master, graph=graph, config=config)
      return "open"
    if what == "run":
      return self.run(name, *args)
    if what == "reset":
      tf1.Session.reset("grpc://" + name, list(args))
      return "reset"
    self.sessions.pop(name).close()
    return "closed"

  def run(self, name, fetch):
    session = self.sessions[name]
    op = session.graph.get_operation_by_name(fetch)
    value = session.run(op.outputs[0] if op.outputs else op)
    return "ran" if value is None else value


def main():
  client = StepClient()
  print("ready", flush=True)
  for line in sys.stdin:
    client.take(line.split())
  os._exit(0)


if __name__ == "__main__":
  main()
