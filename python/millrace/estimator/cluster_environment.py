"""TF_CONFIG: which cluster a process belongs to, and which of its tasks it is."""

import json
import os
from collections import namedtuple

from millrace.train.cluster import ClusterSpec


class TaskType:
  """The names of jobs in TF_CONFIG."""

  MASTER = "master"
  PS = "ps"
  WORKER = "worker"
  CHIEF = "chief"
  EVALUATOR = "evaluator"


_GRPC_SCHEME = "grpc://"
_LOCAL_MASTER = ""

Setting = namedtuple(
  "Setting",
  [
    "service",
    "cluster_spec",
    "task_type",
    "task_id",
    "global_id_in_cluster",
    "master",
    "evaluation_master",
    "is_chief",
    "num_ps_replicas",
    "num_worker_replicas",
  ],
)
Setting.__doc__ = "A task's place in its cluster, under the names that RunConfig's properties have."


def read():
  """The object of the environment's variable TF_CONFIG, {} without one. Raises ValueError if it is no JSON."""
  return json.loads(os.environ.get("TF_CONFIG") or "{}")


def _checked_service(service):
  if service is not None and not isinstance(service, dict):
    raise TypeError(f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(service)}')
  return service


def _checked_task(cluster_spec, task, chief):
  """The type and index of the task. Raises ValueError if the cluster has no such task, or not one chief."""
  if chief not in cluster_spec.jobs:
    raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
  if len(cluster_spec.job_tasks(chief)) > 1:
    raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
  task_type, task_id = task.get("type"), task.get("index")
  if not task_type:
    raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
  if task_id is None:
    raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
  task_id = int(task_id)
  if task_id < 0:
    raise ValueError("Task index must be non-negative number.")
  note = f"the cluster_spec:\n{cluster_spec}\n\nNote that these values may be coming from the TF_CONFIG environment variable."
  # Evaluators are beside the cluster.
  if task_type != TaskType.EVALUATOR:
    if task_type not in cluster_spec.jobs:
      raise ValueError(f"{task_type} is not a valid task_type in {note}")
    if task_id not in cluster_spec.task_indices(task_type):
      raise ValueError(f"{task_id} is not a valid task_id for task_type {task_type} in {note}")
  return task_type, task_id


def _global_id(cluster_spec, task_type, task_id, chief):
  """The index of a task among all: the chief, then other jobs by name, and parameter servers last."""
  others = sorted(job for job in cluster_spec.jobs if job not in (chief, TaskType.PS))
  before = 0
  for job in [chief, *others, TaskType.PS]:
    if job == task_type:
      return before + task_id
    if job in cluster_spec.jobs:
      before += len(cluster_spec.job_tasks(job))
  raise RuntimeError("Internal Error: `task_type` is not in the cluster.")


def _session_master(cluster_spec, task_type, task_id, tf_config):
  """The target of sessions: this task's own server, or this process where the cluster is one task."""
  if "session_master" in tf_config:
    return tf_config["session_master"]
  jobs = cluster_spec.jobs
  if len(jobs) == 1 and cluster_spec.num_tasks(jobs[0]) == 1:
    return _LOCAL_MASTER
  return _GRPC_SCHEME + cluster_spec.task_address(task_type, task_id)


def _evaluation_master(task_type, tf_config):
  return tf_config.get("eval_session_master", "") if task_type == TaskType.EVALUATOR else ""


def _count(cluster_spec, job):
  return cluster_spec.num_tasks(job) if job in cluster_spec.jobs else 0


def _of_cluster(tf_config, cluster_spec, service):
  chief = TaskType.MASTER if TaskType.MASTER in cluster_spec.jobs else TaskType.CHIEF
  task = tf_config.get("task", {})
  if chief == TaskType.MASTER:
    if TaskType.CHIEF in cluster_spec.jobs:
      raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    if task.get("type") == TaskType.EVALUATOR:
      raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
  task_type, task_id = _checked_task(cluster_spec, task, chief)
  if task_type == TaskType.EVALUATOR:
    return Setting(
      service=service,
      cluster_spec=ClusterSpec({}),
      task_type=task_type,
      task_id=task_id,
      global_id_in_cluster=None,
      master=_LOCAL_MASTER,
      evaluation_master=_evaluation_master(task_type, tf_config),
      is_chief=False,
      num_ps_replicas=0,
      num_worker_replicas=0,
    )
  return Setting(
    service=service,
    cluster_spec=cluster_spec,
    task_type=task_type,
    task_id=task_id,
    global_id_in_cluster=_global_id(cluster_spec, task_type, task_id, chief),
    master=_session_master(cluster_spec, task_type, task_id, tf_config),
    evaluation_master=_evaluation_master(task_type, tf_config) if chief == TaskType.CHIEF else "",
    is_chief=task_type == chief,
    num_ps_replicas=_count(cluster_spec, TaskType.PS),
    num_worker_replicas=_count(cluster_spec, TaskType.WORKER) + _count(cluster_spec, chief),
  )


def setting_of(tf_config):
  """The place of a task that TF_CONFIG's object says. Raises ValueError and TypeError for what makes no sense."""
  service = _checked_service(tf_config.get("service"))
  cluster_spec = ClusterSpec(tf_config.get("cluster", {}))
  if cluster_spec:
    return _of_cluster(tf_config, cluster_spec, service)
  task = tf_config.get("task", {})
  task_type = task.get("type", TaskType.WORKER)
  task_id = int(task.get("index", 0))
  if task_type != TaskType.WORKER:
    raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
  if task_id != 0:
    raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
  return Setting(
    service=service,
    cluster_spec=cluster_spec,
    task_type=task_type,
    task_id=task_id,
    global_id_in_cluster=0,
    master=tf_config.get("session_master", _LOCAL_MASTER),
    evaluation_master=tf_config.get("eval_session_master", ""),
    is_chief=True,
    num_ps_replicas=0,
    num_worker_replicas=1,
  )
