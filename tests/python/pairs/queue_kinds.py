"""Queues of all kinds: graphs, elements, waiting, closing, and what does not fit."""


def program_fifo(tf):
  queue = tf.FIFOQueue(10, tf.float32)
  put, more = queue.enqueue(1.0), queue.enqueue_many([[2.0, 3.0]])
  size, one = queue.size(), queue.dequeue()
  with tf.Session() as session:
    session.run([put])
    session.run(more)
    return [session.run(size), session.run(one), session.run(one), session.run(size), str(one.shape), queue.name]


def program_fifo_components(tf):
  queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []], shared_name="shared", name="pairs")
  put = queue.enqueue([[1.0, 2.0], 3])
  more = queue.enqueue_many([[[3.0, 4.0], [5.0, 6.0]], [7, 8]], name="more")
  many, some = queue.dequeue_many(2, name="two"), queue.dequeue_up_to(2)
  close = queue.close()
  with tf.Session() as session:
    session.run(put)
    session.run(more)
    result = [session.run(many)]
    session.run(close)
    return result + [session.run(some), [str(t.shape) for t in many + some]]


def program_fifo_names(tf):
  queue = tf.FIFOQueue(10, [tf.float32, tf.string], names=["number", "word"], shapes=[[], []])
  put = queue.enqueue({"number": 1.5, "word": "a"})
  more = queue.enqueue_many({"number": [2.5, 3.5], "word": ["b", "c"]})
  one, many = queue.dequeue(), queue.dequeue_many(2)
  with tf.Session() as session:
    session.run(put)
    session.run(more)
    return [session.run(one), session.run(many), queue.names, [t.name for t in queue.dtypes]]


def program_queue_module(tf):
  queue = tf.queue.FIFOQueue(2, tf.int32, shapes=[[]])
  put = queue.enqueue(5)
  with tf.Session() as session:
    session.run(put)
    return session.run(queue.dequeue())


def program_is_closed(tf):
  queue = tf.FIFOQueue(2, tf.int32)
  state, close, cancel = queue.is_closed(name="state"), queue.close(), queue.close(cancel_pending_enqueues=True, name="cancel")
  with tf.Session() as session:
    result = [session.run(state)]
    session.run(close)
    result.append(session.run(state))
    session.run(cancel)
    return result


def program_dequeue_closed(tf):
  queue = tf.FIFOQueue(2, tf.int32, shared_name="dequeue_closed")
  one = queue.dequeue()
  with tf.Session() as session:
    session.run(queue.enqueue(1))
    session.run(queue.close())
    session.run(one)
    session.run(one)


def program_enqueue_closed(tf):
  queue = tf.FIFOQueue(2, tf.int32, shared_name="enqueue_closed")
  with tf.Session() as session:
    session.run(queue.close())
    session.run(queue.enqueue(1))


def program_dequeue_many_closed(tf):
  queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], shared_name="dequeue_many_closed")
  many = queue.dequeue_many(3)
  with tf.Session() as session:
    session.run(queue.enqueue_many([[1, 2]]))
    session.run(queue.close())
    session.run(many)


def program_dequeue_up_to_empty(tf):
  queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], shared_name="dequeue_up_to_empty")
  some = queue.dequeue_up_to(3)
  with tf.Session() as session:
    session.run(queue.close())
    session.run(some)


def program_dequeue_many_without_shapes(tf):
  queue = tf.FIFOQueue(5, tf.int32)
  many = queue.dequeue_many(3)
  with tf.Session() as session:
    session.run(many)


def program_wrong_shape_static(tf):
  tf.FIFOQueue(5, tf.float32, shapes=[[2]]).enqueue([[1.0, 2.0, 3.0]])


def program_wrong_shape_of_many(tf):
  tf.FIFOQueue(5, tf.float32, shapes=[[2]]).enqueue_many([1.0, 2.0])


def program_wrong_shape_fed(tf):
  queue = tf.FIFOQueue(5, tf.float32, shapes=[[2]])
  x = tf.placeholder(tf.float32)
  put = queue.enqueue([x])
  with tf.Session() as session:
    session.run(put, {x: [1.0, 2.0, 3.0]})


def program_wrong_type(tf):
  tf.FIFOQueue(5, tf.float32).enqueue("text")


def program_wrong_number_of_shapes(tf):
  tf.FIFOQueue(5, [tf.float32, tf.int32], shapes=[[2]])


def program_wrong_number_of_names(tf):
  tf.FIFOQueue(5, [tf.float32, tf.int32], names=["a"])


def program_names_wanted(tf):
  tf.FIFOQueue(5, tf.float32, names="a").enqueue(1.0)


def program_names_unknown(tf):
  tf.FIFOQueue(5, tf.float32, names=["a"]).enqueue({"b": 1.0})


def program_dictionary_without_names(tf):
  tf.FIFOQueue(5, tf.float32).enqueue({"b": 1.0})


def program_open_shape(tf):
  tf.FIFOQueue(5, tf.float32, shapes=[[None]])


def program_padding(tf):
  queue = tf.PaddingFIFOQueue(5, [tf.int32, tf.float32], shapes=[[None], [2]], names=["a", "b"], shared_name="p", name="pad")
  first = queue.enqueue({"a": [1, 2, 3], "b": [1.0, 2.0]})
  second = queue.enqueue({"a": [4], "b": [3.0, 4.0]})
  many = queue.dequeue_many(2)
  with tf.Session() as session:
    session.run(first)
    session.run(second)
    return [session.run(many), [str(many[k].shape) for k in sorted(many)]]


