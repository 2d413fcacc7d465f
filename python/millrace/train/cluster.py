"""ClusterSpec: which jobs a cluster has, and the addresses of their tasks."""

from millrace.framework import protos


class ClusterSpec:
  """The jobs of a cluster: from a map of names to lists of addresses, or to maps of indices to addresses; a ClusterDef; or
  another ClusterSpec."""

  def __init__(self, cluster):
    if isinstance(cluster, dict):
      self._cluster_spec = {}
      for job_name, tasks in cluster.items():
        if isinstance(tasks, (list, tuple)):
          job_tasks = dict(enumerate(tasks))
        elif isinstance(tasks, dict):
          job_tasks = {int(i): address for i, address in tasks.items()}
        else:
          raise TypeError(f"The tasks for job {job_name!r} must be a list or a dictionary from integers to strings.")
        self._cluster_spec[job_name] = job_tasks
      self._make_cluster_def()
    elif protos.is_message(cluster, "ClusterDef"):
      self._cluster_def = protos.coerce(protos.ClusterDef, cluster)
      self._cluster_spec = {job.name: dict(job.tasks) for job in self._cluster_def.job}
    elif isinstance(cluster, ClusterSpec) or hasattr(cluster, "as_cluster_def"):
      self._cluster_def = protos.ClusterDef()
      self._cluster_def.MergeFrom(protos.coerce(protos.ClusterDef, cluster.as_cluster_def()))
      self._cluster_spec = {job.name: dict(job.tasks) for job in self._cluster_def.job}
    else:
      raise TypeError(
        "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a `ClusterDef` "
        "protocol buffer"
      )

  def __bool__(self):
    return bool(self._cluster_spec)

  __nonzero__ = __bool__

  def __eq__(self, other):
    return self._cluster_spec == other

  def __ne__(self, other):
    return self._cluster_spec != other

  __hash__ = None

  def __repr__(self):
    return "ClusterSpec({})".format("{" + ", ".join(f"{key!r}: {self.as_dict()[key]!r}" for key in sorted(self.jobs)) + "}")

  def as_dict(self):
    """The jobs as a map: lists of addresses, or maps of indices where some task has none."""
    result = {}
    for job_name in self.jobs:
      indices = self.task_indices(job_name)
      if not indices:
        result[job_name] = {}
      elif max(indices) + 1 == len(indices):
        result[job_name] = self.job_tasks(job_name)
      else:
        result[job_name] = {i: self.task_address(job_name, i) for i in indices}
    return result

  def as_cluster_def(self):
    return self._cluster_def

  @property
  def jobs(self):
    """The names of the jobs."""
    return list(self._cluster_spec.keys())

  def _job(self, job_name):
    try:
      return self._cluster_spec[job_name]
    except KeyError:
      raise ValueError(f"No such job in cluster: {job_name!r}") from None

  def num_tasks(self, job_name):
    """The number of tasks of a job. Raises ValueError if there is no such job; so do the others."""
    return len(self._job(job_name))

  def task_indices(self, job_name):
    return sorted(self._job(job_name).keys())

  def task_address(self, job_name, task_index):
    """The address of a task. Raises ValueError if there is no such task."""
    job = self._job(job_name)
    try:
      return job[task_index]
    except KeyError:
      raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

  def job_tasks(self, job_name):
    """The addresses of a job's tasks by their indices; None where an index has none."""
    job = self._job(job_name)
    if not job:
      return []
    result = [None for _ in range(max(job.keys()) + 1)]
    for i, address in job.items():
      result[i] = address
    return result

  def _make_cluster_def(self):
    self._cluster_def = protos.ClusterDef()
    for job_name in sorted(self._cluster_spec):
      job_def = self._cluster_def.job.add()
      job_def.name = job_name
      for i, address in sorted(self._cluster_spec[job_name].items()):
        if isinstance(address, bytes):
          address = address.decode("utf-8")
        if not isinstance(address, str):
          raise TypeError(f"Task address {address} must be bytes or unicode")
        job_def.tasks[i] = address
