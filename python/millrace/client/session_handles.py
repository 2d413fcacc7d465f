"""Tensors that stay in a session between its runs, and the handles by which they are used again."""

import numpy as np
from millrace.framework import device_spec, dtypes, scopes
from millrace.framework.tensor import Tensor


class TensorHandle:
  """A handle of a tensor that a session keeps. The tensor goes with the handle, unless the program took the raw handle."""

  def __init__(self, handle, dtype, session):
    self._handle = handle.decode() if isinstance(handle, bytes) else str(handle)
    self._dtype = dtype
    self._session = session
    self._auto_gc_enabled = True

  def __del__(self):
    if self._auto_gc_enabled and not self._session._closed:
      self._session._dead_handles.append(self._handle)

  def __str__(self):
    return self._handle

  @property
  def handle(self):
    """The text by which ops find the tensor."""
    return self._handle

  def get_raw_handle(self):
    """Returns the text. From then on the program deletes the tensor itself."""
    self._auto_gc_enabled = False
    return self._handle

  def to_numpy_array(self):
    """The value, to feed it in the place of another tensor."""
    return self.eval()

  def eval(self):
    """Returns the value. Raises TypeError if the program took the raw handle, which may have been deleted."""
    if not self._auto_gc_enabled:
      raise TypeError("Persistent tensor %s may have already been deleted." % self._handle)
    graph = self._session.graph
    key = ("reader", self._handle.split(";")[-1], self._dtype)
    if key not in graph._handle_readers:
      with graph.as_default(), _free_of_context(graph):
        graph._handle_readers[key] = get_session_tensor(self._handle, self._dtype)
    holder, tensor = graph._handle_readers[key]
    return self._session.run(tensor, {holder: self._handle})

  def delete(self):
    """Deletes the tensor. Raises TypeError if the program took the raw handle."""
    if not self._auto_gc_enabled:
      raise TypeError("Persistent tensor %s may have already been deleted." % self._handle)
    self._auto_gc_enabled = False
    delete(self._session, self._handle)


def _free_of_context(graph):
  return graph.control_dependencies(None)


def delete(session, handle):
  """Deletes the tensor of a raw handle."""
  graph = session.graph
  key = handle.split(";")[-1]
  if key not in graph._handle_deleters:
    with graph.as_default(), _free_of_context(graph):
      graph._handle_deleters[key] = delete_session_tensor(handle)
  holder, deleter = graph._handle_deleters[key]
  session.run(deleter, {holder: handle})


def get_session_handle(data, name=None):
  """Returns a tensor whose value, when a session fetches it, is a TensorHandle of what `data` was in that run."""
  from millrace import gen

  if not isinstance(data, Tensor):
    raise TypeError("`data` must be of type Tensor.")
  with scopes.colocate_with(data):
    return gen.get_session_handle(data, name=name)


def _device_of(handle):
  text = handle.decode() if isinstance(handle, bytes) else str(handle)
  return device_spec.canonical_name(text.split(";")[-1])


def get_session_tensor(handle, dtype, name=None):
  """Returns (placeholder, tensor): the tensor is that of the handle's text which is fed to the placeholder."""
  from millrace import gen

  with scopes.device(_device_of(handle)):
    holder = gen.placeholder(dtypes.string)
    return holder, gen.get_session_tensor(holder, dtype, name=name)


def delete_session_tensor(handle, name=None):
  """Returns (placeholder, operation): the operation deletes the tensor of the handle's text which is fed."""
  from millrace import gen

  with scopes.device(_device_of(handle)):
    holder = gen.placeholder(dtypes.string)
    return holder, gen.delete_session_tensor(holder, name=name)


def wrap(tensor, value, session):
  """The value of a fetched tensor: a TensorHandle for that of get_session_handle."""
  op = tensor.op
  if op.type not in ("GetSessionHandle", "GetSessionHandleV2") or not isinstance(value, (bytes, str, np.generic)):
    return value
  return TensorHandle(value, op.inputs[0].dtype, session)
