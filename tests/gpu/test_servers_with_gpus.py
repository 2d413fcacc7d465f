"""What tf.train.Server(config=...) of TensorFlow's own package asks of GPUs, when its servers are ours; and the flags for it."""

import json
import os
import subprocess
import time

import pytest
from cards import COMMAND, LIMIT_S

# Two programs like this one share a card: each with a server of its own.
WITH_SERVER = """
    import sys
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    config = tf.ConfigProto()
    %s
    server = tf.train.Server.create_local_server(config=config)
    with tf.device("/gpu:0"):
        on_card = tf.reduce_sum(tf.fill([1024, 1024], 1.0))
    with tf.device("/cpu:0"):
        on_cpu = tf.reduce_sum(tf.fill([512, 1024], 1.0))
    with tf.Session(server.target) as session:
        for total in (on_card, on_cpu):
            try:
                print("%%.1f" %% session.run(total))
            except tf.errors.ResourceExhaustedError as error:
                print("OOM when allocating tensor with shape" in error.message)
        print("ran", flush=True)
        input()
        print(sorted(d.name.split("device:")[1] for d in session.list_devices()), flush=True)
    """
FRACTION = WITH_SERVER % "config.gpu_options.per_process_gpu_memory_fraction = 0.4"
GROWTH = WITH_SERVER % "config.gpu_options.allow_growth = True"
ON_CARD, ON_CPU = str(1024.0 * 1024), str(512.0 * 1024)


def expect_sums(program):
  for line in (ON_CARD, ON_CPU, "ran"):
    program.expect(line)


def end(program):
  program.tell()
  return program.end()


def test_two_servers_with_40_percent_share_a_card_and_a_third_keeps_its_cpu(cards):
  cards = cards()
  with cards.program_with_servers(FRACTION) as first, cards.program_with_servers(FRACTION) as second:
    expect_sums(first)
    expect_sums(second)
    assert 0.76 < cards.part_taken() <= 0.81
    with cards.program_with_servers(FRACTION) as third:
      for line in ("True", ON_CPU, "ran"):
        third.expect(line)
      out, log = end(third)
      assert "GPU:0" in out, out
      assert "failed to allocate" in log and "from device: CUDA_ERROR_OUT_OF_MEMORY" in log, log
    end(first)
    end(second)


def test_a_server_grows_with_what_it_needs(cards):
  cards = cards()
  with cards.program_with_servers(GROWTH) as program:
    expect_sums(program)
    assert 0 < cards.part_taken() < 0.25
    end(program)


def test_a_server_sees_what_its_config_names(cards):
  cards = cards(count=3)
  with cards.program_with_servers(WITH_SERVER % 'config.gpu_options.visible_device_list = "2,0"') as program:
    expect_sums(program)
    # Its first GPU is card 2, where the program's nodes are; nothing has used the second one yet.
    assert cards.taken(1) == cards.taken(0) == 0 < cards.taken(2)
    out, _ = end(program)
    assert out == "['CPU:0', 'GPU:0', 'GPU:1']\n"


def test_a_config_without_gpus(cards):
  cards = cards()
  with cards.program_with_servers(
    """
    import tensorflow.compat.v1 as tf
    server = tf.train.Server.create_local_server(config=tf.ConfigProto(device_count={"GPU": 0}))
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        print([d.name for d in session.list_devices()])
    """
  ) as program:
    out, _ = program.end()
    assert "GPU" not in out and cards.taken() == 0, out


def test_several_logical_gpus_on_one_card(cards):
  cards = cards()
  with cards.program_with_servers(
    """
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    config = tf.ConfigProto()
    card = config.gpu_options.experimental.virtual_devices.add()
    card.memory_limit_mb.extend([512, 256])
    server = tf.train.Server.create_local_server(config=config)
    totals = []
    for device in ("/gpu:0", "/gpu:1"):
        with tf.device(device):
            totals.append(tf.reduce_sum(tf.fill([1024], 1.0)))
    with tf.Session(server.target) as session:
        print([float(total) for total in session.run(totals)])
        print([d.memory_limit_bytes >> 20 for d in session.list_devices() if d.device_type == "GPU"])
    """
  ) as program:
    out, _ = program.end()
    assert out == "[1024.0, 1024.0]\n[512, 256]\n"


def test_gpu_options_of_a_session_to_a_server_are_named_once(cards):
  cards = cards()
  with cards.program_with_servers(
    """
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    server = tf.train.Server.create_local_server()
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4, allow_growth=True))
    for _ in range(2):
        with tf.Session(server.target, config=config) as session:
            session.run(tf.no_op())
    """
  ) as program:
    _, log = program.end()
  line = "sets gpu_options (per_process_gpu_memory_fraction, allow_growth), which has no effect on a server"
  assert log.count(line) == 1 and log.count("no effect on a server") == 1, log


