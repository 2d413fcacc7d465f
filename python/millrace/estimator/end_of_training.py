"""How tasks that don't train themselves learn that the training is over.

Each task that trains says so to every parameter server when it has come to its end: it initializes a variable of its name there.
A parameter server is done when all have, or when the chief has and the others can't be reached any more. For evaluators, which
are beside the cluster, the chief leaves a file in the folder of the model.
"""

import contextlib
import json
import os
import socket

import millrace as tf
from millrace.estimator import clock
from millrace.estimator.cluster_environment import TaskType
from millrace.framework import protos

FILE_NAME = "training_over"
_POLL_SECS = 1
# Tasks that were killed and are started again need a while until they can be reached.
_GRACE_SECS = 120
_REPORT_SECS = 60
_CALL_MS = 10000


def trainers_of(cluster_spec):
  """(job, index) of all tasks that train."""
  return [
    (job, index)
    for job in (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER)
    if job in cluster_spec.jobs
    for index in cluster_spec.task_indices(job)
  ]


class _Board:
  """The variables of a parameter server by which tasks say that they have come to their end."""

  def __init__(self, cluster_spec, ps_index):
    self._address = cluster_spec.task_address(TaskType.PS, ps_index)
    device = f"/job:{TaskType.PS}/task:{ps_index}"
    self._config = protos.ConfigProto(device_filters=[device], operation_timeout_in_ms=_CALL_MS)
    self._graph = tf.Graph()
    self._says, self._said = {}, {}
    with self._graph.as_default(), tf.device(device):
      for job, index in trainers_of(cluster_spec):
        variable = tf.Variable(True, name=f"training_over/{job}_{index}", trainable=False, use_resource=False)
        self._says[job, index] = variable.initializer
        self._said[job, index] = tf.is_variable_initialized(variable)

  def session(self):
    return tf.Session("grpc://" + self._address, graph=self._graph, config=self._config)

  def say(self, session, task):
    session.run(self._says[task])

  def said(self, session):
    """The set of tasks that have come to their end."""
    return {task for task, value in session.run(self._said).items() if value}


class _WatchedBoard:
  """The board of a parameter server, as that looks at it again and again.

  With the server all variables of the training are lost, so a call that a busy machine is late to answer does not end it.
  """

  def __init__(self, board):
    self._board = board
    self._session = None  # none after an error
    self._said = set()
    self._seen = clock.time()

  def said(self):
    """What was said when it could be seen last. Raises OpError after a while in which it could not be seen at all."""
    try:
      if self._session is None:
        self._session = self._board.session()
      self._said = self._board.said(self._session)
      self._seen = clock.time()
    except tf.errors.OpError as e:
      self.close()
      if clock.time() - self._seen >= _GRACE_SECS:
        raise
      tf.logging.warning("The parameter server looks again for the end of the training, after: %s", e)
    return self._said

  def close(self):
    session, self._session = self._session, None
    if session is None:
      return
    try:
      session.close()
    except tf.errors.OpError as e:
      tf.logging.info("A session of the parameter server with itself stays open: %s", e)


def report(config):
  """Says to all parameter servers that this task has come to its end. Those that can't be reached are tried for a minute."""
  cluster_spec = config.cluster_spec
  if not cluster_spec or TaskType.PS not in cluster_spec.jobs:
    return
  give_up = clock.time() + _REPORT_SECS
  missing = list(cluster_spec.task_indices(TaskType.PS))
  while missing:
    missing = [index for index in missing if not _said_to(cluster_spec, index, (config.task_type, config.task_id))]
    if missing:
      if clock.time() >= give_up:
        tf.logging.warning("Parameter servers %s can't be told that the training is over.", missing)
        return
      clock.sleep(_POLL_SECS)


def _said_to(cluster_spec, ps_index, task):
  if not _is_reachable(cluster_spec.task_address(TaskType.PS, ps_index)):
    return False
  try:
    board = _Board(cluster_spec, ps_index)
    with board.session() as session:
      board.say(session, task)
    return True
  except tf.errors.OpError as e:
    tf.logging.info("Parameter server %d can't be told that the training is over: %s", ps_index, e)
    return False


def _is_reachable(address):
  """Whether somebody listens at an address of the form host:port."""
  host, _, port = address.rpartition(":")
  try:
    socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    return True
  except OSError:
    return False


def wait_on_parameter_server(config):
  """Returns when the training is over. Called by a parameter server whose own server runs.

  Raises OpError if that server does not answer for two minutes.
  """
  cluster_spec = config.cluster_spec
  trainers = trainers_of(cluster_spec)
  reached = {}  # when a task was there last
  with contextlib.closing(_WatchedBoard(_Board(cluster_spec, config.task_id))) as board:
    while True:
      said = board.said()
      missing = [task for task in trainers if task not in said]
      if not missing:
        break
      if any(job in (TaskType.CHIEF, TaskType.MASTER) for job, _ in said):
        now = clock.time()
        for task in missing:
          if task not in reached or _is_reachable(cluster_spec.task_address(*task)):
            reached[task] = now
        if all(now - reached[task] > _GRACE_SECS for task in missing):
          tf.logging.warning("Tasks %s can't be reached; the training is over without them.", missing)
          break
      clock.sleep(_POLL_SECS)
  tf.logging.info("The training is over.")


class Marker:
  """The file by which the chief tells evaluators that there will be no other checkpoint."""

  def __init__(self, model_dir):
    self._path = os.path.join(model_dir, FILE_NAME)
    self._begun = clock.time()

  def remove(self):
    """Called before the training: what an earlier one left is not true any more."""
    if tf.gfile.Exists(self._path):
      tf.gfile.Remove(self._path)

  def write(self, checkpoint):
    """Called after the training, with the path of the last checkpoint."""
    with tf.gfile.GFile(self._path, "w") as file:
      file.write(json.dumps({"checkpoint": checkpoint, "time": clock.time()}) + "\n")

  def is_there(self):
    """Whether the training is over. A file that was there before counts only after a while in which the chief could remove it."""
    try:
      if not tf.gfile.Exists(self._path):
        return False
      with tf.gfile.GFile(self._path) as file:
        written = json.loads(file.read())["time"]
    except (tf.errors.OpError, ValueError, KeyError):
      return False  # it is being written or removed
    return written >= self._begun or clock.time() - self._begun >= _GRACE_SECS
