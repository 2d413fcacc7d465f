"""device_lib: the devices of this process."""


def list_local_devices(session_config=None):
  """Returns a DeviceAttributes message for each device that a session of this process has."""
  from millrace.client import session as session_module
  from millrace.framework import graph, protos

  with graph.Graph().as_default(), session_module.Session(config=session_config) as session:
    return [
      protos.DeviceAttributes(
        name=device.name.replace("/job:localhost/replica:0/task:0", ""),
        device_type=device.device_type,
        memory_limit=device.memory_limit_bytes,
        locality=protos.DeviceLocality(),
        incarnation=device.incarnation & (2**64 - 1),
        physical_device_desc=device._physical_description,
      )
      for device in session.list_devices()
    ]
