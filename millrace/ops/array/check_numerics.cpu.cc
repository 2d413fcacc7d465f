#include <algorithm>
#include <atomic>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/abnormal_numbers.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using namespace abnormal_numbers;

// Returns a mask of what is wrong with elements [begin, end). Looks at bits
// only: NaN and infinities have all ones in the exponent, whose mask is
// `exponent`.
template <class U>
int Look(const U* x, int64_t begin, int64_t end, U exponent) {
  constexpr U kSign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  // The first pass has no branches, since nearly always nothing is wrong.
  bool any = false;
  for (int64_t i = begin; i < end; ++i) any |= (x[i] & exponent) == exponent;
  if (!any) return 0;
  int found = 0;
  for (int64_t i = begin; i < end; ++i) {
    if ((x[i] & exponent) != exponent) continue;
    const bool nan = (x[i] & static_cast<U>(~(kSign | exponent))) != 0;
    found |= nan ? kNan : (x[i] & kSign) ? kNegative : kPositive;
  }
  return found;
}

int Look(const Tensor& t, int64_t begin, int64_t end) {
  switch (t.dtype()) {
    case DataType::kHalf:
      return Look<uint16_t>(reinterpret_cast<const uint16_t*>(t.data()), begin,
                            end, 0x7c00);
    case DataType::kBfloat16:
      return Look<uint16_t>(reinterpret_cast<const uint16_t*>(t.data()), begin,
                            end, 0x7f80);
    case DataType::kFloat:
      return Look<uint32_t>(reinterpret_cast<const uint32_t*>(t.data()), begin,
                            end, 0x7f800000u);
    default:
      return Look<uint64_t>(reinterpret_cast<const uint64_t*>(t.data()), begin,
                            end, 0x7ff0000000000000u);
  }
}

template <Infinities kInfinities>
struct CheckNumericsKernel {
  static StatusOr<CheckNumericsKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(std::string message, init.Attr<std::string>("message"));
    return CheckNumericsKernel{std::move(message)};
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Tensor x,
                        BoundTensor(ctx.input(0), ctx.allocator()));
    std::atomic<int> found{0};
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
          if (const int f = Look(x, begin, end))
            found.fetch_or(f, std::memory_order_relaxed);
        }));
    if (const int f = found.load(std::memory_order_relaxed)) {
      return InvalidArgument(message, " : Tensor had ", Words(f, kInfinities),
                             " values");
    }
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  std::string message;
};

}  // namespace

MR_KERNELS(CheckNumerics,
           Cpu){{.types = "T: float, double, half, bfloat16",
                 .make = MakeKernel<CheckNumericsKernel<Infinities::kAlike>>,
                 .views = "tensor"}};
MR_KERNELS(CheckNumericsV2,
           Cpu){{.types = "T: float, double, half, bfloat16",
                 .make = MakeKernel<CheckNumericsKernel<Infinities::kBySign>>,
                 .views = "tensor"}};

}  // namespace millrace::ops
