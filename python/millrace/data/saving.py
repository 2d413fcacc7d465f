"""Iterators in checkpoints: what savers write of them, and a hook that keeps them beside those of a model."""

from millrace import gen
from millrace.train.saver import saveable
from millrace.train.session.hooks_base import SessionRunHook


class _IteratorSaveable(saveable.SaveableObject):
  """The position of an iterator and of the data sets below it."""

  def __init__(self, iterator_resource):
    state = gen.serialize_iterator(iterator_resource, external_state_policy=2)
    name = iterator_resource.name
    specs = [saveable.SaveSpec(state, "", name + "-state")]
    super().__init__(iterator_resource, specs, name)

  def restore(self, restored_tensors, restored_shapes):
    from millrace.framework import scopes

    with scopes.colocate_with(self.op):
      return gen.deserialize_iterator(self.op, restored_tensors[0])


def make_saveable_from_iterator(iterator):
  """Returns what a Saver writes of an iterator; add it to the collection tf.GraphKeys.SAVEABLE_OBJECTS."""
  return _IteratorSaveable(iterator._iterator_resource)


class CheckpointInputPipelineHook(SessionRunHook):
  """Writes the positions of all iterators into checkpoints "input.ckpt" of an estimator's folder, and reads the last of them when
  the first session is made."""

  def __init__(self, estimator):
    self._estimator = estimator
    config = estimator._config
    if getattr(config, "num_worker_replicas", 1) > 1:
      prefix = f"input_{config.task_type}_{config.task_id}"
    else:
      prefix = "input"
    self._latest_filename = "checkpoint_" + prefix
    self._prefix = prefix
    self._config = config
    self._inner = None
    self._restored = False

  def begin(self):
    from millrace.data.iterators import GLOBAL_ITERATORS
    from millrace.framework import graph
    from millrace.train.saver.saver import Saver
    from millrace.train.session.saving_hooks import CheckpointSaverHook

    resources = graph.get_collection(GLOBAL_ITERATORS)
    self._saver = _Saver(Saver([_IteratorSaveable(resource) for resource in resources], sharded=True), self._latest_filename)
    self._inner = CheckpointSaverHook(
      self._estimator.model_dir,
      save_secs=self._config.save_checkpoints_secs,
      save_steps=self._config.save_checkpoints_steps,
      checkpoint_basename=self._prefix + ".ckpt",
      saver=self._saver,
    )
    self._inner.begin()

  def after_create_session(self, session, coord):
    from millrace.train.saver.checkpoint_state import latest_checkpoint

    if not self._restored:
      self._restored = True
      path = latest_checkpoint(self._estimator.model_dir, self._latest_filename)
      if path:
        self._saver.restore(session, path)
        return
    self._inner.after_create_session(session, coord)

  def before_run(self, run_context):
    return self._inner.before_run(run_context)

  def after_run(self, run_context, run_values):
    self._inner.after_run(run_context, run_values)

  def end(self, session):
    self._inner.end(session)


class _Saver:
  """A saver that writes the list of its checkpoints into a file of its own."""

  def __init__(self, saver, latest_filename):
    self._saver = saver
    self._latest_filename = latest_filename

  def save(self, sess, save_path, global_step=None, latest_filename=None, **options):
    return self._saver.save(sess, save_path, global_step, latest_filename or self._latest_filename, **options)

  def __getattr__(self, name):
    return getattr(self._saver, name)
