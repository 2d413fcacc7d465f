"""Creators of sessions, for the chief and for the other workers."""

import abc

import millrace as tf
from millrace.train.session import scaffold as scaffold_lib
from millrace.train.session import session_manager


class SessionCreator(metaclass=abc.ABCMeta):
  """Makes a session; monitored sessions call it again after a failure."""

  @abc.abstractmethod
  def create_session(self):
    raise NotImplementedError(f"create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
  """Makes the chief's session: restored from the checkpoint of a folder or file, or initialized."""

  def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
    self._checkpoint_dir = checkpoint_dir
    self._checkpoint_filename_with_path = checkpoint_filename_with_path
    self._scaffold = scaffold or scaffold_lib.Scaffold()
    self._session_manager = None
    self._master = master
    self._config = config

  def _get_session_manager(self):
    if self._session_manager is None:
      self._session_manager = session_manager.SessionManager(
        local_init_op=self._scaffold.local_init_op,
        ready_op=self._scaffold.ready_op,
        ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
        graph=tf.get_default_graph(),
      )
    return self._session_manager

  def create_session(self):
    self._scaffold.finalize()
    return self._get_session_manager().prepare_session(
      self._master,
      saver=self._scaffold.saver,
      checkpoint_dir=self._checkpoint_dir,
      checkpoint_filename_with_path=self._checkpoint_filename_with_path,
      config=self._config,
      init_op=self._scaffold.init_op,
      init_feed_dict=self._scaffold.init_feed_dict,
      init_fn=self._scaffold.init_fn,
    )


class WorkerSessionCreator(SessionCreator):
  """Makes a worker's session: waits up to `max_wait_secs` until the chief has initialized the model."""

  def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60):
    self._scaffold = scaffold or scaffold_lib.Scaffold()
    self._session_manager = None
    self._master = master
    self._config = config
    self._max_wait_secs = max_wait_secs

  def _get_session_manager(self):
    if self._session_manager is None:
      self._session_manager = session_manager.SessionManager(
        local_init_op=self._scaffold.local_init_op,
        ready_op=self._scaffold.ready_op,
        ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
        graph=tf.get_default_graph(),
      )
    return self._session_manager

  def create_session(self):
    self._scaffold.finalize()
    return self._get_session_manager().wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)
