"""Iterators in checkpoints: what a saver saves of them, and the hook that saves those of an estimator's input."""

import millrace as tf
from millrace import gen
from millrace.data import iterators
from millrace.framework import scopes
from millrace.train.saver.saveable import SaveableObject, SaveSpec
from millrace.train.session import hooks_base, saving_hooks


class _IteratorSaveable(SaveableObject):
  """The place of an iterator in its data set. It is restored after the iterator has been initialized with such a data set."""

  def __init__(self, iterator_resource):
    # 2 asks for an error where functions have state, as TensorFlow 2 does by default; our servers do not read it.
    state = gen.serialize_iterator(iterator_resource, external_state_policy=2)
    name = iterator_resource.name
    super().__init__(iterator_resource, [SaveSpec(state, "", name + "_STATE")], name)

  def restore(self, restored_tensors, restored_shapes):
    with scopes.colocate_with(self.op):
      return gen.deserialize_iterator(self.op, restored_tensors[0])


def make_saveable_from_iterator(iterator):
  """Returns a SaveableObject for the place of `iterator` in its data set.

  A `tf.train.Saver` gets it in its list of variables, or finds it in the collection `tf.GraphKeys.SAVEABLE_OBJECTS`. To restore,
  make the same data set, run the iterator's initializer, then `Saver.restore`, in the same session or one of another process or
  task. The state contains the elements that a shuffle, a cache, a window or a prefetch holds.
  """
  return _IteratorSaveable(iterator._iterator_resource)


class _InputSaver(tf.train.Saver):
  """A saver that keeps its list of checkpoints in a file of its own, so that those of the model's saver stay the latest ones."""

  def __init__(self, saveables, latest_filename):
    super().__init__(saveables, sharded=True)
    self._latest_filename = latest_filename

  def save(self, sess, save_path, global_step=None, latest_filename=None, **options):
    return super().save(sess, save_path, global_step, latest_filename or self._latest_filename, **options)


class CheckpointInputPipelineHook(hooks_base.SessionRunHook):
  """Saves the places of all iterators when an estimator saves its model, and restores them when training goes on.

  The checkpoints are `input.ckpt-STEP` in the estimator's folder, and `checkpoint_input` lists them; with several workers each has
  its own, with `_TASK-TYPE_TASK-ID` behind `input`. Without the hook, an input begins anew with each call of `train`.
  """

  def __init__(self, estimator):
    config = estimator.config
    prefix = "input"
    if config.num_worker_replicas > 1:
      prefix += f"_{config.task_type}_{config.task_id}"
    # Not a base class: estimators add a hook for the model's checkpoints unless one of that class is there.
    self._checkpoint_saver_hook = saving_hooks.CheckpointSaverHook(
      estimator.model_dir,
      save_secs=config.save_checkpoints_secs,
      save_steps=config.save_checkpoints_steps,
      checkpoint_basename=prefix + ".ckpt",
    )
    self._latest_filename = "checkpoint_" + prefix
    self._is_first_run = False

  def begin(self):
    hook = self._checkpoint_saver_hook
    if hook._saver is None and hook._scaffold is None:
      resources = tf.get_collection(iterators.GLOBAL_ITERATORS)
      hook._saver = _InputSaver([_IteratorSaveable(resource) for resource in resources], self._latest_filename)
    hook.begin()

  def after_create_session(self, session, coord):
    # Other hooks may initialize the iterators only after this one is called.
    self._is_first_run = True

  def before_run(self, run_context):
    if self._is_first_run:
      self._restore_or_save(run_context.session)
      self._is_first_run = False
    return self._checkpoint_saver_hook.before_run(run_context)

  def after_run(self, run_context, run_values):
    self._checkpoint_saver_hook.after_run(run_context, run_values)

  def end(self, session):
    self._checkpoint_saver_hook.end(session)

  def _restore_or_save(self, session):
    hook = self._checkpoint_saver_hook
    latest = tf.train.latest_checkpoint(hook._checkpoint_dir, self._latest_filename)
    if latest:
      hook._get_saver().restore(session, latest)
      return
    global_step = session.run(hook._global_step_tensor)
    hook._save(session, global_step)
    hook._timer.update_last_triggered_step(global_step)
