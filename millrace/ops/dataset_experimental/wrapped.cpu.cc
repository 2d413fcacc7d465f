#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {
namespace {

Status WrapDataset(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetOfInput(ctx, 0));
  MR_RETURN_IF_ERROR(DepthAbove({dataset}).status());
  ctx.set_output(0, Tensor::Scalar<VariantElement>(
                        MakeRef<WrappedDataset>(std::move(dataset))));
  return OkStatus();
}

Status UnwrapDataset(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() != 0) {
    return InvalidArgument(
        "Dataset tensor must be a scalar of dtype DT_VARIANT.");
  }
  const auto* const wrapped =
      dynamic_cast<const WrappedDataset*>(t.scalar<VariantElement>().get());
  if (wrapped == nullptr) {
    return InvalidArgument("Tensor must be a WrappedDataset variant object.");
  }
  ctx.set_output(0, TensorOfDataset(wrapped->dataset()));
  return OkStatus();
}

}  // namespace

MR_KERNELS(WrapDatasetVariant,
           Cpu){{.make = MakeFunctionKernel<WrapDataset>, .cheap = true}};
MR_KERNELS(UnwrapDatasetVariant,
           Cpu){{.make = MakeFunctionKernel<UnwrapDataset>, .cheap = true}};

}  // namespace millrace::ops
