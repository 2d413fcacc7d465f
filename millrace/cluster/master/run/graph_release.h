// GraphRelease: tells tasks that graphs of a session are not needed any more.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/master/environment.h"

namespace millrace {

// Shared by a session and its prepared runs, which may be dropped after it.
// Thread-safe.
class GraphRelease final : public RefCounted {
 public:
  // `environment` lives until End.
  GraphRelease(MasterEnvironment& environment, std::string session_handle)
      : environment_(environment), session_handle_(std::move(session_handle)) {}

  // A graph, by its handle, at a task.
  using Graph = std::pair<Ref<Peer>, std::string>;
  // DeregisterGraph in the background; nothing after End. Takes no lock of the
  // session's.
  void Release(std::vector<Graph> graphs);
  // The session is closed: all that is its own goes at the tasks.
  void End();

 private:
  MasterEnvironment& environment_;
  const std::string session_handle_;
  Mutex mu_;
  bool ended_ = false;  // guarded by mu_
};

}  // namespace millrace
