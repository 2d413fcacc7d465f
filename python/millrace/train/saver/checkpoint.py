"""tf.train.Checkpoint: saves variables by the objects that hold them, instead of by their names."""

import os

import millrace as tf
from millrace import gen
from millrace.train.optimizers.optimizer import is_resource_variable
from millrace.train.saver import checkpoint_state, object_graph
from millrace.train.saver import reader as reader_lib


def _session(session):
  if session is None:
    session = tf.get_default_session()
  if session is None:
    raise RuntimeError("Saving and restoring need a session: pass one, or use `with session.as_default()`.")
  return session


def _save_op(objects):
  """The op that writes the objects, and placeholders: of its prefix; of the states of Python and, last, of the graph of objects."""
  keys, states = sorted(objects.variables), sorted(objects.states)
  names = [*keys, *states, object_graph.OBJECT_GRAPH_KEY]
  tensors = [objects.variables[key].value() for key in keys]
  with tf.device("/cpu:0"):
    prefix, *fed = [tf.placeholder(tf.string, []) for _ in range(len(states) + 2)]
    return gen.save_v2(prefix, names, [""] * len(names), [*tensors, *fed]), prefix, fed


def _restore_ops(values):
  """The ops that give variables the values of their keys, with a placeholder for the prefix of the checkpoint."""
  with tf.device("/cpu:0"):
    prefix = tf.placeholder(tf.string, [])
    tensors = gen.restore_v2(prefix, [key for _, key in values], [""] * len(values), [v.dtype.base_dtype for v, _ in values])
  return [_assign(v, tensor) for (v, _), tensor in zip(values, tensors)], prefix


class Checkpoint:
  """Holds objects by names: variables, optimizers, lists, maps and other checkpoints.

  `save` writes all variables that are reached, with the slots of optimizers; `restore` finds them by the same names, in
  whatever order they were made. Raises ValueError for other objects.
  """

  def __init__(self, **kwargs):
    self._save_counter = None
    self._names = []
    self._made = {}
    for name, value in sorted(kwargs.items()):
      if not object_graph.is_trackable(value):
        raise ValueError(
          f"`Checkpoint` was expecting a trackable object (an object derived from `Trackable`), got {value}. It takes variables, "
          "optimizers, lists, maps and other checkpoints."
        )
      setattr(self, name, value)

  def __setattr__(self, name, value):
    if not name.startswith("_") and object_graph.is_trackable(value) and name not in self._names:
      self._names.append(name)
    super().__setattr__(name, value)

  def _checkpoint_children(self):
    found = [(name, getattr(self, name)) for name in self._names]
    if self._save_counter is not None:
      found.append(("save_counter", self._save_counter))
    return found

  @property
  def save_counter(self):
    """A variable that counts the calls of `save`."""
    if self._save_counter is None:
      with tf.device("/cpu:0"):
        self._save_counter = tf.Variable(0, name="save_counter", trainable=False, dtype=tf.int64, use_resource=True)
    return self._save_counter

  def _count(self, session):
    """The number of the next checkpoint."""
    is_new = self._save_counter is None
    counter = self.save_counter
    if is_new:
      session.run(counter.initializer)
    with counter.graph.as_default():
      if not hasattr(self, "_next_number"):
        self._next_number = tf.assign_add(counter, 1)
    return session.run(self._next_number)

  def _ops(self, key, make):
    """What `make` adds to the default graph, once for a key: a training saves as long as it lasts, in a final graph, too."""
    key = (tf.get_default_graph(), key)
    if key not in self._made:
      # They are run for themselves, wherever the program was when they were made.
      with tf.control_dependencies(None):
        self._made[key] = make()
    return self._made[key]

  def write(self, file_prefix, session=None):
    """Writes a checkpoint; returns its prefix."""
    session = _session(session)
    with session.graph.as_default():
      objects = object_graph.ObjectGraph(self)
      graph = objects.message.SerializeToString()
      save, prefix, fed = self._ops(graph, lambda: _save_op(objects))
    values = [state.serialize() for _, state in sorted(objects.states.items())]
    folder = os.path.dirname(file_prefix)
    if folder and not tf.gfile.IsDirectory(folder):
      tf.gfile.MakeDirs(folder)
    session.run(save, {prefix: file_prefix, **dict(zip(fed, [*values, graph]))})
    return file_prefix

  def save(self, file_prefix, session=None):
    """Writes a checkpoint with the next number, and the state file of its folder; returns its prefix."""
    session = _session(session)
    number = self._count(session)
    path = self.write(f"{file_prefix}-{number}", session=session)
    checkpoint_state.update_checkpoint_state_internal(
      save_dir=os.path.dirname(file_prefix),
      model_checkpoint_path=path,
      all_model_checkpoint_paths=[path],
      save_relative_paths=True,
    )
    return path

  def restore(self, save_path):
    """The restoration of a checkpoint, which its `run_restore_ops(session)` carries out.

    None restores nothing: `initialize_or_restore` then only initializes. Raises NotFoundError without the checkpoint.
    """
    if save_path is None:
      return _InitializationOnlyStatus(self)
    # The counter is restored, too, so it has to be there.
    self.save_counter  # noqa: B018 (makes it)
    stored = object_graph.read(save_path)
    if stored is None:
      return _NameBasedStatus(self, save_path)
    return _LoadStatus(self, save_path, stored)


