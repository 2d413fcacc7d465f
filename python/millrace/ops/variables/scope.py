"""variable_scope, get_variable and their like: variables by name, shared by whoever opens the scope again."""

import contextlib
import threading

from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables.modes import AUTO_REUSE, VariableAggregation, VariableSynchronization
from millrace.ops.variables.store import _VariableStore
from millrace.ops.variables.variable_scope_object import VariableScope, combined_getter


class _Scopes(threading.local):
  """The current scope of one graph and thread, and how often each name was opened: default names are made unique by that."""

  def __init__(self):
    self.current = VariableScope(False)
    self.counts = {}

  def open(self, name):
    self.counts[name] = self.counts.get(name, 0) + 1

  def close_below(self, name):
    for key in self.counts:
      if key.startswith(name + "/"):
        self.counts[key] = 0


def _scopes():
  return ops.get_default_graph().__dict__.setdefault("_variable_scopes", None) or _new("_variable_scopes", _Scopes)


def _get_default_variable_store():
  """Returns the store of the default graph."""
  return ops.get_default_graph().__dict__.setdefault("_variable_store", None) or _new("_variable_store", _VariableStore)


def _new(attribute, cls):
  made = ops.get_default_graph().__dict__[attribute] = cls()
  return made


def get_variable_scope():
  """Returns the current VariableScope."""
  return _scopes().current


def get_variable(
  name,
  shape=None,
  dtype=None,
  initializer=None,
  regularizer=None,
  trainable=None,
  collections=None,
  caching_device=None,
  partitioner=None,
  validate_shape=True,
  use_resource=None,
  custom_getter=None,
  constraint=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
):
  """Returns the variable `name` of the current scope: a new one, or where the scope reuses them the one that is there.

  `initializer` is a value, which then says the shape, or a function of a shape and a type; None takes the scope's, or for
  floating types glorot_uniform_initializer() and zeros for others. `regularizer(variable)` is added to
  GraphKeys.REGULARIZATION_LOSSES. With a `partitioner` the variable is a PartitionedVariable. custom_getter(getter, name,
  ...) is called in place of making it. The rest: see tf.Variable.

  Raises ValueError where the variable exists and is not to be reused, does not exist and is, or has another shape or type.
  """
  return get_variable_scope().get_variable(
    _get_default_variable_store(),
    name,
    shape=shape,
    dtype=dtype,
    initializer=initializer,
    regularizer=regularizer,
    trainable=trainable,
    collections=collections,
    caching_device=caching_device,
    partitioner=partitioner,
    validate_shape=validate_shape,
    use_resource=use_resource,
    custom_getter=custom_getter,
    constraint=constraint,
    synchronization=synchronization,
    aggregation=aggregation,
  )


def get_local_variable(
  name,
  shape=None,
  dtype=None,
  initializer=None,
  regularizer=None,
  trainable=False,
  collections=None,
  caching_device=None,
  partitioner=None,
  validate_shape=True,
  use_resource=None,
  custom_getter=None,
  constraint=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
):
  """Returns get_variable() of a variable of this process alone: in LOCAL_VARIABLES and never trained."""
  collections = (list(collections) if collections else []) + [GraphKeys.LOCAL_VARIABLES]
  return get_variable(
    name,
    shape=shape,
    dtype=dtype,
    initializer=initializer,
    regularizer=regularizer,
    trainable=False,
    collections=collections,
    caching_device=caching_device,
    partitioner=partitioner,
    validate_shape=validate_shape,
    use_resource=use_resource,
    custom_getter=custom_getter,
    constraint=constraint,
    synchronization=synchronization,
    aggregation=aggregation,
  )


def no_regularizer(_):
  """The regularizer that makes no loss, also where the scope has one."""
  return


def _unique_name(prefix):
  """Returns `prefix`, with a number behind it where a scope of that name was opened in the current one."""
  scopes = _scopes()
  full = scopes.current.name + "/" + prefix if scopes.current.name else prefix
  if not scopes.counts.get(full):
    return prefix
  number = 1
  while scopes.counts.get("%s_%d" % (full, number)):
    number += 1
  return "%s_%d" % (prefix, number)


