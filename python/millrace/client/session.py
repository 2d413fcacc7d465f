"""Session and InteractiveSession."""

import re
import threading
import warnings
import weakref

from millrace import _binding
from millrace.client import default_session, feeds, session_handles
from millrace.client import fetches as fetching
from millrace.client.default_session import get_default_session
from millrace.client.fetches import register_session_run_conversion_functions
from millrace.framework import default_graphs, errors
from millrace.framework.graph import Graph
from millrace.framework.operation import Operation
from millrace.framework.tensor import Tensor

__all__ = ["BaseSession", "InteractiveSession", "Session", "get_default_session", "register_session_run_conversion_functions"]

_NODE = re.compile(r"\[\[(?:\{\{node )?([^ =}\]]+)")
_NODE_TAG = re.compile(r"\{\{node ([^}]+)\}\}")
_KEPT_PLANS = 256
_HOST_AND_PORT = re.compile(r"[^/]*:\d+|unix:.+")
_CLOSED = "Attempted to use a closed Session."  # also what the extension says of a session that is closed
_in_this_process = weakref.WeakSet()  # sessions that a reset ends


class SessionInterface:
  """What every session has: `graph`, `sess_str`, `run`, `partial_run_setup` and `partial_run`."""


class BaseSession(SessionInterface):
  """Runs parts of a graph."""

  def __init__(self, target="", graph=None, config=None):
    if graph is None:
      graph = default_graphs.get_default_graph()
    elif not isinstance(graph, Graph):
      raise TypeError('Argument `graph` must be a tf.Graph, but got "%s"' % type(graph).__name__)
    if target is None:
      target = ""
    if not isinstance(target, (str, bytes)):
      raise TypeError('Argument `target` must be a string, but got "%s"' % type(target).__name__)
    self._graph = graph
    self._target = target.encode() if isinstance(target, str) else target
    self._closed = False
    self._add_shapes = False
    self._lock = threading.Lock()
    self._plans = {}
    self._dead_handles = []
    self._config = _config(config)
    _check_target(self._target.decode())
    self._core = _binding.Session(graph, self._target.decode(), b"" if self._config is None else self._config.SerializeToString())
    if _is_local(self._target.decode()):
      _in_this_process.add(self)

  @property
  def graph(self):
    return self._graph

  @property
  def graph_def(self):
    return self._graph.as_graph_def(add_shapes=self._add_shapes)

  @property
  def sess_str(self):
    """The target, as bytes."""
    return self._target

  @property
  def _session(self):
    return None if self._closed else self._core

  def list_devices(self):
    """Returns the devices: objects with name, device_type, memory_limit_bytes and incarnation."""
    return [_DeviceAttributes(*fields) for fields in self._call(self._core.list_devices)]

  def close(self):
    """Ends what runs with CancelledError, and frees what the session has. Later runs fail."""
    if not self._closed:
      self._closed = True
      self._plans.clear()
      self._core.close()

  def as_default(self):
    """A context in which this is the default session of the thread. It does not close the session."""
    return default_session.AsDefault(self)

  def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
    """Runs what `fetches` need and returns their values in the same structure: arrays for tensors, None for operations.

    `feed_dict` has values for tensors. `options` is a RunOptions; `run_metadata` a RunMetadata, which is filled. Raises
    RuntimeError if the session is closed, TypeError and ValueError for what cannot be fetched or fed, OpError if an op fails.
    """
    if self._closed:
      raise RuntimeError(_CLOSED)
    if _binding.num_ids(self._graph) == 0:
      raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
    if self._dead_handles:
      self._delete_handles()
    if feed_dict:
      tensors, values = feeds.tensors_and_values(self._graph, feed_dict)
    else:
      tensors, values = [], []
    plan = self._plan(fetches)
    option_bytes = None if options is None else _message_bytes(options, "RunOptions")
    found = self._call(self._run_plan, plan, tensors, values, option_bytes, run_metadata)
    return plan.build(found)

  def _delete_handles(self):
    dead, self._dead_handles = self._dead_handles, []
    for handle in dead:
      session_handles.delete(self, handle)

  def _run_plan(self, plan, tensors, values, options, run_metadata):
    results = self._core.run(tensors, values, plan.tensors, plan.targets, options, run_metadata is not None)
    if run_metadata is not None:
      results, metadata = results
      run_metadata.Clear()
      run_metadata.MergeFromString(metadata)
    found = dict(zip(plan.tensors, results))
    for tensor, value in zip(tensors, values):
      if tensor in found and not isinstance(value, _binding.Value):
        found[tensor] = value
    for tensor in plan.handles:
      found[tensor] = session_handles.wrap(tensor, found[tensor], self)
    return found

  def _plan(self, fetches):
    """The plan of fetches. Those that are fetched again and again are kept."""
    key = None
    if type(fetches) in (Tensor, Operation):
      key = fetches
    elif type(fetches) in (list, tuple) and all([type(fetch) in (Tensor, Operation) for fetch in fetches]):
      key = (type(fetches), *fetches)
    if key is None:
      plan = fetching.Plan(self._graph, fetches)
    else:
      plan = self._plans.get(key)
      if plan is not None:
        return plan
      plan = fetching.Plan(self._graph, fetches)
      if len(self._plans) >= _KEPT_PLANS:
        self._plans.clear()
      self._plans[key] = plan
    return plan

  def _call(self, function, *arguments):
    """Calls the extension; its errors get the op that failed and the line of Python that made it."""
    try:
      return function(*arguments)
    except errors.OpError as error:
      message = error.message
      if message == _CLOSED and not self._closed:
        raise errors.CancelledError(None, None, "Session has been closed.") from None
      match = _NODE_TAG.search(message) or _NODE.search(message)
      op = None if match is None else _binding.find(self._graph, match.group(1))
      node_def = None if op is None else op.node_def
      text = errors.interpolate(message, self._graph)
      kind = type(error)
      if kind in (errors.OpError, errors.UnknownError):
        raise kind(node_def, op, text, error.error_code) from None
      raise kind(node_def, op, text) from None

  def make_callable(self, fetches, feed_list=None, accept_options=False):
    """Returns a function that runs a step: its arguments are the values of `feed_list`, it returns the values of `fetches`.

    With `accept_options` it also takes `options` and `run_metadata`.
    """
    if feed_list is not None and not isinstance(feed_list, (list, tuple)):
      raise TypeError("Argument `feed_list` must be a list or tuple. Received: feed_list=%s" % (feed_list,))
    plan = self._plan(fetches)
    tensors = [self._graph.as_graph_element(feed, allow_tensor=True, allow_operation=False) for feed in feed_list or ()]

    def run_callable(*values, options=None, run_metadata=None):
      if self._closed:
        raise RuntimeError(_CLOSED)
      # What is not given is not fed, which the run says if it needs it; values beyond the list are nothing.
      fed = tensors[: len(values)]
      arrays = [feeds.array_for(self._graph, tensor, value) for tensor, value in zip(fed, values)]
      option_bytes = None if options is None else _message_bytes(options, "RunOptions")
      return plan.build(self._call(self._run_plan, plan, fed, arrays, option_bytes, run_metadata))

    if accept_options or feed_list is not None:
      return run_callable

    def run_unfed():
      return run_callable()

    return run_unfed

  def _make_callable_from_options(self, callable_options):
    """Returns a function that runs what CallableOptions name: its arguments are the feeds, it returns a list of the fetches."""
    fetches, targets = list(callable_options.fetch), list(callable_options.target)
    for name in callable_options.feed:
      if name in fetches:
        raise errors.InvalidArgumentError(None, None, "%s is both fed and fetched." % name)
    options = callable_options.run_options if callable_options.HasField("run_options") else None
    run = self.make_callable(fetches + targets, list(callable_options.feed), accept_options=True)
    return lambda *values, **kwargs: run(*values, options=options, run_metadata=kwargs.get("run_metadata"))[: len(fetches)]

  def partial_run_setup(self, fetches, feeds=None):
    """Begins a step that is fed and fetched by several calls of partial_run; returns its handle."""
    from millrace.client import partial_runs

    return partial_runs.setup(self, fetches, feeds)

  def partial_run(self, handle, fetches, feed_dict=None):
    """Goes on with a step of partial_run_setup."""
    from millrace.client import partial_runs

    return partial_runs.run(self, handle, fetches, feed_dict)

  def _extend_graph(self):
    self._call(self._core.extend)


