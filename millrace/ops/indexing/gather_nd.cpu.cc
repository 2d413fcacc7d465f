#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/gather_rows.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T>
Status GatherNdSlices(KernelContext& ctx, const Tensor& params,
                      const NdIndex& index, BadIndices policy, Tensor* out,
                      FirstPlace& bad) {
  // Variables' tables are read in place, so that updates of rows need no copy.
  const SharedElements elements(params);
  const bool locked = elements.needs_copy();
  const T* src = reinterpret_cast<const T*>(elements.data());
  T* dst = reinterpret_cast<T*>(out->mutable_data());
  const int64_t slice = index.slice();
  const int64_t cost = MoveCost(params.dtype(), slice) + 5 + 2 * index.depth();
  return ctx.ParallelFor(index.rows(), cost, [&](int64_t begin, int64_t end) {
    index.ForEach(begin, end, [&](int64_t r, int64_t offset) {
      if (offset >= 0 && locked) {
        elements.Copy(offset, slice, dst + r * slice);
      } else if (offset >= 0 && slice == 1) {
        dst[r] = src[offset];
      } else if (offset >= 0) {
        std::copy_n(src + offset, slice, dst + r * slice);
      } else if (policy == BadIndices::kIgnore) {
        std::fill_n(dst + r * slice, slice, T());
      } else {
        bad.Report(r);
      }
    });
  });
}

struct GatherNdKernel {
  static StatusOr<GatherNdKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(BadIndices policy, BadIndicesPolicy(init.node().attrs));
    return GatherNdKernel{policy};
  }
  Status Run(KernelContext& ctx) const {
    return Gather(ctx, ctx.input(0), policy);
  }
  // Sets output 0 to the slices of `params` that input 1 names.
  static Status Gather(KernelContext& ctx, const Tensor& params,
                       BadIndices policy) {
    const Tensor& indices = ctx.input(1);
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        GatherNdShape(params.shape(), indices.shape()));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
    const NdIndex index(indices, params.shape());
    if (out->num_elements() == 0) return OkStatus();
    FirstPlace bad;
    MR_RETURN_IF_ERROR(DispatchBySize(params.dtype(), [&]<class T>() -> Status {
      return GatherNdSlices<T>(ctx, params, index, policy, out, bad);
    }));
    if (const int64_t r = bad.Get(); r >= 0) {
      return InvalidArgument(
          "indices", index.PlaceOfRow(r), " = ", index.RowText(r),
          " does not index into param shape ", params.shape().DebugString(),
          ", node name: ", ctx.node().name);
    }
    return OkStatus();
  }
  BadIndices policy;
};

// Reads the slices where they lie, under the locks of their rows.
struct ResourceGatherNdKernel {
  static StatusOr<ResourceGatherNdKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(DataType dtype, init.Attr<DataType>("dtype"));
    return ResourceGatherNdKernel{dtype};
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    if (variable->dtype() != dtype) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype));
    }
    MR_ASSIGN_OR_RETURN(const Tensor params, MakeView(variable));
    return GatherNdKernel::Gather(ctx, params, BadIndices::kError);
  }
  DataType dtype;
};

}  // namespace

StatusOr<TensorShape> GatherNdShape(const TensorShape& params,
                                    const TensorShape& indices) {
  if (params.rank() < 1)
    return InvalidArgument("params must be at least a vector");
  if (indices.rank() < 1)
    return InvalidArgument("indices must be at least a vector");
  const int last = indices.rank() - 1;
  if (indices.dim(last) > params.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= params rank; saw: ",
        indices.dim(last), " vs. ", params.rank());
  }
  const int depth = static_cast<int>(indices.dim(last));
  DimVector dims = indices.dims();
  dims.pop_back();
  for (int i = depth; i < params.rank(); ++i) dims.push_back(params.dim(i));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (indices.NumElements(0, last) > 0 && params.num_elements() == 0) {
    return InvalidArgument(
        "Requested more than 0 entries, but params is empty.  Params shape: ",
        params.DebugString());
  }
  return shape;
}

MR_KERNELS(GatherNd, Cpu){
    {.types = "Tparams: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeKernel<GatherNdKernel>,
     .views = "params"}};
MR_KERNELS(ResourceGatherNd,
           Cpu){{.types = "dtype: " MR_ELEMENT_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<ResourceGatherNdKernel>,
                 .host = "resource"}};

}  // namespace millrace::ops
