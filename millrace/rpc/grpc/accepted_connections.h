// AcceptedConnections: which of the connections that a listener has accepted
// are still open.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace millrace {

// Knows connections by their descriptors, which others close without a word:
// a descriptor is still that connection while the kernel has the same inode for
// it. Not thread-safe.
class AcceptedConnections {
 public:
  // Does not own the descriptor.
  void Add(int fd);
  // Returns how many are open. One system call for each that was open the last
  // time or was added since.
  size_t CountOpen();
  // At least as many as are open, without a look at them.
  size_t known() const { return connections_.size(); }
  // Ends those that are open: writes and reads in progress fail at once.
  void End();

 private:
  struct Connection {
    int fd;
    ino_t inode;
  };
  static bool IsOpen(const Connection& connection);

  std::vector<Connection> connections_;
  size_t count_at_ = 64;  // so that those that are over do not pile up
};

}  // namespace millrace