def _variables_of(root):
  return object_graph.ObjectGraph(root).variables


class _Status:
  """What `restore` returns."""

  def __init__(self, root):
    self._root = root

  def expect_partial(self):
    """Says that parts may be missing."""
    return self

  def initialize_or_restore(self, session=None):
    """Restores what is in the checkpoint and initializes the other variables."""
    session = _session(session)
    with session.graph.as_default():
      restored = self._values()
      others = [v for v in _variables_of(self._root).values() if id(v) not in {id(x) for x, _ in restored}]
      session.run([v.initializer for v in others])
    if restored:
      self.run_restore_ops(session)

  def run_restore_ops(self, session=None):
    """Gives the variables their values of the checkpoint."""
    session = _session(session)
    with session.graph.as_default():
      values = self._values()
      if not values:
        return
      names = tuple((v.op.name, key) for v, key in values)
      ops, prefix = self._root._ops(names, lambda: _restore_ops(values))
    session.run(ops, {prefix: self._save_path})
    self._restore_states()

  def _restore_states(self):
    """Gives objects of Python their states."""


def _assign(variable, value):
  if is_resource_variable(variable):
    variable.get_shape().assert_is_compatible_with(value.get_shape())
    return gen.assign_variable_op(variable.handle, value)
  return tf.assign(variable, value)


class _LoadStatus(_Status):
  """The restoration of a checkpoint with a graph of objects."""

  def __init__(self, root, save_path, stored):
    super().__init__(root)
    self._save_path = save_path
    self._stored = stored

  def _match(self):
    return object_graph.match(self._stored, self._root)

  def _values(self):
    found = self._match()
    values = []
    for node_id, value in found.items():
      if isinstance(value, tf.Variable):
        values.extend((value, a.checkpoint_key) for a in self._stored.nodes[node_id].attributes)
    return values

  def _restore_states(self):
    reader = reader_lib.NewCheckpointReader(self._save_path)
    for node_id, value in self._match().items():
      if isinstance(value, object_graph.PythonState):
        for attribute in self._stored.nodes[node_id].attributes:
          value.deserialize(tf.compat.as_bytes(reader.get_tensor(attribute.checkpoint_key)))

  def assert_consumed(self):
    """Raises AssertionError if anything of the checkpoint, or of the program, has no counterpart."""
    found = self._match()
    for node_id, node in enumerate(self._stored.nodes):
      if node_id not in found and (node.attributes or node.children):
        raise AssertionError(f"Unresolved object in checkpoint {object_graph.path_of(self._stored, node_id)}: {node}")
    return self.assert_existing_objects_matched()

  def assert_existing_objects_matched(self):
    """Raises AssertionError if a variable of the program isn't in the checkpoint."""
    restored = {id(v) for v, _ in self._values()}
    missing = [v for v in _variables_of(self._root).values() if id(v) not in restored]
    if missing:
      raise AssertionError(f"Object not assigned a value from checkpoint: {missing[0]}")
    return self

  def assert_nontrivial_match(self):
    """Raises AssertionError if nothing but the root has a counterpart."""
    if len(self._match()) == 1:
      raise AssertionError(
        f"Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does not "
        f"match the Python program. The following objects have no matching checkpointed value: {list(_variables_of(self._root))}"
      )
    return self


class _NameBasedStatus(_Status):
  """The restoration of a checkpoint of tf.train.Saver, by the names of the variables."""

  def __init__(self, root, save_path):
    super().__init__(root)
    self._save_path = save_path

  def _values(self):
    reader = reader_lib.NewCheckpointReader(self._save_path)
    return [(v, v.op.name) for v in _variables_of(self._root).values() if reader.has_tensor(v.op.name)]

  def assert_consumed(self):
    return self.assert_existing_objects_matched()

  def assert_existing_objects_matched(self):
    restored = {id(v) for v, _ in self._values()}
    missing = [v.op.name for v in _variables_of(self._root).values() if id(v) not in restored]
    missing = [name for name in missing if name != "save_counter"]
    if missing:
      raise AssertionError(f"Some objects had attributes which were not restored: {missing}")
    return self

  def assert_nontrivial_match(self):
    if not self._values():
      raise AssertionError("No variable of the program is in the checkpoint.")
    return self


class _InitializationOnlyStatus(_Status):
  """Restores nothing."""

  _save_path = None

  def _values(self):
    return []

  def _fail(self):
    raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

  def assert_consumed(self):
    self._fail()

  def assert_existing_objects_matched(self):
    self._fail()

  def assert_nontrivial_match(self):
    self._fail()

  def run_restore_ops(self, session=None):
    self._fail()
