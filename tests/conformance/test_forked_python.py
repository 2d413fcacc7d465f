"""forked_python: programs see what they would see when Python starts them."""

import signal
import subprocess
import sys

import pytest

import forked_python

pytest.importorskip("tensorflow")

LIMIT_S = 60

SEEN = """
    import os
    import sys
    import tensorflow as tf
    print(__name__, sys.argv, sys.path[0], os.getcwd(), os.environ["MILLRACE_SEEN"], sys.modules["__main__"].__name__)
    print(tf.constant(3) + 4, repr(sys.stdin.read()))
    print("aside", file=sys.stderr)
    raise SystemExit(7)
    """


def test_a_program_sees_the_same(script, tmp_path, monkeypatch):
  path = script(SEEN)
  monkeypatch.setenv("MILLRACE_SEEN", "yes")
  monkeypatch.chdir(tmp_path)
  forked = forked_python.start([path, "--flag", "a b"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
  out, err = forked.communicate(LIMIT_S)
  plain = subprocess.run(
    [sys.executable, path, "--flag", "a b"],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    text=True,
    timeout=LIMIT_S,
    check=False,
  )
  assert (forked.returncode, out) == (plain.returncode, plain.stdout), err
  # Before it stands what TensorFlow says while it is imported, at times.
  assert err.splitlines()[-1] == plain.stderr.splitlines()[-1] == "aside"


def test_input_and_output_are_pipes():
  text = "import sys\nfor line in sys.stdin: print(sys.argv[1] + line, end='', flush=True)"
  process = forked_python.start(["-c", text, "> "], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
  process.stdin.write("one\n")
  assert process.stdout.readline() == "> one\n"
  assert process.poll() is None
  assert process.communicate(LIMIT_S) == ("", None)
  assert process.returncode == 0


def test_signals_and_limits():
  process = forked_python.start(["-c", "import signal\nsignal.pause()"])
  with pytest.raises(subprocess.TimeoutExpired):
    process.wait(0.01)
  process.terminate()
  assert process.wait(LIMIT_S) == -signal.SIGTERM
  process.kill()  # it has ended, and whoever has its number now is not meant
  assert process.poll() == -signal.SIGTERM


def test_an_error_is_told():
  process = forked_python.start(["-c", "1 / 0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
  out, err = process.communicate(LIMIT_S)
  assert (process.returncode, out) == (1, "")
  assert err.endswith("ZeroDivisionError: division by zero\n"), err


def test_two_have_files_of_their_own(tmp_path):
  paths = [tmp_path / name for name in "ab"]
  for path in paths:
    with open(path, "w") as file:
      assert forked_python.start(["-c", "import sys; print(sys.argv[1])", path.name], stdout=file).wait(LIMIT_S) == 0
  assert [path.read_text() for path in paths] == ["a\n", "b\n"]
