"""The stock MonitoredTrainingSession on servers of ours, while servers die and come back."""

import os
import pathlib
import re
import subprocess
import tempfile
import time

import pytest

import forked_python
import task_servers

tf = pytest.importorskip("tensorflow")

if not os.path.exists(task_servers.COMMAND):
  pytest.skip(f"{task_servers.COMMAND} is not built", allow_module_level=True)

PROGRAM = pathlib.Path(__file__).with_name("monitored_training.py")
PAUSE = 0.03
LONG_OUTAGE = pytest.param(20, marks=pytest.mark.long)


class Program:
  """One worker's training process, and what it printed."""

  def __init__(self, cluster, folder, task, **flags):
    self.output = folder / f"client{task}.log"
    spec = cluster.spec()
    flags = dict(
      ps_hosts=",".join(spec["ps"]),
      worker_hosts=",".join(spec["worker"]),
      task_index=task,
      pause=PAUSE,
      checkpoint_dir=folder / "checkpoints",
      **flags,
    )
    words = [PROGRAM, *(f"--{name}={value}" for name, value in flags.items())]
    with open(self.output, "ab") as output:
      self.process = forked_python.start(words, stdout=output, stderr=output)

  def text(self):
    return self.output.read_text(errors="replace")

  def steps(self, after=""):
    """Global steps printed so far, or those after the last place of some text."""
    return [int(n) for n in re.findall(r"^step (\d+) ", self.text().rpartition(after)[2] if after else self.text(), re.M)]

  def losses(self):
    return [float(n) for n in re.findall(r"^step \d+ loss ([\d.]+)", self.text(), re.M)]

  def await_step(self, step, seconds=120):
    def reached():
      assert self.process.poll() is None or self.process.returncode == 0, self.text()
      return max(self.steps(), default=-1) >= step

    task_servers.wait_for(reached, lambda: f"no step {step}:\n{self.text()[-4000:]}", seconds)

  def finish(self, seconds=150):
    try:
      assert self.process.wait(seconds) == 0, self.text()[-6000:]
    except subprocess.TimeoutExpired:
      pytest.fail(f"does not end:\n{self.text()[-6000:]}")
    assert self.text().endswith("done\n")

  def stop(self):
    if self.process.poll() is None:
      self.process.kill()
      self.process.wait()


class Training:
  """A cluster with a chief and, from its 10th step on, a second worker's process."""

  def __init__(self, kind, last_step=1000000, **flags):
    self.cluster = task_servers.Cluster({"ps": 2, "worker": 2}, kind=kind)
    self.programs = []
    self._folder = tempfile.TemporaryDirectory(prefix="millrace_")
    self.folder = pathlib.Path(self._folder.name)
    self.last_step = last_step
    self.flags = flags
    try:
      self.chief = self.start(0)
      self.chief.await_step(10)
      self.other = self.start(1)
    except BaseException:
      self.stop()
      raise

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.stop()

  def start(self, task):
    program = Program(self.cluster, self.folder, task, last_step=self.last_step, **self.flags)
    self.programs.append(program)
    return program

  def stop(self):
    for program in self.programs:
      program.stop()
    self.cluster.stop()
    self._folder.cleanup()

  def saved_step(self):
    path = tf.train.latest_checkpoint(str(self.folder / "checkpoints"))
    return int(path.rpartition("-")[2])

  def assert_goes_on(self, saved):
    """The chief went on from the newest checkpoint, of step `saved` or a later one, and both train; ends them."""

    def restored():
      assert self.chief.process.poll() is None, self.chief.text()
      return [int(n) for n in re.findall(r"Restoring parameters from \S+-(\d+)$", self.chief.text(), re.M)]

    task_servers.wait_for(restored, lambda: f"nothing is restored:\n{self.chief.text()[-4000:]}")
    task_servers.wait_for(
      lambda: len(self.chief.steps(after="Restoring parameters from")) >= 40,
      lambda: f"the chief does not train:\n{self.chief.text()[-4000:]}",
    )
    printed = len(self.other.steps())
    task_servers.wait_for(
      lambda: len(self.other.steps()) >= printed + 10, lambda: f"the other worker does not train:\n{self.other.text()[-4000:]}"
    )
    step = restored()[-1]
    for program in (self.other, self.chief):
      program.process.terminate()
      program.finish()
    assert saved <= step <= saved + 20, (saved, step)
    steps = self.chief.steps(after="Restoring parameters from")
    assert step <= steps[0] <= step + 20, (step, steps[:5])
    self.assert_saved(steps[-1])
    assert min(self.summary_steps()) < saved and max(self.summary_steps()) > step, self.summary_steps()

  def assert_saved(self, step):
    """The newest checkpoint is of this step, or of one that the other worker added while the chief saved; the loss fell."""
    path = tf.train.latest_checkpoint(str(self.folder / "checkpoints"))
    # What a step prints is the number before its own update, or the one behind it.
    latest = max(step, *self.other.steps()) + 2
    assert step <= self.saved_step() <= latest
    # The other worker may add one between the name and the values.
    assert self.saved_step() <= tf.train.load_checkpoint(path).get_tensor("global_step") <= latest
    losses = self.chief.losses()
    # The last quarter: the other worker may have made most of the steps.
    assert max(losses[-max(1, len(losses) // 4) :]) < losses[0] / 4

  def summary_steps(self):
    return [
      e.step
      for f in (self.folder / "checkpoints").glob("events.*")
      for e in tf.compat.v1.train.summary_iterator(str(f))
      if e.summary.value and e.summary.value[0].tag.startswith("loss")
    ]


@pytest.fixture(params=["millrace", pytest.param("stock", marks=pytest.mark.long)])
def kind(request):
  return request.param


def test_training_ends_at_its_last_step(kind):
  with Training(kind, last_step=120) as training:
    training.chief.finish()
    training.other.finish()
    assert 120 <= training.saved_step() <= 122  # each worker may add a step before it sees the last one
    training.assert_saved(120)
    assert len(training.summary_steps()) >= 5


@pytest.mark.parametrize("task", [1, pytest.param(0, marks=pytest.mark.long)])
@pytest.mark.parametrize("outage", [2, LONG_OUTAGE])
def test_a_killed_ps_comes_back(kind, outage, task):
  with Training(kind) as training:
    training.other.await_step(60)
    training.chief.await_step(100)
    training.cluster.kill("ps", task)
    saved = training.saved_step()
    time.sleep(outage)  # it is away for so long, whatever happens meanwhile
    training.cluster.start("ps", task)
    training.assert_goes_on(saved)


@pytest.mark.parametrize("outage", [2, LONG_OUTAGE])
def test_the_killed_worker_of_the_chief_comes_back(kind, outage):
  with Training(kind, operation_timeout_in_ms=120000) as training:
    training.other.await_step(60)
    training.chief.await_step(100)
    training.cluster.kill("worker", 0)
    saved = training.saved_step()
    printed = len(training.other.steps())
    time.sleep(outage)  # it is away for so long, whatever happens meanwhile
    # The other worker trains on.
    task_servers.wait_for(lambda: len(training.other.steps()) >= printed + 10, training.other.text)
    training.cluster.start("worker", 0)
    training.assert_goes_on(saved)
