"""Variables of which every worker has one of its own, while the parameter servers have another for all.

What is trained is the worker's: a local variable on its device. Beside it custom getters make the center, a global variable
placed by the device functions in force, and further variables of the worker.
"""

import millrace as tf

CENTER = "global_center_variable"


class CenterGetter:
  """A custom getter for variable scopes: trainable variables become local ones with a center. `centers` maps one to the other."""

  def __init__(self, worker_device):
    self._worker_device = worker_device
    self.centers = {}

  def _local(self, getter, name, args, kwargs):
    """The worker's own variable."""
    with tf.device(self._worker_device):
      return getter(name, trainable=True, collections=[tf.GraphKeys.LOCAL_VARIABLES], *args, **kwargs)

  def _make_center(self, local, name):
    """The center of `local`, which begins with the same value."""
    for var in parts_of(local):
      own = name if var is local else var.op.name
      center = self.centers[var] = tf.Variable(
        _initial_value(var), trainable=False, collections=[tf.GraphKeys.GLOBAL_VARIABLES], name=f"{CENTER}/{own}"
      )
      info = var._save_slice_info
      if info:
        center._set_save_slice_info(
          tf.Variable.SaveSliceInfo(f"{CENTER}/{info.full_name}", info.full_shape, info.var_offset, info.var_shape)
        )

  def _make_beside(self, local, name, folder, initial_value_of):
    """Another variable of the worker for each part of `local`; returns pairs of both."""
    made = []
    for var in parts_of(local):
      own = name if var is local else var.op.name
      with tf.device(self._worker_device):
        beside = tf.Variable(
          initial_value_of(var), trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name=f"{folder}/{own}"
        )
      made.append((var, beside))
    return made


def _initial_value(var):
  return var.initialized_value()


def parts_of(variable):
  """The parts of a partitioned variable, or the variable itself."""
  if isinstance(variable, tf.Variable):
    return [variable]
  return list(variable)


def make_local_step():
  """The counter of a worker's own steps."""
  return tf.get_variable(
    "local_step", initializer=0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=False
  )


def assign_all(targets, values):
  """The op that writes each value to its target, on the target's device."""
  written = []
  for target, value in zip(targets, values):
    with tf.device(target.device):
      written.append(tf.assign(target, value).op)
  return tf.group(*written)


class moved_to_worker:
  """A scope: global variables that are made in it, slots of the wrapped optimizer, become local ones."""

  def __enter__(self):
    self._before = set(tf.global_variables())

  def __exit__(self, *_):
    made = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
    for var in [v for v in made if v not in self._before]:
      made.remove(var)
      tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, var)
