// The options and checks of ops that copy windows of images (rank 4) or volumes
// (rank 5) side by side, on all devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {

// The windows of one tensor.
struct PatchPlan {
  Window windows[kMaxSpatial];  // of the spatial dimensions
  int64_t places = 1;           // elements of a window, without channels
  int64_t depth = 0;            // of the input
  TensorShape shape;            // of the result
};

template <int kRank>
class PatchOptions {
 public:
  static StatusOr<PatchOptions> Make(const KernelInit& init) {
    PatchOptions k;
    MR_ASSIGN_OR_RETURN(k.sizes_, Int32ListOr(init.node().attrs, "ksizes", {}));
    MR_ASSIGN_OR_RETURN(k.strides_,
                        Int32ListOr(init.node().attrs, "strides", {}));
    MR_ASSIGN_OR_RETURN(k.padding_, init.Attr<std::string>("padding"));
    MR_ASSIGN_OR_RETURN(k.rates_,
                        Int32ListOr(init.node().attrs, "rates",
                                    Ints(static_cast<size_t>(kRank), 1)));
    MR_RETURN_IF_ERROR(k.Check(k.sizes_, "ksizes"));
    MR_RETURN_IF_ERROR(k.Check(k.strides_, "strides"));
    MR_RETURN_IF_ERROR(k.Check(k.rates_, "rates"));
    return k;
  }

  StatusOr<PatchPlan> Plan(const TensorShape& x) const {
    if (x.rank() != kRank) {
      return InvalidArgument("input must be ", kRank, "-dimensional",
                             x.DebugString());
    }
    PatchPlan plan;
    DimVector dims = {x.dim(0)};
    for (int i = 0; i < kRank - 2; ++i) {
      Window& w = plan.windows[i];
      const auto d = static_cast<size_t>(i) + 1;
      w.input = x.dim(i + 1);
      w.filter = sizes_[d];
      w.stride = strides_[d];
      w.dilation = rates_[d];
      MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kRun, padding_, &w));
      dims.push_back(w.output);
      if (__builtin_mul_overflow(plan.places, w.filter, &plan.places)) {
        return InvalidArgument("ksizes are too large");
      }
    }
    plan.depth = x.dim(kRank - 1);
    int64_t elements = 0;
    if (__builtin_mul_overflow(plan.places, plan.depth, &elements)) {
      return InvalidArgument("ksizes are too large");
    }
    dims.push_back(elements);
    MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
    return plan;
  }

 private:
  using Ints = std::vector<int64_t>;

  Status Check(const Ints& list, const char* what) const {
    if (static_cast<int>(list.size()) != kRank) {
      return InvalidArgument("ExtractImagePatches requires the ", what,
                             " attribute to contain ", kRank,
                             " values, but got: ", list.size());
    }
    if (list.front() != 1 || list.back() != 1) {
      return Unimplemented(
          "Only support ", what,
          " across space. That of the batch and depth must be 1.");
    }
    for (const int64_t n : list) {
      if (n < 1) return InvalidArgument(what, " must be positive, got ", n);
    }
    return OkStatus();
  }

  Ints sizes_, strides_, rates_;
  std::string padding_;
};

}  // namespace millrace::ops
