"""The four kinds of queues: order, batches, tuples, padding, priorities, closing, and what errors say."""

import threading

from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=1)

with tf.device("/job:ps/task:0"):
  fifo = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[2], []], name="fifo", shared_name="fifo")
  shuffled = tf.RandomShuffleQueue(
    50, min_after_dequeue=10, dtypes=[tf.float32], shapes=[()], name="shuffled", shared_name="shuffled", seed=7
  )
  padded = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None, None]], name="padded", shared_name="padded")
  ordered = tf.PriorityQueue(10, [tf.string], shapes=[[]], name="ordered", shared_name="ordered")

session = tf.Session(cluster.target("worker"))

session.run(fifo.enqueue([[1, 2], "a"]))
session.run(fifo.enqueue_many([[[3, 4], [5, 6]], ["b", "c"]]))
print("size", session.run(fifo.size()))
print("one", [value.tolist() if hasattr(value, "tolist") else value for value in session.run(fifo.dequeue())])
numbers, words = session.run(fifo.dequeue_many(2))
print("many", numbers.tolist(), words.tolist())

session.run(shuffled.enqueue_many([[float(i) for i in range(20)]]))
batch = session.run(shuffled.dequeue_many(10)).tolist()
print("shuffled", len(set(batch)), "different, in order:", batch == sorted(batch))

for value in ([[1, 2]], [[3], [4], [5]], [[6]]):
  session.run(padded.enqueue([value]))
print("padded", session.run(padded.dequeue_many(3)).tolist())

session.run(ordered.enqueue_many([[30, 10, 20], ["third", "first", "second"]]))
print("ordered", [session.run(ordered.dequeue())[1].decode() for _ in range(3)])

# A dequeue waits until somebody enqueues.
waiting = []
dequeue = fifo.dequeue()
thread = threading.Thread(target=lambda: waiting.append(session.run(dequeue)[1].decode()))
thread.start()
session.run(fifo.enqueue([[7, 8], "at last"]))
thread.join()
print("waited for", waiting)

# Closed: what is inside can still be taken, then there is an error. dequeue_up_to takes what is left.
session.run(fifo.enqueue_many([[[1, 1], [2, 2], [3, 3]], ["x", "y", "z"]]))
session.run(fifo.close())
print("closed", session.run(fifo.is_closed()))
print("up to", session.run(fifo.dequeue_up_to(5))[1].tolist())
for what, op in [("dequeue", fifo.dequeue()), ("enqueue", fifo.enqueue([[0, 0], "late"]))]:
  try:
    session.run(op)
  except tf.errors.OpError as error:
    print(what, type(error).__name__)

# A limit of time for an operation that nothing will end.
try:
  session.run(padded.dequeue(), options=tf.RunOptions(timeout_in_ms=200))
except tf.errors.DeadlineExceededError as error:
  print("timed out", type(error).__name__)
