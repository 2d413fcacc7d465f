"""Sessions of the C++ client in a process of its own (tests/programs/graph_steps.cc), as a side that programs run on."""

import os
import pathlib
import subprocess

import numpy as np
import raw_client
import sides as s
import tensorflow as tf
from tensorflow.core.framework.tensor_pb2 import TensorProto

tf1 = tf.compat.v1
BUILD = pathlib.Path(os.environ.get("MILLRACE_BUILD", "build/dev"))


def without_devices(graph):
  """A graph's definition for a session that has one device, which is not a server's."""
  made = graph.as_graph_def()
  for nodes in [made.node] + [f.node_def for f in made.library.function]:
    for node in nodes:
      node.device = ""
  return made


def _ours(name, message):
  """A message of the wheel's as one of proto/, where the services' are too."""
  made = raw_client.new(name)
  made.ParseFromString(message.SerializeToString())
  return made


class LocalSession:
  """As much of a session as a Stage needs."""

  def __init__(self, process, whole, graph, config):
    """`whole`: the graph that it has; `graph`: of what is fetched and fed."""
    self.process, self.graph = process, graph
    request = raw_client.new(
      "CreateSessionRequest", graph_def=_ours("GraphDef", without_devices(whole)), config=_ours("ConfigProto", config)
    )
    kind, answer = self._ask("session", request)
    if kind != "ok":
      raise RuntimeError(answer.decode())

  def _ask(self, kind, request):
    out, data = self.process.stdin, request.SerializeToString()
    out.write(f"{kind} {len(data)}\n".encode() + data)
    out.flush()
    line = self.process.stdout.readline()
    if not line:
      raise RuntimeError(f"graph_steps has ended with {self.process.wait()}")
    word, size = line.decode().split()
    return word, self.process.stdout.read(int(size))

  def run(self, nodes, feeds=None):
    """As tf.Session.run."""
    elements = [self.graph.as_graph_element(n) for n in nodes]
    tensors = [e for e in elements if isinstance(e, tf.Tensor)]
    request = raw_client.new(
      "RunStepRequest", fetch=[t.name for t in tensors], target=[e.name for e in elements if not isinstance(e, tf.Tensor)]
    )
    for t, v in (feeds or {}).items():
      value = tf.make_tensor_proto(np.asarray(v, t.dtype.as_numpy_dtype), t.dtype)
      request.feed.add(name=t.name, tensor=_ours("TensorProto", value))
    reply = raw_client.new("RunStepResponse")
    reply.ParseFromString(self._ask("step", request)[1])
    if reply.status_code:
      raise tf1.errors.exception_type_from_error_code(reply.status_code)(None, None, reply.status_error_message)
    values = iter([tf.make_ndarray(TensorProto.FromString(t.tensor.SerializeToString())) for t in reply.tensor])
    return [next(values)[()] if isinstance(e, tf.Tensor) else None for e in elements]


class LocalSide:
  """A session of each program, with the graph that the program has at its end: that is built first (execute)."""

  kind = "local"

  def __init__(self):
    self.process, self.open_one, self.whole = None, None, None

  def start(self):
    self.process = subprocess.Popen([BUILD / "tests" / "graph_steps"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

  def stop(self):
    if self.process:
      self.process.stdin.close()
      self.process.wait(60)

  def processes(self):
    return [self.process]

  def restart_if_dead(self):
    """Whether it had ended."""
    if self.process.poll() is None:
      return False
    self.start()
    return True

  def session(self, unused_number, graph, rewriting):
    if not self.open_one:
      self.open_one = LocalSession(self.process, self.whole, graph, s.config(rewriting))
    return self.open_one

  def close(self):
    self.open_one = None


def execute(texts, side, functions, rewriting):
  """As sides.execute, on a LocalSide; gives its record."""
  side.whole = s.graph_of(texts, functions)
  return s.execute(texts, [side], functions, rewriting)[0]
