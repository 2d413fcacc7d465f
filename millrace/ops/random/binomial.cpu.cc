#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/broadcast.h"
#include "millrace/ops/random/fill.h"
#include "millrace/ops/random/generator_state.h"
#include "millrace/ops/random/sample_shape.h"
#include "millrace/ops/random/stateless_seed.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns what Stirling's formula for log(k!) lacks.
double StirlingRest(double k) {
  constexpr double kFirst[] = {0.0810614667953272,  0.0413406959554092,
                               0.0276779256849983,  0.02079067210376509,
                               0.0166446911898211,  0.0138761288230707,
                               0.0118967099458917,  0.0104112652619720,
                               0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kFirst[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 + 1.0 / 1260 / square) / square) / (k + 1);
}

// Samples one binomial distribution. Waiting times are added up where few
// trials succeed; elsewhere a density that lies above is transformed and
// rejected (Hoermann, "The generation of binomial random variates", 1993).
class BinomialNumbers {
 public:
  BinomialNumbers(double count, double p)
      : count_(count), p_(p > 0.5 ? 1 - p : p), counts_failures_(p > 0.5) {
    if (std::isnan(count) || std::isnan(p)) {
      fixed_ = std::numeric_limits<double>::quiet_NaN();
    } else if (count <= 0 || p <= 0) {
      fixed_ = 0;
    } else if (p >= 1) {
      fixed_ = count;
    } else {
      is_fixed_ = false;
      rejects_ = count * p_ >= 10;
    }
  }

  // Returns how many results of the stream are set apart for a number.
  uint64_t reserved() const { return rejects_ ? kReservedPerOutput : 42; }

  double operator()(Philox4x32 generator) const {
    if (is_fixed_) return fixed_;
    UniformDoubles uniform(&generator);
    const double successes = rejects_ ? Reject(uniform) : Wait(uniform);
    return counts_failures_ ? count_ - successes : successes;
  }

 private:
  double Wait(UniformDoubles& uniform) const {
    double trials = 0;
    double successes = 0;
    while (true) {
      trials += std::ceil(std::log(uniform()) / std::log1p(-p_));
      if (trials > count_) return successes;
      ++successes;
    }
  }

  double Reject(UniformDoubles& uniform) const {
    const double deviation = std::sqrt(count_ * p_ * (1 - p_));
    const double b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p_;
    const double c = count_ * p_ + 0.5;
    const double v_r = 0.92 - 4.2 / b;
    const double r = p_ / (1 - p_);
    const double alpha = (2.83 + 5.1 / b) * deviation;
    const double m = std::floor((count_ + 1) * p_);
    while (true) {
      double u = uniform();
      double v = uniform();
      u -= 0.5;
      const double us = 0.5 - std::abs(u);
      const double k = std::floor((2 * a / us + b) * u + c);
      if (us >= 0.07 && v <= v_r) return k;
      if (k < 0 || k > count_) continue;
      v = std::log(v * alpha / (a / (us * us) + b));
      const double limit =
          (m + 0.5) * std::log((m + 1) / (r * (count_ - m + 1))) +
          (count_ + 1) * std::log((count_ - m + 1) / (count_ - k + 1)) +
          (k + 0.5) * std::log(r * (count_ - k + 1) / (k + 1)) +
          StirlingRest(m) + StirlingRest(count_ - m) - StirlingRest(k) -
          StirlingRest(count_ - k);
      if (v <= limit) return k;
    }
  }

  const double count_;
  const double p_;  // of what is counted, at most 0.5
  const bool counts_failures_;
  bool is_fixed_ = true;
  bool rejects_ = false;
  double fixed_ = 0;
};

// Numbers that no integer holds become the lowest one.
template <class T>
T ToCount(double x) {
  if constexpr (std::is_integral_v<T>) {
    const double limit = -static_cast<double>(std::numeric_limits<T>::min());
    if (!(x >= -limit && x < limit)) return std::numeric_limits<T>::min();
  }
  return static_cast<T>(x);
}

// The distributions, by the shapes of counts and probabilities.
struct BinomialParameters {
  Broadcast shapes;
  int64_t samples = 1;  // for each of the distributions
};

