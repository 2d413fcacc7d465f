"""Options of data sets, written into the graph as TensorFlow's servers read them."""

import types

_PROPERTY = 'Property "%s" must be of type %s, got: %r (type: %r)'


def _varint(number):
  number &= (1 << 64) - 1
  out = bytearray()
  while True:
    byte = number & 0x7F
    number >>= 7
    if number:
      out.append(byte | 0x80)
    else:
      out.append(byte)
      return bytes(out)


def _getter(name):
  def get(self):
    value = self._values.get(name)
    if value is None and issubclass(self._FIELDS[name][0], _Settings):
      value = self._values[name] = self._FIELDS[name][0]()
    return value

  return get


def _setter(name):
  def put(self, value):
    kind = self._FIELDS[name][0]
    if value is not None and not isinstance(value, kind):
      raise TypeError(_PROPERTY % (name, kind, value, type(value)))
    self._values[name] = value

  return put


class _Settings:
  """Named settings; each is None until it is set. `_FIELDS` maps names to (type, number in the message or None)."""

  _FIELDS = types.MappingProxyType({})

  def __init__(self):
    object.__setattr__(self, "_values", {})

  def __init_subclass__(cls):
    for name in cls._FIELDS:
      setattr(cls, name, property(_getter(name), _setter(name)))

  def __setattr__(self, name, value):
    if name not in self._FIELDS:
      raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
    object.__setattr__(self, name, value)

  def _set(self):
    """The settings that have a value, by name."""
    found = {}
    for name, value in self._values.items():
      if isinstance(value, _Settings):
        value = value._set() or None
      if value is not None:
        found[name] = value
    return found

  def __eq__(self, other):
    return type(self) is type(other) and self._set() == other._set()

  def __ne__(self, other):
    return not self == other

  __hash__ = None

  def _bytes(self):
    """The message, fields in the order of their numbers."""
    out = b""
    for name, (kind, number) in sorted(self._FIELDS.items(), key=lambda item: item[1][1] or 0):
      value = self._values.get(name)
      if number is None or (value is None and not issubclass(kind, _Settings)):
        continue
      if issubclass(kind, _Settings):
        inner = getattr(self, name)._bytes()
        out += _varint(number << 3 | 2) + _varint(len(inner)) + inner
      else:
        out += _varint(number << 3) + _varint(int(value))
    return out

  def _merged(self, other):
    result = type(self)()
    for source in (self, other):
      for name, value in source._values.items():
        if isinstance(value, _Settings):
          value = result._values[name]._merged(value) if name in result._values else value
        if value is not None:
          result._values[name] = value
    return result


class DistributeOptions(_Settings):
  """Options of data sets that several workers share."""

  _FIELDS = types.MappingProxyType({"auto_shard": (bool, None), "num_devices": (int, 2)})


class MapVectorizationOptions(_Settings):
  """Options of maps over whole batches."""

  _FIELDS = types.MappingProxyType({"enabled": (bool, None), "use_choose_fastest": (bool, None)})


class OptimizationOptions(_Settings):
  """What may be rewritten; it changes speed, not elements."""

  _FIELDS = types.MappingProxyType(
    {
      "apply_default_optimizations": (bool, 1),
      "autotune": (bool, None),
      "autotune_algorithm": (object, None),
      "autotune_buffers": (bool, None),
      "autotune_cpu_budget": (int, None),
      "filter_fusion": (bool, 6),
      "filter_with_random_uniform_fusion": (bool, None),
      "hoist_random_uniform": (bool, None),
      "map_and_batch_fusion": (bool, 9),
      "map_and_filter_fusion": (bool, 10),
      "map_fusion": (bool, 11),
      "map_parallelization": (bool, 12),
      "map_vectorization": (MapVectorizationOptions, None),
      "noop_elimination": (bool, 14),
      "parallel_batch": (bool, 15),
      "prefetch_to_device": (bool, None),
      "shuffle_and_repeat_fusion": (bool, 17),
    }
  )


class ThreadingOptions(_Settings):
  """How many threads run a data set."""

  _FIELDS = types.MappingProxyType({"max_intra_op_parallelism": (int, 1), "private_threadpool_size": (int, 2)})


class StatsOptions(_Settings):
  """What is counted of a data set."""

  _FIELDS = types.MappingProxyType(
    {
      "aggregator": (object, None),
      "counter_prefix": (str, None),
      "latency_all_edges": (bool, None),
      "prefix": (str, None),
    }
  )


class _NoOptions(_Settings):
  _FIELDS = types.MappingProxyType({})


class Options(_Settings):
  """Options of a data set, given by `dataset.with_options`."""

  _FIELDS = types.MappingProxyType(
    {
      "experimental_deterministic": (bool, 1),
      "experimental_distribute": (DistributeOptions, 2),
      "experimental_optimization": (OptimizationOptions, 3),
      "experimental_slack": (bool, 4),
      "experimental_threading": (ThreadingOptions, 5),
      "experimental_stats": (StatsOptions, None),
      "experimental_stateful_whitelist": (object, None),
      "_autotune": (_NoOptions, 7),
      "_service": (_NoOptions, 12),
    }
  )

  def merge(self, options):
    """Returns the options of both; where both set one, that of the argument."""
    return self._merged(options)
