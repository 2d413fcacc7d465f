"""What a program fetches from a card is its own: it may keep it as long as it likes, whatever becomes of the card."""

# The stand-in is asked to fail by its own call; the library is the one that the runtime has loaded.
PROGRAM = """
  import ctypes, os
  import numpy as np
  import tensorflow as tf
  standin = ctypes.CDLL(os.path.join(os.environ["MILLRACE_CUDA_LIBRARIES"], "libcuda.so.1"))
  with tf.device("/gpu:0"):
    x = tf.placeholder(tf.float32, [None])
    y = x + 1.0
  values = np.arange(100000, dtype=np.float32)
"""


def test_a_fetched_array_does_not_keep_a_card_that_has_failed(cards):
  out, log = cards().run(
    PROGRAM
    + """
  with tf.Session() as session:
    kept = session.run(y, {x: values})
    standin.millraceStandInFail(b"kernel:1=700")
    try:
      session.run(y, {x: values})
    except tf.errors.InternalError as error:
      print("CUDA_ERROR_ILLEGAL_ADDRESS" in error.message)
  with tf.Session() as session:
    print((session.run(y, {x: values}) == kept).all(), kept[1])
  """
  )
  assert out == "True\nTrue 2.0\n", out + log


def test_fetched_arrays_keep_no_pinned_memory(cards):
  """However many there are, none takes more from the driver; each is writable."""
  out, log = cards().run(
    PROGRAM
    + """
  with tf.Session() as session:
    session.run(y, {x: values})
    before = standin.millraceStandInCalls(b"cuMemHostAlloc")
    kept = [session.run(y, {x: values}) for _ in range(100)]
    print(standin.millraceStandInCalls(b"cuMemHostAlloc") == before)
    kept[0][0] = 7
    print(kept[0][:2], kept[99][:2])
  """
  )
  assert out == "True\n[7. 2.] [1. 2.]\n", out + log
