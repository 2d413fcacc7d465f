#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// Two shapes of one length; the shorter one is padded with ones in front.
struct Pair {
  CountedVector<int64_t> s[2];
};

// Returns the sizes as text, up to the largest rank.
std::string FirstSizes(absl::Span<const int64_t> sizes) {
  return absl::StrJoin(sizes.first(std::min<size_t>(sizes.size(), kMaxRank)),
                       ",");
}

StatusOr<Pair> ReadShapes(KernelContext& ctx) {
  Pair p;
  for (int i = 0; i < 2; ++i) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 1) {
      return InvalidArgument("In[", i, "] must be a vector.",
                             t.shape().DebugString());
    }
    p.s[i] = ManyIntValues(t);
  }
  const Pair given = p;
  const size_t rank = std::max(p.s[0].size(), p.s[1].size());
  for (auto& s : p.s) s.insert(s.begin(), rank - s.size(), 1);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t a = p.s[0][d];
    const int64_t b = p.s[1][d];
    if (a != b && a != 1 && b != 1) {
      return InvalidArgument("Incompatible shapes: [", FirstSizes(given.s[0]),
                             "] vs. [", FirstSizes(given.s[1]), "]");
    }
  }
  return p;
}

Status SetVector(KernelContext& ctx, int i, absl::Span<const int64_t> values) {
  MR_ASSIGN_OR_RETURN(
      Tensor * out, ctx.AllocateOutput(
                        i, TensorShape({static_cast<int64_t>(values.size())})));
  if (out->dtype() == DataType::kInt64) {
    std::copy(values.begin(), values.end(),
              out->mutable_flat<int64_t>().begin());
  } else {
    std::transform(values.begin(), values.end(),
                   out->mutable_flat<int32_t>().begin(),
                   [](int64_t v) { return static_cast<int32_t>(v); });
  }
  return OkStatus();
}

Status BroadcastGradientArgsKernel(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Pair p, ReadShapes(ctx));
  // If the shapes are equal, nothing was broadcast, and dimensions of size 1
  // are not reduced.
  const bool equal = p.s[0] == p.s[1] &&
                     ctx.input(0).num_elements() == ctx.input(1).num_elements();
  for (int i = 0; i < 2; ++i) {
    CountedVector<int64_t> dims;
    for (size_t d = 0; d < p.s[i].size() && !equal; ++d) {
      if (p.s[i][d] == 1) dims.push_back(static_cast<int64_t>(d));
    }
    MR_RETURN_IF_ERROR(SetVector(ctx, i, dims));
  }
  return OkStatus();
}

Status BroadcastArgsKernel(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Pair p, ReadShapes(ctx));
  CountedVector<int64_t> out = p.s[0];
  for (size_t d = 0; d < out.size(); ++d) {
    if (out[d] == 1) out[d] = p.s[1][d];
  }
  return SetVector(ctx, 0, out);
}

}  // namespace

MR_KERNELS(BroadcastGradientArgs,
           Cpu){{.make = MakeFunctionKernel<BroadcastGradientArgsKernel>,
                 .host = "s0, s1, r0, r1",
                 .cheap = true}};
MR_KERNELS(BroadcastArgs, Cpu){{.make = MakeFunctionKernel<BroadcastArgsKernel>,
                                .host = "s0, s1, r0",
                                .cheap = true}};

}  // namespace millrace::ops
