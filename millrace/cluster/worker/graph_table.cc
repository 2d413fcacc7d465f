#include "millrace/cluster/worker/graph_table.h"

#include "absl/strings/str_cat.h"
#include "millrace/cluster/worker/registered_graph.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/pass/rewrites.h"

namespace millrace {

GraphTable::Content GraphTable::ContentOf(const RegisterGraphRequest& request) {
  return {FingerprintOf(EncodeGraphDef(request.graph_def)),
          Rewrites::Of(request.graph_options).fuse};
}

StatusOr<std::string> GraphTable::Find(const RegisterGraphRequest& request,
                                       const Content& content) {
  std::string handle;
  if (request.registration != 0) {
    handle = RegistrationHandle(request.registration);
    if (removed_.Contains(request.registration)) {
      return Aborted("The graph ", handle, " was given up by its master.");
    }
    const auto there = handles_.find(handle);
    if (there != handles_.end()) {
      if (there->second == content) return handle;
      return Aborted("The graph ", handle, " is another one already.");
    }
  }
  const auto equal = graphs_.find(content);
  if (equal == graphs_.end()) return std::string();
  if (handle.empty()) {
    handle = absl::StrCat(absl::Hex(next_++, absl::kZeroPad16));
  }
  ++equal->second.handles;
  handles_.emplace(handle, content);
  return handle;
}

StatusOr<std::string> GraphTable::Add(const RegisterGraphRequest& request,
                                      const Content& content,
                                      std::shared_ptr<RegisteredGraph> graph) {
  const bool added =
      graphs_.try_emplace(content, Entry{std::move(graph)}).second;
  StatusOr<std::string> handle = Find(request, content);
  if (added && graphs_.at(content).handles == 0) graphs_.erase(content);
  return handle;
}

std::shared_ptr<RegisteredGraph> GraphTable::Get(
    const std::string& handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : graphs_.at(found->second).graph;
}

std::shared_ptr<RegisteredGraph> GraphTable::Remove(const std::string& handle) {
  const int64_t registration = RegistrationOf(handle);
  if (registration != 0) removed_.Insert(registration);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return nullptr;
  const auto entry = graphs_.find(found->second);
  handles_.erase(found);
  if (--entry->second.handles > 0) return nullptr;
  std::shared_ptr<RegisteredGraph> graph = std::move(entry->second.graph);
  graphs_.erase(entry);
  return graph;
}

}  // namespace millrace
