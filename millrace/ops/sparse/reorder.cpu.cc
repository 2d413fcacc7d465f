#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {
namespace {

Status RunSparseReorder(KernelContext& ctx) {
  const Tensor coordinates = ctx.input(0);  // may be a view
  const Tensor values = ctx.input(1);
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_RETURN_IF_ERROR(ctx.BindInput(1));
  MR_ASSIGN_OR_RETURN(const SparseEntries in,
                      ReadEntries(ctx, 0, kSparseWords));
  const CountedVector<int64_t> order = RowMajorOrder(in);
  if (std::is_sorted(order.begin(), order.end())) {
    ctx.set_output(0, coordinates);
    ctx.set_output(1, values);
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const EntriesOutput out,
                      AllocateEntries(ctx, 0, 1, in.count, in.rank));
  GatherCoordinates(in, order, out.coordinates);
  return GatherValues(*in.values, order, out.values);
}

}  // namespace

MR_KERNELS(SparseReorder, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                                .make = MakeFunctionKernel<RunSparseReorder>,
                                .views = "input_indices, input_values"}};

}  // namespace millrace::ops