StatusOr<BinomialParameters> ParametersOf(KernelContext& ctx,
                                          TensorShape* shape) {
  const TensorShape& counts = ctx.input(3).shape();
  const TensorShape& probs = ctx.input(4).shape();
  StatusOr<Broadcast> broadcast = Broadcast::Make({&counts, &probs});
  if (!broadcast.ok()) {
    return InvalidArgument(
        "counts and probs must have compatible batch dimensions: ",
        counts.DebugString(), " vs. ", probs.DebugString());
  }
  if (ctx.input(2).rank() != 1) {
    return InvalidArgument("Input shape should be a vector, got shape: ",
                           ctx.input(2).shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(*shape, ShapeFromTensor(ctx.input(2)));
  const TensorShape& last = broadcast->shape();
  const int leading = shape->rank() - last.rank();
  bool ends = leading >= 0;
  for (int d = 0; ends && d < last.rank(); ++d) {
    ends = shape->dim(leading + d) == last.dim(d);
  }
  if (!ends) {
    return InvalidArgument("Shape passed in must end with broadcasted shape.");
  }
  return BinomialParameters{*std::move(broadcast),
                            shape->NumElements(0, leading)};
}

Status CheckBinomialAlgorithm(const Tensor& algorithm) {
  if (algorithm.rank() != 0) {
    return InvalidArgument("algorithm must be of shape [], not ",
                           algorithm.shape().DebugString());
  }
  const int64_t number = algorithm.scalar<int64_t>();
  if (number == kPhiloxAlgorithm) return OkStatus();
  return InvalidArgument("Unsupported algorithm id: ", number);
}

// Fills numbers [begin, end), in which those of a distribution are adjacent.
template <class T, class Out>
void FillBinomial(const BinomialParameters& parameters, const Philox4x32& base,
                  const T* counts, const T* probs, int64_t begin, int64_t end,
                  Out* out) {
  const Broadcast& shapes = parameters.shapes;
  const int64_t samples = parameters.samples;
  const int64_t count_step = shapes.inner_is_scalar(0) ? 0 : 1;
  const int64_t prob_step = shapes.inner_is_scalar(1) ? 0 : 1;
  shapes.ForEachSpan(
      begin / samples, (end - 1) / samples + 1,
      [&](const int64_t* offsets, int64_t first, int64_t n) {
        for (int64_t j = 0; j < n; ++j) {
          const int64_t p = first + j;
          const BinomialNumbers numbers(
              static_cast<double>(counts[offsets[0] + j * count_step]),
              static_cast<double>(probs[offsets[1] + j * prob_step]));
          const int64_t stop = std::min(end, (p + 1) * samples);
          for (int64_t i = std::max(begin, p * samples); i < stop; ++i) {
            Philox4x32 generator = base;
            generator.Skip(static_cast<uint64_t>(i) * numbers.reserved());
            out[(i - p * samples) * shapes.total() + p] =
                ToCount<Out>(numbers(generator));
          }
        }
      });
}

Status RunBinomial(KernelContext& ctx) {
  TensorShape shape;
  MR_ASSIGN_OR_RETURN(const BinomialParameters parameters,
                      ParametersOf(ctx, &shape));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  MR_RETURN_IF_ERROR(CheckBinomialAlgorithm(ctx.input(1)));
  // As many as stock reserves, so that the next run starts where stock's does.
  const uint64_t results =
      static_cast<uint64_t>(parameters.shapes.total()) * 2 * 100 *
      (static_cast<uint64_t>(parameters.samples) + 3) / 4 * kReservedPerOutput;
  MR_ASSIGN_OR_RETURN(
      const Philox4x32 base,
      TakeGenerator(ctx, AlgorithmAt::kInput, "Philox", results));
  if (out->num_elements() == 0) return OkStatus();
  return Dispatch<double, float, Half>(
      ctx.input_type(3), [&]<class T>() -> Status {
        return Dispatch<double, float, Half, int32_t, int64_t>(
            out->dtype(), [&]<class Out>() -> Status {
              return ctx.ParallelFor(
                  out->num_elements(), 500, [&](int64_t begin, int64_t end) {
                    FillBinomial(parameters, base,
                                 ctx.input(3).flat<T>().data(),
                                 ctx.input(4).flat<T>().data(), begin, end,
                                 out->mutable_flat<Out>().data());
                  });
            });
      });
}

}  // namespace

MR_KERNELS(StatefulRandomBinomial, Cpu){
    {.types = "T: double, float, half; dtype: double, float, half, int32, "
              "int64",
     .make = MakeFunctionKernel<RunBinomial>,
     .host = "algorithm, shape"}};

}  // namespace millrace::ops
