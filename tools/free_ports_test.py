"""Tests that free_ports returns unused ports."""

import socket
import unittest

from free_ports import free_ports


class FreePortsTest(unittest.TestCase):
  def test_they_differ_and_can_be_had(self):
    ports = free_ports(20)
    self.assertEqual(len(set(ports)), 20)
    sockets = [socket.socket() for _ in ports]
    for s, port in zip(sockets, ports):
      s.bind(("127.0.0.1", port))
      s.close()

  def test_one_that_somebody_has_is_not_given(self):
    port = free_ports(1)[0]
    with socket.socket() as s:
      s.bind(("127.0.0.1", port))
      with self.assertRaisesRegex(RuntimeError, "0 are free among those tried, and 1 are needed"):
        free_ports(1, lambda p: p == port)
    self.assertEqual(free_ports(1, lambda p: p == port), [port])


if __name__ == "__main__":
  unittest.main()
