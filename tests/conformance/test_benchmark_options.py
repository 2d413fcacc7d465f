"""benchmarks/protocol/bench.py: a wrong word comes with the nearest one of its subcommand."""

import os
import subprocess
import sys

import pytest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "protocol", "bench.py")


@pytest.mark.parametrize(
  "words, expected",
  [
    (["rum"], "did you mean run?"),
    (["run", "--severs=stock"], "bench.py run: error: unrecognized arguments: --severs=stock; did you mean --servers?"),
    (["run", "--a", "stock"], "unrecognized arguments: --a stock"),
    (["run", "--cases", "null_step,nul_step"], "there is no case nul_step; did you mean null_step?"),
    (["turns", "--b", "x"], "the following arguments are required: --cases"),
    (["turns", "--b", "x", "--cases", "startup"], "startup starts servers of its own, which take no turns"),
    (["turns", "--b", "x", "--cases", "mnist_async"], "mnist_async has no calls that are timed one by one"),
    (["turns", "--b", "x", "--cases", "kernels", "--rows", "("], "--rows: ( is no regular expression"),
    (["suite", "--b", "x"], "the following arguments are required: --out"),
    (["against", "--b", "x"], "the following arguments are required: --a"),
  ],
)
def test_wrong_words_suggest(words, expected):
  done = subprocess.run([sys.executable, BENCH, *words], capture_output=True, text=True, check=False)
  assert done.returncode == 2 and expected in done.stderr and not done.stdout, done.stderr
