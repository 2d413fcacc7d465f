"""The server of this task of the cluster."""

import millrace as tf
from millrace.estimator.cluster_environment import TaskType
from millrace.framework import protos

# They serve until the process ends, whoever else forgets them.
_started = []
TRAINERS = (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER)
_WHERE_TO_SAY = "in RunConfig or set the TF_CONFIG environment variable."


def start(config):
  """Starts the server that a configuration describes; returns it, or None where the cluster is one task that trains.

  Raises RuntimeError if the configuration has no cluster or no task.
  """
  if not config.cluster_spec or not config.task_type or config.task_id is None:
    raise RuntimeError(f"Could not start server; be sure to specify cluster_spec, task_type, and task {_WHERE_TO_SAY}")
  if not config.master:
    jobs = config.cluster_spec.jobs
    if len(jobs) == 1 and config.cluster_spec.num_tasks(jobs[0]) == 1 and config.task_type in TRAINERS:
      tf.logging.info("Skip starting Tensorflow server as there is only one node in the cluster.")
      return None
    raise RuntimeError(f"Could not start server; be sure to specify master {_WHERE_TO_SAY}")
  tf.logging.info("Start Tensorflow server.")
  session_config = protos.ConfigProto(log_device_placement=False)
  if config.session_config is not None:
    session_config.gpu_options.CopyFrom(config.session_config.gpu_options)
  server = tf.train.Server(
    config.cluster_spec,
    job_name=config.task_type,
    task_index=config.task_id,
    config=session_config,
    start=False,
    protocol=config.protocol,
  )
  server.start()
  _started.append(server)
  return server
