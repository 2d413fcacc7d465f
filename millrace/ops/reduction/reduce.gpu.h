// Reductions over dimensions of tensors in the memory of a GPU.
#pragma once

#include <vector>

#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

class GpuReducer {
 public:
  // `op` is a struct of reduce.gpu.cu, such as "AddOf".
  static StatusOr<GpuReducer> Make(const KernelInit& init, DataType type,
                                   const char* op);

  // Sets `out` to the reduction of `x` over the dimensions for which `reduced`
  // is true; both have the type of Make. Elements are joined in an order that
  // the shape decides. Returns UNIMPLEMENTED if more than four groups of kept
  // dimensions alternate with reduced ones.
  Status Reduce(KernelContext& ctx, const Tensor& x,
                const std::vector<bool>& reduced, Tensor* out) const;

 private:
  struct Layout;
  struct Args;
  Status ReduceRows(KernelContext& ctx, Args& args, bool wide) const;
  Status ReduceColumns(KernelContext& ctx, Args& args) const;
  // Launches `function` for blocks of all slices, then joins these.
  Status Launch(KernelContext& ctx, const GpuFunction& function, Args& args,
                int64_t blocks) const;

  DataType type_ = DataType::kInvalid;
  GpuFunction rows_thread_, rows_warp_, rows_warp_wide_, rows_block_,
      rows_block_wide_, columns_, join_slices_, fill_empty_;
};

}  // namespace millrace::ops
