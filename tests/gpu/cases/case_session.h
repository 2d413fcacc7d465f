// CaseSession: runs cases of ops in a session with a CPU and a GPU.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "millrace/graph/graph_def.h"
#include "millrace/session/local_session.h"
#include "tests/cases/bind.h"
#include "tests/cases/runner.h"

namespace millrace::cases {

// One thread.
class CaseSession {
 public:
  // Both outlive it. Nodes are placed on the GPU where they can be.
  static StatusOr<std::unique_ptr<CaseSession>> Make(
      const OpRegistry& ops, const KernelTable& kernels);

  struct Outcome {
    CaseOutcome case_outcome;       // without `outputs` and `changed_inputs`
    std::set<std::string> devices;  // types of those that ran the case's op
  };
  // `wanted` is what the CPU's kernels gave: outputs that are dead there are
  // not fetched.
  Outcome Run(const BoundCase& c, const CaseOutcome& wanted);

  // Returns whether a GPU has kernels for the types of the case's variables;
  // the case can run there only then.
  bool TakesVariables(const BoundCase& c) const;

 private:
  using Feeds = std::vector<std::pair<std::string, Tensor>>;

  CaseSession(const OpRegistry& ops, const KernelTable& kernels)
      : ops_(&ops), kernels_(&kernels) {}
  void AddNode(std::string name, std::string op,
               std::vector<std::string> inputs, AttrMap attrs, bool on_gpu);
  void AddCase(const BoundCase& c);
  RunOutcome RunOnce(const BoundCase& c, const BoundRun& run,
                     const RunOutcome& wanted, std::set<std::string>* devices);
  Status Fetch(const Feeds& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets,
               std::vector<Tensor>* outputs, RunMetadata* metadata);
  Tensor FinalValue(const BoundVariable& v);
  std::string InCase(const std::string& name) const;

  const OpRegistry* const ops_;
  const KernelTable* const kernels_;
  std::unique_ptr<LocalSession> session_;
  int cases_ = 0;
  GraphDef graph_;  // of the case
  Feeds feeds_;
};

}  // namespace millrace::cases
