// ReferenceViews: determines where views of reference variables can occur.
#pragma once

#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// A node that computes with a variable binds it when it starts
// (kernel/variable_view.h), so a pass must not make another node, which starts
// at another time, read the variable instead. For one graph in its current
// state.
class ReferenceViews {
 public:
  // `kernels` determines which ops pass on their input; null: any op may.
  ReferenceViews(const Graph& graph, const KernelTable* kernels);

  // Returns whether the output may be a reference or a view of one.
  bool MayBeView(OutputRef output) const {
    return output.node != kNoNode && !views_.empty() &&
           views_[static_cast<size_t>(output.node)];
  }
  // Returns whether the node depends on a node that may update a reference
  // variable.
  bool FollowsUpdate(NodeId id) const {
    return !follows_.empty() && follows_[static_cast<size_t>(id)];
  }

 private:
  // Indexed by node; empty in graphs without references.
  std::vector<bool> views_;
  std::vector<bool> follows_;
};

}  // namespace millrace
