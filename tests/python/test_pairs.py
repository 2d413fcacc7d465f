"""Every program of pairs/ and pairs/libraries/ does the same by `tensorflow.compat.v1` and by `millrace`: see pair_runner.py.

What they call makes the figures of coverage_of_api.py.
"""

import glob
import json
import os

import coverage_of_api
import package
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


FIGURES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import coverage_of_api
import millrace as tf
areas, _ = coverage_of_api.count(tf, coverage_of_api.Coverage(tf, True))
print(json.dumps(areas))
"""


def test_figures_of_the_api(all_run, record_property):
  """Each is a note of the test run; what is missing is printed by coverage_of_api.py --missing. Calls count in programs that agree.

  In a process of its own: what other tests have imported, such as absl's flags, changes the package.
  """
  ran = package.python("-c", FIGURES, os.path.dirname(os.path.abspath(__file__)), timeout=600)
  assert ran.returncode == 0, ran.stderr
  areas = json.loads(ran.stdout)
  keys = ("present", "signature", "parameters", "present_other", "called", "present_member")
  for key in keys:
    part = sum(figures.get(key, (0, 0))[0] for figures in areas.values())
    of = sum(figures.get(key, (0, 0))[1] for figures in areas.values())
    record_property("summary", "%s: %s" % (key, coverage_of_api.percent(part, of)))
    assert part == of > 0, "coverage_of_api.py --missing names %d" % (of - part)
