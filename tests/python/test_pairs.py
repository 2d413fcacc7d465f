"""Every program of pairs/ and pairs/libraries/ does the same by `tensorflow.compat.v1` and by `millrace`: see pair_runner.py."""

import glob
import os

import pair_runner
import pytest

FILES = sorted(glob.glob(os.path.join(pair_runner.PAIRS, "**", "*.py"), recursive=True))


@pytest.fixture(scope="module")
def all_run():
  pair_runner.run_all(FILES)


@pytest.mark.parametrize("path", FILES, ids=[os.path.relpath(path, pair_runner.PAIRS) for path in FILES])
def test_programs_agree(path, all_run, record_property):
  differences = ["%s:%s\n%s" % (os.path.basename(path), name, text) for name, text in pair_runner.compare_file(path) if text]
  assert not differences, "%d programs differ\n\n%s" % (len(differences), "\n\n".join(differences))
