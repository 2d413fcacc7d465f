"""Parallel training over TensorFlow 1's API: replicas that do not wait for each other, layers and networks over several devices.

It works over the TensorFlow that the program uses, the stock client or Millrace's (`tensorflow_in_use.py`):

    import tensorflow.compat.v1 as tf
    from millrace import parallel

    optimizer = parallel.AsyncReplicasOptimizer(
      tf.train.MomentumOptimizer(0.01, 0.9), replicas=4, replica=task_index, staleness="scale", max_ahead=8
    )
    train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=task_index == 0, hooks=[optimizer.make_session_run_hook()]
    ) as session:
      while not session.should_stop():
        session.run(train_op)

    hidden = parallel.split_dense(images, 512, ["/job:worker/task:0", "/job:worker/task:1"], activation=tf.nn.relu)
    logits = parallel.pipeline([lower_layers, upper_layers], ["/cpu:0", "/cpu:1"], images, micro_batches=4)

Names are imported when they are first used; importing this package loads nothing else and starts nothing.
`docs/python/parallel.md` shows each.
"""

import importlib
import sys
import types

# Public names and the modules that have them.
_PLACES = {
  "AsyncReplicasOptimizer": "async_replicas",
  "AsyncReplicasHook": "async_replicas_hook",
  "GradientWire": "gradient_wire",
  "WiredOptimizer": "gradient_wire",
  "on_the_wire": "gradient_wire",
  "pipeline": "pipeline",
  "quantized_graph": "quantized_graph",
  "split_conv2d": "split_conv2d",
  "split_dense": "split_dense",
  "tf": "tensorflow_in_use",
  "use": "tensorflow_in_use",
}

__all__ = sorted(set(_PLACES) - {"tf"})  # noqa: PLE0605


class _Package(types.ModuleType):
  """The package: its public names stay what they are when a module of the same name is imported."""

  def __getattr__(self, name):
    place = _PLACES.get(name)
    if place is None:
      raise AttributeError("module %r has no attribute %r; it has %s" % (self.__name__, name, ", ".join(__all__)))
    found = getattr(importlib.import_module("%s.%s" % (self.__name__, place)), name)
    super().__setattr__(name, found)
    return found

  def __setattr__(self, name, value):
    if not (name in _PLACES and isinstance(value, types.ModuleType)):
      super().__setattr__(name, value)

  def __dir__(self):
    return sorted(set(self.__dict__) | set(_PLACES))


sys.modules[__name__].__class__ = _Package
