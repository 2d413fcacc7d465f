"""Graphs that a sample becomes when one thing of it is made wrong, and in which of two ways a server is asked.

kernel: values are fed to placeholders without shapes, so the kernel is the first that can know
shape:  values are constants of the graph, so the shape function knows them
"""

import dataclasses
import functools
import hashlib

import error_attrs
import error_inputs
import raw_client as raw
from error_samples import PREFIX

KERNEL, SHAPE = "kernel", "shape"
UNCHANGED = "unchanged"
FETCHED = "fetched"  # a sample as it is, whose outputs are asked for


@dataclasses.dataclass(frozen=True)
class Mutant:
  op: str
  title: str  # "input1.rank+1.kernel"
  graph: bytes  # of a GraphDef, whose nodes' names begin with PREFIX
  feeds: tuple  # of (tensor, bytes of a TensorProto)
  steps: tuple  # of tuples of names of nodes
  fetches: tuple = ()  # of names of tensors, of the last step

  @functools.cached_property
  def key(self):
    """Of what is asked, without the title."""
    parts = [self.graph] + [part for name, value in self.feeds for part in (name.encode(), value)]
    parts.append(repr(self.steps).encode())
    parts += [name.encode() for name in self.fetches]
    return hashlib.sha256(b"".join(b"%d:" % len(p) + p for p in parts)).hexdigest()[:32]

  def is_other_way_of(self, other):
    return self.title.rpartition(".")[0] == other.title.rpartition(".")[0]


class Draft:
  """A copy of a sample, to be changed."""

  def __init__(self, sample):
    self.sample = sample
    self.nodes = {}
    for name, node in sample.nodes.items():
      self.nodes[name] = raw.new("NodeDef")
      self.nodes[name].CopyFrom(node)
    self.feeds = dict(sample.feeds)  # name: TensorProto
    self.steps = [list(names) for names in sample.steps]
    self.tested = self.nodes[sample.tested().name]

  def add(self, name, op, *inputs, **attrs):
    """A node besides; gives its name."""
    node = raw.node("%s/%s" % (PREFIX, name), op, *inputs, **attrs)
    self.nodes[node.name] = node
    return node.name

  def feed(self, name, value):
    """A value for a placeholder, which is added if there is none."""
    if name not in self.nodes:
      self.nodes[name] = raw.node(name, "Placeholder")
    self.nodes[name].attr["dtype"].type = value.dtype
    self.feeds[name] = value.proto()


def _with_shapes(node, shape):
  node.attr["shape"].Clear()
  if shape is None:
    node.attr["shape"].shape.unknown_rank = True
  else:
    node.attr["shape"].shape.CopyFrom(shape)


def finished(draft, title, mode, schemas):
  """The mutant of a draft. Resources are in a container of their own, so that they are new to a server."""
  graph = raw.graph(producer=draft.sample.producer)
  if draft.sample.library:
    graph.library.CopyFrom(draft.sample.library)
  for node in draft.nodes.values():
    made = graph.node.add()
    made.CopyFrom(node)
    value = draft.feeds.get(node.name)
    if value is not None and mode == SHAPE:
      made.CopyFrom(raw.const(node.name, value))
    elif value is not None:
      _with_shapes(made, value.tensor_shape if draft.sample.known_shapes else None)
    if any(a["name"] == "container" for a in schemas.get(node.op, {}).get("attrs", ())) and not made.attr["container"].s:
      made.attr["container"].s = PREFIX.encode()
  feeds = sorted((name + ":0", value.SerializeToString(deterministic=True)) for name, value in draft.feeds.items())
  return Mutant(
    draft.sample.op,
    "%s.%s" % (title, mode),
    graph.SerializeToString(deterministic=True),
    tuple(feeds) if mode == KERNEL else (),
    tuple(tuple(names) for names in draft.steps if names),
  )


def mutants_of(sample, schemas):
  """All mutants of a sample, each asked once, and first the sample itself. schemas: {op: as `cases_tests --dump_schema`}."""
  schema = schemas[sample.op]
  changes = [(UNCHANGED, lambda draft: None)]
  changes += error_inputs.changes(sample, schema) + error_attrs.changes(sample, schema)
  found = {}
  for title, change in changes:
    draft = Draft(sample)
    change(draft)
    for mode in (KERNEL, SHAPE) if draft.feeds else (KERNEL,):
      mutant = finished(draft, title, mode, schemas)
      found.setdefault(mutant.key, mutant)
  return list(found.values())


def fetched(sample, schemas):
  """The sample itself, whose last step also gives what the op computes."""
  types = error_inputs.arg_types(sample.tested(), schemas[sample.op], "outputs")
  mutant = finished(Draft(sample), FETCHED, KERNEL, schemas)
  names = tuple("%s:%d" % (sample.tested().name, i) for i in range(len(types)))
  return dataclasses.replace(mutant, fetches=names)


def placed(data, number):
  """Bytes of a mutant with a prefix of the same length that no other mutant of a server has."""
  return data.replace(PREFIX.encode(), b"case%06d" % number)
