#include <string>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {
namespace {

class StringJoinKernel {
 public:
  static StatusOr<StringJoinKernel> Make(const KernelInit& init) {
    StringJoinKernel k;
    MR_ASSIGN_OR_RETURN(k.separator_, init.Attr<std::string>("separator"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    TensorShape shape;
    bool found = false;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const TensorShape& s = ctx.input(i).shape();
      if (s.rank() == 0) continue;
      if (found && !(s == shape)) {
        return InvalidArgument("Input shapes do not match: ",
                               shape.DebugString(), " vs. ", s.DebugString());
      }
      shape = s;
      found = true;
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    auto joined = out->mutable_flat<StringElement>();
    CountedText text(ctx);
    for (size_t e = 0; e < joined.size(); ++e) {
      if (e % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      text.Clear();
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        if (i > 0) MR_RETURN_IF_ERROR(text.Append(separator_));
        const auto part = ctx.input(i).flat<StringElement>();
        MR_RETURN_IF_ERROR(
            text.Append(part[ctx.input(i).rank() == 0 ? 0 : e].view()));
      }
      joined[e].Assign(text.view());
    }
    return OkStatus();
  }

 private:
  std::string separator_;
};

// Iterates over some dimensions of a tensor like an odometer, whose last
// dimension is the fastest.
class Walk {
 public:
  void Add(int64_t size, int64_t stride) {
    wheels_.push_back({size, stride, 0});
    count_ *= size;
  }
  int64_t count() const { return count_; }
  // Returns the offset of the current position, then advances, and wraps around
  // at the end.
  int64_t Next() {
    const int64_t here = offset_;
    for (size_t i = wheels_.size(); i-- > 0;) {
      Wheel& w = wheels_[i];
      offset_ += w.stride;
      if (++w.at < w.size) break;
      offset_ -= w.stride * w.size;
      w.at = 0;
    }
    return here;
  }

 private:
  struct Wheel {
    int64_t size, stride, at;
  };
  std::vector<Wheel> wheels_;
  int64_t count_ = 1;
  int64_t offset_ = 0;
};

class ReduceJoinKernel {
 public:
  static StatusOr<ReduceJoinKernel> Make(const KernelInit& init) {
    ReduceJoinKernel k;
    MR_ASSIGN_OR_RETURN(k.keep_dims_, init.Attr<bool>("keep_dims"));
    MR_ASSIGN_OR_RETURN(k.separator_, init.Attr<std::string>("separator"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const int rank = input.rank();
    const auto stride = [&](int d) {
      return input.shape().NumElements(d + 1, rank);
    };
    std::vector<bool> reduced(static_cast<size_t>(rank), false);
    std::vector<int> axes;
    for (const int32_t axis : ctx.input(1).flat<int32_t>()) {
      if (axis < -rank || axis >= rank) {
        return OutOfRange("Invalid reduction dimension ", axis,
                          " for input with ", rank, " dimension(s)");
      }
      const int d = axis < 0 ? axis + rank : axis;
      if (reduced[static_cast<size_t>(d)]) {
        return InvalidArgument("Duplicate reduction dimension ", axis);
      }
      reduced[static_cast<size_t>(d)] = true;
      axes.push_back(d);
    }
    // The axis that is named first is the fastest.
    Walk inner, outer;
    for (size_t i = axes.size(); i-- > 0;) {
      inner.Add(input.dim(axes[i]), stride(axes[i]));
    }
    DimVector dims;
    for (int d = 0; d < rank; ++d) {
      if (!reduced[static_cast<size_t>(d)]) {
        outer.Add(input.dim(d), stride(d));
        dims.push_back(input.dim(d));
      } else if (keep_dims_) {
        dims.push_back(1);
      }
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    const auto strings = input.flat<StringElement>();
    CountedText text(ctx);
    for (StringElement& joined : out->mutable_flat<StringElement>()) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const int64_t base = outer.Next();
      text.Clear();
      for (int64_t i = 0; i < inner.count(); ++i) {
        if (i % 1024 == 1023) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        if (i > 0) MR_RETURN_IF_ERROR(text.Append(separator_));
        MR_RETURN_IF_ERROR(text.Append(
            strings[static_cast<size_t>(base + inner.Next())].view()));
      }
      joined.Assign(text.view());
    }
    return OkStatus();
  }

 private:
  bool keep_dims_ = false;
  std::string separator_;
};

}  // namespace

MR_KERNELS(StringJoin, Cpu){{.make = MakeKernel<StringJoinKernel>}};
MR_KERNELS(ReduceJoin, Cpu){
    {.make = MakeKernel<ReduceJoinKernel>, .host = "reduction_indices"}};

}  // namespace millrace::ops
