"""The programs of the README and the documentation run and print what they say."""

import os
import re
import subprocess

import pytest

import task_servers


def example(name, *arguments):
  program = os.path.join(os.environ["MILLRACE_BUILD"], "examples", name)
  return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def test_hello_fits_a_line():
  assert example("hello") == "y = 2.00 x + 1.00\n"


def ended(name, *arguments):
  program = os.path.join(os.environ["MILLRACE_BUILD"], "examples", name)
  done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
  return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
  "name, shows",
  [
    ("hello", "[grpc://host:port]"),
    ("distributed_cpp", "csv_readers"),
    ("networks", "--rows"),
    ("demo", "--optimizer"),
    ("estimator", "FOLDER"),
  ],
)
def test_help(name, shows):
  code, out, err = ended(name, "--help")
  assert code == 0 and shows in out and name in out and not err, err


@pytest.mark.parametrize(
  "name, words, expected",
  [
    ("distributed_cpp", ["csv_reader"], "did you mean csv_readers?"),
    ("distributed_cpp", ["--hepl"], "did you mean --help?"),
    ("networks", ["license_lsmt", "--small"], "did you mean license_lstm?"),
    ("networks", ["license_lstm", "--smal"], "did you mean --small?"),
    ("demo", ["--optimizer", "adma"], "did you mean adam?"),
  ],
)
def test_wrong_words_suggest(name, words, expected):
  code, out, err = ended(name, *words)
  assert code == 2 and expected in err and name + ": " in err and not out, err


def test_hello_tells_its_usage():
  for words in (["--hlep"], ["grpc://a:1", "grpc://b:1"]):
    code, out, _ = ended("hello", *words)
    assert code == 2 and out.startswith("hello [grpc://host:port]"), out


def test_tour_learns_and_goes_on_from_its_checkpoint(tmp_path):
  said = "step 100, learned: yes\n9, slope 6\n"
  assert example("tour") == said
  assert example("tour", str(tmp_path)) == said
  assert "model.ckpt-100.index" in os.listdir(tmp_path)
  # The checkpoint is that of the last step, so there is none to run.
  assert example("tour", str(tmp_path)).startswith("step 100, ")


def test_estimator_learns_and_keeps_its_model(tmp_path):
  assert example("estimator", str(tmp_path / "model")) == "step 300, learned: yes\n"
  assert {"checkpoint", "model.ckpt-300.index", "eval"} <= set(os.listdir(tmp_path / "model"))
  # There is nothing left to train.
  assert example("estimator", str(tmp_path / "model")) == "step 300, learned: yes\n"


@pytest.mark.parametrize(
  "name, page", [("hello", "README.md"), ("tour", "docs/reference/cpp.md"), ("estimator", "docs/reference/cpp.md")]
)
def test_pages_show_the_programs(name, page):
  root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
  with open(os.path.join(root, page), encoding="utf-8") as f:
    shown = f.read()
  with open(os.path.join(root, "examples", name, "main.cc"), encoding="utf-8") as f:
    assert f.read().strip() in shown


DISTRIBUTED_CPP = {
  "pinning": """\
g = 289
a is on ps 1
c is on ps 0
d is on worker 1
e is on worker 0
f is on ps 0
g is on worker 1
i is on worker 1
Cannot assign a device for operation h
""",
  "sharding": """\
total = 20, v1 = 21
v0 is on ps 0
v1 is on ps 1
v2 is on ps 0
v3 is on ps 1
v4 is on ps 0
total is on worker 0
big is on ps 0
small0 is on ps 1
small1 is on ps 1
small2 is on ps 1
table/part_0 is on ps 0
table/part_1 is on ps 1
table/part_2 is on ps 0
table/part_3 is on ps 1
rows: [1 1][1 1][1 1]
""",
  "containers": """\
shared: 2 2
in a container: 1, outside: 2
after the reset: FAILED_PRECONDITION
the other container: 2
from the shared queue: 1 2 3
""",
  "queues": """\
size 3
one 1 2, a
many [3 4][5 6], b c
shuffled: 10 different, in order: no
padded [[1 2][0 0][0 0]][[3 0][4 0][5 0]][[6 0][0 0][0 0]]
timed out: yes
ordered 10 20 30, first second third
waited for at last
closed 1
up to [1 1][2 2][3 3], x y z
a dequeue: OUT_OF_RANGE, an enqueue: CANCELLED
""",
  "preloading": """\
trained: 1 variable, saved: 1
step 0: error 2.967
step 150: error 0.000
step 300: error 0.000
weights: 1.0 -2.0 3.0 0.5
""",
  "csv_readers": """\
no more files to read: 6 lines of 2 files
no more instances: (00 0 0) (01 -1 1) (02 2 0) (10 0 0) (11 -1 1) (12 2 0)
targets 0 1 0 0
targets 1 0 0 1
targets 0 0 1 0
two epochs are over
""",
  "multithreaded_readers": """\
five threads, one reader: all there: yes
four readers, shuffle_batch_join: all there: yes, in order: no
the coordinator reports: not a number of CheckNumerics
""",
  "producers": """\
range: 0; 1; 2; 3; 0; 1; 2; 3
rows: 1 2; 3 4
slices: 1.5 and 10; 2.5 and 20; 3.5 and 30
batches: 0 1 2; 3 4 5; 6
padded: [0][1]; [2 2 0][3 3 3]
chosen: 0 2 4
joined: 0 1 2 3 4 10 11 12 13 14
shuffled: 0 1 2 3 4 5 6 7
""",
  "one_network_per_device": """\
network 0 stops: rate 0.001, momentum 0
network 1 stops: rate 0.01, momentum 0.9
network 2 stops: rate 0.1, momentum 0
best: network 3, rate 0.1, momentum 0.9, most points right: yes
""",
  "ensemble_in_graph": """\
together most points right: yes, not worse than the mean of the networks: yes
""",
  "ensemble_between_graphs": """\
networks behind each estimate: 3 3 3 3 3 2 2 2 2 2 2 2
""",
}


@pytest.fixture(scope="module")
def targets():
  with task_servers.Cluster({"ps": 2, "worker": 2}) as cluster:
    yield [cluster.target("worker", i) for i in range(2)]


@pytest.mark.parametrize("where", ["in_process", "cluster"])
@pytest.mark.parametrize("name", DISTRIBUTED_CPP)
def test_distributed_cpp(name, where, targets):
  printed = example("distributed_cpp", name, *(targets if where == "cluster" else []))
  assert printed == DISTRIBUTED_CPP[name]


def test_distributed_cpp_runs_as_a_whole():
  printed = example("distributed_cpp")
  assert re.findall(r"^== (\w+)$", printed, re.M) == list(DISTRIBUTED_CPP)
