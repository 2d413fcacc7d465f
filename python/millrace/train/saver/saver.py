"""Saver: writes checkpoints of variables, keeps the newest ones and restores them."""

import os
import time

import millrace as tf
from millrace.framework import graph as graph_lib
from millrace.framework import protos
from millrace.train import steps
from millrace.train.saver import builder as builder_lib
from millrace.train.saver import checkpoint_state, meta_graphs, saveable

_V2 = 2


def _restore_error(err, cause):
  """`err` with words before it that say what to look at."""
  text = (
    f"Restoring from checkpoint failed. This is most likely due to {cause} from the checkpoint. Please ensure that you have "
    f"not altered the graph expected based on the checkpoint. Original error:\n\n{err.message}"
  )
  return err.__class__(err.node_def, err.op, text)


class Saver:
  """Saves variables to checkpoints and restores them; see the parameters of `__init__`.

  `var_list`: what is saved, as a list or as a map of names in the checkpoint; None is all that can be saved.
  `reshape`: restored values take the shape of their variable. `sharded`: each device writes a file of its own.
  `max_to_keep`: older checkpoints are deleted, 0 or None keeps all; but every `keep_checkpoint_every_n_hours` one stays.
  `saver_def`: the names of nodes that are there already. `builder`: makes the nodes. `defer_build`: they are made by
  `build()`. `allow_empty`: nothing to save isn't an error. `write_version`: SaverDef.V1 or V2. `pad_step_number`: steps
  in names have eight digits. `save_relative_paths`: the state file has relative paths. `filename`: the default of the
  node that takes the path.
  """

  def __init__(
    self,
    var_list=None,
    reshape=False,
    sharded=False,
    max_to_keep=5,
    keep_checkpoint_every_n_hours=10000.0,
    name=None,
    restore_sequentially=False,
    saver_def=None,
    builder=None,
    defer_build=False,
    allow_empty=False,
    write_version=_V2,
    pad_step_number=False,
    save_relative_paths=False,
    filename=None,
  ):
    if defer_build and var_list:
      raise ValueError("If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None.")
    self._var_list = var_list
    self._reshape = reshape
    self._sharded = sharded
    self._max_to_keep = max_to_keep
    self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
    self._name = name
    self._restore_sequentially = restore_sequentially
    self.saver_def = protos.coerce(protos.SaverDef, saver_def) if saver_def is not None else None
    self._builder = builder
    self._is_built = False
    self._allow_empty = allow_empty
    self._is_empty = None
    self._write_version = write_version
    self._pad_step_number = pad_step_number
    self._filename = filename
    self._last_checkpoints = []
    self._checkpoints_to_be_deleted = []
    self._object_restore_saver = None
    self._save_relative_paths = save_relative_paths
    if not defer_build:
      self.build()
    if self.saver_def:
      self._check_saver_def()
      self._write_version = self.saver_def.version

  def build(self):
    """Makes the nodes, if that was deferred. Raises ValueError if there is nothing to save."""
    if self._is_built:
      return
    self._is_built = True
    if not self.saver_def:
      if self._builder is None:
        self._builder = builder_lib.BulkSaverBuilder(self._write_version)
      if self._var_list is None:
        self._var_list = saveable.all_saveable_objects()
      if not self._var_list:
        if not self._allow_empty:
          raise ValueError("No variables to save")
        self._is_empty = True
        return
      self._is_empty = False
      self.saver_def = self._builder._build_internal(
        self._var_list,
        reshape=self._reshape,
        sharded=self._sharded,
        max_to_keep=self._max_to_keep,
        keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
        name=self._name,
        restore_sequentially=self._restore_sequentially,
        filename=self._filename,
      )
    elif self.saver_def and self._name:
      # The nodes were imported below this name.
      for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(self.saver_def, field, graph_lib.prepend_name_scope(getattr(self.saver_def, field), self._name))
    self._check_saver_def()
    self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

  def _check_saver_def(self):
    if not isinstance(self.saver_def, protos.SaverDef):
      raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")  # noqa: TRY004 (TensorFlow's class)
    if not self.saver_def.save_tensor_name:
      raise ValueError(f"saver_def must specify the save_tensor_name: {self.saver_def}")
    if not self.saver_def.restore_op_name:
      raise ValueError(f"saver_def must specify the restore_op_name: {self.saver_def}")

  def _record_last_checkpoint(self, path):
    """Puts `path` last in the list of checkpoints; the first one leaves it when there are too many."""
    if not self.saver_def.max_to_keep:
      return
    for i, (known, _) in enumerate(self._last_checkpoints):
      if known == path:
        del self._last_checkpoints[i]
        break
    self._last_checkpoints.append((path, time.time()))
    if len(self._last_checkpoints) > self.saver_def.max_to_keep:
      self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

  def _maybe_delete_old_checkpoints(self, meta_graph_suffix):
    """Deletes the checkpoint that left the list, unless it is the one of its hours that stays."""
    if not self._checkpoints_to_be_deleted:
      return
    path, written = self._checkpoints_to_be_deleted.pop(0)
    if written > self._next_checkpoint_time:
      self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
      return
    try:
      checkpoint_state.remove_checkpoint(path, self.saver_def.version, meta_graph_suffix)
    except Exception as e:  # noqa: BLE001
      # What can't be deleted must not end the training.
      tf.logging.warning("Ignoring: %s", str(e))

  def as_saver_def(self):
    """The SaverDef with the names of the nodes."""
    return self.saver_def

  def to_proto(self, export_scope=None):
    """The SaverDef with names below `export_scope`, or None if the saver isn't there."""
    if export_scope is None:
      return self.saver_def
    names = (self.saver_def.filename_tensor_name, self.saver_def.save_tensor_name, self.saver_def.restore_op_name)
    if not all(name.startswith(export_scope) for name in names):
      return None
    result = protos.SaverDef()
    result.CopyFrom(self.saver_def)
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
      setattr(result, field, graph_lib.strip_name_scope(getattr(result, field), export_scope))
    return result

  @staticmethod
  def from_proto(saver_def, import_scope=None):
    """The saver whose nodes `saver_def` names, below `import_scope`."""
    return Saver(saver_def=saver_def, name=import_scope)

  @property
  def last_checkpoints(self):
    """The prefixes of the checkpoints that aren't deleted yet, oldest first."""
    return [path for path, _ in self._last_checkpoints]

  def set_last_checkpoints(self, last_checkpoints):
    """Old way to set the list, without times."""
    assert isinstance(last_checkpoints, list)
    # Times in the future, so that none is deleted for its age.
    self._last_checkpoints = [(s, float("inf")) for s in last_checkpoints]

  def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
    """Sets the list of pairs (prefix, time in seconds), as it was in another process."""
    assert isinstance(last_checkpoints_with_time, list)
    self._last_checkpoints = last_checkpoints_with_time

  def recover_last_checkpoints(self, checkpoint_paths):
    """Takes the checkpoints that an earlier process left, those of them that are there, with their files' times."""
    with_times = []
    for path in checkpoint_paths:
      times = checkpoint_state.get_checkpoint_mtimes([path])
      if times:
        with_times.append((path, times[0]))
    self.set_last_checkpoints_with_time(with_times)

  def save(
    self,
    sess,
    save_path,
    global_step=None,
    latest_filename=None,
    meta_graph_suffix="meta",
    write_meta_graph=True,
    write_state=True,
    strip_default_attrs=False,
    save_debug_info=False,
  ):
    """Writes a checkpoint; returns its prefix, which is `save_path` with the step, or None if there is nothing to save.

    Raises TypeError for something else than a session, ValueError for paths that can't be.
    """
    if not self._is_built:
      raise RuntimeError("`build()` should be called before save if defer_build==True")
    if latest_filename is None:
      latest_filename = "checkpoint"
    if self._write_version != _V2:
      _warn_of_v1()
    if os.path.split(latest_filename)[0]:
      raise ValueError("'latest_filename' must not contain path components")
    checkpoint_file = self._checkpoint_file(sess, save_path, global_step, latest_filename)
    save_path_parent = os.path.dirname(save_path)
    if not self._is_empty:
      try:
        if not hasattr(sess, "run"):
          raise TypeError(f"'sess' must be a Session; {sess}")
        model_checkpoint_path = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: checkpoint_file})
        model_checkpoint_path = tf.compat.as_str(model_checkpoint_path)
        if write_state:
          self._record_last_checkpoint(model_checkpoint_path)
          checkpoint_state.update_checkpoint_state_internal(
            save_dir=save_path_parent,
            model_checkpoint_path=model_checkpoint_path,
            all_model_checkpoint_paths=self.last_checkpoints,
            latest_filename=latest_filename,
            save_relative_paths=self._save_relative_paths,
          )
          self._maybe_delete_old_checkpoints(meta_graph_suffix=meta_graph_suffix)
      except (tf.errors.FailedPreconditionError, tf.errors.NotFoundError) as exc:
        if not tf.gfile.IsDirectory(save_path_parent):
          raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from exc
        raise
    if write_meta_graph:
      path = checkpoint_state.meta_graph_filename(checkpoint_file, meta_graph_suffix=meta_graph_suffix)
      with sess.graph.as_default():
        self.export_meta_graph(path, strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)
    return None if self._is_empty else model_checkpoint_path

  def _checkpoint_file(self, sess, save_path, step, latest_filename):
    if step is not None:
      if not isinstance(step, tf.compat.integral_types):
        step = steps.global_step(sess, step)
      return f"{save_path}-{step:08d}" if self._pad_step_number else f"{save_path}-{int(step)}"
    if os.path.basename(save_path) == latest_filename and not self._sharded:
      raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
    return save_path

  def export_meta_graph(
    self,
    filename=None,
    collection_list=None,
    as_text=False,
    export_scope=None,
    clear_devices=False,
    clear_extraneous_savers=False,
    strip_default_attrs=False,
    save_debug_info=False,
  ):
    """The MetaGraphDef of the default graph with this saver; it is written to `filename` if that is given."""
    return meta_graphs.export_meta_graph(
      filename=filename,
      graph_def=tf.get_default_graph().as_graph_def(add_shapes=True),
      saver_def=self.saver_def,
      collection_list=collection_list,
      as_text=as_text,
      export_scope=export_scope,
      clear_devices=clear_devices,
      clear_extraneous_savers=clear_extraneous_savers,
      strip_default_attrs=strip_default_attrs,
      save_debug_info=save_debug_info,
    )

  def restore(self, sess, save_path):
    """Gives the variables the values of the checkpoint; they need not be initialized.

    Raises ValueError if `save_path` is None or no checkpoint; NotFoundError and InvalidArgumentError where its tensors
    aren't those that the graph asks for.
    """
    if self._is_empty:
      return
    if save_path is None:
      raise ValueError("Can't load save_path when it is None.")
    prefix = tf.compat.as_text(save_path)
    if not checkpoint_state.checkpoint_exists(prefix):
      raise ValueError("The passed save_path is not a valid checkpoint: " + prefix)
    tf.logging.info("Restoring parameters from %s", prefix)
    try:
      sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: save_path})
    except tf.errors.NotFoundError as err:
      if not self._restore_by_objects(sess, save_path):
        raise _restore_error(err, "a Variable name or other graph key that is missing") from err
    except tf.errors.InvalidArgumentError as err:
      raise _restore_error(err, "a mismatch between the current graph and the graph") from err

  def _restore_by_objects(self, sess, save_path):
    """Restores what tf.train.Checkpoint wrote by the names of its variables; False if it wasn't written by it."""
    from millrace.train.saver import object_graph

    keys = object_graph.variable_keys(save_path)
    if keys is None or self._var_list is None:
      return False
    if self._object_restore_saver is None:
      names = self._var_list if isinstance(self._var_list, dict) else saveable.op_list_to_dict(self._var_list)
      if any(name not in keys for name in names):
        return False
      tf.logging.warning(
        "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will re-build "
        "the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
      )
      with sess.graph.as_default():
        self._object_restore_saver = Saver({keys[name]: value for name, value in names.items()})
    self._object_restore_saver.restore(sess, save_path)
    return True


def _warn_of_v1():
  tf.logging.warning("*******************************************************")
  tf.logging.warning("TensorFlow's V1 checkpoint format has been deprecated.")
  tf.logging.warning("Consider switching to the more efficient V2 format:")
  tf.logging.warning("   `tf.train.Saver(write_version=tf.train.SaverDef.V2)`")
  tf.logging.warning("now on by default.")
  tf.logging.warning("*******************************************************")
