"""make_template: a function that makes its variables at its first call and uses them at all others."""

import functools
import traceback

from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables import scope as scopes
from millrace.ops.variables.pure_scope import pure_variable_scope


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
  """Returns a function that calls `func_` in a scope of variables of its own: `name_`, made unique, or `unique_name_`.

  The first call makes the variables; further calls reuse them. The scope is opened at the first call, below the scope that
  is current there, or here with `create_scope_now_`. `kwargs` are bound to `func_`. ValueError where `name_` is None, or
  where a later call makes variables that are trained.
  """
  if kwargs:
    func_ = functools.partial(func_, **kwargs)
  return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
  """A function with a scope of variables."""

  def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
    if name is None:
      raise ValueError("name cannot be None.")
    self._func = func
    self._name = name
    self._unique_name = unique_name
    self._custom_getter = custom_getter
    self._stacktrace = traceback.format_stack()[:-2]
    self._variable_scope = None
    self._variables_created = False
    self._first_call = True
    if create_scope_now:
      # The names of ops are those of the calls.
      with pure_variable_scope(unique_name or scopes._unique_name(name), custom_getter=custom_getter) as variable_scope:
        self._variable_scope = variable_scope

  def __call__(self, *args, **kwargs):
    if self._variable_scope is not None:
      with scopes.variable_scope(self._variable_scope, reuse=not self._first_call):
        self._first_call = False
        return self._call(args, kwargs)
    with scopes.variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as variable_scope:
      self._variable_scope = variable_scope
      self._first_call = False
      return self._call(args, kwargs)

  def _call(self, args, kwargs):
    try:
      variables = len(ops.get_collection_ref(GraphKeys.GLOBAL_VARIABLES))
      trained = len(ops.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
      result = self._func(*args, **kwargs)
      if self._variables_created:
        self._check_no_new(variables, trained)
      self._variables_created = True
      return result
    except Exception as error:
      # Where the template was made is told behind the message.
      made = "originally defined at:\n{}".format("".join(self._stacktrace))
      if not error.args:
        error.args = (made,)
      else:
        error.args = (f"{error.args[0]}\n\n{made}",) + error.args[1:]
      raise

  def _check_no_new(self, variables, trained):
    new = ops.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)[trained:]
    if new:
      raise ValueError(
        "Trainable variable created when calling a template after the first time, perhaps you used tf.Variable when you meant "
        f"tf.get_variable: {new}"
      )
    new = ops.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)[variables:]
    if new:
      from millrace.platform import tf_logging

      tf_logging.info(
        "New variables created when calling a template after the first time, perhaps you used tf.Variable when you meant "
        "tf.get_variable: %s",
        new,
      )

  @property
  def name(self):
    return self._name

  @property
  def func(self):
    return self._func

  @property
  def variable_scope(self):
    """The VariableScope, None before the first call."""
    return self._variable_scope

  @property
  def var_scope(self):
    return self._variable_scope

  @property
  def variable_scope_name(self):
    """The scope's name with a slash at its end, None before the first call."""
    if self._variable_scope is None:
      return None
    name = self._variable_scope.name
    return name + "/" if name and name[-1] != "/" else name

  def _collected(self, key):
    return [] if self._variable_scope is None else self._variable_scope.get_collection(key)

  @property
  def global_variables(self):
    return self._collected(GraphKeys.GLOBAL_VARIABLES)

  @property
  def local_variables(self):
    return self._collected(GraphKeys.LOCAL_VARIABLES)

  @property
  def trainable_variables(self):
    return self._collected(GraphKeys.TRAINABLE_VARIABLES)

  @property
  def variables(self):
    """All variables of the scope: global and local ones."""
    return self.global_variables + self.local_variables

  @property
  def non_trainable_variables(self):
    trained = self.trainable_variables
    return [v for v in self.variables if not any(v is t for t in trained)]

  @property
  def trainable_weights(self):
    return self.trainable_variables

  @property
  def non_trainable_weights(self):
    return self.non_trainable_variables

  @property
  def weights(self):
    return self.variables
