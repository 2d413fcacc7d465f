// FusedKernels: the kernels of the nodes that one fused node replaces.
#pragma once

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

// Immutable.
class FusedKernels {
 public:
  // Makes the kernels of the node's `fused` list. Returns INVALID_ARGUMENT
  // without one: only graph rewriting makes such nodes.
  static StatusOr<FusedKernels> Make(const KernelInit& init);

  const FusedNodes& nodes() const { return *nodes_; }
  const NodeInfo& info(size_t node) const { return *infos_[node]; }
  // Returns the entry of the kernel that the node would have had.
  const KernelEntry& entry(size_t node) const { return *entries_[node]; }

  // Runs the kernel of one node, which has as many results. Inputs that it
  // gives away are gone from `inputs`; if it fails, `ctx` names the node at
  // fault.
  Status RunNode(KernelContext& ctx, size_t node, absl::Span<EdgeValue> inputs,
                 absl::Span<EdgeValue> results) const;
  // Returns the last node that reads an input of the fused node (>= 0) or a
  // result (-1 - node); -1 if there is none.
  int LastReader(int input) const { return last_reader_[PlaceOf(input)]; }

  // Runs the nodes' own kernels one after the other, for inputs that the fused
  // kernel does not support. Results and errors are as if nothing had been
  // fused.
  Status RunOneByOne(KernelContext& ctx) const;

 private:
  // Returns an index: inputs of the fused node come first, then results of its
  // nodes.
  size_t PlaceOf(int input) const {
    return static_cast<size_t>(input >= 0 ? input : num_inputs_ - 1 - input);
  }

  int num_inputs_ = 0;
  std::shared_ptr<const FusedNodes> nodes_;
  std::vector<std::unique_ptr<const NodeInfo>> infos_;
  std::vector<const KernelEntry*> entries_;
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  std::vector<int> last_reader_;  // by PlaceOf
};

}  // namespace millrace::ops
