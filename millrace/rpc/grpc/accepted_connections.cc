#include "millrace/rpc/grpc/accepted_connections.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>

namespace millrace {

bool AcceptedConnections::IsOpen(const Connection& connection) {
  struct stat status;
  return fstat(connection.fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
         status.st_ino == connection.inode;
}

void AcceptedConnections::Add(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  if (connections_.size() >= count_at_) {
    count_at_ = std::max<size_t>(64, 2 * CountOpen());
  }
  connections_.push_back({.fd = fd, .inode = status.st_ino});
}

size_t AcceptedConnections::CountOpen() {
  std::erase_if(connections_, [](const Connection& connection) {
    return !IsOpen(connection);
  });
  return connections_.size();
}

void AcceptedConnections::End() {
  for (const Connection& connection : connections_) {
    if (IsOpen(connection)) shutdown(connection.fd, SHUT_RDWR);
  }
}

}  // namespace millrace
