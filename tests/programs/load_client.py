"""A client that loads a cluster for as long as it lives: load_client.py ROLE MASTER PS_DEVICE WORKER_DEVICE.

A line a second says how often it has done what it does, "ready" comes before. It begins anew where a task seems lost, as servers
on a busy machine may be silent for a while; what else does not go as it should ends it.
"""

import sys
import time

import tensorflow as tf

tf1 = tf.compat.v1

PAUSE_S = 0.1
TRANSFER_BYTES = 100_000_000
RUNS = 5


class Client:
  def __init__(self, master, ps, worker):
    self.master, self.ps, self.worker = master, ps, worker

  def training(self):
    """A graph with a variable on a ps and work on a worker: how it begins, and a step."""
    with tf.device(self.ps):
      weights = tf.raw_ops.VariableV2(shape=[64, 64], dtype=tf.float32, container="load")
      init = tf.raw_ops.Assign(ref=weights, value=tf.ones([64, 64]))
    with tf.device(self.worker):
      change = tf.matmul(weights, weights) * 1e-3
    with tf.device(self.ps):
      step = tf.raw_ops.AssignSub(ref=weights, value=change)
    return init, tf.reduce_sum(step)

  def sessions(self):
    """A session with a graph of its own, again and again."""
    while True:
      with tf.Graph().as_default():
        init, step = self.training()
        with tf1.Session(self.master) as session:
          session.run(init.op)
          for _ in range(RUNS):
            session.run(step)
      yield

  def extensions(self):
    """Sessions whose graphs grow before each step."""
    while True:
      with tf.Graph().as_default():
        value = tf.zeros([100])
        with tf1.Session(self.master) as session:
          for i in range(50):
            with tf.device(self.ps if i % 2 else self.worker):
              value = tf.tanh(value) + float(i)
            session.run(value)
            yield

  def timeouts(self):
    """Steps that wait on both tasks for what never comes."""
    with tf.Graph().as_default():
      with tf.device(self.ps):
        queue = tf1.FIFOQueue(10, [tf.float32], shapes=[[1000]])
        put = queue.enqueue(tf.zeros([1000]))
        empty = tf1.FIFOQueue(10, [tf.float32], shapes=[[1000]])
        wait = empty.dequeue()
      with tf.device(self.worker):
        taken = tf.reduce_sum(queue.dequeue())
        waited = tf.reduce_sum(wait)
      with tf1.Session(self.master) as session:
        while True:
          session.run(put)
          session.run(taken)
          try:
            session.run(waited, options=tf1.RunOptions(timeout_in_ms=50))
            raise AssertionError("an empty queue gave an element")
          except tf.errors.DeadlineExceededError:
            yield

  def transfers(self):
    """100 MB from a ps to a worker, a second apart."""
    count = TRANSFER_BYTES // 4
    with tf.Graph().as_default():
      with tf.device(self.ps):
        table = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[count], shared_name="load_table", container="load")
        init = tf.raw_ops.AssignVariableOp(resource=table, value=tf.ones([count]))
        value = tf.raw_ops.ReadVariableOp(resource=table, dtype=tf.float32)
      with tf.device(self.worker):
        total = tf.reduce_max(value)
      with tf1.Session(self.master) as session:
        session.run(init)
        while True:
          assert session.run(total) == 1
          yield
          time.sleep(1)  # the load is light

  def doomed(self):
    """A session whose steps wait, until somebody kills this program."""
    with tf.Graph().as_default():
      init, step = self.training()
      with tf.device(self.ps):
        wait = tf1.FIFOQueue(10, [tf.float32]).dequeue()
      with tf.device(self.worker):
        waited = -wait
      session = tf1.Session(self.master)
      session.run(init.op)
      session.run(step)
      yield
      session.run(waited)

  def reset(self):
    """Sessions of dead clients end with this."""
    tf1.Session.reset(self.master, ["load_reset"])
    yield


def rounds_of(client, role):
  while True:
    try:
      yield from getattr(client, role)()
      return
    except (tf.errors.AbortedError, tf.errors.UnavailableError) as e:
      print(f"{role} begins anew: {e.message}", file=sys.stderr, flush=True)


def main():
  role, master, ps, worker = sys.argv[1:]
  said = 0.0
  for rounds, _ in enumerate(rounds_of(Client(master, ps, worker), role)):
    if time.monotonic() - said >= 1:
      said = time.monotonic()
      print(rounds or "ready", flush=True)
    time.sleep(PAUSE_S)  # the load is light


if __name__ == "__main__":
  main()
