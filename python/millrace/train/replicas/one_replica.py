"""The strategy of one replica: what runs on all replicas runs here, and values of all replicas are this one's."""

import contextlib
import enum

from millrace.train.replicas.names import InputContext, ReduceOp
from millrace.framework import nest, scopes


class Strategy:
  """A strategy of one replica, and the class that programs look for; there is no other kind."""

  def __init__(self, extended=None):
    self._extended = extended or StrategyExtended(self)

  @property
  def extended(self):
    return self._extended

  @property
  def num_replicas_in_sync(self):
    return 1

  @contextlib.contextmanager
  def scope(self):
    """A context in which variables are created; it changes nothing."""
    yield self

  def experimental_run_v2(self, fn, args=(), kwargs=None):
    """What `fn` returns for the arguments."""
    return fn(*args, **(kwargs or {}))

  run = experimental_run_v2

  def reduce(self, reduce_op, value, axis=None):
    """The value; with `axis`, its sum or mean along that axis."""
    reduce_op = _reduce_op(reduce_op)
    if axis is None:
      return value
    from millrace.ops.math import reductions

    along = reductions.reduce_sum if reduce_op is ReduceOp.SUM else reductions.reduce_mean
    return along(value, axis=axis)

  def experimental_local_results(self, value):
    return (value,)

  unwrap = experimental_local_results

  def experimental_distribute_dataset(self, dataset):
    return dataset

  def experimental_distribute_datasets_from_function(self, dataset_fn):
    """The data set of the only pipeline."""
    return dataset_fn(InputContext())

  def make_dataset_iterator(self, dataset):
    return dataset.make_initializable_iterator()

  def make_input_fn_iterator(self, input_fn, replication_mode=None):
    """An iterator over the data set of the only pipeline."""
    return self.make_dataset_iterator(input_fn(InputContext()))

  def update_config_proto(self, config_proto):
    return config_proto

  def __deepcopy__(self, memo):
    return self


class StrategyExtended:
  """What libraries ask of a strategy, for one replica."""

  def __init__(self, container_strategy=None):
    self._container_strategy = container_strategy

  @property
  def worker_devices(self):
    return ("",)

  @property
  def parameter_devices(self):
    return ("",)

  @property
  def experimental_require_static_shapes(self):
    return False

  experimental_between_graph = False
  experimental_should_init = True
  should_checkpoint = True
  should_save_summary = True

  def call_for_each_replica(self, fn, args=(), kwargs=None):
    """What `fn` returns for the arguments."""
    return fn(*args, **(kwargs or {}))

  def reduce_to(self, reduce_op, value, destinations):
    _reduce_op(reduce_op)
    return value

  def batch_reduce_to(self, reduce_op, value_destination_pairs):
    """The values."""
    _reduce_op(reduce_op)
    return [value for value, _ in value_destination_pairs]

  def broadcast_to(self, tensor, destinations):
    return tensor

  def update(self, var, fn, args=(), kwargs=None, group=True):
    """What `fn` returns for the variable and the arguments; without `group`, each result as a tuple of those of all replicas."""
    return self.update_non_slot(var, fn, (var, *args), kwargs, group)

  def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
    """What `fn` returns for the arguments; without `group`, each result as a tuple of those of all replicas."""
    result = fn(*args, **(kwargs or {}))
    return result if group else nest.map_structure(lambda one: (one,), result)

  def colocate_vars_with(self, colocate_with_variable):
    """A context in which variables are created beside that one."""
    return scopes.colocate_with(colocate_with_variable)

  def variable_created_in_scope(self, v):
    return True

  def read_var(self, v):
    return v

  def value_container(self, value):
    return value

  def non_slot_devices(self, var_list):
    """The device of the variable with the first name."""
    return min(var_list, key=lambda variable: variable.name)


class ReplicaContext:
  """What a function knows of the replica that it runs in."""

  def __init__(self, strategy, replica_id_in_sync_group=None):
    self._strategy = strategy

  @property
  def strategy(self):
    return self._strategy

  @property
  def num_replicas_in_sync(self):
    return 1

  @property
  def replica_id_in_sync_group(self):
    """Zero, as a tensor."""
    from millrace.framework import constants, dtypes

    return constants.constant(0, dtypes.int32, name="replica_id_in_sync_group")

  @property
  def devices(self):
    return ("",)

  def __enter__(self):
    return self

  def __exit__(self, *error):
    return False

  def merge_call(self, merge_fn, args=(), kwargs=None):
    """What the function returns for the strategy and the arguments."""
    return merge_fn(self._strategy, *args, **(kwargs or {}))

  def all_reduce(self, reduce_op, value):
    _reduce_op(reduce_op)
    return value


def _reduce_op(value):
  """A ReduceOp, of one or of its name."""
  if isinstance(value, str):
    return ReduceOp(value.upper())
  # Enumerations of older programs have the same names.
  return ReduceOp[value.name] if isinstance(value, enum.Enum) else value


_strategy = Strategy()
_context = ReplicaContext(_strategy)


def has_strategy():
  """False: none is chosen."""
  return False


def in_cross_replica_context():
  return False


def get_strategy():
  """The strategy of one replica."""
  return _strategy


def get_replica_context():
  return _context


def get_cross_replica_context():
  """None: this is a replica."""
  return None
