"""VariableDeviceChooser: spreads variables over parameter servers in turn."""

from millrace.framework.device_spec import DeviceSpec


class VariableDeviceChooser:
  """A function of an op that returns a device: with `num_tasks` above 0 their tasks in turn, else one without a task.

  `job_name` is their job, `device_type` and `device_index` the device of each, `replica` the replica that is meant.
  """

  def __init__(self, num_tasks=0, job_name="ps", device_type="CPU", device_index=0, replica=None):
    self._job_name = job_name
    self._device_type = device_type
    self._device_index = device_index
    self._replica = replica
    self._num_tasks = num_tasks
    self._next_task = 0

  def __call__(self, op):
    device = DeviceSpec(
      device_type=self._device_type,
      device_index=self._device_index,
    )
    if self._num_tasks > 0:
      task = self._next_task
      self._next_task = (task + 1) % self._num_tasks
      device = DeviceSpec(
        job=self._job_name,
        replica=self._replica,
        task=task,
        device_type=self._device_type,
        device_index=self._device_index,
      )
    return device.to_string()
