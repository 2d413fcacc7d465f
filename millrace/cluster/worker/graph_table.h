// GraphTable: the registered graphs of a worker session, by handle.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/status.h"
#include "millrace/cluster/fingerprint.h"
#include "millrace/protocol/worker.h"

namespace millrace {

class RegisteredGraph;

// Equal graphs are compiled once and go with the last of their handles. One
// thread at a time.
class GraphTable {
 public:
  // All that decides what a graph is compiled to.
  using Content = std::pair<Fingerprint, bool>;
  static Content ContentOf(const RegisterGraphRequest& request);

  // The handle of the request's graph if it needs no compiling: the request
  // came before, or an equal graph is there. Empty: it has to be compiled.
  // ABORTED if its registration was removed, or stands for another graph.
  StatusOr<std::string> Find(const RegisterGraphRequest& request,
                             const Content& content);
  // The same once `graph` is compiled, which is kept unless there is an equal
  // one by now.
  StatusOr<std::string> Add(const RegisterGraphRequest& request,
                            const Content& content,
                            std::shared_ptr<RegisteredGraph> graph);
  // Null if there is none.
  std::shared_ptr<RegisteredGraph> Get(const std::string& handle) const;
  // Gives the graph if this was the last of its handles, else null. A request
  // for the handle that is still on its way is refused when it comes.
  std::shared_ptr<RegisteredGraph> Remove(const std::string& handle);

  int64_t num_handles() const { return static_cast<int64_t>(handles_.size()); }

 private:
  struct Entry {
    std::shared_ptr<RegisteredGraph> graph;
    int64_t handles = 0;
  };

  absl::btree_map<std::string, Content> handles_;
  absl::btree_map<Content, Entry> graphs_;
  int64_t next_ = 1;                      // of handles without a registration
  absl::flat_hash_set<int64_t> removed_;  // registrations, lately
  std::deque<int64_t> removed_order_;
};

}  // namespace millrace
