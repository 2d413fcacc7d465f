"""What a new user does: in an empty environment without TensorFlow, the wheel is installed and docs/guide_python.md works.

The wheel is the one in build/wheel if it is of these sources, otherwise one that is packed from $MILLRACE_BUILD by the same code.
numpy and protobuf are those of this environment, as there is no network.
"""

import glob
import importlib.metadata
import os
import re
import signal
import stat
import subprocess
import sys
import zipfile

import pytest

import pair_runner

ROOT = pair_runner.ROOT
sys.path += [os.path.join(ROOT, "tests", "docs"), os.path.join(ROOT, "tools", "wheel")]
import doc_pages  # noqa: E402
import wheels  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("MILLRACE_BUILD", os.path.join("build", "dev")))
GUIDE = "docs/guide_python.md"
LIMIT_S = 180
NEEDED = ("numpy", "protobuf")

# The environment of tests has these, and a user's has not.
NOT_THERE = "import importlib.util as u; print([n for n in ('tensorflow', 'absl', 'six', 'pytest') if u.find_spec(n)])"


def borrow(site):
  """Puts the packages that Millrace needs into an environment: as links, with what pip knows of them."""
  for name in NEEDED:
    found = importlib.metadata.distribution(name)
    tops = {file.parts[0] for file in found.files if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
      source = os.path.join(str(found.locate_file("")), top)
      if os.path.exists(source) and not os.path.exists(os.path.join(site, top)):
        os.symlink(source, os.path.join(site, top))


def run(words, **options):
  done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False, **options)
  assert done.returncode == 0, done.stdout + done.stderr
  return done.stdout


def environment(venv):
  """That of a user who has activated the environment."""
  found = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MILLRACE", "TF_", "VIRTUAL_ENV"))}
  found["PATH"] = os.pathsep.join([os.path.join(venv, "bin"), *os.environ["PATH"].split(os.pathsep)])
  return found


@pytest.fixture(scope="module")
def wheel():
  found = wheels.current("release") or wheels.current("dev")
  if found is None:
    if not glob.glob(os.path.join(BUILD, "python", "millrace", "_binding.*")):
      pytest.skip("the package is not built")
    os.makedirs(wheels.folder("dev"), exist_ok=True)
    found = wheels.make("dev", BUILD, sys.executable, *wheels.of_python())
  return found


@pytest.fixture(scope="module")
def venv(wheel, tmp_path_factory):
  """An environment that has the wheel, numpy and protobuf."""
  folder = str(tmp_path_factory.mktemp("user") / "venv")
  run([sys.executable, "-m", "venv", "--without-pip", folder])
  python = os.path.join(folder, "bin", "python3")
  (site,) = glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))
  borrow(site)
  run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel])
  assert run([python, "-c", NOT_THERE], env=environment(folder)).strip() == "[]"
  return folder


def start(folder, script, venv):
  path = folder / "script.sh"
  path.write_text(script)
  return subprocess.Popen(
    ["bash", str(path)],
    cwd=folder,
    env=environment(venv),
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    start_new_session=True,
  )


@pytest.fixture(scope="module")
def guided(venv, tmp_path_factory):
  """The folder in which the guide's blocks ran, and what they printed."""
  folder = tmp_path_factory.mktemp("guide")
  process = start(folder, doc_pages.script_of(GUIDE), venv)
  try:
    said, _ = process.communicate(timeout=LIMIT_S)
  finally:
    try:
      os.killpg(process.pid, signal.SIGKILL)  # what a block that failed has left
    except ProcessLookupError:
      pass
  assert process.returncode == 0, said
  return folder, said


def test_the_guide_says_what_it_prints(guided):
  """Comments behind prints are what is printed."""
  printed = [
    re.search(r"print\(.*\)  # (.+)$", line)
    for block in doc_pages.runnable(GUIDE, ("python",))
    for line in block.code.splitlines()
  ]
  expected = [found.group(1) for found in printed if found]
  assert len(expected) == 3
  for text in expected:
    assert text in guided[1].splitlines(), guided[1]


