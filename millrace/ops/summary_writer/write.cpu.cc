#include <limits>
#include <string>
#include <utility>

#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/summary/audio_values.h"
#include "millrace/ops/summary/histogram_value.h"
#include "millrace/ops/summary/image_values.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"
#include "millrace/ops/summary_writer/writer_input.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr char kMostImages[] = "max_images";
constexpr char kMostClips[] = "max_outputs";

// Makes a serialized Summary of a node's inputs.
using SummaryMaker = StatusOr<std::string> (*)(KernelContext& ctx,
                                               int64_t most);

// Writes the summary that `kMake` makes. `kMost` is the name of the attribute
// that limits the values; null if there is none.
template <SummaryMaker kMake, const char* kMost = nullptr>
class WriteKernel {
 public:
  static StatusOr<WriteKernel> Make(const KernelInit& init) {
    WriteKernel k;
    if constexpr (kMost != nullptr) {
      MR_ASSIGN_OR_RETURN(k.most_, init.Attr<int64_t>(kMost));
    }
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    const int64_t most = most_;
    UseWriter(ctx, std::move(done),
              [&ctx, most](SummaryWriterResource& writer) -> Status {
                MR_ASSIGN_OR_RETURN(const int64_t step,
                                    OneValue<int64_t>(ctx, 1, "step"));
                MR_ASSIGN_OR_RETURN(const std::string summary,
                                    kMake(ctx, most));
                return writer.Use([&](SummarySink& sink) {
                  return sink.AddSummary(step, summary);
                });
              });
  }

 private:
  int64_t most_ = 1;
};

Status CheckWritable(DataType type) {
  if (type != DataType::kBfloat16) return OkStatus();
  return Unimplemented("SummaryFileWriter bfloat16 not supported.");
}

StatusOr<std::string> MakeScalar(KernelContext& ctx, int64_t) {
  MR_ASSIGN_OR_RETURN(const std::string tag, OneText(ctx, 2, "tag"));
  const Tensor& value = ctx.input(3);
  MR_RETURN_IF_ERROR(CheckWritable(value.dtype()));
  // As in stock, the first of several counts.
  if (value.num_elements() == 0) {
    return InvalidArgument("value must be a scalar, got shape ",
                           value.shape().DebugString());
  }
  std::string summary;
  MR_RETURN_IF_ERROR(
      Dispatch(RealTypes{}, value.dtype(), [&]<class T>() -> Status {
        AppendScalar(tag, static_cast<float>(value.flat<T>()[0]), &summary);
        return OkStatus();
      }));
  return summary;
}

StatusOr<std::string> MakeHistogram(KernelContext& ctx, int64_t) {
  MR_ASSIGN_OR_RETURN(const std::string tag, OneText(ctx, 2, "tag"));
  MR_RETURN_IF_ERROR(CheckWritable(ctx.input(3).dtype()));
  MR_ASSIGN_OR_RETURN(const std::string histogram,
                      EncodeHistogram(ctx.input(3), tag));
  std::string summary;
  AppendHistogram(tag, histogram, &summary);
  return summary;
}

StatusOr<std::string> MakeTensor(KernelContext& ctx, int64_t) {
  MR_ASSIGN_OR_RETURN(const std::string tag, OneText(ctx, 3, "tag"));
  MR_ASSIGN_OR_RETURN(const std::string metadata,
                      OneText(ctx, 4, "summary_metadata"));
  MR_ASSIGN_OR_RETURN(const std::string tensor,
                      EncodeTensorValue(ctx.input(2)));
  // As in stock, bytes that are no message are left out.
  absl::string_view known = metadata;
  std::string probe;
  AppendTensor({.metadata = &known}, &probe);
  const Status checked = CheckSerializedSummary(probe);
  if (checked.code() == StatusCode::kDataLoss) {
    known = {};
  } else {
    MR_RETURN_IF_ERROR(checked);
  }
  std::string summary;
  AppendTensor({.tag = tag,
                .tensor = tensor,
                .metadata = metadata.empty() ? nullptr : &known},
               &summary);
  return summary;
}

