""" "Managing the GPU RAM": each sentence of that section of the chapter, by programs whose sessions are their own."""

# A program that uses each GPU and holds its memory until it is told to end. `%s` is what it does with the config. TensorFlow takes the
# memory of cards that run nothing, too; here a card is taken when something first runs on it.
HOLDS = """
  import tensorflow as tf
  config = tf.ConfigProto()
  %s
  session = tf.Session(config=config)
  names = [d.name for d in session.list_devices() if d.device_type == "GPU"]
  for name in reversed(names):
      with tf.device(name):
          x = tf.Variable(tf.ones([1024, 1024]))
          total = tf.reduce_sum(x)
      session.run(x.initializer)
      sum = session.run(total)
  print("%%.1f" %% sum, flush=True)
  input()
"""
SUM = str(1024.0 * 1024)
ALL = HOLDS % "pass"
FRACTION = HOLDS % "config.gpu_options.per_process_gpu_memory_fraction = 0.4"
GROWTH = HOLDS % "config.gpu_options.allow_growth = True"

# Prints which cards a program sees, in its own numbers.
SEES = """
  from tensorflow.python.client import device_lib
  for device in device_lib.list_local_devices():
      if device.device_type == "GPU":
          print(device.name, device.physical_device_desc.split("name: ")[1].split(",")[0])
"""


def seen(cards, visible):
  return [line.split(" ", 1) for line in cards.run(SEES, visible=visible)[0].splitlines()]


def test_by_default_all_the_ram_of_all_gpus_is_grabbed_at_the_first_run(cards):
  cards = cards(count=2)
  assert cards.taken(0) == cards.taken(1) == 0
  with cards.program(ALL) as program:
    program.expect(SUM)
    assert cards.part_taken(0) > 0.85 and cards.part_taken(1) > 0.85
    program.tell()
    program.end()
  assert cards.taken(0) == cards.taken(1) == 0


# Needs 768 MB of the card, which the next program does not find beside one that has taken all.
LARGE = """
  import tensorflow as tf
  size = tf.placeholder(tf.int32, [])
  with tf.device("/gpu:0"):
      on_card = tf.reduce_sum(tf.fill([size, 1024, 1024], 1.0))
  with tf.device("/cpu:0"):
      on_cpu = tf.reduce_sum(tf.fill([1024, 1024], 1.0))
  %s
  session = tf.Session(config=config)
  for total in (on_card, on_cpu):
      try:
          print("%%.0e" %% session.run(total, {size: 192}))
      except tf.errors.ResourceExhaustedError as error:
          print(error.message.startswith("OOM when allocating tensor with shape"))
"""


def test_a_second_program_does_not_get_the_memory_while_the_first_one_runs(cards):
  cards = cards()
  with cards.program(ALL) as first:
    first.expect(SUM)
    out, log = cards.run(LARGE % "config = tf.ConfigProto()")
    assert out == "True\n1e+06\n", out + log
    assert "failed to allocate" in log and "from device: CUDA_ERROR_OUT_OF_MEMORY" in log, log
    first.tell()
    first.end()
  # It has ended, and the next one finds its memory.
  out, log = cards.run(LARGE % "config = tf.ConfigProto()")
  assert out == "2e+08\n1e+06\n" and "failed to allocate" not in log, out + log


def test_programs_on_different_cards_run_at_once(cards):
  cards = cards(count=4)
  with cards.program(ALL, visible="0,1") as first, cards.program(ALL, visible="3,2") as second:
    first.expect(SUM)
    second.expect(SUM)
    assert all(cards.part_taken(card) > 0.85 for card in range(4))
    for program in (first, second):
      program.tell()
      program.end()


def test_visible_devices_0_1_are_numbered_0_and_1(cards):
  cards = cards(count=4)
  names = [name for _, name in seen(cards, None)]
  assert len(set(names)) == 4
  assert seen(cards, "0,1") == [["/device:GPU:0", names[0]], ["/device:GPU:1", names[1]]]


def test_visible_devices_3_2_are_numbered_0_and_1_in_that_order(cards):
  cards = cards(count=4)
  names = [name for _, name in seen(cards, None)]
  assert seen(cards, "3,2") == [["/device:GPU:0", names[3]], ["/device:GPU:1", names[2]]]


def test_no_visible_device_leaves_the_cpu(cards):
  cards = cards()
  assert seen(cards, "") == [] and seen(cards, "-1") == []
  out, _ = cards.run("import tensorflow as tf\nprint(tf.Session().run(tf.constant(1.0) + 2))", visible="-1")
  assert out == "3.0\n"


