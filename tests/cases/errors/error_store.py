"""What is kept in build/ so that a run is short: samples of ops, schemas, and answers of stock."""

import base64
import functools
import glob
import json
import os
import re
import subprocess
import tempfile

import error_inputs
import error_made_samples
import error_samples
import error_sides
import raw_client as raw
from exported_cases import BUILD, PROGRAM, exceptions, export

OPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "millrace", "ops")
WHOLE = ""  # the name of all families


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
    self.data = dict(made_by=self.made_by, schemas=None, samples={}, families={}, exported=[])
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
    """{op: schema}"""
    if not self.data["schemas"]:
      text = subprocess.run([self.program, "--dump_schema"], stdout=subprocess.PIPE, check=True).stdout
      self.data["schemas"] = json.loads(text)["ops"]
      self.save()
    return self.data["schemas"]

  def export(self, families):
    """Takes in what the program exports for families, or for all if none is named, where that is not known."""
    missing = [f for f in families if f not in self.data["exported"]] if families else [WHOLE]
    if WHOLE in self.data["exported"] or not missing:
      return
    with tempfile.TemporaryDirectory(prefix="millrace_samples_") as parent:
      for family in missing:
        folder = os.path.join(parent, family or "all")
        os.mkdir(folder)
        export([self.program, "--export", folder] + ([family] if family else []))
        samples, of_ops = error_samples.samples_of(folder)
        self.data["families"].update(of_ops)
        self.data["samples"].update({op: to_json(s) for op, s in samples.items()})
        self.data["exported"].append(family)
    self.save()


def families_of(names):
  """The families of ops, and families themselves: what is exported is the same for an op alone and for all."""
  found = []
  for name in names:
    family = declared("MR_CASES", "*.cases.cc").get(name)
    if family or os.path.isdir(os.path.join(OPS, name)):
      found.append(family or name)
  return list(dict.fromkeys(found))


@functools.cache
def declared(macro, pattern):
  """{op: its family} of what files of ops declare."""
  found = {}
  for path in glob.glob(os.path.join(OPS, "*", pattern)):
    with open(path, encoding="utf-8") as f:
      for op in re.findall(r"^%s\((\w+)\)" % macro, f.read(), re.M):
        found[op] = os.path.basename(os.path.dirname(path))
  return found


def samples(names):
  """({op: sample}, {op: family}, {op: schema}) of ops and families, or of all."""
  store = Store(os.path.join(BUILD, "error_samples.json"))
  of_names = families_of(names)
  if of_names or not names:
    store.export(of_names)
  found = {op: from_json(s) for op, s in store.data["samples"].items()}
  schemas, families = store.schemas(), dict(store.data["families"])
  for op in exceptions("no_cases.txt"):
    if op not in families and op in schemas and op not in error_made_samples.NOT_MADE:
      families[op] = declared("MR_OP", "*.op.cc").get(op, "")
      found[op] = error_made_samples.made(op, schemas[op], error_inputs.input_types)
  families = {op: f for op, f in families.items() if not names or op in names or f in names}
  return {op: s for op, s in found.items() if op in families}, families, schemas
