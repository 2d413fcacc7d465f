#include "absl/container/flat_hash_set.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/summary/histogram_value.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunScalarSummary(KernelContext& ctx) {
  const Tensor& tags = ctx.input(0);
  const Tensor& values = ctx.input(1);
  if (!(tags.shape() == values.shape())) {
    return InvalidArgument(
        "tags and values are not the same shape: ", tags.shape().DebugString(),
        " != ", values.shape().DebugString(),
        tags.num_elements() == 1
            ? absl::StrCat(" (tag '", tags.flat<StringElement>()[0].view(),
                           "')")
            : "");
  }
  std::string summary;
  MR_RETURN_IF_ERROR(
      Dispatch(RealTypes{}, values.dtype(), [&]<class T>() -> Status {
        for (int64_t i = 0; i < tags.num_elements(); ++i) {
          AppendScalar(tags.flat<StringElement>()[i].view(),
                       static_cast<float>(values.flat<T>()[i]), &summary);
        }
        return OkStatus();
      }));
  ctx.set_output(0, Tensor::Scalar<std::string>(summary));
  return OkStatus();
}

Status RunHistogramSummary(KernelContext& ctx) {
  const Tensor& tag = ctx.input(0);
  const Tensor& values = ctx.input(1);
  if (tag.rank() != 0) {
    return InvalidArgument("tags must be scalar");
  }
  MR_ASSIGN_OR_RETURN(const std::string histogram,
                      EncodeHistogram(values, ctx.node().name));
  std::string summary;
  AppendHistogram(tag.scalar<StringElement>().view(), histogram, &summary);
  ctx.set_output(0, Tensor::Scalar<std::string>(summary));
  return OkStatus();
}

Status RunMergeSummary(KernelContext& ctx) {
  std::string merged;
  absl::flat_hash_set<std::string> tags;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    for (const StringElement& input : ctx.input(i).flat<StringElement>()) {
      MR_ASSIGN_OR_RETURN(const std::vector<SummaryValue> values,
                          SplitSummary(input.view()));
      for (const SummaryValue& value : values) {
        if (!value.tag.empty() && !tags.emplace(value.tag).second) {
          return InvalidArgument("Duplicate tag ", value.tag,
                                 " found in summary inputs");
        }
        AppendValue(value.bytes, &merged);
      }
    }
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(merged));
  return OkStatus();
}

}  // namespace

MR_KERNELS(ScalarSummary, Cpu){{.types = "T: " MR_REAL_TYPES,
                                .make = MakeFunctionKernel<RunScalarSummary>}};
MR_KERNELS(HistogramSummary,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunHistogramSummary>}};
MR_KERNELS(MergeSummary, Cpu){{.make = MakeFunctionKernel<RunMergeSummary>}};

}  // namespace millrace::ops
