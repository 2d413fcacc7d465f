"""Values that may not depend on whether a card multiplies and adds at once, as NVIDIA's compiler lets it."""

PRODUCTS = """
    import numpy as np
    import tensorflow as tf
    rng = np.random.RandomState(5)
    for dtype in (np.complex64, np.complex128):
      z = (rng.randn(1000) + 1j * rng.randn(1000)).astype(dtype)
      x = tf.placeholder(dtype, [1000])
      with tf.device("/gpu:0"):
        own = x * tf.conj(x)
        other = x * x[::-1]
      with tf.device("/cpu:0"):
        wanted = x * x[::-1]
      with tf.Session() as session:
        a, b, c = session.run([own, other, wanted], {x: z})
      assert (a.imag == 0).all() and (a.real > 0).all(), a
      assert (b == c).all(), b - c
    print("ok")
"""


def test_products_of_complex_numbers_round_each_part(cards):
  machine = cards()
  machine.set("MILLRACE_STANDIN_FMA", "1")
  assert machine.run(PRODUCTS)[0] == "ok\n"
