"""tf.test.Benchmark: measures steps of a session."""

import re
import time

from millrace.platform import logging

_registry = []


class _Registering(type):
  """Remembers the classes that are benchmarks, not only bases of them."""

  def __init__(cls, name, bases, members):
    super().__init__(name, bases, members)
    if bases and not cls.is_abstract():
      _registry.append(cls)


class Benchmark(metaclass=_Registering):
  """A class whose methods `benchmark...` measure something and report it."""

  @classmethod
  def is_abstract(cls):
    """True for the classes of this package."""
    return cls.__module__ == __name__ or not any(name.startswith("benchmark") for name in dir(cls))

  def _name(self, overwrite_name=None):
    if overwrite_name is not None:
      return "%s.%s" % (type(self).__name__, overwrite_name)
    import sys

    frame = sys._getframe(1)
    while frame is not None:
      if frame.f_locals.get("self") is self and frame.f_code.co_name.startswith("benchmark"):
        return "%s.%s" % (type(self).__name__, frame.f_code.co_name)
      frame = frame.f_back
    raise ValueError("Unable to determine calling Benchmark class.")

  def evaluate(self, tensors):
    """Returns the values of a structure of tensors in the default session."""
    from millrace.client import session as session_module

    session = session_module.get_default_session()
    if session is None:
      with session_module.Session() as session:
        return session.run(tensors)
    return session.run(tensors)

  def run_op_benchmark(
    self,
    sess,
    op_or_tensor,
    feed_dict=None,
    burn_iters=2,
    min_iters=10,
    store_trace=False,
    store_memory_usage=True,
    name=None,
    extras=None,
    mbs=0,
  ):
    """Runs an op `burn_iters` times, then `min_iters` times with a clock, and reports it.

    Returns what was reported: name, iters, wall_time (seconds, the median), extras, throughput (`mbs` MB a run by the time).
    With `store_trace`, one more run is recorded, and its Chrome trace is in extras.
    """
    del store_memory_usage
    for _ in range(burn_iters):
      sess.run(op_or_tensor, feed_dict=feed_dict)
    times = []
    for _ in range(min_iters):
      start = time.perf_counter()
      sess.run(op_or_tensor, feed_dict=feed_dict)
      times.append(time.perf_counter() - start)
    extras = dict(extras or {})
    if store_trace:
      extras["full_trace_chrome_format"] = _trace(sess, op_or_tensor, feed_dict)
    median = _median(times)
    reported = {
      "iters": min_iters,
      "wall_time": median,
      "extras": extras,
      "name": self._name(name),
      "throughput": mbs / median if median > 0 else 0.0,
    }
    self.report_benchmark(iters=min_iters, wall_time=median, throughput=reported["throughput"], extras=extras, name=name)
    return reported

  def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None):
    """Logs the figures under the name of the class and the calling method, or the given one."""
    figures = [("iters", iters), ("wall_time", wall_time), ("cpu_time", cpu_time), ("throughput", throughput)]
    shown = ["%s: %s" % (key, value) for key, value in figures if value is not None]
    if extras:
      shown.append("extras: %s" % {key: value for key, value in extras.items() if key != "full_trace_chrome_format"})
    if metrics:
      shown.append("metrics: %s" % (metrics,))
    logging.info("Benchmark [%s] %s", self._name(name), ", ".join(shown))


class TensorFlowBenchmark(Benchmark):
  pass


def _median(values):
  values = sorted(values)
  middle = len(values) // 2
  return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _trace(session, op_or_tensor, feed_dict):
  from millrace.client import timeline
  from millrace.framework import protos

  metadata = protos.RunMetadata()
  options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
  session.run(op_or_tensor, feed_dict=feed_dict, options=options, run_metadata=metadata)
  return timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()


def benchmark_config():
  """Returns the ConfigProto for benchmarks: constants are not folded, so that what is measured runs."""
  from millrace.framework import protos

  config = protos.ConfigProto()
  config.graph_options.rewrite_options.dependency_optimization = protos.RewriterConfig.OFF
  return config


def run(pattern):
  """Runs all benchmarks whose name matches the pattern; "all" and "." take every one."""
  for cls in _registry:
    for name in sorted(dir(cls)):
      if name.startswith("benchmark") and (pattern == "all" or re.search(pattern, "%s.%s" % (cls.__name__, name))):
        getattr(cls(), name)()
