// GraphTable: the registered graphs of a worker session, by handle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "millrace/base/memory/recent_set.h"
#include "millrace/base/status.h"
#include "millrace/cluster/fingerprint.h"
#include "millrace/protocol/worker.h"

namespace millrace {

class RegisteredGraph;

// Equal graphs are compiled once and freed with the last of their handles. Not
// thread-safe.
class GraphTable {
 public:
  // Everything that determines the result of compiling a graph.
  using Content = std::pair<Fingerprint, bool>;
  static Content ContentOf(const RegisterGraphRequest& request);

  // Returns the handle of the request's graph if it needs no compiling: the
  // request is a duplicate, or an equal graph exists. Returns "" if it has to
  // be compiled, ABORTED if its registration was removed, or stands for another
  // graph.
  StatusOr<std::string> Find(const RegisterGraphRequest& request,
                             const Content& content);
  // Adds the compiled `graph`, unless an equal one was added meanwhile, and
  // returns its handle as Find does.
  StatusOr<std::string> Add(const RegisterGraphRequest& request,
                            const Content& content,
                            std::shared_ptr<RegisteredGraph> graph);
  // Returns null if there is none.
  std::shared_ptr<RegisteredGraph> Get(const std::string& handle) const;
  // Removes a handle. Returns the graph if this was the last of its handles,
  // otherwise null. A request for the handle that is still in flight is refused
  // when it arrives.
  std::shared_ptr<RegisteredGraph> Remove(const std::string& handle);

  int64_t num_handles() const { return static_cast<int64_t>(handles_.size()); }

 private:
  // Longer than any request is in flight.
  static constexpr size_t kRegistrationsRemembered = 4096;

  struct Entry {
    std::shared_ptr<RegisteredGraph> graph;
    int64_t handles = 0;
  };

  absl::btree_map<std::string, Content> handles_;
  absl::btree_map<Content, Entry> graphs_;
  int64_t next_ = 1;  // of handles without a registration
  RecentSet<int64_t> removed_{kRegistrationsRemembered};
};

}  // namespace millrace
