"""Inputs that end, and all that a graph makes of them."""

import millrace as tf


def numbers(count):
  """The numbers 0 to count - 1, one a run."""
  return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def taken(fetches, initializers=(), limit=1000):
  """What each run gives until the input is over."""
  found = []
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), *initializers])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    try:
      while len(found) < limit:
        found.append(session.run(fetches))
    except tf.errors.OutOfRangeError:
      pass
    finally:
      coordinator.request_stop()
      coordinator.join(threads)
  return found
