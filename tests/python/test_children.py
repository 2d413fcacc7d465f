"""Processes that a program under `millrace python` starts: the same Python has `tensorflow` too, others are left as they are."""

import os
import subprocess
import sys

import package
import pytest

# Starts Python with a program's text and options, and shows what that prints.
STARTS = """
import os, subprocess, sys
import tensorflow as tf
def start(text, *options, python=sys.executable, **kwargs):
  ran = subprocess.run([python, *options, "-c", text], capture_output=True, text=True, **kwargs)
  print((ran.stdout + ran.stderr).strip())
"""
# What shows whether a process has anything of this package.
STATE = (
  "import os, sys; print(any(type(one).__name__ == '_Finder' for one in sys.meta_path), 'millrace' in sys.modules, "
  "any('in_children' in one for one in sys.path), 'sitecustomize' in sys.modules)"
)


def has_sitecustomize():
  """Whether this Python has one of its own, as Debian's, in the words of STATE."""
  return package.python("-c", STATE).stdout.split()[-1]


def lines(tmp_path, text, **kwargs):
  ran = package.script(tmp_path, STARTS + text, **kwargs)
  assert ran.returncode == 0, ran.stderr
  return ran.stdout.splitlines()


def test_children_have_the_package(tmp_path):
  child = "import tensorflow as tf, millrace; print(tf is millrace, tf.__version__, tf.Session().run(tf.constant(3)))"
  internal = "from tensorflow.python.framework import ops; import millrace as tf; print(ops.Tensor is tf.Tensor, tf.__version__)"
  said = lines(
    tmp_path,
    f"""
start({child!r})
start({internal!r})
start("import subprocess, sys; subprocess.call([sys.executable, '-c', {child!r}])")
start("import millrace; millrace.install(); " + {child!r})
start({child!r}, "-s")
os.system(sys.executable + " script.py child") if len(sys.argv) == 1 else print(tf.__version__)
""".replace("start(", "len(sys.argv) == 1 and start("),
  )
  assert said == ["True 1.15.0 3", "True 1.15.0", "True 1.15.0 3", "True 1.15.0 3", "True 1.15.0 3", "1.15.0"]


def test_children_have_the_version(tmp_path):
  text = "import tensorflow as tf; print(tf.__version__, tf.split(1, 2, tf.ones([1, 2]))[0].shape, tf.python is not None)"
  assert lines(tmp_path, f"start({text!r})\n", options=("--tf", "0.12")) == ["0.12.1 (1, 1) True"]
  newer = f"import millrace; millrace.install('1.15'); {text.split(';')[0]}; print(tf.__version__)"
  assert lines(tmp_path, f"start({newer!r})\n", options=("--tf", "0.12")) == ["1.15.0"]


def test_nothing_is_imported_before_it_is_asked_for(tmp_path):
  assert lines(tmp_path, f"start({STATE!r})\n") == ["True False False " + has_sitecustomize()]


def test_options_that_keep_python_apart(tmp_path):
  said = lines(tmp_path, f"start({STATE!r}, '-E')\nstart({STATE!r}, '-I')\nstart({STATE!r}, '-S')\n")
  assert [line.split()[:2] for line in said] == [["False", "False"]] * 3


def test_the_next_sitecustomize_runs(tmp_path):
  folder = tmp_path / "own"
  folder.mkdir()
  (folder / "sitecustomize.py").write_text("import sys\nOWN = 5\nprint('own', [p for p in sys.path if 'in_children' in p])\n")
  text = "import sitecustomize, tensorflow as tf; print(sitecustomize.OWN, tf.__version__)"
  begin = f"os.environ['PYTHONPATH'] += os.pathsep + {str(folder)!r}\n"
  assert lines(tmp_path, f"{begin}start({text!r})\n") == ["own []", "5 1.15.0"]
  (folder / "sitecustomize.py").write_text("import absent_module\n")
  said = lines(tmp_path, f"{begin}start({STATE!r})\n")
  assert said[0] == "True False False False" and any("absent_module" in line for line in said)


def test_other_pythons_are_left_alone(tmp_path):
  other = tmp_path / "venv"
  subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(other)], check=True)
  python = str(other / "bin" / "python")
  absent = "import tensorflow"
  said = lines(tmp_path, f"start({STATE!r}, python={python!r})\nstart({absent!r}, python={python!r})\n")
  untouched = "False False False " + has_sitecustomize()
  assert said[0] == untouched and said[-1] == "ModuleNotFoundError: No module named 'tensorflow'"
  gone = lines(tmp_path, f"os.environ['MILLRACE_CHILDREN'] += 'gone'\nstart({STATE!r})\n")
  without = lines(tmp_path, f"del os.environ['MILLRACE_CHILDREN']\nstart({STATE!r})\n")
  older = lines(tmp_path, f"os.environ['MILLRACE_CHILDREN'] = '1.15:cpython-27:/usr:/usr'\nstart({STATE!r})\n")
  assert gone == without == older == [untouched]


@pytest.mark.parametrize("asked", [False, True])
def test_install_leaves_children_alone_unless_asked(asked):
  text = f"import subprocess, sys, millrace\nmillrace.install({'children=True' if asked else ''})\n"
  text += f"subprocess.call([sys.executable, '-c', {STATE!r}])\n"
  assert package.said(text).split()[0] == str(asked)


def test_python_without_this_syntax_can_read_it():
  path = os.path.join(package.pair_runner.package_folder(), "millrace", "scripts", "in_children", "sitecustomize.py")
  with open(path, encoding="utf-8") as file:
    text = file.read()
  # Python 2 and the first versions of 3 have neither formatted texts nor annotations.
  assert "f'" not in text and 'f"' not in text and "->" not in text and "nonlocal" not in text
  assert text.isascii()
