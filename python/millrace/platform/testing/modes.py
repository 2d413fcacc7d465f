"""Decorators of tensorflow.python.framework.test_util: which tests run, and how.

Everything here is a graph of TensorFlow 1, so a test for graphs and for eager execution runs once, in a graph, and what switches
compilers or later behaviour on or off leaves a test as it is. Decorators whose argument is the function may also be called first, as
`@run_deprecated_v1()`.
"""

import collections
import functools
import gc
import itertools
import unittest

from millrace.platform.testing import machine


def _with_or_without_call(decorate):
  """A decorator that takes a function or class, or by a call without one returns the decorator."""

  @functools.wraps(decorate)
  def decorator(func=None):
    return decorate if func is None else decorate(func)

  return decorator


def _unchanged(func):
  return func


@_with_or_without_call
def deprecated_graph_mode_only(func):
  """A test, or a class of tests, of graphs: it is left as it is."""
  return func


run_deprecated_v1 = deprecated_graph_mode_only
run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only


def run_v1_only(reason, func=None):
  """A test, or a class of tests, of TensorFlow 1 alone: it is left as it is. Raises ValueError if the reason is no text."""
  if not isinstance(reason, str):
    raise ValueError("'reason' has to be a text, not %s" % type(reason).__name__)
  return _unchanged if func is None else func


def _skipped_if(condition, reason):
  """A decorator of tests and classes of tests that are skipped where `condition()` holds when they begin."""

  def decorate(func):
    if isinstance(func, type):
      setup = func.setUp

      @functools.wraps(setup)
      def checked_setup(self):
        if condition():
          self.skipTest(reason)
        setup(self)

      func.setUp = checked_setup
      return func

    @functools.wraps(func)
    def checked(self, *args, **kwargs):
      if condition():
        self.skipTest(reason)
      return func(self, *args, **kwargs)

    return checked

  return decorate


def _without_gpu():
  return not machine.is_gpu_available()


run_v2_only = _with_or_without_call(_skipped_if(lambda: True, "Test is only compatible with v2"))
run_gpu_only = _with_or_without_call(_skipped_if(_without_gpu, "Test requires GPU"))
run_cuda_only = _with_or_without_call(_skipped_if(_without_gpu, "Test requires CUDA"))


def skip_if(condition):
  """A decorator of tests that are skipped if a condition, a truth or a function that is asked when they begin, holds."""
  return _skipped_if(condition if callable(condition) else lambda: condition, "A condition of skip_if holds")


def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, reset_test=True, assert_no_eager_garbage=False):
  """A test that runs in the test's session. Raises ValueError for a class."""
  del reset_test, assert_no_eager_garbage

  def decorate(function):
    if isinstance(function, type):
      raise ValueError("run_in_graph_and_eager_modes takes tests; for a class of them use run_all_in_graph_and_eager_modes")

    @functools.wraps(function)
    def in_session(self, *args, **kwargs):
      with self.test_session(use_gpu=use_gpu, config=config):
        return function(self, *args, **kwargs)

    return in_session

  return decorate if func is None else decorate(func)


def for_all_test_methods(decorator, *args, **kwargs):
  """A decorator of classes: each of its tests is decorated by `decorator(*args, **kwargs)`."""

  def decorate(cls):
    for name, test in _tests_of(cls):
      setattr(cls, name, decorator(*args, **kwargs)(test))
    return cls

  return decorate


def _tests_of(cls):
  prefix = unittest.TestLoader.testMethodPrefix
  names = [name for name in dir(cls) if name.startswith(prefix) and name != "test_session"]
  return [(name, getattr(cls, name)) for name in names if callable(getattr(cls, name))]


def run_all_in_graph_and_eager_modes(cls):
  """A class each test of which runs in its session, but for those whose names begin with testSkipEager."""
  for name, test in _tests_of(cls):
    if not name.startswith(("testSkipEager", "test_skip_eager")):
      setattr(cls, name, run_in_graph_and_eager_modes(test))
  return cls


def build_as_function_and_v1_graph(func=None):
  """A test that builds its graph in one of its own. Raises ValueError for a class."""

  def decorate(function):
    if isinstance(function, type):
      raise ValueError("build_as_function_and_v1_graph takes tests, not classes of them")

    @functools.wraps(function)
    def in_graph(self, *args, **kwargs):
      from millrace.framework import graph

      with graph.Graph().as_default():
        return function(self, *args, **kwargs)

    return in_graph

  return decorate if func is None else decorate(func)


def with_forward_compatibility_horizons(*horizons):
  """A decorator of tests that run once for each date, as (year, month, day), and for None without one."""
  if not horizons:
    raise ValueError("Expected at least one horizon.")
  for horizon in horizons:
    if horizon is not None and not (len(horizon) == 3 and all(isinstance(part, int) for part in horizon)):
      raise ValueError("Bad horizon value: %r" % (horizon,))

  def decorate(function):
    @functools.wraps(function)
    def at_each(*args, **kwargs):
      from millrace import compat

      for horizon in horizons:
        if horizon is None:
          function(*args, **kwargs)
        else:
          with compat.forward_compatibility_horizon(*horizon):
            function(*args, **kwargs)

    return at_each

  return decorate


def assert_no_new_tensors(f):
  """A test, run in a graph of its own, after which no tensor is left that was not there before."""

  @functools.wraps(f)
  def checked(self, *args, **kwargs):
    from millrace.framework import graph
    from millrace.framework.tensor import Tensor

    def tensors():
      gc.collect()
      return {id(one) for one in gc.get_objects() if isinstance(one, Tensor)}

    before = tensors()
    with graph.Graph().as_default():
      result = f(self, *args, **kwargs)
    left = len(tensors() - before)
    if left:
      raise AssertionError("%d tensors are left after the test" % left)
    return result

  return checked


def generate_combinations_with_testcase_name(**kwargs):
  """All combinations of the values of arguments, each a dictionary that has a `testcase_name` too, for parameterized tests."""
  keys = sorted(kwargs)
  values = [kwargs[key] if isinstance(kwargs[key], list) else [kwargs[key]] for key in keys]
  found = []
  for combination in itertools.product(*values):
    parts = ["_%s_%s" % (_letters(key), _letters(value)) for key, value in zip(keys, combination)]
    found.append(collections.OrderedDict([*zip(keys, combination), ("testcase_name", "_test" + "".join(parts))]))
  return found


def _letters(value):
  return "".join(filter(str.isalnum, str(value)))


# What leaves a test or class as it is, given that itself.
also_run_as_tf_function = assert_no_garbage_created = assert_no_new_pyobjects_executing_eagerly = _unchanged
eager_lazy_remote_copy_on_and_off = py_func_if_in_function = enable_c_shapes = with_c_shapes = _unchanged
enable_control_flow_v2 = with_control_flow_v2 = enable_output_all_intermediates = _unchanged
disable_cudnn_autotune = use_deterministic_cudnn = _unchanged


def disable_xla(description):
  """A decorator that leaves what it gets as it is: there is no XLA."""
  del description
  return _unchanged


disable_all_xla = no_xla_auto_jit = xla_allow_fallback = enable_tf_xla_constant_folding = disable_xla
disable_control_flow_v2 = disable_xla
