#include <cstdint>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

class SegmentJoinKernel {
 public:
  static StatusOr<SegmentJoinKernel> Make(const KernelInit& init) {
    SegmentJoinKernel k;
    MR_ASSIGN_OR_RETURN(k.separator_, init.Attr<std::string>("separator"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape& shape = ctx.input(0).shape();
    const TensorShape& ids = ctx.input(1).shape();
    if (ctx.input(2).rank() != 0) {
      return InvalidArgument("Number of segments must be a scalar");
    }
    const int64_t segments = IntValues(ctx.input(2))[0];
    if (segments < 0) {
      return InvalidArgument("Number of segments must be non-negative but got ",
                             segments);
    }
    if (ids.rank() == 0) {
      return InvalidArgument("Segment_id cannot have rank 0");
    }
    if (ids.rank() > shape.rank()) {
      return OutOfRange("Invalid segment_id rank ", ids.rank(),
                        " for input with ", shape.rank(), " dimension(s)");
    }
    for (int d = 0; d < ids.rank(); ++d) {
      if (ids.dim(d) != shape.dim(d)) {
        // As in stock, the "input dimension" is the rank.
        return InvalidArgument("Segment dimension is ", ids.dim(d),
                               " while input dimension is ", shape.rank(),
                               " in rank ", d);
      }
    }
    return Dispatch(IndexTypes(), ctx.input_type(1), [&]<class T>() -> Status {
      return Join<T>(ctx, segments);
    });
  }

 private:
  template <class T>
  Status Join(KernelContext& ctx, int64_t segments) const {
    const auto ids = ctx.input(1).flat<T>();
    for (const T id : ids) {
      if (id < 0 || id >= segments) {
        return InvalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have "
            "negative values.");
      }
    }
    const TensorShape& shape = ctx.input(0).shape();
    const int id_rank = ctx.input(1).rank();
    DimVector dims = {segments};
    for (int d = id_rank; d < shape.rank(); ++d) dims.push_back(shape.dim(d));
    MR_ASSIGN_OR_RETURN(TensorShape out_shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(out_shape)));
    const auto texts = ctx.input(0).flat<StringElement>();
    if (texts.empty()) return OkStatus();
    // The places of each segment's rows, one segment after the other.
    const auto rows = static_cast<int64_t>(ids.size());
    MR_ASSIGN_OR_RETURN(
        Tensor starts_memory,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({segments + 1})));
    MR_ASSIGN_OR_RETURN(
        Tensor places_memory,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({rows})));
    const auto starts = starts_memory.mutable_flat<int64_t>();
    const auto places = places_memory.mutable_flat<int64_t>();
    for (int64_t& start : starts) start = 0;
    for (const T id : ids) ++starts[static_cast<size_t>(id) + 1];
    for (size_t s = 1; s < starts.size(); ++s) starts[s] += starts[s - 1];
    for (size_t i = 0; i < ids.size(); ++i) {
      places[static_cast<size_t>(starts[static_cast<size_t>(ids[i])]++)] =
          static_cast<int64_t>(i);
    }
    // Each start has moved to the end of its segment.
    const auto width =
        static_cast<size_t>(shape.NumElements(id_rank, shape.rank()));
    StringElement* joined = out->mutable_flat<StringElement>().data();
    CountedText text(ctx);
    int64_t begin = 0;
    for (size_t s = 0; s < static_cast<size_t>(segments); ++s) {
      if (s % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const auto part = absl::MakeConstSpan(places).subspan(
          static_cast<size_t>(begin), static_cast<size_t>(starts[s] - begin));
      begin = starts[s];
      for (size_t column = 0; column < width; ++column, ++joined) {
        if (column % 1024 == 1023) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        text.Clear();
        for (size_t i = 0; i < part.size(); ++i) {
          if (i % 1024 == 1023) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
          // As in stock, empty texts at the beginning have no separator.
          if (!text.view().empty()) {
            MR_RETURN_IF_ERROR(text.Append(separator_));
          }
          MR_RETURN_IF_ERROR(text.Append(
              texts[static_cast<size_t>(part[i]) * width + column].view()));
        }
        joined->Assign(text.view());
      }
    }
    return OkStatus();
  }

  std::string separator_;
};

}  // namespace

MR_KERNELS(UnsortedSegmentJoin,
           Cpu){{.types = "Tindices: int32, int64; Tnumsegments: int32, int64",
                 .make = MakeKernel<SegmentJoinKernel>,
                 .host = "num_segments"}};

}  // namespace millrace::ops