def test_tensorboard_reads_the_events(guided):
  """The file as TensorBoard's readers take it: TensorFlow's records, its version first, then graph, scalars and histograms."""
  program = """
import glob, json, os, sys
import tensorflow as tf
path, = glob.glob(os.path.join(sys.argv[1], "events.out.tfevents.*"))
events = [tf.compat.v1.Event.FromString(record.numpy()) for record in tf.data.TFRecordDataset(path)]
found = {"version": events[0].file_version, "graphs": 0, "values": {}}
for event in events:
  if event.graph_def:
    found["graphs"] += 1
    found["nodes"] = len(tf.compat.v1.GraphDef.FromString(event.graph_def).node)
  for value in event.summary.value:
    kind = value.WhichOneof("value")
    number = value.histo.num if kind == "histo" else value.simple_value
    found["values"].setdefault(value.tag, []).append((event.step, kind, number))
found["walls"] = [event.wall_time for event in events]
print(json.dumps(found))
"""
  import json

  environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
  found = json.loads(run([sys.executable, "-c", program, str(guided[0] / "events")], env=environment))
  assert found["version"] == "brain.Event:2" and found["graphs"] == 1 and found["nodes"] > 20
  assert found["walls"] == sorted(found["walls"])
  values = found["values"]
  assert sorted(values) == ["classes/values", "hidden/values", "loss", "right"]
  steps = [0, 100, 200, 300, 400, 500]
  assert all([step for step, _, _ in values[tag]] == steps for tag in values)
  assert {kind for _, kind, _ in values["loss"]} == {"simple_value"}
  assert [(kind, number) for _, kind, number in values["hidden/values"]] == [("histo", 128.0)] * 6
  losses = [number for _, _, number in values["loss"]]
  assert losses == sorted(losses, reverse=True) and losses[-1] < 0.2


def test_training_went_on_after_the_loss(guided):
  """The chief restored a checkpoint, and the last one is of a later step than the one at the loss."""
  checkpoints = (guided[0] / "model" / "checkpoint").read_text()
  assert int(re.search(r'model_checkpoint_path:.*-(\d+)"', checkpoints).group(1)) >= 2000
  assert sorted(os.listdir(guided[0] / "served")) == ["saved_model.pb", "variables"]


def test_stock_reads_the_saved_model(guided):
  program = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with tf.Session() as session:
  model = tf.saved_model.loader.load(session, ["serve"], sys.argv[1])
  signature = model.signature_def["serving_default"]
  y = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [[1.0, 1.0, 1.0, 1.0]]})
  print(float(y[0, 0]))
"""
  environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
  assert abs(float(run([sys.executable, "-c", program, str(guided[0] / "served")], env=environment)) - 15.0) < 0.5


def test_the_command(venv, tmp_path):
  """Its verbs, from an environment that is not activated: Python is the one that has the package."""
  command = os.path.join(venv, "bin", "millrace")
  plain = dict(environment(venv), PATH=os.environ["PATH"])
  assert "server" in run([command, "--help"], env=plain)
  assert re.fullmatch(r"Millrace \d+\.\d+\.\d+\n", run([command, "--version"], env=plain))
  script = tmp_path / "script.py"
  script.write_text("import sys, tensorflow as tf\nprint(tf.Session().run(tf.constant(2) + 3), sys.argv[1:], sys.prefix)\n")
  expected = "5 ['a', '--b'] %s\n" % venv
  assert run([command, "python", str(script), "a", "--b"], env=plain) == expected
  assert run([os.path.join(venv, "bin", "python3"), "-m", "millrace", str(script), "a", "--b"], env=plain) == expected
  assert run([command, "python", "--explain", "tf.train.Saver"], env=plain).startswith("tf.train.Saver is there: a class")
  wrong = subprocess.run([command, "sever"], env=plain, capture_output=True, text=True, check=False)
  assert wrong.returncode == 2 and "did you mean server?" in wrong.stderr


SERVERS = """
import os
import tensorflow as tf

server = tf.train.Server({"local": ["127.0.0.1:0"]})
with tf.Session(server.target) as session:
  print(session.run(tf.constant([1.0, 2.0]) * 2.0).tolist())
print([open("/proc/%s/cmdline" % pid).read().split("\\0")[1] for pid in open("/proc/self/task/%d/children" % os.getpid()).read().split()])
try:
  tf.train.Server({"local": ["127.0.0.1:0"]}, job_name="other", task_index=0)
