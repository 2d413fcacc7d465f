// ReferenceViews: where views of reference variables can be.
#pragma once

#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// A node that computes from a variable binds it when it starts
// (kernel/variable_view.h), so a pass must not let another node, which starts
// at another time, read the variable in its place. Of one graph, as it is now.
class ReferenceViews {
 public:
  // `kernels` says which ops hand their input on; null: all may.
  ReferenceViews(const Graph& graph, const KernelTable* kernels);

  // The output may be a reference or a view of one.
  bool MayBeView(OutputRef output) const {
    return output.node != kNoNode && !views_.empty() &&
           views_[static_cast<size_t>(output.node)];
  }
  // The node waits for one that may update a reference variable.
  bool FollowsUpdate(NodeId id) const {
    return !follows_.empty() && follows_[static_cast<size_t>(id)];
  }

 private:
  // By node; empty in graphs without references.
  std::vector<bool> views_;
  std::vector<bool> follows_;
};

}  // namespace millrace
