"""`millrace run`: scripts written for tf.train.Server, unchanged, on servers of ours; their output is that of plain Python."""

import os
import signal
import subprocess
import sys

import pytest

import forked_python
import task_servers
from task_servers import COMMAND

pytestmark = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")

LIMIT_S = 180

# Two tasks of a cluster in one process, as small scripts do it.
TWO_TASKS = """
    import sys
    import tensorflow as tf
    tf1 = tf.compat.v1
    tf1.disable_eager_execution()
    cluster = tf.train.ClusterSpec({"ps": ["127.0.0.1:" + sys.argv[1]], "worker": ["127.0.0.1:" + sys.argv[2]]})
    ps = tf1.train.Server(cluster, job_name="ps", task_index=0)
    worker = tf.distribute.Server(cluster, "worker", 0)
    print(__name__, sys.argv[3:], worker.server_def.job_name, worker.server_def.protocol)
    print(worker.target == "grpc://127.0.0.1:" + sys.argv[2])
    with tf.device(tf1.train.replica_device_setter(cluster=cluster)):
        v = tf1.get_variable("v", initializer=[1.0, 2.0])
        doubled = v * 2
    with tf1.Session(worker.target) as session:
        session.run(tf1.global_variables_initializer())
        print(session.run([v.assign_add([1.0, 1.0]), doubled])[0].tolist(), v.device)
        print(sorted(d.name for d in session.list_devices() if "CPU" in d.name))
    """

LOCAL = """
    import tensorflow.compat.v1 as tf
    server = tf.train.Server.create_local_server(config=tf.ConfigProto(device_count={"CPU": 2}))
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        print([d.name for d in session.list_devices() if "CPU" in d.name])
        with tf.device("/cpu:1"):
            print(session.run(tf.constant([1, 2]) + 3).tolist())
    """

WRONG = """
    import tensorflow.compat.v1 as tf
    for arguments in [dict(job_name="chief", task_index=0), dict(job_name="ps", task_index=7)]:
        try:
            tf.train.Server({"ps": ["127.0.0.1:0"]}, **arguments)
            print("no error")
        except (tf.errors.OpError, ValueError) as e:
            print(type(e).__name__)
    try:
        tf.train.Server({"ps": ["127.0.0.1:0"], "worker": ["127.0.0.1:0"]})
    except ValueError as e:
        print(e)
    raise SystemExit(7)
    """