except tf.errors.InternalError as error:
  print("refused")
server.stop()
"""


def test_run_makes_servers_of_their_own(venv, tmp_path):
  """`millrace run` where TensorFlow is not installed: the package is in its place, and its servers are child processes."""
  script = tmp_path / "script.py"
  script.write_text(SERVERS)
  said = run([os.path.join(venv, "bin", "millrace"), "run", "--intra_op_threads", "1", str(script)], env=environment(venv))
  assert said.splitlines() == ["[2.0, 4.0]", "['server']", "refused"]
  (tmp_path / "own.py").write_text(SERVERS.replace("import tensorflow as tf", "import millrace as tf"))
  said = run([os.path.join(venv, "bin", "millrace"), "run", str(tmp_path / "own.py")], env=environment(venv))
  assert said.splitlines() == ["[2.0, 4.0]", "['server']", "refused"]


def test_what_the_wheel_has(wheel):
  with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
    text = archive.read(metadata).decode()
    programs = [name for name in names if archive.getinfo(name).external_attr >> 16 & stat.S_IXUSR and not name.endswith("/")]
    licences = {name: archive.read(name).decode() for name in names if "/licenses/" in name}
    stubs = archive.read("millrace/__init__.pyi").decode()
  assert re.search(r"^Name: millrace\nVersion: \d+\.\d+\.\d+$", text, re.M)
  assert {"Requires-Dist: numpy>=1.22", "Requires-Dist: protobuf>=3.20", "Requires-Python: >=3.10"} <= set(text.splitlines())
  assert "millrace/bin/millrace" in programs and "millrace/libmillrace.so" in programs
  assert {"millrace/py.typed", "millrace/gen/__init__.pyi", "millrace/nn/__init__.pyi", "millrace/api/train.txt"} <= set(names)
  assert {"millrace/parallel/__init__.py", "millrace/parallel/async_replicas.py"} <= set(names)
  assert "from millrace.framework.constants import constant as constant" in stubs
  assert not [name for name in names if name.endswith(".pyc") or "__pycache__" in name]
  for package, words in {
    "libdnnl2": "Intel",
    "libgrpc\\+\\+-dev|libgrpc\\+\\+1.51": "Google",
    "libprotobuf": "Google",
    "libabsl": "Apache",
    "libre2": "RE2",
    "zlib1g": "Adler",
    "libjpeg62-turbo": "Independent JPEG Group",
    "libpng16-16|libpng-dev": "png",
    "nanobind": "Wenzel Jakob",
    "robin-map": "MIT License",
  }.items():
    found = [name for name in licences if re.search("third_party/(%s)[^/]*/copyright$" % package, name)]
    assert found and all(words in licences[name] for name in found), package
  assert any(re.fullmatch(r"[^/]+/licenses/LICENSE", name) for name in licences)


def test_every_file_is_in_its_list(wheel):
  import base64
  import csv
  import hashlib

  with zipfile.ZipFile(wheel) as archive:
    (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
    rows = {name: (digest, size) for name, digest, size in csv.reader(archive.read(record).decode().splitlines())}
    assert set(rows) == {name for name in archive.namelist() if not name.endswith("/")}
    for name, (digest, size) in rows.items():
      if name != record:
        data = archive.read(name)
        assert int(size) == len(data)
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def test_needs_nothing_that_other_machines_lack(wheel, tmp_path):
  """Programs and libraries of the wheel ask for what every Linux has, and for each other."""
  allowed = re.compile(r"(libz|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-x86-64)\.so(\.\d+)?$")
  assert re.search(r"-manylinux_2_\d+_x86_64\.whl$", wheel)
  with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    inside = {os.path.basename(name) for name in names}
    programs = [name for name in names if archive.read(name)[:4] == b"\x7fELF"]
    assert len(programs) >= 4
    for name in programs:
      said = run(["readelf", "-dW", archive.extract(name, path=tmp_path)])
      needed = re.findall(r"\(NEEDED\).*\[(.+)\]", said)
      assert not [one for one in needed if one not in inside and not allowed.match(one)], (name, needed)