def _is_local(target):
  return target in ("", "local")


def _check_target(target):
  if not _is_local(target) and not target.startswith("grpc://"):
    raise errors.NotFoundError(
      None,
      None,
      'No session factory registered for the given session options: {target: "%s"}: a target is "" for this process, or '
      '"grpc://host:port" for a server' % target,
    )
  address = target[len("grpc://") :]
  if not _is_local(target) and not _HOST_AND_PORT.fullmatch(address):
    raise errors.InvalidArgumentError(
      None, None, 'Could not interpret "%s" as a host-port pair. A target is "grpc://host:port"' % address
    )


def _config(config):
  if config is None:
    return None
  from millrace.framework import protos

  if not protos.is_message(config, "ConfigProto"):
    raise TypeError('Argument `config` must be a tf.ConfigProto, but got "%s"' % type(config).__name__)
  return protos.coerce(protos.ConfigProto, config)


def _message_bytes(message, name):
  from millrace.framework import protos

  if not protos.is_message(message, name):
    raise TypeError("Expected a %s, but got %s" % (name, type(message)))
  return message.SerializeToString()


class _DeviceAttributes:
  """A device of a session."""

  def __init__(self, name, device_type, memory_limit_bytes, incarnation, physical_description=""):
    self._name, self._device_type = name, device_type
    self._memory_limit_bytes, self._incarnation = memory_limit_bytes, incarnation
    # What device_lib and tf.test say of GPUs; TensorFlow's sessions have no such attribute.
    self._physical_description = physical_description

  @property
  def name(self):
    return self._name

  @property
  def device_type(self):
    return self._device_type

  @property
  def memory_limit_bytes(self):
    return self._memory_limit_bytes

  @property
  def incarnation(self):
    return self._incarnation

  def __repr__(self):
    return "_DeviceAttributes(%s, %s, %d, %d)" % (self.name, self.device_type, self.memory_limit_bytes, self.incarnation)