def start(*words, **options):
  return subprocess.Popen(list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def ours(script, *arguments, flags=(), **options):
  return start(COMMAND, "run", "--python", sys.executable, *flags, script, *arguments, **options)


def forked(script, *arguments, flags=()):
  """As `ours`, sooner: for what is not about signals and processes."""
  return forked_python.start_run(COMMAND, [*flags, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(process):
  out, err = process.communicate(timeout=LIMIT_S)
  return process.returncode, out, err


def free_ports(count):
  return [str(task_servers.free_port()) for _ in range(count)]


@pytest.mark.parametrize(
  "text,ports,arguments", [(TWO_TASKS, 2, ["--flag", "-x"]), (LOCAL, 0, []), (WRONG, 0, [])], ids=["two_tasks", "local", "wrong"]
)
def test_output_is_that_of_stock_servers(script, text, ports, arguments):
  path = script(text)
  run = ours if text is TWO_TASKS else forked
  runs = [
    run(path, *free_ports(ports), *arguments, flags=["--log_level=error", "--memory_limit", "2G"]),
    forked_python.start([path, *free_ports(ports), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE),
  ]
  (our_code, our_out, our_err), (code, out, err) = [result(run) for run in runs]
  assert our_out == out, our_err + err
  assert our_code == code, our_err
  assert out.count("\n") >= 2


def test_the_command_line_has_the_script_and_no_program(script):
  path = script("""
      with open("/proc/self/cmdline") as f:
          print(*f.read().split("\\0"), sep="\\n")
      """)
  code, out, err = result(ours(path, "--steps", "3", flags=["--log_level=error"]))
  assert code == 0, err
  assert path + "\n--steps\n3\n" in out
  assert "tf.train.Server" not in out and len(out) < 1000 + len(path) + len(COMMAND) + len(sys.executable), out


def test_a_wrong_place_is_said_in_tensorflows_words(script):
  """Up to its first sentence. Nothing speaks of a variable of the environment that the script knows nothing of."""
  path = script("""
      import tensorflow.compat.v1 as tf
      here = "127.0.0.1:0"
      for cluster, place in [({"ps": [here]}, ("chief", 0)), ({"ps": [here]}, ("ps", 7)), ({"ps": ["localhost"]}, ("ps", 0)),
                             ({"ps": ["localhost:none"]}, ("ps", 0)), ({"ps": [here, "localhost"]}, ("ps", 0))]:
          try:
              tf.train.Server(cluster, *place)
          except tf.errors.OpError as e:
              known = "host-port pair" not in e.message and not e.message.startswith("Invalid cluster")
              print(type(e).__name__, e.message.split(". ")[0].rstrip(".") if known else "", "TF_CONFIG" in e.message)
      """)
  runs = [forked(path, flags=["--log_level=error"]), forked_python.start([path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)]
  (our_code, our_out, our_err), (code, out, err) = [result(run) for run in runs]
  assert our_out == out and our_code == code == 0, our_err + err
  assert out.count("\n") == 5 and out.startswith('InternalError Job "chief" was not defined in cluster False\n'), out


def test_a_taken_port_is_an_error_that_says_so(script):
  path = script("""
      import tensorflow.compat.v1 as tf
      first = tf.train.Server({"local": ["127.0.0.1:0"]})
      address = first.target[len("grpc://"):]
      try:
          tf.train.Server({"local": [address]})
      except tf.errors.UnknownError as e:
          print(e.message)
      """)
  code, out, err = result(forked(path, flags=["--log_level=error"]))
  assert code == 0, err
  assert out.startswith("Could not start gRPC server") and "in use" in out, out + err


def test_a_server_stops_and_starts_again(script):
  path = script("""
      import threading
      import tensorflow.compat.v1 as tf
      server = tf.train.Server({"local": ["127.0.0.1:0"]}, start=False)
      try:
          server.target
      except tf.errors.FailedPreconditionError as e:
          print("not started")
      for _ in range(2):
          server.start()
          with tf.Graph().as_default(), tf.Session(server.target) as session:
              print(session.run(tf.constant(1)))
          joined = threading.Thread(target=server.join)
          joined.start()
          server.stop()
          joined.join()
      print("joined")
      """)
  code, out, err = result(forked(path, flags=["--log_level=error"]))
  assert (code, out) == (0, "not started\n1\n1\njoined\n"), err


def test_flags_win_over_the_scripts_config(script):
  path = script("""
      import tensorflow.compat.v1 as tf
      config = tf.ConfigProto(device_count={"CPU": 3}, inter_op_parallelism_threads=2, allow_soft_placement=True)
      server = tf.train.Server({"local": ["127.0.0.1:0"]}, config=config)
      with tf.Session(server.target) as session:
          print(sum("CPU" in d.name for d in session.list_devices()))
      """)
  code, out, err = result(forked(path, flags=["--log_level=error", "--device_count", "CPU=2", "--inter_op_threads=1"]))
  assert (code, out) == (0, "2\n"), err
  assert err.count("has no use for allow_soft_placement") == 1, err


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_servers_end_with_the_script(script, end):
  path = script("""
      import tensorflow.compat.v1 as tf
      server = tf.train.Server({"local": ["127.0.0.1:0"]})
      print(server._child.process.pid, flush=True)
      server.join()
      """)
  process = ours(path)
  pid = int(process.stdout.readline())
  os.kill(pid, 0)
  process.send_signal(end)
  process.communicate(timeout=LIMIT_S)
  task_servers.wait_for(lambda: task_servers.is_gone(pid), f"the server {pid} still runs", 10)


def test_a_server_that_dies_is_an_error_of_join(script):
  path = script("""
      import tensorflow.compat.v1 as tf
      server = tf.train.Server({"local": ["127.0.0.1:0"]})
      print(server._child.process.pid, flush=True)
      server.join()
      """)
  process = ours(path)
  os.kill(int(process.stdout.readline()), signal.SIGKILL)
  code, _, err = result(process)
  assert code == 1 and "was ended by signal 9" in err, err


def test_the_script_may_save_after_an_interrupt(script):
  """A terminal sends Ctrl-C to all processes of its foreground."""
  path = script("""
      import time
      import tensorflow.compat.v1 as tf
      server = tf.train.Server({"local": ["127.0.0.1:0"]})
      tf.disable_eager_execution()
      value = tf.constant(7)
      with tf.Session(server.target) as session:
          try:
              print("trains", session.run(value), flush=True)
              while True:
                  time.sleep(0.01)  # it trains until Ctrl-C
          except KeyboardInterrupt:
              print("saves", session.run(value), flush=True)
      """)
  process = ours(path, start_new_session=True)
  assert process.stdout.readline() == "trains 7\n"
  os.killpg(process.pid, signal.SIGINT)
  code, out, err = result(process)
  assert (code, out) == (0, "saves 7\n"), err


def test_a_script_may_join_all_threads(script):
  path = script("""
      import threading
      import tensorflow.compat.v1 as tf
      server = tf.train.Server.create_local_server()
      with tf.Graph().as_default(), tf.Session(server.target) as session:
          print(session.run(tf.constant(1)))
      for thread in threading.enumerate():
          if thread is not threading.main_thread():
              thread.join()
      print("end", threading.active_count())
      """)
  code, out, err = result(ours(path))
  assert (code, out) == (0, "1\nend 1\n"), err


def test_a_second_interrupt_ends_a_step_that_waits(script):
  path = script("""
      import tensorflow.compat.v1 as tf
      server = tf.train.Server({"local": ["127.0.0.1:0"]})
      tf.disable_eager_execution()
      taken = tf.FIFOQueue(1, tf.int32).dequeue()
      with tf.Session(server.target) as session:
          session.run(tf.constant(1))
          print(server.target, flush=True)
          session.run(taken)
      """)
  process = ours(path, start_new_session=True)
  address = process.stdout.readline().strip()[len("grpc://") :]

  def waits():
    status = subprocess.run([COMMAND, "status", address, "--json"], capture_output=True, text=True)
    return '"running_steps":1' in status.stdout.replace(" ", "")

  task_servers.wait_for(waits, "the step does not wait")
  for _ in range(2):
    os.killpg(process.pid, signal.SIGINT)
    # Two that are pending at once are one.
    task_servers.wait_for(lambda: not task_servers.is_pending(process.pid, signal.SIGINT), "the script takes no interrupt")
  code, _, err = result(process)
  assert code != 0, err


# Interrupts go to a forked process alone, as often as would stop the servers.
FORKS = """
    import multiprocessing
    import os
    import signal

    def child(pipe):
        interrupts = []

        def interrupted(*unused):
            interrupts.append(1)
            pipe.send(len(interrupts))

        signal.signal(signal.SIGINT, interrupted)
        pipe.send(signal.set_wakeup_fd(-1))
        pipe.recv()  # until there were enough

    pipe, its = multiprocessing.Pipe()
    forked = multiprocessing.get_context("fork").Process(target=child, args=[its])
    forked.start()
    print("wakes", pipe.recv())
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    server = tf.train.Server({"local": ["127.0.0.1:0"]})
    for _ in range(3):
        os.kill(forked.pid, signal.SIGINT)
        pipe.recv()
    pipe.send("enough")
    forked.join()
    with tf.Session(server.target) as session:
        print("runs", session.run(tf.constant(7)), server._child.stopped)
    """


def test_interrupts_of_forked_processes_are_theirs(script):
  code, out, err = result(ours(script(FORKS), flags=["--log_level=error"]))
  assert (code, out) == (0, "wakes -1\nruns 7 False\n"), err


def test_what_lies_in_the_current_folder_is_not_imported(script, tmp_path):
  here = tmp_path / "here"
  here.mkdir()
  (here / "json.py").write_text("print('wrong json')\n")
  path = script("print('ok')")
  code, out, err = result(ours(path, cwd=here))
  assert (code, out) == (0, "ok\n"), err


def test_an_option_for_devices_takes_one_value(script):
  """What follows it is the script."""
  path = script("""
    import sys
    import tensorflow as tf
    tf = tf.compat.v1
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        print(len([d for d in session.list_devices() if d.device_type == "CPU"]), sys.argv[1:])
    """)
  for words in (["--device_count", "CPU=3"], ["--device_count", "CPU=2", "--device_count", "CPU=3"], ["--device_count=CPU=3"]):
    code, out, err = result(forked(path, "CPU=9", flags=["--log_level=error", *words]))
    assert (code, out) == (0, "3 ['CPU=9']\n"), (words, err)


@pytest.mark.parametrize(
  "words,expected",
  [
    ([], "the script is missing"),
    (["--python", "no_such_python", "x.py"], "cannot run 'no_such_python': No such file or directory"),
    (["--memry_limit=2G", "x.py"], "did you mean --memory_limit?"),
    (["--python", sys.executable, "no_such_script.py"], "there is no script 'no_such_script.py'"),
  ],
)
def test_usage(words, expected):
  code, out, err = result(start(COMMAND, "run", *words))
  assert code in (1, 2) and expected in err and not out, err
