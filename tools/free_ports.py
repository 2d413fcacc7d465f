"""Free ports for servers that must know theirs, and each other's, before they start."""

import random
import socket

TRIES = 1000


def free_ports(count, among=lambda port: True):
  """Returns ports of 127.0.0.1 that are free and that `among` allows.

  They are below those that the system gives to outgoing connections, one of which may take a port before a server listens.
  """
  with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
    end = int(f.read().split()[0])
  allowed = [port for port in range(max(1024, end // 2), end) if among(port)]
  ports = []
  for port in random.SystemRandom().sample(allowed, min(TRIES, len(allowed))):
    if len(ports) == count:
      break
    with socket.socket() as s:
      try:
        s.bind(("127.0.0.1", port))
        ports.append(port)
      except OSError:
        pass  # it is in use
  if len(ports) < count:
    raise RuntimeError("of the ports below %d, %d are free among those tried, and %d are needed" % (end, len(ports), count))
  return ports