def test_visible_device_list_chooses_among_the_visible_ones(cards):
  cards = cards(count=4)
  names = [name for _, name in seen(cards, None)]
  out, _ = cards.run(
    """
    import tensorflow as tf
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="1"))
    from tensorflow.python.client import device_lib
    for device in device_lib.list_local_devices(config):
        print(device.name, device.physical_device_desc)
    """,
    visible="3,2",
  )
  assert [line for line in out.splitlines() if "GPU:0" in line and names[2] in line] and "GPU:1" not in out, out


def test_a_fraction_is_grabbed_of_each_gpus_memory(cards):
  cards = cards(count=2)
  with cards.program(FRACTION) as program:
    program.expect(SUM)
    assert 0.38 < cards.part_taken(0) <= 0.41 and 0.38 < cards.part_taken(1) <= 0.41
    program.tell()
    program.end()


def test_two_programs_with_40_percent_run_in_parallel_on_the_same_cards(cards):
  """And what the driver says of the card is what both hold: roughly 40 % each."""
  cards = cards()
  with cards.program(FRACTION) as first:
    first.expect(SUM)
    one = cards.part_taken()
    with cards.program(FRACTION) as second:
      second.expect(SUM)
      assert 0.38 < one <= 0.41 and 0.38 < cards.part_taken() - one <= 0.41
      for program in (first, second):
        program.tell()
        program.end()


def test_but_not_three(cards):
  """The third one is told so for what it places on the card, and its CPU goes on."""
  cards = cards()
  with cards.program(FRACTION) as first, cards.program(FRACTION) as second:
    first.expect(SUM)
    second.expect(SUM)
    out, log = cards.run(LARGE % "config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4))")
    assert out == "True\n1e+06\n", out + log
    assert "failed to allocate" in log and "from device: CUDA_ERROR_OUT_OF_MEMORY" in log, log
    for program in (first, second):
      program.tell()
      program.end()


def test_memory_is_grabbed_when_it_is_needed(cards):
  cards = cards()
  with cards.program(
    """
    import tensorflow as tf
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    size = tf.placeholder(tf.int32, [])
    with tf.device("/gpu:0"):
        total = tf.reduce_sum(tf.fill([size, 1024, 1024], 1.0))
    session = tf.Session(config=config)
    for megabytes in (4, 64):
        input()
        print(int(session.run(total, {size: megabytes // 4})), flush=True)
    input()
    """
  ) as program:
    program.tell()
    program.expect(str(1 << 20))
    at_first = cards.taken()
    assert 0 < at_first < cards.memory_bytes // 4
    program.tell()
    program.expect(str(16 << 20))
    assert at_first + 32 * (1 << 20) < cards.taken() < cards.memory_bytes * 3 // 4
    program.tell()
    program.end()
  assert cards.taken() == 0


def test_memory_once_grabbed_is_not_released_between_steps(cards):
  """It is kept for the next step; only a pool that stays empty for ten seconds gives it back."""
  cards = cards()
  with cards.program(GROWTH) as program:
    program.expect(SUM)
    held = cards.taken()
    assert 4 * (1 << 20) <= held < cards.memory_bytes // 4
    program.tell()
    program.end()


def test_two_growing_programs_share_a_card(cards):
  cards = cards()
  with cards.program(GROWTH) as first, cards.program(GROWTH) as second:
    for program in (first, second):
      program.expect(SUM)
    for program in (first, second):
      program.tell()
      program.end()


def test_options_of_later_sessions_have_no_effect_and_are_named_once(cards):
  cards = cards()
  out, log = cards.run("""
    import tensorflow as tf
    first = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4)))
    for _ in range(2):
        later = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))
        print([d.memory_limit_bytes for d in later.list_devices() if d.device_type == "GPU"]
              == [d.memory_limit_bytes for d in first.list_devices() if d.device_type == "GPU"])
    """)
  assert out == "True\nTrue\n"
  assert log.count("has no effect until all before it have ended") == 1, log


def test_a_session_without_gpus_takes_none(cards):
  cards = cards()
  with cards.program("""
    import tensorflow as tf
    session = tf.Session(config=tf.ConfigProto(device_count={"GPU": 0}))
    print([d.name for d in session.list_devices()], session.run(tf.constant(1.0) + 2), flush=True)
    input()
    """) as program:
    program.expect("['/job:localhost/replica:0/task:0/device:CPU:0'] 3.0")
    assert cards.taken() == 0
    program.tell()
    program.end()