class Session(BaseSession):
  """A session, which as a context is the default one with its graph, and closes at the end."""

  def __init__(self, target="", graph=None, config=None):
    super().__init__(target, graph, config)
    self._default_graph_context = None
    self._default_session_context = None

  def __enter__(self):
    if self._default_graph_context is not None:
      raise RuntimeError(
        "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a session multiple times."
      )
    self._default_graph_context = self.graph.as_default()
    self._default_session_context = self.as_default()
    self._default_graph_context.__enter__()
    return self._default_session_context.__enter__()

  def __exit__(self, kind, value, trace):
    session, graph = self._default_session_context, self._default_graph_context
    self._default_session_context = self._default_graph_context = None
    try:
      session.__exit__(kind, value, trace)
    except RuntimeError as error:
      if error is not value:
        raise
    graph.__exit__(kind, value, trace)
    self.close()

  @staticmethod
  def reset(target, containers=None, config=None):
    """Clears containers on all tasks of a cluster (all of them if none is named), and ends the sessions that use them.

    In this process each session has containers of its own: for the target "" all such sessions are ended, whatever is named, and
    their runs are CancelledError. Raises NotFoundError for a target of another form.
    """
    names = [] if containers is None else [name.decode() if isinstance(name, bytes) else name for name in containers]
    options = _config(config)
    target = target.decode() if isinstance(target, bytes) else target or ""
    _check_target(target)
    if _is_local(target):
      for session in list(_in_this_process):
        session._core.close()
      _in_this_process.clear()
      return
    _binding.reset(target, names, b"" if options is None else options.SerializeToString())


class InteractiveSession(BaseSession):
  """A session that is the default one from the beginning, for shells and notebooks."""

  _lock_of_count = threading.Lock()
  _active = 0

  def __init__(self, target="", graph=None, config=None):
    super().__init__(target, graph, config)
    with InteractiveSession._lock_of_count:
      if InteractiveSession._active > 0:
        warnings.warn(
          "An interactive session is already active. This can cause out-of-memory errors in some cases. You must explicitly call "
          "`InteractiveSession.close()` to release resources held by the other session(s)."
        )
      InteractiveSession._active += 1
    self._explicitly_closed = False
    self._default_session = self.as_default()
    self._default_session.enforce_nesting = False
    self._default_session.__enter__()
    self._default_graph = None
    if graph is not None:
      self._default_graph = graph.as_default()
      self._default_graph.__enter__()

  def close(self):
    super().close()
    with InteractiveSession._lock_of_count:
      if self._explicitly_closed:
        return
      self._explicitly_closed = True
      InteractiveSession._active -= 1
    if self._default_graph is not None:
      self._default_graph.__exit__(None, None, None)
      self._default_graph = None
    self._default_session.__exit__(None, None, None)
