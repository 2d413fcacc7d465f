"""The demo: a short training on processes, and what stock TensorFlow reads of its files."""

import fcntl
import glob
import os
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest

import task_servers

BUILD = os.environ.get("MILLRACE_BUILD", "build/dev")
DEMO = os.path.join(BUILD, "examples", "demo")
DATA = os.environ.get("FASHION_MNIST_DIR", "/usr/share/datasets/fashion-mnist")
SHAPES = {
  "hidden1/weights": [784, 300],
  "hidden1/biases": [300],
  "hidden2/weights": [300, 100],
  "hidden2/biases": [100],
  "softmax/weights": [100, 10],
  "softmax/biases": [10],
}
# Slow machines and sanitizers.
PATIENCE_S = 300

pytestmark = [
  pytest.mark.skipif(not os.path.exists(DEMO), reason="examples/demo is not built"),
  pytest.mark.skipif(not os.path.exists(DATA), reason="the data set is not installed"),
]


def command(folder, *args):
  return [DEMO, "--dir", str(folder), "--epochs", "1", *args]


def refused(*args):
  """What the demo says against its arguments."""
  done = subprocess.run([DEMO, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
  assert done.returncode == 2, done.stdout
  assert done.stdout == ""
  return done.stderr


def processes_of(folder):
  """{pid: command line} of everything that works for a demo in `folder`."""
  out = {}
  for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
      with open(path, "rb") as f:
        line = f.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
      continue
    if str(folder) in line and ("demo" in line.split()[0] or "millrace" in line.split()[0]):
      out[int(path.split("/")[2])] = line
  return out


def assert_nothing_left(folder):
  task_servers.wait_for(lambda: not processes_of(folder), lambda: "left: %s" % processes_of(folder), 30, poll_s=0.1)


def accuracy_of(output):
  found = re.findall(r"test accuracy ([\d.]+) %", output)
  assert found, output
  return float(found[-1])


class Running:
  """A demo in the background; its output so far is in `text`."""

  def __init__(self, folder, *args):
    self.folder = folder
    self.log = folder.parent / (folder.name + ".out")
    with open(self.log, "wb") as out:
      self.process = subprocess.Popen(command(folder, *args), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

  @property
  def text(self):
    return self.log.read_text(errors="replace")

  def wait_for(self, condition, what):
    def holds():
      found = condition()
      assert found or self.process.poll() is None, self.text
      return found

    task_servers.wait_for(holds, lambda: "%s:\n%s" % (what, self.text), PATIENCE_S, poll_s=0.05)

  def wait_for_checkpoint_after(self, step):
    def newest():
      steps = [int(p.rpartition("-")[2][: -len(".index")]) for p in glob.glob(str(self.folder / "*.index"))]
      return max(steps, default=0) > step

    self.wait_for(newest, "no checkpoint after step %d" % step)

  def one_of(self, pattern):
    return next(pid for pid, line in processes_of(self.folder).items() if re.search(pattern, line))

  def end(self):
    return self.process.wait(PATIENCE_S)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
  folder = tmp_path_factory.mktemp("demo") / "run"
  done = subprocess.run(
    command(folder, "--checkpoint_seconds", "1", "--values", str(folder / "values")),
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    timeout=PATIENCE_S,
    check=False,
  )
  logs = "\n".join(open(p, errors="replace").read()[-2000:] for p in glob.glob(str(folder / "logs" / "*.log")))
  assert done.returncode == 0, done.stdout + logs
  return folder, done.stdout


def test_trains(trained):
  folder, output = trained
  assert accuracy_of(output) > 75
  assert "\x1b" not in output
  assert re.search(r"/job:ps/task:0 .* global_step", output)
  assert re.search(r"/job:ps/task:1 .* hidden1/weights", output)
  assert "tensorboard --logdir " + str(folder) in output
  assert_nothing_left(folder)


def test_bytes_between_tasks_are_counted(trained):
  _, output = trained
  rows = re.findall(r"^  (ps|worker) \d .* ([\d.]+) (\wB|B) +([\d.]+) (\wB|B) +[\d.]+ MB$", output, re.M)
  assert len(rows) == 4, output
  for _, received, _, sent, _ in rows:
    assert float(received) > 0 and float(sent) > 0, output


def test_stock_reads_the_checkpoint(trained):
  """Every variable, with the value that the servers had at the end."""
  tf = pytest.importorskip("tensorflow")
  np = pytest.importorskip("numpy")
  folder, _ = trained
  newest = tf.train.latest_checkpoint(str(folder))
  reader = tf.train.load_checkpoint(newest)
  expected = dict(SHAPES)
  expected.update({name + "/Momentum": shape for name, shape in SHAPES.items()})
  expected["global_step"] = []
  assert {k: list(v) for k, v in reader.get_variable_to_shape_map().items()} == expected
  assert reader.get_tensor("global_step") >= 1200
  for name, shape in expected.items():
    value = reader.get_tensor(name)
    fetched = np.load(folder / "values" / (name + ".npy"))
    assert list(value.shape) == shape
    assert value.dtype == fetched.dtype
    assert value.tobytes() == fetched.tobytes(), name
  assert len(glob.glob(newest + ".data-*-of-00002")) == 2
  assert len(tf.train.get_checkpoint_state(str(folder)).all_model_checkpoint_paths) <= 5


def test_stock_imports_the_meta_graph(trained):
  tf = pytest.importorskip("tensorflow").compat.v1
  folder, _ = trained
  newest = tf.train.latest_checkpoint(str(folder))
  with tf.Graph().as_default() as graph:
    saver = tf.train.import_meta_graph(newest + ".meta", clear_devices=True)
    assert sorted(v.op.name for v in tf.trainable_variables()) == sorted(SHAPES)
    with tf.Session(graph=graph) as session:
      saver.restore(session, newest)
      assert session.run("global_step:0") >= 1200


def test_stock_reads_the_events(trained):
  tf = pytest.importorskip("tensorflow")
  folder, output = trained
  tags, graphs = {}, []
  for path in glob.glob(str(folder / "events.out.tfevents.*")):
    for event in tf.compat.v1.train.summary_iterator(path):
      if event.graph_def:
        graphs.append(tf.compat.v1.GraphDef.FromString(event.graph_def))
      for value in event.summary.value:
        tags.setdefault(value.tag, []).append((event.step, value.simple_value))
  assert len(graphs) == 1
  devices = {node.name: node.device for node in graphs[0].node}
  assert {devices[name] for name in SHAPES} == {"/job:ps/task:0", "/job:ps/task:1"}
  assert devices["loss"] == "/job:worker/task:0"
  assert set(tags) >= {"loss", "accuracy"}
  assert tags["accuracy"][-1][1] == pytest.approx(accuracy_of(output) / 100, abs=1e-6)
  steps = [step for step, _ in tags["loss"]]
  assert steps == sorted(set(steps)) and len(steps) >= 10
  assert tags["loss"][-1][1] < tags["loss"][0][1]


def test_wrong_arguments(tmp_path):
  assert "--optimzer" in refused("--optimzer", "adam") and "did you mean --optimizer?" in refused("--optimzer=adam")
  assert "did you mean adam?" in refused("--optimizer", "adma")
  assert "--epochs" in refused("--epochs", "ten")
  assert "1 to 64" in refused("--ps", "0")
  assert "--batch" in refused("--batch", "-5")
  shown = subprocess.run([DEMO, "--help"], capture_output=True, text=True, check=True).stdout
  for option in ("ps", "workers", "epochs", "seed", "optimizer", "batch", "resume", "help"):
    assert "--" + option in shown
  # ./dev demo --help has a text of its own, so that nothing is built for it.
  options = {line.split()[0] for line in shown.splitlines() if line.startswith("  --")}
  done = subprocess.run(["./dev", "demo", "--help"], capture_output=True, text=True, check=True)
  assert {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  --")} == options
  lost = subprocess.run([DEMO, "--dir", str(tmp_path), "--data", "/nowhere"], capture_output=True, text=True, check=False)
  assert lost.returncode == 1
  assert "dataset-fashion-mnist" in lost.stdout


NO_SERVER = ["--server", "/nowhere/millrace"]  # so that the demo ends once it has its folder


def not_trained(*args, **environment):
  done = subprocess.run(
    [DEMO, *NO_SERVER, *args],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    text=True,
    check=False,
    env=dict(os.environ, **environment),
    timeout=PATIENCE_S,
  )
  assert done.returncode == 1, done.stderr
  return done.stdout


def test_the_default_folder_is_of_one_user(tmp_path):
  path = tmp_path / ("millrace-demo-%d" % os.geteuid())
  assert "checkpoints and events in %s\n" % path in not_trained(TMPDIR=str(tmp_path))
  assert path.stat().st_mode & 0o777 == 0o700
  assert "checkpoints and events in" in not_trained(TMPDIR=str(tmp_path))  # again, in the same

  def refused_as(reason):
    said = not_trained(TMPDIR=str(tmp_path))
    assert "%s %s; choose a folder with --dir" % (path, reason) in said and "checkpoints and events in" not in said

  for mode in (0o720, 0o702):
    path.chmod(mode)
    refused_as("can be written by others")
  path.chmod(0o755)
  assert "checkpoints and events in" in not_trained(TMPDIR=str(tmp_path))
  if os.geteuid() == 0:
    os.chown(path, 65534, -1)
    refused_as("is another user's")
    os.chown(path, 0, -1)
  other = tmp_path / "other"
  path.rename(other)
  before = sorted(p.name for p in other.iterdir())
  path.symlink_to(other)
  refused_as("is a link")
  path.unlink()
  path.write_text("")
  refused_as("is no folder")
  assert sorted(p.name for p in other.iterdir()) == before
  assert "choose a folder with --dir" in not_trained(TMPDIR=str(tmp_path / "nowhere"))


def test_no_link_is_followed(tmp_path):
  victim = tmp_path / "victim"
  for name in ("demo.lock", "checkpoint", "logs"):
    folder = tmp_path / ("with_" + name)
    folder.mkdir()
    if name != "demo.lock":
      (folder / "demo.lock").write_text("")
    (folder / name).symlink_to(victim)
    assert "%s is a link" % (folder / name) in not_trained("--dir", str(folder))
    assert not victim.exists()


@pytest.mark.parametrize("resume", [[], ["--resume"]], ids=["new", "resume"])
def test_parts_of_a_save_that_was_cut_go(tmp_path, resume):
  """And nothing else that is called like them."""
  (tmp_path / "demo.lock").write_text("")
  ours = tmp_path / "model.ckpt-5_temp_millrace_0123456789abcdef0123456789abcdef"
  kept = [tmp_path / "model.ckpt-5_temp_of_mine" / "notes", tmp_path / "model.ckpt-old" / "part-00000-of-00001.index"]
  for path in [ours / "part-00000-of-00002.index", ours / "part-00000-of-00002.data-00000-of-00001", *kept]:
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
  assert "checkpoints and events in %s\n" % tmp_path in not_trained("--dir", str(tmp_path), *resume)
  assert not ours.exists()
  assert all(path.exists() for path in kept)


class Screen:
  """What a terminal that takes the demo's control sequences shows."""

  def __init__(self):
    self.lines, self.row = [""], 0

  def feed(self, text, columns):
    for up, erase, line, end in re.findall(r"\x1b\[(\d+)A|\x1b\[([JK])|([^\x1b\n]+)|(\n)", text.replace("\r", "")):
      if up:
        assert int(up) <= self.row, text
        self.row -= int(up)
      elif erase == "J":
        del self.lines[self.row :]
        self.lines.append("")
      elif erase == "K":
        pass
      elif line:
        assert not line.startswith("  worker ") or len(line) < columns, line
        self.lines[self.row] = line
      elif end:
        self.row += 1
        if self.row == len(self.lines):
          self.lines.append("")


@pytest.mark.parametrize("columns", [80, 120])
def test_live_lines_on_a_terminal(tmp_path, columns):
  run = tmp_path / "run"
  pid, terminal = pty.fork()
  if pid == 0:
    os.execv(DEMO, command(run, "--checkpoint_seconds", "1"))
  fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
  text = b""
  while True:
    try:
      part = os.read(terminal, 65536)
    except OSError:  # Linux says so at the end
      break
    if not part:
      break
    text += part
  os.close(terminal)
  assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, text
  text = text.decode()
  screen = Screen()
  screen.feed(text, columns)
  # Drawn again and again, how often depends on the machine's speed.
  assert len(re.findall(r"worker 0 +step +\d+ of 1200 ", text)) > 1, text
  # They went; what stays has each line once.
  shown = "\n".join(screen.lines)
  assert not re.search(r"worker \d +step", shown), shown
  assert len(re.findall(r"epoch  1  test accuracy", shown)) == 1, shown
  assert shown.count("tensorboard --logdir") == 1


@pytest.mark.long
def test_one_demo_a_folder(tmp_path):
  run = Running(tmp_path / "run")
  run.wait_for(lambda: "Training from step" in run.text, "it does not train")
  second = subprocess.run(command(run.folder), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
  assert second.returncode == 1
  assert "another demo works in" in second.stdout
  run.process.send_signal(signal.SIGINT)
  assert run.end() == 130
  other = subprocess.run(command(run.folder, "--resume", "--optimizer", "adam"), capture_output=True, text=True, check=False)
  assert other.returncode == 1
  assert "trained by another --optimizer" in other.stdout


@pytest.mark.long
def test_goes_on_after_an_interrupt(tmp_path):
  run = Running(tmp_path / "run", "--checkpoint_seconds", "0.5")
  run.wait_for_checkpoint_after(0)
  run.process.send_signal(signal.SIGINT)
  assert run.end() == 130
  assert_nothing_left(run.folder)
  again = Running(tmp_path / "run", "--resume")
  assert again.end() == 0, again.text
  assert re.search(r"Training from step [1-9]\d*, from model.ckpt-", again.text), again.text


@pytest.mark.long
def test_a_lost_ps_comes_back(tmp_path):
  run = Running(tmp_path / "run", "--checkpoint_seconds", "0.5")
  run.wait_for_checkpoint_after(0)
  os.kill(run.one_of("--job ps --task 1"), signal.SIGKILL)
  assert run.end() == 0, run.text
  assert "ps 1 was lost (signal 9)" in run.text
  assert re.search(r"worker \d goes on at step \d+, from model.ckpt-", run.text), run.text
  assert "restarted 1 x" in run.text
  assert_nothing_left(run.folder)


@pytest.mark.long
@pytest.mark.parametrize("who", ["--job worker --task 0", "--client_index 0"])
def test_the_others_go_on_without_the_chief(tmp_path, who):
  run = Running(tmp_path / "run", "--checkpoint_seconds", "0.5")
  run.wait_for_checkpoint_after(0)
  os.kill(run.one_of(who), signal.SIGKILL)
  assert run.end() == 3, run.text
  assert "worker 1 takes over" in run.text
  assert "Trained: " in run.text
  assert ("client lost" if "client" in who else "lost, signal 9") in run.text
  assert accuracy_of(run.text) > 75
  newest = re.search(r"Newest checkpoint: .*model.ckpt-(\d+)", run.text)
  assert newest and int(newest.group(1)) >= 1200, run.text
  assert_nothing_left(run.folder)


@pytest.mark.long
def test_nothing_outlives_the_launcher(tmp_path):
  run = Running(tmp_path / "run")
  run.wait_for(lambda: len(processes_of(run.folder)) == 7, "there are not seven processes")
  run.process.send_signal(signal.SIGKILL)
  run.process.wait()
  assert_nothing_left(run.folder)
