// GraphRelease: tells tasks that graphs of a session are no longer needed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/master/environment.h"

namespace millrace {

// Shared by a session and its prepared runs, which may outlive it. Thread-safe.
class GraphRelease final : public RefCounted {
 public:
  // `environment` must live until End.
  GraphRelease(MasterEnvironment& environment, std::string session_handle)
      : environment_(environment), session_handle_(std::move(session_handle)) {}

  // A task and the handle of a graph registered at it.
  using Graph = std::pair<Ref<Peer>, std::string>;
  // Calls DeregisterGraph in the background; does nothing after End. Takes no
  // lock of the session's.
  void Release(std::vector<Graph> graphs);
  // Marks the session as closed: its tasks then free all that belongs to it.
  void End();

 private:
  MasterEnvironment& environment_;
  const std::string session_handle_;
  Mutex mu_;
  bool ended_ = false;  // guarded by mu_
};

}  // namespace millrace
