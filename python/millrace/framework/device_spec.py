"""Names of devices: DeviceSpec, and merging of what nested scopes say."""


class DeviceSpec:
  """The parts of a device's name, each of them None where it is left open."""

  __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

  def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
    self.job = job
    self.replica = replica
    self.task = task
    self.device_type = device_type
    self.device_index = device_index

  @property
  def job(self):
    return self._job

  @job.setter
  def job(self, job):
    self._job = None if job is None else str(job)

  @property
  def replica(self):
    return self._replica

  @replica.setter
  def replica(self, replica):
    self._replica = None if replica is None else int(replica)

  @property
  def task(self):
    return self._task

  @task.setter
  def task(self, task):
    self._task = None if task is None else int(task)

  @property
  def device_type(self):
    return self._device_type

  @device_type.setter
  def device_type(self, device_type):
    device_type = None if device_type is None else str(device_type)
    self._device_type = device_type.upper() if device_type in ("cpu", "gpu") else device_type

  @property
  def device_index(self):
    return self._device_index

  @device_index.setter
  def device_index(self, device_index):
    self._device_index = None if device_index is None else int(device_index)

  def _parts(self):
    return (self._job, self._replica, self._task, self._device_type, self._device_index)

  def _set_parts(self, parts):
    self._job, self._replica, self._task, self._device_type, self._device_index = parts

  @classmethod
  def from_string(cls, spec):
    """Returns the DeviceSpec of a text such as "/job:worker/task:1/device:GPU:0". Raises ValueError for any other."""
    return cls(*_parse(spec))

  def parse_from_string(self, spec):
    """Sets all parts as `from_string` does. Returns this object."""
    self._set_parts(DeviceSpec(*_parse(spec))._parts())
    return self

  def make_merged_spec(self, dev):
    """Returns a new spec: what `dev` says, and this one's parts where it says nothing."""
    return type(self)(*self._merged(dev))

  def merge_from(self, dev):
    """Takes over what `dev` says."""
    self._set_parts(self._merged(dev))

  def _merged(self, dev):
    return [mine if its is None else its for mine, its in zip(self._parts(), dev._parts())]

  def replace(self, **kwargs):
    """Returns a copy with the given parts replaced."""
    parts = dict(zip(("job", "replica", "task", "device_type", "device_index"), self._parts()))
    parts.update(kwargs)
    return type(self)(**parts)

  def to_string(self):
    job, replica, task, device_type, device_index = self._parts()
    text = "" if job is None else "/job:" + job
    if replica is not None:
      text += "/replica:%d" % replica
    if task is not None:
      text += "/task:%d" % task
    if device_type is not None:
      text += "/device:%s:%s" % (device_type, "*" if device_index is None else device_index)
    return text

  def __eq__(self, other):
    return self._parts() == other._parts() if isinstance(other, DeviceSpec) else False

  def __hash__(self):
    return hash(self._parts())

  def __repr__(self):
    return "<DeviceSpec(job=%s, replica=%s, task=%s, device_type=%s, device_index=%s)>" % self._parts()


def _parse(spec):
  parts = {}
  kind = None
  for piece in (spec or "").split("/"):
    words = piece.split(":")
    if len(words) == 2 and words[0] in ("job", "replica", "task"):
      value = words[1]
      parts[words[0]] = value if words[0] == "job" else int(value)
      continue
    if piece == "":
      continue
    if len(words) == 3 and words[0] == "device":
      this, index = words[1], words[2]
    elif len(words) <= 2 and words[0].upper() in _SHORT_TYPES:
      this, index = words[0].upper(), words[1] if len(words) == 2 else "*"
    else:
      raise ValueError("Unknown attribute '%s' is encountered while parsing the device spec: '%s'." % (words[0], spec))
    if kind is not None:
      raise ValueError("Multiple device types are not allowed while parsing the device spec: %s." % spec)
    kind = this
    parts["device_type"] = this
    parts["device_index"] = None if index == "*" else int(index)
  return [parts.get(name) for name in ("job", "replica", "task", "device_type", "device_index")]


_SHORT_TYPES = {"CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU"}


def canonical_name(device):
  """The text of a device given as a text, a DeviceSpec or None, in its full form ("/cpu:0" is "/device:CPU:0")."""
  if device is None:
    return ""
  if isinstance(device, str):
    return DeviceSpec.from_string(device).to_string()
  return device.to_string()


def check_valid(spec):
  """Raises ValueError if the text is no device."""
  DeviceSpec.from_string(spec)


def merge_device(spec):
  """Returns a device function for `tf.device`: what the op says itself, and the parts of `spec` where it says nothing.

  `spec` is a text, a DeviceSpec or None, which is a device function that returns None: it forgets all that is around.
  """
  found = _merging.get(spec if isinstance(spec, str) or spec is None else spec.to_string())
  if found is None:
    key = spec if isinstance(spec, str) or spec is None else spec.to_string()
    found = _merging.setdefault(key, _MergeDevice(DeviceSpec.from_string(key or "")))
  return found


class _MergeDevice:
  """A device function; `spec` is what it merges."""

  def __init__(self, spec):
    self.spec = spec
    self._seen = {}

  def __call__(self, node_def):
    return self.shortcut_string_merge(node_def)

  def shortcut_string_merge(self, node_def):
    current = getattr(node_def, "device", None) or ""
    found = self._seen.get(current)
    if found is None:
      found = self._seen[current] = self.spec.make_merged_spec(DeviceSpec.from_string(current)).to_string()
    return found


_merging = {}
