"""Server: a task of a cluster in this process."""

from millrace.framework import errors, protos
from millrace.train.cluster import ClusterSpec


def _make_server_def(server_or_cluster_def, job_name, task_index, protocol, config):
  """The ServerDef of the arguments of Server. Raises ValueError if it isn't clear which task it is."""
  server_def = protos.ServerDef()
  if protos.is_message(server_or_cluster_def, "ServerDef"):
    server_def.MergeFrom(protos.coerce(protos.ServerDef, server_or_cluster_def))
    if job_name is not None:
      server_def.job_name = job_name
    if task_index is not None:
      server_def.task_index = task_index
    if protocol is not None:
      server_def.protocol = protocol
    if config is not None:
      server_def.default_session_config.MergeFrom(protos.coerce(protos.ConfigProto, config))
    return server_def
  try:
    cluster_spec = ClusterSpec(server_or_cluster_def)
  except TypeError:
    raise TypeError("Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`.") from None
  if job_name is None:
    if len(cluster_spec.jobs) == 1:
      job_name = cluster_spec.jobs[0]
    else:
      raise ValueError("Must specify an explicit `job_name`.")
  if task_index is None:
    task_indices = cluster_spec.task_indices(job_name)
    if len(task_indices) == 1:
      task_index = task_indices[0]
    else:
      raise ValueError("Must specify an explicit `task_index`.")
  server_def.cluster.MergeFrom(cluster_spec.as_cluster_def())
  server_def.job_name = job_name
  server_def.task_index = task_index
  server_def.protocol = "grpc" if protocol is None else protocol
  if config is not None:
    server_def.default_session_config.MergeFrom(protos.coerce(protos.ConfigProto, config))
  return server_def


# Servers that listen: a program may keep no more of one than its target.
_listening = set()


class Server:
  """One task of a cluster, which other tasks and sessions reach at `target`.

  It listens from `start()` on, until the process ends or `stop()` is called. Raises InternalError for a task that the
  cluster doesn't have, UnknownError if the address is in use, InvalidArgumentError for an address without a port.
  """

  def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
    self._server_def = _make_server_def(server_or_cluster_def, job_name, task_index, protocol, config)
    if self._server_def.protocol not in ("grpc", ""):
      raise errors.NotFoundError(
        None, None, f"No server factory registered for the given ServerDef: protocol {self._server_def.protocol!r}"
      )
    self._check_task()
    self._server = None
    if start:
      self.start()

  def _check_task(self):
    job = self._server_def.job_name
    task = self._server_def.task_index
    for job_def in self._server_def.cluster.job:
      if job_def.name == job:
        if task in job_def.tasks:
          return
        raise errors.InternalError(None, None, f'Task {task} was not defined in job "{job}"')
    raise errors.InternalError(None, None, f'Job "{job}" was not defined in cluster')

  def start(self):
    """Begins to listen. Raises UnknownError if the address can't be had, InvalidArgumentError if it is none."""
    if self._server is not None:
      return
    from millrace import _binding

    try:
      self._server = _binding.Server(self._server_def.SerializeToString())
    except errors.UnavailableError as error:
      raise errors.UnknownError(None, None, "Could not start gRPC server: " + error.message) from None
    except errors.InvalidArgumentError as error:
      raise errors.InvalidArgumentError(None, None, self._words_for_the_port() + error.message) from None
    _listening.add(self)

  def _words_for_the_port(self):
    """What TensorFlow says first if the address of this task has no port; "" if it has one."""
    tasks = next(job.tasks for job in self._server_def.cluster.job if job.name == self._server_def.job_name)
    address = tasks[self._server_def.task_index]
    _, colon, port = address.rpartition(":")
    if colon and port.isdigit() and int(port) < 1 << 16:
      return ""
    return 'Could not parse port for local server from "%s". ' % address

  def join(self):
    """Blocks until the server has shut down, which happens by `stop()` or by a call from afar."""
    if self._server is not None:
      self._server.join()

  def stop(self):
    """Ends the server: runs that are under way are cancelled."""
    if self._server is not None:
      self._server.stop()
      _listening.discard(self)

  @property
  def server_def(self):
    """A copy of the definition."""
    result = protos.ServerDef()
    result.CopyFrom(self._server_def)
    return result

  @property
  def target(self):
    """What a session names to run on this server, as "grpc://localhost:2222"."""
    if self._server is None:
      self.start()
    return self._server.target

  @staticmethod
  def create_local_server(config=None, start=True):
    """A server that is a cluster of its own, at an address that is free."""
    return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)