class Server:
  """A `millrace server` of one task."""

  def __init__(self, cards, folder, *flags, job="worker"):
    self._port_file = os.path.join(str(folder), "port_%s" % job)
    words = [COMMAND, "server", "--cluster", job + "=127.0.0.1:0", "--port", "0", "--port_file", self._port_file, *flags]
    self._process = subprocess.Popen(
      words, env=cards.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )

  def __enter__(self):
    assert self._process.stdout.readline().startswith("grpc://"), self._process.stderr.read()
    return self

  def __exit__(self, *unused):
    if self._process.poll() is None:
      self._process.kill()
    self._process.communicate()

  def status(self, *options):
    with open(self._port_file, encoding="utf-8") as file:
      address = "127.0.0.1:" + file.read().strip()
    words = [COMMAND, "status", address, *options]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout

  def devices(self):
    """{"GPU:0": what the status says of it}"""
    return {device["name"].split("device:")[1]: device for device in json.loads(self.status("--json"))["devices"]}

  def stop(self):
    """Returns the log."""
    self._process.terminate()
    return self._process.communicate(timeout=LIMIT_S)[1]


def test_flags(cards, tmp_path):
  cards = cards(count=2)
  with Server(cards, tmp_path, "--gpu_memory_fraction", "0.4", "--visible_devices", "1,0") as server:
    devices = server.devices()
    assert set(devices) == {"CPU:0", "GPU:0", "GPU:1"}
    assert 0.38 < devices["GPU:0"]["memory_limit_bytes"] / cards.memory_bytes <= 0.41
    assert devices["GPU:0"]["description"].startswith("device: 1, name: Millrace stand-in 1, "), devices
    server.stop()
  with Server(cards, tmp_path, "--device_count", "GPU=1", "--gpu_allow_growth") as server:
    assert set(server.devices()) == {"CPU:0", "GPU:0"} and cards.taken() == 0
    server.stop()


def test_a_file_has_the_same_names(cards, tmp_path):
  cards = cards(count=2)
  path = tmp_path / "server.json"
  path.write_text(
    json.dumps({"device_count": {"GPU": 1}, "visible_devices": "1", "gpu_memory_fraction": 0.25, "gpu_allow_growth": True})
  )
  with Server(cards, tmp_path, "--config", str(path)) as server:
    devices = server.devices()
    assert set(devices) == {"CPU:0", "GPU:0"}
    assert 0.23 < devices["GPU:0"]["memory_limit_bytes"] / cards.memory_bytes <= 0.26
    server.stop()


def test_status_and_log_say_what_there_is(cards, tmp_path):
  cards = cards()
  with Server(cards, tmp_path) as server:
    text = server.status()
    assert "device /job:worker/replica:0/task:0/device:GPU:0: " in text and "compute capability: " in text, text
    log = server.stop()
  assert "device /job:worker/replica:0/task:0/device:GPU:0, up to " in log and "pci bus id: " in log, log


def test_a_ps_takes_no_gpu_unless_told(cards, tmp_path):
  cards = cards()
  with Server(cards, tmp_path, job="ps") as server:
    assert set(server.devices()) == {"CPU:0"} and cards.taken() == 0
    server.stop()
  with Server(cards, tmp_path, "--gpu_allow_growth", job="ps") as server:
    assert set(server.devices()) == {"CPU:0"}
    assert "a server of job ps takes no GPU" in server.stop()
  for told in (["--device_count", "GPU=1"], ["--visible_devices", "0"], ["--virtual_devices", "512"]):
    with Server(cards, tmp_path, *told, job="ps") as server:
      assert set(server.devices()) == {"CPU:0", "GPU:0"}, told
      server.stop()


@pytest.mark.parametrize(
  "flags, words",
  [
    (["--gpu_memory_fraction", "1.5"], "expected above 0 and at most 1"),
    (["--virtual_devices", "0"], "no sizes in MiB"),
    (["--virtual_devices", "12,x"], "no sizes in MiB"),
    (["--visible_devices", "7"], "visible_device"),
    (["--visible_devices", "0,0"], "visible_device"),
    (["--virtual_devices", "512", "--gpu_memory_fraction", "0.5"], "are set together"),
  ],
)
def test_what_does_not_fit_ends_the_command(cards, flags, words):
  cards = cards()
  ran = subprocess.run(
    [COMMAND, "server", "--cluster", "local", *flags],
    env=cards.environment(),
    capture_output=True,
    text=True,
    timeout=LIMIT_S,
    check=False,
  )
  assert ran.returncode != 0 and words in ran.stderr, ran.stderr


def test_a_server_without_the_libraries_is_as_fast_and_small(tmp_path):
  """Nothing of CUDA is linked, and nothing is loaded where there is nothing."""
  linked = subprocess.run(["ldd", COMMAND], capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout.lower()
  assert not [word for word in ("cuda", "nvrtc", "cublas", "cudnn", "nccl", "nvidia") if word in linked], linked
  empty = tmp_path / "empty"
  empty.mkdir()
  environment = dict(os.environ, MILLRACE_CUDA_LIBRARIES=str(empty))
  begin = time.monotonic()
  process = subprocess.Popen(
    [COMMAND, "server", "--cluster", "local"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
  )
  try:
    assert process.stdout.readline().startswith("grpc://")
    seconds = time.monotonic() - begin
    with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
      resident = [int(line.split()[1]) for line in file if line.startswith("VmRSS")][0]
    with open("/proc/%d/maps" % process.pid, encoding="utf-8") as file:
      assert "cuda" not in file.read().lower().replace(str(tmp_path).lower(), "")
    # The goals are 0.1 s and 30 MB for a release; this is the development build, maybe on a busy machine.
    assert seconds < 5 and resident < 120_000, (seconds, resident)
  finally:
    process.terminate()
    log = process.communicate(timeout=LIMIT_S)[1]
  assert "is not there" in log and "device:GPU" not in log, log
