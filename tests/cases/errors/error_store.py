"""What is kept in build/ so that a run is short: samples of ops, schemas, and answers of stock."""

import base64
import concurrent.futures
import json
import os
import random
import subprocess
import tempfile

import error_samples
import error_sides
import raw_client as raw
from exported_cases import BUILD, PROGRAM, export

EXPORTS = 2  # at once


def stock_path():
  """Of answers of stock, which are those of a wheel, whatever the preset."""
  return os.path.join(BUILD, "..", "stock_errors", error_sides.wheel() + ".jsonl")


def _encoded(message):
  return base64.b64encode(message.SerializeToString()).decode()


def _decoded(name, text):
  message = raw.new(name)
  message.ParseFromString(base64.b64decode(text))
  return message


def to_json(sample):
  return dict(
    op=sample.op,
    nodes=[_encoded(n) for n in sample.nodes.values()],
    feeds={name: _encoded(value) for name, value in sample.feeds.items()},
    steps=sample.steps,
    producer=sample.producer,
    known_shapes=sample.known_shapes,
  )


def from_json(made):
  nodes = [_decoded("NodeDef", n) for n in made["nodes"]]
  feeds = {name: _decoded("TensorProto", value) for name, value in made["feeds"].items()}
  return error_samples.Sample(**dict(made, nodes={n.name: n for n in nodes}, feeds=feeds))


class Store:
  """Samples that were exported by the program as it is now."""

  def __init__(self, path, program=PROGRAM):
    self.path, self.program = path, program
    status = os.stat(program)
    self.made_by = [status.st_size, status.st_mtime_ns]
    self.data = dict(made_by=self.made_by, schemas=None, samples={}, families={})
    if os.path.exists(path):
      with open(path, encoding="utf-8") as f:
        stored = json.load(f)
      if stored["made_by"] == self.made_by:
        self.data = stored

  def save(self):
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(self.path) or ".", delete=False, encoding="utf-8") as f:
      json.dump(self.data, f)
    os.replace(f.name, self.path)

  def schemas(self):
    """{op: schema}, and {op: cases} of ops that have any."""
    if not self.data["schemas"]:
      text = subprocess.run([self.program, "--dump_schema"], stdout=subprocess.PIPE, check=True).stdout
      found = json.loads(text)
      self.data["schemas"] = dict(ops=found["ops"], cases=sorted(found["cases"]))
      self.save()
    return self.data["schemas"]

  def export(self, names):
    """Takes in what the program exports for ops or families, where that is not known."""
    missing = [n for n in names if n not in self.data["families"] and n not in self.data["families"].values()]
    if not missing:
      return
    with tempfile.TemporaryDirectory(prefix="millrace_samples_") as parent:

      def one(name):
        folder = os.path.join(parent, name)
        os.mkdir(folder)
        export([self.program, "--export", folder, name])
        return folder

      with concurrent.futures.ThreadPoolExecutor(EXPORTS) as threads:
        folders = list(threads.map(one, missing))
      samples, families = error_samples.samples_of(folders)
    self.data["families"].update(families)
    self.data["samples"].update({op: to_json(s) for op, s in samples.items()})
    self.save()


def samples(names, count, seed, of_an_op):
  """({op: sample}, {op: family}, {op: schema}) of ops and families, or of all; of some ops if cases are counted."""
  store = Store(os.path.join(BUILD, "error_samples.json"))
  schemas = store.schemas()
  with_cases = schemas["cases"]
  if count:
    names = list(with_cases)
    random.Random(seed).shuffle(names)
    names = names[: 2 * count // of_an_op]
  store.export(names or family_names())
  found = store.data["samples"]
  families = {op: f for op, f in store.data["families"].items() if not names or op in names or f in names}
  return {op: from_json(found[op]) for op in families if op in found}, families, schemas["ops"]


def family_names():
  folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "millrace", "ops")
  return sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
