#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/ops/summary/histogram_value.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"
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
  CountedText summary(ctx);
  std::string one;
  MR_RETURN_IF_ERROR(
      Dispatch(RealTypes{}, values.dtype(), [&]<class T>() -> Status {
        for (int64_t i = 0; i < tags.num_elements(); ++i) {
          one.clear();
          AppendScalar(tags.flat<StringElement>()[i].view(),
                       static_cast<float>(values.flat<T>()[i]), &one);
          MR_RETURN_IF_ERROR(summary.Append(one));
        }
        return OkStatus();
      }));
  return SetSummary(ctx, summary.view());
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
  return SetSummary(ctx, summary);
}

Status RunMergeSummary(KernelContext& ctx) {
  CountedText merged(ctx);
  std::string one;
  CountedTable<absl::flat_hash_set<absl::string_view>> tags("merged tags");
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    for (const StringElement& input : ctx.input(i).flat<StringElement>()) {
      MR_ASSIGN_OR_RETURN(const CountedVector<SummaryValue> values,
                          SplitSummary(input.view()));
      for (const SummaryValue& value : values) {
        MR_RETURN_IF_ERROR(tags.MakeRoom());
        if (!value.tag.empty() && !tags->insert(value.tag).second) {
          return InvalidArgument("Duplicate tag ", value.tag,
                                 " found in summary inputs");
        }
        one.clear();
        AppendValue(value.bytes, &one);
        MR_RETURN_IF_ERROR(merged.Append(one));
      }
    }
  }
  return SetSummary(ctx, merged.view());
}

}  // namespace

MR_KERNELS(ScalarSummary, Cpu){{.types = "T: " MR_REAL_TYPES,
                                .make = MakeFunctionKernel<RunScalarSummary>}};
MR_KERNELS(HistogramSummary,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunHistogramSummary>}};
MR_KERNELS(MergeSummary, Cpu){{.make = MakeFunctionKernel<RunMergeSummary>}};

}  // namespace millrace::ops