class variable_scope:
  """Opens a scope of variables, and with it a scope of names: `with tf.variable_scope("layer") as scope`.

  `name_or_scope` is the name of a scope below the current one, or a VariableScope that is opened again. Where it is None,
  `default_name` is taken and made unique. The other arguments are the scope's defaults of get_variable; None inherits those
  of the scope outside, but for `constraint`. `reuse`: True, False, None (as the scope outside) or AUTO_REUSE. `values` are tensors of the graph that
  is meant. Without `auxiliary_name_scope` no scope of names is opened. The object can be entered once.

  Raises ValueError for another `reuse`, or reuse without a name; TypeError where no name is given.
  """

  def __init__(
    self,
    name_or_scope,
    default_name=None,
    values=None,
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    reuse=None,
    dtype=None,
    use_resource=None,
    constraint=None,
    auxiliary_name_scope=True,
  ):
    self._name_or_scope = name_or_scope
    self._default_name = default_name
    self._values = [] if values is None else values
    self._settings = {
      "initializer": initializer,
      "regularizer": regularizer,
      "caching_device": caching_device,
      "partitioner": partitioner,
      "dtype": dtype,
      "use_resource": use_resource,
      "constraint": constraint,
    }
    self._custom_getter = custom_getter
    self._reuse = reuse
    if default_name is None and name_or_scope is None:
      raise TypeError("If default_name is None then name_or_scope is required")
    if reuse is False:
      self._reuse = None
    if not (self._reuse is True or self._reuse is None or self._reuse is AUTO_REUSE):
      raise ValueError("The reuse parameter must be True or False or None.")
    if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
      raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
    if not isinstance(auxiliary_name_scope, bool):
      raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
    self._auxiliary_name_scope = auxiliary_name_scope
    self._graph = ops._get_graph_from_inputs(self._values) if list(self._values) else None

  def __enter__(self):
    self._exits = contextlib.ExitStack()
    with self._exits:
      if self._graph is not None and self._graph is not ops.get_default_graph():
        self._exits.enter_context(self._graph.as_default())
      scope = self._entered()
      # What was entered stays so until __exit__; an exception above left it at once.
      self._exits = self._exits.pop_all()
    return scope

  def __exit__(self, *exception):
    return self._exits.__exit__(*exception)

  def _entered(self):
    name = self._name_or_scope
    if name is None:
      if self._reuse:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
      name_scope = self._enter_name_scope(self._default_name)
      return self._exits.enter_context(
        _opened(_unique_name(self._default_name), None, self._settings, self._custom_getter, name_scope)
      )
    if isinstance(name, str):
      name_scope = self._enter_name_scope(name) if name or not self._auxiliary_name_scope else None
      old_name_scope = name_scope
    else:
      last = name.name.split("/")[-1]
      if last or not self._auxiliary_name_scope:
        self._enter_name_scope(last)
      old_name_scope = name.original_name_scope
    return self._exits.enter_context(_opened(name, self._reuse, self._settings, self._custom_getter, old_name_scope))

  def _enter_name_scope(self, name):
    """Opens the scope of names, or the current one again, and returns it."""
    if self._auxiliary_name_scope:
      return self._exits.enter_context(ops.name_scope(name))
    current = ops.get_default_graph().get_name_scope()
    return self._exits.enter_context(ops.name_scope(current + "/" if current else None))


@contextlib.contextmanager
def _opened(name_or_scope, reuse, settings, custom_getter, name_scope):
  """Makes a scope of variables the current one: below the current scope for a name, again for a VariableScope."""
  scopes = _scopes()
  old = scopes.current
  again = isinstance(name_or_scope, VariableScope)
  base = name_or_scope if again else old
  if again:
    name = base.name
  else:
    name = old.name + "/" + name_or_scope if old.name else name_or_scope
  scope = VariableScope(
    reuse or base.reuse, name=name, name_scope=name_or_scope if name_scope is None and not again else name_scope
  )
  for key, value in settings.items():
    # Constraints are of one scope alone: those inside and those that open it again do not inherit them.
    inherited = value is None and key != "constraint"
    setattr(scope, "_" + key, getattr(base, "_" + key) if inherited else value)
  scope._custom_getter = base.custom_getter
  if custom_getter is not None:
    scope._custom_getter = combined_getter(custom_getter, base.custom_getter)
  counts = dict(scopes.counts) if again else None
  scopes.open(name)
  scopes.current = scope
  try:
    yield scope
  finally:
    if scopes.current is not scope:
      raise RuntimeError("Improper nesting of variable_scope.")
    scopes.close_below(name)
    if again:
      # Names made unique in a scope that is opened again are those of the first time.
      scopes.counts = counts
    scopes.current = old


@contextlib.contextmanager
def variable_op_scope(
  values,
  name_or_scope,
  default_name=None,
  initializer=None,
  regularizer=None,
  caching_device=None,
  partitioner=None,
  custom_getter=None,
  reuse=None,
  dtype=None,
  use_resource=None,
  constraint=None,
):
  """variable_scope with its arguments in an older order."""
  with variable_scope(
    name_or_scope,
    default_name=default_name,
    values=values,
    initializer=initializer,
    regularizer=regularizer,
    caching_device=caching_device,
    partitioner=partitioner,
    custom_getter=custom_getter,
    reuse=reuse,
    dtype=dtype,
    use_resource=use_resource,
    constraint=constraint,
  ) as scope:
    yield scope
