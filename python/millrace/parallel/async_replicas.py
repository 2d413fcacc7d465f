"""Asynchronous training of several replicas, with the staleness of every gradient measured and what is told done about it."""

from millrace.parallel import replica_table, step_reads
from millrace.parallel.tensorflow_in_use import OverTensorflow, tf
from millrace.train.optimizers.slots_of_another import SlotsOfAnother

POLICIES = ("measure", "drop", "scale")


class AsyncReplicasOptimizer(SlotsOfAnother, OverTensorflow):
  """A `tf.train.Optimizer` whose replicas apply their own gradients when they have them, by the optimizer `opt`.

  The staleness of a gradient is the number of updates that the global step has counted between two moments of one step: when
  the step begins, before the parameters are read, and when the gradient is applied. What becomes of a stale gradient,
  `staleness`:

  "measure": it is applied as it is.
  "drop": one that is staler than `max_staleness` is not applied: neither the variables nor the optimizer's state nor the global
  step change.
  "scale": it is multiplied by 1 / (staleness + 1).

  `use_locking`: updates of several replicas do not overlap. A mutex beside the global step is held from the decision about a
  gradient to the counting of the step, so that "drop" applies no gradient that is staler than max_staleness, of variables beside
  the global step. Without it the decision of one replica counts no update that another has decided on and not counted yet, of
  which each other replica has one at most.

  Bounded staleness: with `max_ahead` a replica waits between its steps while it is more than that ahead of the slowest replica
  that trains; with 0 all go step by step. Warm-up: only replica 0 trains until the global step is `warm_up_steps`. Both are what
  the hook waits for; a program with a session of its own calls `make_pace()`:

      pace = optimizer.make_pace()
      pace.begin(session)
      while ...:
        pace.before_step(session)
        session.run(train_op)
      pace.end(session)

  All replicas have the same arguments but for `replica`, 0 to replicas - 1. What they know of each other is a table on the global
  step's task, which no checkpoint has. Names of slots and of all else in checkpoints are those of `opt`. The C++ library's
  AsyncReplicas has the same table and does the same, so that its replicas and these train together. `wire` is a GradientWire,
  or None: gradients go to the variables as they are. What a dropped gradient sent by "top_k" is lost: it has left the residual.

  What "before" means. Both reads of the global step, the difference and what follows from it are on the task that has the
  global step, so measuring sends nothing; `apply_gradients` adds control edges from the first one to the reads of parameters on
  that task that the gradients depend on. On other tasks the reads begin when the step's request arrives there, so an update
  in between may be missed. A resource variable is read at one moment after that: its value has all updates that the step had
  counted, and maybe later ones. A read of a reference variable gives the variable's memory itself, so updates that come until
  the value is used or sent to another task are seen, too, and maybe in part. In both cases a gradient is not staler than the
  number says. With "measure" the second read comes after the updates of the variables and before the step counts its own; with
  the others it comes when all gradients have been computed and those of variables beside the global step have arrived.
  """

  tensorflow_base = "train.Optimizer"

  def __init__(
    self,
    opt,
    replicas=1,
    replica=0,
    staleness="measure",
    max_staleness=None,
    max_ahead=None,
    warm_up_steps=0,
    wire=None,
    use_locking=False,
    name="async_replicas",
  ):
    """Raises ValueError for arguments that contradict each other."""
    super().__init__(use_locking, name)
    if replicas < 1 or not 0 <= replica < replicas:
      raise ValueError(
        "AsyncReplicasOptimizer: there is one replica or more, and they have the numbers from 0 on; replica is %r, replicas is %r"
        % (replica, replicas)
      )
    if staleness not in POLICIES:
      raise ValueError('AsyncReplicasOptimizer: staleness is "measure", "drop" or "scale", not %r' % (staleness,))
    if (staleness == "drop") != (max_staleness is not None):
      raise ValueError(
        'AsyncReplicasOptimizer: staleness="drop" needs max_staleness, 0 or more, and the others take none; staleness is %r, '
        "max_staleness is %r" % (staleness, max_staleness)
      )
    for argument, value in (("max_staleness", max_staleness), ("max_ahead", max_ahead), ("warm_up_steps", warm_up_steps)):
      if value is not None and value < 0:
        raise ValueError("AsyncReplicasOptimizer: %s must be 0 or more, not %r" % (argument, value))
    self._opt = opt
    self._replicas, self._replica = replicas, replica
    self._policy, self._max_staleness = staleness, max_staleness
    self._max_ahead, self._warm_up_steps = max_ahead, warm_up_steps
    self._wire = wire
    self._one_by_one = use_locking
    self._block = None

  @property
  def replicas(self):
    return self._replicas

  @property
  def replica(self):
    return self._replica

  @property
  def max_ahead(self):
    return self._max_ahead

  @property
  def warm_up_steps(self):
    return self._warm_up_steps

  def compute_gradients(self, *args, **kwargs):
    """Those of the wrapped optimizer; `apply_gradients` orders the reads of parameters, whatever was made of the gradients."""
    return self._opt.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of one step of a replica, whose output is the global step after it. Called once, before a session runs the graph.

    The updates come after the control dependencies that are current. Raises ValueError without a global step, without gradients,
    within a `tf.cond` or a loop, or the second time.
    """
    api = tf()
    grads_and_vars = [(_converted(gradient), variable) for gradient, variable in grads_and_vars]
    if not any(gradient is not None for gradient, _ in grads_and_vars):
      raise ValueError("No gradients provided for any variable: %s." % [str(v) for _, v in grads_and_vars])
    if global_step is None:
      raise ValueError("Global step is required to measure staleness")
    if self._block is not None:
      raise ValueError("AsyncReplicasOptimizer: gradients are applied once")
    graph = api.get_default_graph()
    if graph._get_control_flow_context() is not None or graph.building_function:
      raise ValueError(
        "AsyncReplicasOptimizer: apply_gradients is called outside of tf.cond and tf.while_loop, since what it counts is asked for "
        "with every step"
      )
    with api.name_scope(None), api.name_scope(self._name) as block:
      self._block = block.rstrip("/")
      self._step, self._device = global_step, _beside(global_step)
      with api.control_dependencies(None):
        table = replica_table.ReplicaTable(self._block, self._device, self._replicas, self._replica)
        begun = step_reads.read_step(global_step, name="begun")
      step_reads.tie_reads(begun.op, grads_and_vars)
      sent = self._sent(grads_and_vars)
      self._lock, before = None, []
      decides = self._policy != "measure" or self._one_by_one
      if decides:
        sent, before = self._decide(*self._await_gradients(grads_and_vars, sent), begun)
      with api.device(self._device), api.name_scope(""), api.control_dependencies(before):
        updated = self._opt.apply_gradients(sent, name=name)
      if not decides:
        self._measure([updated], begun)
      return self._counted(table, updated)

  def _sent(self, grads_and_vars):
    """The pairs as they arrive beside the variables."""
    if self._wire is None:
      return grads_and_vars
    from millrace.parallel import gradient_wire

    return gradient_wire.on_the_wire(grads_and_vars, self._wire)

  def _await_gradients(self, computed, sent):
    """The pairs with gradients that have arrived where the global step is, and what to wait for until all are there."""
    api = tf()
    pairs, arrived, elsewhere = [], [], []
    for (before, _), (gradient, variable) in zip(computed, sent):
      if gradient is not None and not step_reads.on_one_task(variable.device, self._device):
        elsewhere += step_reads.parts_of(before)
      elif gradient is not None:
        with api.device(variable.device):
          parts = [api.identity(part, name="arrived") for part in step_reads.parts_of(gradient)]
        arrived += parts
        gradient = parts[0] if len(parts) == 1 else api.IndexedSlices(*parts, gradient.dense_shape)
      pairs.append((gradient, variable))
    if elsewhere:
      with api.device(self._device):
        arrived.append(api.group(*elsewhere, name="computed"))
    return pairs, arrived

  def _decide(self, pairs, before, begun):
    """The pairs to apply, and what the updates wait for. With "drop" that is dead where they are not to be made."""
    api = tf()
    with api.device(self._device):
      if self._one_by_one:
        mutex = api.raw_ops.MutexV2(shared_name=self._block + "/mutex", name="mutex")
        with api.control_dependencies(before):
          self._lock = api.raw_ops.MutexLock(mutex=mutex)
        before = [self._lock]
      self._measure(before, begun)
      if self._policy == "drop":
        self._applied = api.less_equal(self._staleness, api.constant(self._max_staleness, api.int64), name="applied")
        taken = api.raw_ops.Switch(data=self._applied, pred=self._applied)[1]
        # All that the optimizer makes waits for it, and is dead with it: some change slots whatever the gradient is.
        return pairs, [api.identity(taken, name="taken")]
      if self._policy == "scale":
        scale = 1.0 / api.cast(self._staleness + 1, api.float64)
        return [(_scaled(gradient, variable, scale), variable) for gradient, variable in pairs], before
    return pairs, before

  def _measure(self, after, begun):
    api = tf()
    self._now = step_reads.read_step(self._step, after, name="now")
    with api.device(self._device):
      # A global step that was restored meanwhile is less than the one before.
      self._staleness = api.maximum(self._now - begun, api.constant(0, api.int64), name="measured")
      self._applied = None

  def _counted(self, table, updated):
    """Counts the step and the gradient after the updates; returns the train op."""
    api = tf()
    with api.device(self._device):
      with api.control_dependencies([updated, self._now]):
        counted = self._step.assign_add(1)
      after = step_reads.read_step(self._step, [counted])
      if self._applied is not None:
        unchanged = api.raw_ops.Switch(data=self._now, pred=self._applied)[0]
        after = api.raw_ops.Merge(inputs=[after, unchanged])[0]
      with api.control_dependencies([after]):
        written, self._dropped = table.count(self._staleness, self._applied)
        ends = [written]
        if self._lock is not None:
          ends.append(api.raw_ops.ConsumeMutexLock(mutex_lock=self._lock))
      with api.control_dependencies(ends):
        train_op = api.identity(after, name="train_op").op
    with api.control_dependencies(None):
      if self._applied is None:
        with api.device(self._device):
          self._applied = api.constant(True, name="applied")
      self._make_ops_beside(table)
    api.get_collection_ref(api.GraphKeys.TRAIN_OP).append(train_op)
    return train_op

  def _make_ops_beside(self, table):
    """The ops that are run whenever replicas or programs look, and not with the steps."""
    api = tf()
    with api.name_scope("control"), api.device(self._device):
      self.global_step_now = step_reads.read_step(self._step)
      self.records = table.read()
      self.join = table.join()
      self.fed_replica = api.placeholder(api.int64, [], name="replica")
      self.fed_state = api.placeholder(api.int64, [], name="state")
      self.set_state = table.set_state(self.fed_replica, self.fed_state)
    # Of all replicas and so far: to read these changes nothing, also where summaries are made by runs of their own.
    for name, value in replica_table.figures(self.records).items():
      api.summary.scalar(name, value)

  def _after_apply(self, value, what):
    if self._block is None:
      raise ValueError("AsyncReplicasOptimizer: %s is there after apply_gradients" % what)
    return value()

  @property
  def staleness(self):
    """The staleness of the gradients of the step that is run with it; an int64 scalar, to be fetched along with the train op."""
    return self._after_apply(lambda: self._staleness, "staleness")

  @property
  def applied(self):
    """Whether the gradients of the step that is run with it were applied; a bool scalar."""
    return self._after_apply(lambda: self._applied, "applied")

  @property
  def dropped(self):
    """How many of this replica's gradients have been dropped, those of the step that is run with it included; an int64 scalar."""
    return self._after_apply(lambda: self._dropped, "dropped")

  @property
  def block_name(self):
    """The name of the block of ops and of the table."""
    return self._after_apply(lambda: self._block, "block_name")

  def read_records(self, session):
    """A `replica_table.ReplicaRecords`: the global step, and of each replica how many gradients of which staleness it has had."""
    tensors = self._after_apply(lambda: [self.global_step_now, self.records], "read_records")
    return replica_table.parse(*session.run(tensors))

  def make_session_run_hook(self, **options):
    """A `tf.train.SessionRunHook` for each replica's MonitoredSession; `options` are those of AsyncReplicasHook."""
    from millrace.parallel import async_replicas_hook

    return async_replicas_hook.AsyncReplicasHook(self, **options)

  def make_pace(self, **options):
    """The waiting of a replica for a program with a session of its own; `options` are those of `replica_pace.Pace`."""
    from millrace.parallel import replica_pace

    return replica_pace.Pace(self, **options)


def _beside(global_step):
  """The device of what is small and beside the global step; where that is on a GPU, its task's processor, as tables are there."""
  device = tf().DeviceSpec.from_string(global_step.device)
  if device.device_type in (None, "CPU"):
    return global_step.device
  return tf().DeviceSpec(job=device.job, replica=device.replica, task=device.task, device_type="CPU", device_index=0).to_string()


def _converted(gradient):
  return gradient if gradient is None or isinstance(gradient, tf().IndexedSlices) else tf().convert_to_tensor(gradient)


def _scaled(gradient, variable, scale):
  """The gradient times a float64 scalar, beside its variable."""
  if gradient is None:
    return None
  api = tf()
  values = step_reads.parts_of(gradient)[0]
  with api.device(variable.device):
    scaled = values * api.cast(scale, values.dtype.base_dtype)
  return api.IndexedSlices(scaled, gradient.indices, gradient.dense_shape) if values is not gradient else scaled
