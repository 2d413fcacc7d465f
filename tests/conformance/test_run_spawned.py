"""`millrace run`: processes that multiprocessing starts anew have the script's servers, Millrace's, as forked ones do."""

import os
import subprocess
import sys

import pytest

import task_servers
from task_servers import COMMAND

pytestmark = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")

LIMIT_S = 300

# A server in a process, and one in a process of that one. Whose it is, `millrace status` knows: stock does not answer it.
NESTED = """
    import multiprocessing
    import subprocess
    import sys

    def serve(depth, answers):
        import tensorflow as tf
        tf1 = tf.compat.v1
        server = tf1.train.Server({"local": ["127.0.0.1:0"]})
        address = server.target[len("grpc://"):]
        status = subprocess.run([sys.argv[2], "status", address], capture_output=True)
        with tf.Graph().as_default(), tf1.Session(server.target) as session:
            answers.put((depth, int(session.run(tf.constant(depth) + 1)), status.returncode == 0, __name__))
        if depth < 2:
            start(depth + 1, answers)

    def start(depth, answers):
        process = context.Process(target=serve, args=(depth, answers))
        process.start()
        process.join()

    context = multiprocessing.get_context(sys.argv[1])
    if __name__ == "__main__":
        answers = context.Queue()
        start(1, answers)
        for _ in range(2):
            print(*answers.get(timeout=200), flush=True)
    """


def run(words, **options):
  done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL, **options)
  return done.returncode, done.stdout, done.stderr


def ours(path, *arguments, **options):
  return run([COMMAND, "run", "--python", sys.executable, "--log_level=error", path, *arguments], **options)


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.long)])
def test_servers_of_spawned_processes_are_ours(script, method):
  path = script(NESTED)
  command = os.path.abspath(COMMAND)
  code, out, err = ours(path, method, command)
  assert (code, out) == (0, "1 2 True __mp_main__\n2 3 True __mp_main__\n"), err
  code, out, err = run([sys.executable, path, method, command])
  assert (code, out) == (0, "1 2 False __mp_main__\n2 3 False __mp_main__\n"), err


def test_flags_reach_spawned_processes(script):
  path = script("""
      import concurrent.futures
      import multiprocessing

      def cpus():
          import tensorflow.compat.v1 as tf
          server = tf.train.Server({"local": ["127.0.0.1:0"]})
          with tf.Session(server.target) as session:
              return sum("CPU" in d.name for d in session.list_devices())

      if __name__ == "__main__":
          spawn = multiprocessing.get_context("spawn")
          with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
              print(pool.submit(cpus).result())
      """)
  code, out, err = run([COMMAND, "run", "--python", sys.executable, "--device_count", "CPU=3", "--log_level=error", path])
  assert (code, out) == (0, "3\n"), err


def test_servers_end_with_the_spawned_process(script):
  path = script("""
      import multiprocessing
      import os
      import signal

      def serve(answers):
          import tensorflow.compat.v1 as tf
          server = tf.train.Server({"local": ["127.0.0.1:0"]})
          answers.send(server._child.process.pid)
          server.join()

      if __name__ == "__main__":
          spawn = multiprocessing.get_context("spawn")
          here, there = spawn.Pipe()
          process = spawn.Process(target=serve, args=(there,))
          process.start()
          print(here.recv(), flush=True)
          os.kill(process.pid, signal.SIGKILL)
          process.join()
          input()
      """)
  process = subprocess.Popen(
    [COMMAND, "run", "--python", sys.executable, path],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
  )
  pid = int(process.stdout.readline())
  task_servers.wait_for(lambda: task_servers.is_gone(pid), f"the server {pid} still runs", 10)
  _, err = process.communicate("\n", timeout=LIMIT_S)
  assert process.returncode == 0, err


def test_what_lies_in_the_current_folder_is_not_imported(script, tmp_path):
  here = tmp_path / "here"
  here.mkdir()
  (here / "json.py").write_text("print('wrong json', flush=True)\n")
  path = script("""
      import multiprocessing

      def greet():
          print("hello", flush=True)

      if __name__ == "__main__":
          process = multiprocessing.get_context("spawn").Process(target=greet)
          process.start()
          process.join()
          print(process.exitcode)
      """)
  assert ours(path, cwd=here) == run([sys.executable, path], cwd=here) == (0, "hello\n0\n", "")


def test_other_programs_are_left_alone(script):
  """Python programs that the script starts are none of it: `millrace run` goes before those that shall have servers of ours."""
  path = script("""
      import os
      import subprocess
      import sys
      code = "import os, sys; print(sys.path[1:], [type(f) for f in sys.meta_path], sorted(os.environ), len(sys.argv))"
      print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
      """)
  first, second = ours(path), run([sys.executable, path])
  assert first == second and first[0] == 0
