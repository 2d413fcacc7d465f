// Reductions over dimensions of tensors in the memory of a GPU.
#pragma once

#include <memory>
#include <vector>

#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

// Thread-safe. Lives no longer than the kernel of its KernelInit.
class GpuReducer {
 public:
  GpuReducer();
  GpuReducer(GpuReducer&&) noexcept;
  GpuReducer& operator=(GpuReducer&&) noexcept;
  ~GpuReducer();
  // `op` is a struct of reduce.gpu.cu, such as "AddOf", in static memory.
  static StatusOr<GpuReducer> Make(const KernelInit& init, DataType type,
                                   const char* op);

  // Sets `out` to the reduction of `x` over the dimensions for which `reduced`
  // is true; both have the type of Make. Elements are joined in an order that
  // the shape decides. Returns UNIMPLEMENTED if, after neighbours that are kept
  // or reduced together have been merged, a dimension has 2^31 elements or
  // more that is not the outermost one kept or reduced, or the innermost one
  // kept.
  Status Reduce(KernelContext& ctx, const Tensor& x,
                const std::vector<bool>& reduced, Tensor* out) const;

 private:
  struct Plan;
  // The entries of the device text.
  struct Functions {
    GpuFunction rows_thread, rows_warp, rows_warp_wide, rows_block,
        rows_block_wide, columns, join_slices, fill_empty;
  };
  // Functions for many groups of dimensions, which are rare.
  struct Many;

  static StatusOr<Functions> Load(const KernelInit& init, DataType type,
                                  const char* op, int groups);
  Status ReduceRows(KernelContext& ctx, Plan& plan, bool wide) const;
  Status ReduceColumns(KernelContext& ctx, Plan& plan) const;
  // Launches `function` for blocks of all slices, then joins these.
  Status LaunchSlices(KernelContext& ctx, GpuFunction Functions::*function,
                      Plan& plan, int64_t blocks) const;
  // Launches `function` with the arguments of the plan.
  Status Launch(KernelContext& ctx, GpuFunction Functions::*function,
                const Plan& plan, const GpuGrid& grid) const;

  DataType type_ = DataType::kInvalid;
  Functions few_;
  std::unique_ptr<Many> many_;
};

}  // namespace millrace::ops