def program_padding_without_shapes(tf):
  tf.PaddingFIFOQueue(5, tf.int32, shapes=[None])


def program_padding_wrong_number(tf):
  tf.io.PaddingFIFOQueue(5, [tf.int32, tf.int32], shapes=[[None, 2]])


def program_shuffle(tf):
  queue = tf.RandomShuffleQueue(20, 2, tf.int32, shapes=[[]], seed=3)
  put, one, close = queue.enqueue_many([list(range(10))]), queue.dequeue(), queue.close()
  with tf.Session() as session:
    session.run(put)
    session.run(close)
    return [session.run(one) for _ in range(10)]


def program_shuffle_seed_of_graph(tf):
  tf.set_random_seed(7)
  queue = tf.RandomShuffleQueue(20, 0, [tf.int32, tf.string], [[], []], ["n", "s"], None, "shared", "chance")
  other = tf.queue.RandomShuffleQueue(20, 0, tf.int32, [[]])
  put = queue.enqueue_many({"n": [1, 2, 3, 4], "s": ["a", "b", "c", "d"]})
  more = other.enqueue_many([[1, 2, 3, 4]])
  many, numbers = queue.dequeue_many(4), other.dequeue_many(4)
  with tf.Session() as session:
    session.run([put, more])
    return [session.run(many), session.run(numbers)]


def program_shuffle_keeps_some(tf):
  queue = tf.RandomShuffleQueue(20, 3, tf.int32, shapes=[[]], seed=3)
  with tf.Session() as session:
    session.run(queue.enqueue_many([[1, 2, 3, 4, 5]]))
    first = session.run(queue.dequeue_many(2))
    session.run(queue.close())
    return [sorted(first.tolist() + session.run(queue.dequeue_up_to(9)).tolist())]


def program_priority(tf):
  queue = tf.PriorityQueue(10, [tf.string], [[]], name="by_priority")
  puts = [queue.enqueue((p, t)) for p, t in ((3, "c"), (1, "a"), (2, "b"))]
  more = queue.enqueue_many([[9, 0], ["z", "first"]])
  one = queue.dequeue()
  with tf.Session() as session:
    for put in puts:
      session.run(put)
    session.run(more)
    return [session.run(one) for _ in range(5)] + [session.run(queue.size())]


def program_priority_names(tf):
  queue = tf.queue.PriorityQueue(10, [tf.float32], [[2]], ["priority", "value"], "s", "named")
  put = queue.enqueue({"priority": 4, "value": [1.0, 2.0]})
  with tf.Session() as session:
    session.run(put)
    return session.run(queue.dequeue_many(1))


def program_priority_without_shapes(tf):
  tf.PriorityQueue(10, [tf.float32])


def program_from_list(tf):
  queues = [tf.FIFOQueue(4, tf.int32, [[2]]), tf.FIFOQueue(4, tf.int32, [[3]])]
  which = tf.placeholder(tf.int32, [])
  queue = tf.QueueBase.from_list(which, queues)
  puts = [queues[0].enqueue([[1, 2]]), queues[1].enqueue([[3, 4, 5]])]
  one = queue.dequeue()
  with tf.Session() as session:
    session.run(puts)
    return [session.run(one, {which: 1}), session.run(one, {which: 0}), str(queue.shapes[0]), queue.name]


def program_from_list_types(tf):
  tf.QueueBase.from_list(0, [tf.FIFOQueue(4, tf.int32), tf.FIFOQueue(4, tf.float32)])


def program_from_list_names(tf):
  tf.QueueBase.from_list(0, [tf.FIFOQueue(4, tf.int32, names=["a"]), tf.FIFOQueue(4, tf.int32)])


def program_from_list_of_other_things(tf):
  tf.QueueBase.from_list(0, [tf.FIFOQueue(4, tf.int32), 5])


def program_devices(tf):
  with tf.device("/job:worker/task:1/device:GPU:0"):
    with tf.name_scope("scope"):
      queue = tf.FIFOQueue(4, tf.int32)
      queue.enqueue(1)
    tf.PaddingFIFOQueue(4, tf.int32, [[None]])
  with tf.control_dependencies([tf.no_op()]):
    tf.FIFOQueue(4, tf.int32).size()


def program_blocked_enqueue_is_cancelled(tf):
  import threading

  queue = tf.FIFOQueue(1, tf.int32)
  put, cancel = queue.enqueue(1), queue.close(cancel_pending_enqueues=True)
  found = []
  with tf.Session() as session:
    session.run(put)

    def wait():
      try:
        session.run(put)
      except tf.errors.CancelledError:
        found.append("cancelled")

    thread = threading.Thread(target=wait)
    thread.start()
    import time

    time.sleep(0.5)
    session.run(cancel)
    thread.join()
  return found


def program_producer_and_consumer(tf):
  import threading

  queue = tf.FIFOQueue(3, [tf.int32], shapes=[[]])
  x = tf.placeholder(tf.int32, [])
  put, close, one = queue.enqueue(x), queue.close(), queue.dequeue()
  with tf.Session() as session:

    def produce():
      for i in range(20):
        session.run(put, {x: i * i})
      session.run(close)

    thread = threading.Thread(target=produce)
    thread.start()
    found = []
    try:
      while True:
        found.append(int(session.run(one)))
    except tf.errors.OutOfRangeError:
      pass
    thread.join()
  return found
