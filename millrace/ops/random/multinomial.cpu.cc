#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/multinomial.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/stateless_seed.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Computes the cumulative weights of classes, relative to the largest weight.
template <class T>
void Accumulate(const T* logits, CountedVector<double>& sums) {
  using S = ComputeType<T>;
  double largest = std::numeric_limits<S>::lowest();
  for (size_t j = 0; j < sums.size(); ++j) {
    const auto x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  double total = 0;
  for (size_t j = 0; j < sums.size(); ++j) {
    const auto x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) total += std::exp(x - largest);
    sums[j] = total;
  }
}

// Sample j of row i takes the (i * samples + j)-th double of the stream.
Status DrawClasses(KernelContext& ctx, const MultinomialDraw& d,
                   const Philox4x32& base, Tensor* out) {
  const Tensor& logits = ctx.input(0);
  return Dispatch(FloatTypes{}, logits.dtype(), [&]<class T>() -> Status {
    const T* const x = logits.flat<T>().data();
    return ctx.ParallelFor(
        d.rows, 20 * d.classes + 40 * d.samples,
        [&](int64_t begin, int64_t end) {
          CountedVector<double> sums(static_cast<size_t>(d.classes));
          for (int64_t i = begin; i < end; ++i) {
            Accumulate(x + i * d.classes, sums);
            for (int64_t j = 0; j < d.samples; ++j) {
              const int64_t at = i * d.samples + j;
              Philox4x32 generator = base;
              generator.Skip(static_cast<uint64_t>(at / 2));
              const Philox4x32::Result r = generator();
              const double u = at % 2 == 0 ? UniformDouble(r[0], r[1])
                                           : UniformDouble(r[2], r[3]);
              const int64_t found =
                  std::upper_bound(sums.begin(), sums.end(), u * sums.back()) -
                  sums.begin();
              if (out->dtype() == DataType::kInt64) {
                out->mutable_flat<int64_t>()[at] = found;
              } else {
                out->mutable_flat<int32_t>()[at] = static_cast<int32_t>(found);
              }
            }
          }
        });
  });
}

class MultinomialKernel {
 public:
  static StatusOr<MultinomialKernel> Make(const KernelInit& init) {
    MultinomialKernel k;
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const MultinomialDraw d,
                        CheckMultinomial(ctx.input(0), ctx.input(1)));
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({d.rows, d.samples}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    // Reserves two results for each number, as stock counts them, in whole
    // groups.
    const auto reserved =
        static_cast<uint64_t>(d.rows * ((d.samples + 3) / 4 * 8));
    return DrawClasses(ctx, d, stream_->Reserve(reserved * kReservedPerOutput),
                       out);
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

Status RunStatelessMultinomial(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Philox4x32 base, PhiloxFromSeed(ctx.input(2)));
  MR_ASSIGN_OR_RETURN(const MultinomialDraw d,
                      CheckMultinomial(ctx.input(0), ctx.input(1)));
  MR_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make({d.rows, d.samples}));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  if (out->num_elements() == 0) return OkStatus();
  return DrawClasses(ctx, d, base, out);
}

#define MR_LOGITS "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(Multinomial, Cpu){{.types = MR_LOGITS,
                              .make = MakeKernel<MultinomialKernel>,
                              .host = "num_samples"}};
MR_KERNELS(StatelessMultinomial,
           Cpu){{.types = MR_LOGITS,
                 .make = MakeFunctionKernel<RunStatelessMultinomial>,
                 .host = "num_samples, seed"}};

}  // namespace millrace::ops
