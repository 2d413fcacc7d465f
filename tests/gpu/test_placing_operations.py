""" "Placing Operations on Devices": each sentence of that section of the chapter, by programs whose sessions are their own."""

import pytest

# The graph of the section: two nodes that are pinned to the CPU, and their product, which is not.
GRAPH = """
    import tensorflow as tf
    with tf.device("/cpu:0"):
        a = tf.Variable(3.0, name="a")
        b = tf.constant(4.0, name="b")
    c = tf.multiply(a, b, name="mul")
"""
INT_VARIABLE = """
    import tensorflow as tf
    with tf.device("/gpu:0"):
        i = tf.Variable(3, name="i")
"""


def placements(log):
  """{"mul": "GPU:0"} of the lines of log_device_placement."""
  found = {}
  for line in log.splitlines():
    name, at, device = line.partition(": (")
    if at and "/device:" in device:
      found[name.split("] ")[-1]] = device.rsplit("/device:", 1)[1]
  return found


def test_a_node_goes_to_the_first_gpu_unless_it_is_pinned(cards):
  out, log = cards(count=2).run(
    GRAPH
    + """
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    session.run(a.initializer)
    print(session.run(c))
    """
  )
  assert out == "12.0\n"
  placed = placements(log)
  assert placed["mul"] == "GPU:0", log
  assert {placed[name] for name in ("a", "a/read", "a/Assign", "a/initial_value", "b")} == {"CPU:0"}, log


def test_without_a_gpu_it_defaults_to_the_cpu(cards):
  out, log = cards().run(
    GRAPH
    + """
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    session.run(a.initializer)
    print(session.run(c))
    """,
    visible="",
  )
  assert out == "12.0\n" and set(placements(log).values()) == {"CPU:0"}, log


def test_a_node_that_was_placed_in_a_previous_run_is_left_there(cards):
  out, log = cards().run(
    GRAPH
    + """
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    session.run(a.initializer)
    session.run(c)
    with tf.device("/cpu:0"):
        d = tf.add(c, 1.0, name="later")
    print(session.run(d))
    """
  )
  assert out == "13.0\n"
  assert log.count("mul: (") == 1 and placements(log)["mul"] == "GPU:0" and placements(log)["later"] == "CPU:0", log


def test_a_dynamic_placement_function(cards):
  out, log = cards().run("""
    import tensorflow as tf
    def variables_on_cpu(op):
        if op.type in ("Variable", "VariableV2"):
            return "/cpu:0"
        else:
            return "/gpu:0"
    with tf.device(variables_on_cpu):
        a = tf.Variable(3.0, name="a")
        b = tf.constant(4.0, name="b")
        c = tf.multiply(a, b, name="mul")
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    session.run(a.initializer)
    print(session.run(c), c.device)
    """)
  assert out == "12.0 /gpu:0\n"
  placed = placements(log)
  assert placed["a"] == "CPU:0" and placed["b"] == placed["mul"] == "GPU:0", log


def test_an_op_without_a_kernel_for_the_device_is_refused(cards):
  """There is no kernel of an integer variable for GPUs."""
  out, _ = cards().run(
    INT_VARIABLE
    + """
    try:
        tf.Session().run(i.initializer)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.splitlines()[0])
    """
  )
  assert out.startswith("Cannot assign a device for operation i"), out
  assert (
    "Could not satisfy explicit device specification '/device:GPU:0' because no supported kernel for GPU devices is available"
    in out
  ), out


def test_with_soft_placement_it_falls_back_to_the_cpu(cards):
  out, log = cards().run(
    INT_VARIABLE
    + """
    config = tf.ConfigProto()
    config.allow_soft_placement = True
    config.log_device_placement = True
    session = tf.Session(config=config)
    session.run(i.initializer)
    print(session.run(i))
    """
  )
  assert out == "3\n" and placements(log)["i"] == "CPU:0", log


def test_an_integer_variable_that_nobody_pins_is_on_the_cpu(cards):
  out, log = cards().run("""
    import tensorflow as tf
    i = tf.Variable(3, name="i")
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    session.run(i.initializer)
    print(session.run(i + 1))
    """)
  assert out == "4\n" and placements(log)["i"] == "CPU:0", log


def test_a_card_that_is_not_there_is_refused_with_what_there_is(cards):
  out, _ = cards().run("""
    import tensorflow as tf
    with tf.device("/gpu:1"):
        x = tf.constant(1.0)
    try:
        tf.Session().run(x)
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
    print(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)).run(x))
    """)
  assert "available devices are [" in out and "/device:GPU:0" in out and out.endswith("1.0\n"), out


def test_several_cards_work_in_parallel(cards):
  """As the figure of the section: a graph whose parts are on two cards and the CPU."""
  out, log = cards(count=2).run("""
    import tensorflow as tf
    with tf.device("/gpu:0"):
        a = tf.reduce_sum(tf.random_uniform([100, 100], seed=1), name="a")
    with tf.device("/gpu:1"):
        b = tf.reduce_sum(tf.random_uniform([100, 100], seed=1), name="b")
    with tf.device("/cpu:0"):
        c = tf.subtract(a, b, name="c")
    session = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    print(session.run(c))
    """)
  assert out == "0.0\n"
  placed = placements(log)
  assert (placed["a"], placed["b"], placed["c"]) == ("GPU:0", "GPU:1", "CPU:0"), log


@pytest.mark.parametrize("kind", ["reference", "resource"])
def test_variables_on_a_card_train(cards, kind):
  """A step of the chapter's linear regression, with everything on the card."""
  out, _ = cards().run(
    """
    import sys
    import numpy as np
    import tensorflow as tf
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        theta = tf.get_variable("theta", [3, 1], initializer=tf.zeros_initializer(), use_resource=sys.argv[1] == "resource")
        mse = tf.reduce_mean(tf.square(tf.matmul(x, theta) - y))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(mse)
    values = np.random.RandomState(1).uniform(size=[50, 3]).astype(np.float32)
    feed = {x: values, y: values @ [[1.0], [2.0], [3.0]]}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(mse, feed)
        for _ in range(500):
            session.run(train, feed)
        print(session.run(mse, feed) < first / 100)
    """,
    kind,
  )
  assert out == "True\n"


def test_the_package_says_what_there_is(cards):
  cards = cards(count=2)
  text = """
    import tensorflow as tf
    from tensorflow.python.client import device_lib
    print(tf.test.is_gpu_available(), tf.test.gpu_device_name(), tf.test.is_gpu_available(min_cuda_compute_capability=(99, 0)))
    for device in device_lib.list_local_devices():
        print(device.name, device.device_type, device.memory_limit > 0, "compute capability: " in device.physical_device_desc)
    """
  out, _ = cards.run(text)
  gpus = "/device:GPU:0 GPU True True\n/device:GPU:1 GPU True True\n"
  assert out == "True /device:GPU:0 False\n/device:CPU:0 CPU True False\n" + gpus
  out, _ = cards.run(text, visible="")
  assert out == "False  False\n/device:CPU:0 CPU True False\n"
