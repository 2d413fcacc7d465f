"""Each call of the driver and of the run-time compiler fails at each of its places: the process goes on and ends, a step whose call
failed says so with the driver's error, and no value is wrong."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

BUILD = os.environ.get("MILLRACE_BUILD", "build/dev")
PROGRAM = os.path.join(BUILD, "tests", "gpu_steps")
SECONDS = 60
MOST_PLACES = 12  # of one call: the first ones
# The driver's numbers: unknown, and one after which the context gives it for ever. Memory runs out.
CODES = {"cuMemAlloc_v2": (2, 999), "cuMemHostAlloc": (2,), "kernel": (700, 719)}
OTHERS = (999, 719)
# Codes of steps that say whose fault it was.
ALLOWED = ("INTERNAL", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "FAILED_PRECONDITION")


def run(folder, **more):
  env = dict(
    os.environ,
    MILLRACE_CUDA_LIBRARIES=os.path.abspath(os.path.join(BUILD, "tests", "gpu_standin")),
    MILLRACE_STANDIN_GPUS="2",
    MILLRACE_STANDIN_STRICT="1",
    MILLRACE_GPU_CACHE=str(folder),
    **more,
  )
  env.pop("CUDA_VISIBLE_DEVICES", None)
  done = subprocess.run([PROGRAM], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
  return done.returncode, done.stdout, done.stderr


def said(out, word):
  return [line[len(word) + 1 :] for line in out.splitlines() if line.startswith(word + " ")]


def counts(out):
  return {line.split()[0]: int(line.split()[1]) for line in said(out, "count")}


def problem(symbol, place, code, folder):
  """What is wrong if the call fails there; None if nothing is."""
  failure = "%s:%d=%d" % (symbol, place, code)
  try:
    returned, out, err = run(folder, MILLRACE_STANDIN_FAIL=failure)
  except subprocess.TimeoutExpired:
    return "%s: hangs" % failure
  if returned != 0:
    return "%s: ended with %d\n%s%s" % (failure, returned, out, err)
  for line in said(out, "step"):
    if line != "OK" and not line.startswith(ALLOWED):
      return "%s: a step says %s" % (failure, line)
    if "WRONG" in line:
      return "%s: wrong values: %s" % (failure, line)
  if any(line != "OK" for line in said(out, "cpu")):
    return "%s: the CPU does not go on: %s" % (failure, out)
  return None


def test_nothing_fails_by_itself(tmp_path):
  returned, out, err = run(tmp_path)
  assert returned == 0, err
  assert said(out, "number") == ["3"]
  assert said(out, "step") == ["OK"] * 4, out
  assert said(out, "cpu") == ["OK", "OK"]


def test_each_call_at_each_place(tmp_path, record_property):
  run(tmp_path)  # what is compiled once
  _, out, _ = run(tmp_path)
  jobs = [
    (symbol, place, code)
    for symbol, count in counts(out).items()
    for place in range(1, min(count, MOST_PLACES) + 1)
    for code in CODES.get(symbol, OTHERS)
  ]
  assert len(jobs) > 50
  with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
    found = [p for p in pool.map(lambda job: problem(*job, tmp_path), jobs) if p]
  record_property("summary", "%d failures of calls" % len(jobs))
  assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("symbol", ["nvrtcCompileProgram", "nvrtcCreateProgram", "nvrtcGetCUBIN"])
def test_a_compiler_that_fails_ends_the_step(tmp_path, symbol):
  """The first time it compiles what the cards are asked with when they are opened."""
  returned, out, _ = run(tmp_path, MILLRACE_STANDIN_FAIL="%s:2-=6" % symbol)
  assert returned == 0
  assert said(out, "number") == ["3"], out
  assert said(out, "step")[-1].startswith(ALLOWED), out
  assert said(out, "cpu")[-1] == "OK"


@pytest.mark.parametrize("failure", ["nvrtcCompileProgram:1-=6", "cuModuleLoadDataEx:1-=222"])
def test_cards_that_run_nothing_that_is_compiled_are_left_out(tmp_path, failure):
  returned, out, err = run(tmp_path, MILLRACE_STANDIN_FAIL=failure)
  assert returned == 0
  assert said(out, "number") == ["1"], out
  assert said(out, "step") == ["OK"] * 4, out  # the CPU does the work
  for card in (0, 1):
    line = "GPU:%d is not there, since card %d cannot be used: kernels cannot be loaded there: " % (card, card)
    assert err.count(line) == 1, err
