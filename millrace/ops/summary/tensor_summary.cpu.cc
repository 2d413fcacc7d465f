#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"

namespace millrace::ops {
namespace {

Status RunTensorSummary(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const std::string tensor,
                      EncodeTensorValue(ctx.input(0)));
  std::string summary;
  AppendTensor({.node_name = ctx.node().name, .tensor = tensor}, &summary);
  return SetSummary(ctx, summary);
}

Status RunTensorSummaryV2(KernelContext& ctx) {
  const Tensor& tag = ctx.input(0);
  const Tensor& metadata = ctx.input(2);
  if (tag.rank() != 0) return InvalidArgument("tag must be scalar");
  if (metadata.rank() != 0) {
    return InvalidArgument("serialized_summary_metadata must be scalar");
  }
  const absl::string_view bytes = metadata.scalar<StringElement>().view();
  if (bytes.size() > kMaxSummaryBytes || !IsMessage(bytes)) {
    return InvalidArgument("serialized_summary_metadata is no message");
  }
  MR_ASSIGN_OR_RETURN(const std::string tensor,
                      EncodeTensorValue(ctx.input(1)));
  std::string summary;
  AppendTensor({.tag = tag.scalar<StringElement>().view(),
                .tensor = tensor,
                .metadata = &bytes},
               &summary);
  return SetSummary(ctx, summary);
}

}  // namespace

MR_KERNELS(TensorSummary, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                                .make = MakeFunctionKernel<RunTensorSummary>}};
MR_KERNELS(TensorSummaryV2,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                 .make = MakeFunctionKernel<RunTensorSummaryV2>}};

}  // namespace millrace::ops
