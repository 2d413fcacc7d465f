"""Over which TensorFlow millrace.parallel works, and what importing it loads."""

import package
import pytest
from millrace import parallel
from millrace.parallel import tensorflow_in_use

# Stands for the stock client, which takes seconds to import.
STAND_IN = """
import sys, types
for name in ("tensorflow", "tensorflow.compat", "tensorflow.compat.v1"):
  sys.modules[name] = types.ModuleType(name)
sys.modules["tensorflow"].compat = sys.modules["tensorflow.compat"]
sys.modules["tensorflow.compat"].v1 = stock = sys.modules["tensorflow.compat.v1"]
"""


def test_importing_it_loads_nothing_else():
  said = package.said(
    """
import sys
from millrace import parallel
loaded = sorted(name for name in sys.modules if name.startswith(("millrace", "tensorflow", "numpy")))
print(*loaded)
assert "split_dense" in dir(parallel) and "split_dense" in parallel.__all__
print(*(name for name in sys.modules if name.startswith("millrace.parallel.")))
"""
  )
  loaded, below = said.split("\n")[:2]
  api = {
    "millrace",
    "millrace.api",
    "millrace.api.modules",
    "millrace.api.stand_ins",
    "millrace.api.tables",
    "millrace.compat.v1",
  }
  assert set(loaded.split()) <= {*api, "millrace.parallel"}
  assert below == ""


def test_the_client_that_the_program_has_imported():
  for before, expected in [("", "millrace"), ("import millrace", "millrace"), (STAND_IN, "tensorflow.compat.v1")]:
    said = package.said(before + "\nfrom millrace import parallel\nprint(parallel.tf().__name__)")
    assert said.strip() == expected


def test_under_millrace_python_it_is_millrace(tmp_path):
  text = (
    "import tensorflow.compat.v1 as tf\nfrom millrace import parallel\nassert parallel.tf() is tf, parallel.tf()\nprint('so')"
  )
  ran = package.script(tmp_path, text)
  assert ran.returncode == 0 and ran.stdout == "so\n", ran.stderr


def test_what_was_told(tf):
  assert tensorflow_in_use.tf() is tf is parallel.tf()
  with pytest.raises(TypeError, match="parallel.use: "):
    parallel.use(pytest)


def test_names_of_modules_do_not_hide_functions():
  from millrace.parallel import pipeline

  import millrace.parallel.pipeline  # noqa: F401

  assert callable(pipeline) and parallel.pipeline is pipeline
  assert callable(parallel.split_dense) and callable(parallel.split_conv2d)
  with pytest.raises(AttributeError, match="'no_such'; it has AsyncReplicasHook, "):
    parallel.no_such


def test_classes_derive_from_those_of_the_client(tf):
  """They are the same classes whichever it is, and may be derived from."""

  class Own(parallel.AsyncReplicasOptimizer):
    pass

  for made in (parallel.AsyncReplicasOptimizer, Own):
    optimizer = made(tf.train.GradientDescentOptimizer(0.1))
    assert isinstance(optimizer, tf.train.Optimizer) and isinstance(optimizer, made)
    assert optimizer.get_name() == "async_replicas"