StatusOr<std::string> MakeImages(KernelContext& ctx, int64_t most) {
  MR_ASSIGN_OR_RETURN(const std::string tag, OneText(ctx, 2, "tag"));
  if (most > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("max_images must be < 2^31, but is ", most);
  }
  if (ctx.input(4).rank() != 1) {
    return InvalidArgument("bad_color must be a vector, got shape ",
                           ctx.input(4).shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(
      const CountedText summary,
      SummarizeImages(ctx, ctx.input(3),
                      {.tag = tag,
                       .most = most,
                       .bad_color = ctx.input(4).flat<uint8_t>()}));
  return std::string(summary.view());
}

StatusOr<std::string> MakeAudio(KernelContext& ctx, int64_t most) {
  MR_RETURN_IF_ERROR(CheckInt32Attr(kMostClips, most));
  MR_ASSIGN_OR_RETURN(const std::string tag, OneText(ctx, 2, "tag"));
  MR_ASSIGN_OR_RETURN(const float rate, OneValue<float>(ctx, 4, "sample_rate"));
  MR_ASSIGN_OR_RETURN(const CountedText summary,
                      SummarizeAudio(ctx, ctx.input(3),
                                     {.tag = tag, .most = most, .rate = rate}));
  return std::string(summary.view());
}

StatusOr<std::string> MergeRaw(KernelContext& ctx, int64_t) {
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("step must be scalar, got shape ",
                           ctx.input(1).shape().DebugString());
  }
  std::string merged;
  size_t index = 0;
  for (const StringElement& part : ctx.input(2).flat<StringElement>()) {
    const Status checked = CheckSerializedSummary(part.view());
    if (checked.code() == StatusCode::kDataLoss) {
      return Annotate(checked, absl::StrCat(" at index ", index));
    }
    MR_RETURN_IF_ERROR(checked);
    if (part.size() > kMaxSummaryBytes - merged.size()) {
      return InvalidArgument("the summaries are too large for one");
    }
    merged.append(part.data(), part.size());
    ++index;
  }
  return merged;
}

class WriteGraphKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    UseWriter(
        ctx, std::move(done), [&ctx](SummaryWriterResource& writer) -> Status {
          MR_ASSIGN_OR_RETURN(const int64_t step,
                              OneValue<int64_t>(ctx, 1, "step"));
          MR_ASSIGN_OR_RETURN(const std::string graph,
                              OneText(ctx, 2, "tensor"));
          if (graph.size() > kMaxSummaryBytes || !ParseGraphDef(graph).ok()) {
            return DataLoss("Bad tf.GraphDef binary proto tensor string");
          }
          return writer.Use(
              [&](SummarySink& sink) { return sink.AddGraph(step, graph); });
        });
  }
};

class ImportEventKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    UseWriter(ctx, std::move(done),
              [&ctx](SummaryWriterResource& writer) -> Status {
                MR_ASSIGN_OR_RETURN(const std::string event,
                                    OneText(ctx, 1, "event"));
                return writer.Use(
                    [&](SummarySink& sink) { return sink.AddEvent(event); });
              });
  }
};

}  // namespace

MR_KERNELS(WriteSummary, Cpu){{.make = MakeKernel<WriteKernel<MakeTensor>>}};
MR_KERNELS(WriteScalarSummary,
           Cpu){{.make = MakeKernel<WriteKernel<MakeScalar>>}};
MR_KERNELS(WriteHistogramSummary,
           Cpu){{.make = MakeKernel<WriteKernel<MakeHistogram>>}};
MR_KERNELS(WriteImageSummary,
           Cpu){{.make = MakeKernel<WriteKernel<MakeImages, kMostImages>>}};
MR_KERNELS(WriteAudioSummary,
           Cpu){{.make = MakeKernel<WriteKernel<MakeAudio, kMostClips>>}};
MR_KERNELS(WriteGraphSummary, Cpu){{.make = MakeKernel<WriteGraphKernel>}};
MR_KERNELS(WriteRawProtoSummary,
           Cpu){{.make = MakeKernel<WriteKernel<MergeRaw>>}};
MR_KERNELS(ImportEvent, Cpu){{.make = MakeKernel<ImportEventKernel>}};

}  // namespace millrace::ops
