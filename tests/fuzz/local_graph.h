// LocalGraph: a graph in this process, whose ops a fuzzer gives its bytes to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/client/session.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

class LocalGraph {
 public:
  explicit LocalGraph(GraphDef def) : scope_(Scope::NewRoot()) {
    // No input of a fuzzer justifies more.
    MemoryBudget::Process().set_limit(int64_t{256} << 20);
    def.versions.producer = kGraphDefVersion;
    const Status status = scope_.graph().Import(def);
    MR_CHECK(status.ok(), status.message());
    session_ = std::make_unique<Session>(scope_);
  }

  // A step; feeds by the names of ops with one output.
  StatusOr<std::vector<Tensor>> Run(
      const std::vector<std::pair<std::string, Tensor>>& feeds,
      const std::vector<std::string>& fetches,
      const std::vector<std::string>& targets = {}) {
    ClientGraph& graph = scope_.graph();
    std::vector<Feed> fed;
    for (const auto& [name, value] : feeds) {
      fed.push_back({graph.Find(name).output(0), value});
    }
    std::vector<Output> outputs;
    for (const std::string& name : fetches) {
      outputs.push_back(*graph.FindOutput(name));
    }
    std::vector<ControlInput> ops;
    for (const std::string& name : targets) ops.emplace_back(graph.Find(name));
    return session_->Run(fed, outputs, ops);
  }

 private:
  const Scope scope_;
  std::unique_ptr<Session> session_;
};

// What a server may answer to bytes that make no sense.
inline void CheckRefusal(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
    case StatusCode::kInvalidArgument:
    case StatusCode::kOutOfRange:
    case StatusCode::kNotFound:
    case StatusCode::kUnimplemented:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kResourceExhausted:
      return;
    default:
      MR_CHECK(false, status.ToString());
  }
}

}  // namespace millrace
