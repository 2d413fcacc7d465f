"""Estimators whose input goes on where the last training left it: the hook that keeps the places of iterators in checkpoints."""

import os
import shutil
import tempfile


def _estimator(tf, folder, seen, **options):
  def model_fn(features, labels, mode):
    last = tf.get_variable("last", [], tf.int64, initializer=tf.zeros_initializer())
    with tf.control_dependencies([tf.assign(last, features)]):
      train = tf.assign_add(tf.train.get_or_create_global_step(), 1)

    class See(tf.train.SessionRunHook):
      def before_run(self, run_context):
        return tf.train.SessionRunArgs(features)

      def after_run(self, run_context, run_values):
        seen.append(int(run_values.results))

    return tf.estimator.EstimatorSpec(mode, loss=tf.cast(last, tf.float32), train_op=train, training_hooks=[See()])

  return tf.estimator.Estimator(model_fn, folder, tf.estimator.RunConfig(save_checkpoints_steps=3, **options))


def program_hook(tf):
  """Two trainings: the second one takes the elements behind those of the first."""
  folder = tempfile.mkdtemp()
  seen, found = [], []
  for steps in (4, 3):
    estimator = _estimator(tf, folder, seen)
    hook = tf.data.experimental.CheckpointInputPipelineHook(estimator)
    estimator.train(lambda: tf.data.Dataset.range(100).shuffle(10, seed=1), hooks=[hook], steps=steps)
    files = sorted(name for name in os.listdir(folder) if not name.startswith(("events", "graph")))
    found.append([list(seen), files])
  latest = tf.train.latest_checkpoint(folder, "checkpoint_input")
  found.append([os.path.basename(latest), sorted(tf.train.NewCheckpointReader(latest).get_variable_to_shape_map())])
  shutil.rmtree(folder)
  return found


def program_without_hook(tf):
  folder = tempfile.mkdtemp()
  seen = []
  for _ in range(2):
    _estimator(tf, folder, seen).train(lambda: tf.data.Dataset.range(100), steps=2)
  shutil.rmtree(folder)
  return seen
