#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/gather_rows.h"

namespace millrace::ops {

StatusOr<GatherPlan> PlanGather(const Tensor& params, const Tensor& indices,
                                int64_t axis, int64_t batch_dims) {
  if (params.rank() < 1)
    return InvalidArgument("params must be at least 1 dimensional");
  if (axis < -params.rank() || axis >= params.rank()) {
    return InvalidArgument("Expected axis in the range [", -params.rank(), ", ",
                           params.rank(), "), but got ", axis);
  }
  if (axis < 0) axis += params.rank();
  if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
    return InvalidArgument("Expected batch_dims in the range [",
                           -indices.rank(), ", ", indices.rank(), "], but got ",
                           batch_dims);
  }
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims >= params.rank()) {
    return InvalidArgument("batch_dims (", batch_dims,
                           ") must be less than rank(params) (", params.rank(),
                           ").");
  }
  if (axis < batch_dims) {
    return InvalidArgument("batch_dims (", batch_dims,
                           ") must be less than or equal to axis (", axis,
                           ").");
  }
  const int at = static_cast<int>(axis);
  const int batch = static_cast<int>(batch_dims);
  for (int i = 0; i < batch; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return InvalidArgument("params.shape[", i, "]: ", params.dim(i),
                             " should be equal to indices.shape[", i,
                             "]: ", indices.dim(i));
    }
  }
  GatherPlan plan;
  GatherSpec& spec = plan.spec;
  spec.batches = params.shape().NumElements(0, batch);
  spec.outer = params.shape().NumElements(batch, at);
  spec.limit = params.dim(at);
  spec.count = indices.shape().NumElements(batch, indices.rank());
  spec.slice = params.shape().NumElements(at + 1, params.rank());
  DimVector dims;
  for (int i = 0; i < at; ++i) dims.push_back(params.dim(i));
  for (int i = batch; i < indices.rank(); ++i) dims.push_back(indices.dim(i));
  for (int i = at + 1; i < params.rank(); ++i) dims.push_back(params.dim(i));
  MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
  return plan;
}

namespace {

Status GatherAlong(KernelContext& ctx, int64_t axis, int64_t batch_dims) {
  const Tensor& params = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const GatherPlan plan,
                      PlanGather(params, indices, axis, batch_dims));
  const GatherSpec& spec = plan.spec;
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, plan.shape));
  if (out->num_elements() == 0) return OkStatus();
  // Variables' tables are read in place, so that updates of rows need no copy.
  const SharedElements elements(params);
  MR_ASSIGN_OR_RETURN(
      const int64_t bad,
      GatherSlices(ctx, params.dtype(), spec, elements.data(), indices,
                   out->mutable_data(),
                   elements.needs_copy() ? &elements : nullptr));
  if (bad >= 0) {
    return InvalidArgument("indices", PlaceText(bad, indices.shape()), " = ",
                           IntAt(indices, bad), " is not in [0, ", spec.limit,
                           ")");
  }
  return OkStatus();
}

struct GatherV2Kernel {
  static StatusOr<GatherV2Kernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(int64_t batch_dims, init.Attr<int64_t>("batch_dims"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("batch_dims", batch_dims));
    return GatherV2Kernel{batch_dims};
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& axis = ctx.input(2);
    if (axis.rank() != 0) return InvalidArgument("axis must be scalar");
    return GatherAlong(ctx, IntAt(axis, 0), batch_dims);
  }
  int64_t batch_dims;
};

Status GatherKernel(KernelContext& ctx) { return GatherAlong(ctx, 0, 0); }

}  // namespace

MR_KERNELS(GatherV2,
           Cpu){{.types = "Tparams: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_TYPES,
                 .make = MakeKernel<GatherV2Kernel>,
                 .host = "axis",
                 .views = "params"}};
// Indices are checked for any value of `validate_indices`.
MR_KERNELS(Gather,
           Cpu){{.types = "Tparams: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_TYPES,
                 .make = MakeFunctionKernel<GatherKernel>,
                 .views = "params"}};

}  // namespace millrace::ops
