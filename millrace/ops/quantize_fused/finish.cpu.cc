#include "millrace/ops/quantize_fused/finish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Rounds to the nearest number of T, ties to even.
template <class T>
IntegerOf<T> RoundTo(float v) {
  constexpr double kLow = static_cast<double>(Lowest<T>());
  constexpr double kHigh = static_cast<double>(Highest<T>());
  const double rounded = std::nearbyint(static_cast<double>(v));
  if (!(rounded > kLow)) return static_cast<IntegerOf<T>>(Lowest<T>());
  return rounded > kHigh ? static_cast<IntegerOf<T>>(Highest<T>())
                         : static_cast<IntegerOf<T>>(rounded);
}

float SummandAt(const Tensor& t, int64_t i) {
  const char* data = t.data();
  switch (t.dtype()) {
    case DataType::kFloat:
      return reinterpret_cast<const float*>(data)[i];
    case DataType::kQint8:
      return reinterpret_cast<const int8_t*>(data)[i];
    default:
      return reinterpret_cast<const uint8_t*>(data)[i];
  }
}

}  // namespace

float SymmetricStep(Range r, DataType type) {
  return std::max(std::abs(r.min), std::abs(r.max)) /
         (type == DataType::kQuint8 ? 255.0f : 127.0f);
}

float SpreadStep(Range r, DataType type) {
  return (r.max - r.min) / (type == DataType::kQuint8 ? 255.0f : 254.0f);
}

Status ReadBias(KernelContext& ctx, int input, FinishSpec* spec) {
  const Tensor& bias = ctx.input(input);
  const size_t depth = spec->scales.size();
  if (bias.rank() != 1 || bias.num_elements() != static_cast<int64_t>(depth)) {
    return InvalidArgument("bias must be a vector of ", depth,
                           " numbers, but has shape ",
                           bias.shape().DebugString());
  }
  for (size_t i = 0; i < depth; ++i) {
    if (bias.dtype() == DataType::kFloat) {
      spec->bias.push_back(bias.flat<float>()[i]);
    } else {
      const int32_t q = reinterpret_cast<const int32_t*>(bias.data())[i];
      spec->bias.push_back(static_cast<float>(q) * spec->scales[i]);
    }
  }
  return OkStatus();
}

Status FinishSums(KernelContext& ctx, const FinishSpec& spec,
                  const int32_t* sums, Tensor* out) {
  const auto depth = static_cast<int64_t>(spec.scales.size());
  if (out->num_elements() == 0) return OkStatus();
  const float per_step = 1.0f / spec.out_step;
  return Dispatch<Quint8, Qint8, Qint32>(
      out->dtype(), [&]<class T>() -> Status {
        auto* to = reinterpret_cast<IntegerOf<T>*>(out->mutable_data());
        return ctx.ParallelFor(
            out->num_elements() / depth, 3 * depth + 5,
            [&](int64_t begin, int64_t end) {
              for (int64_t i = begin * depth; i < end * depth; ++i) {
                const auto channel = static_cast<size_t>(i % depth);
                float v = static_cast<float>(sums[i]) * spec.scales[channel];
                if (!spec.bias.empty()) v += spec.bias[channel];
                if (spec.summand != nullptr) {
                  v += SummandAt(*spec.summand, i) * spec.summand_step;
                }
                v *= per_step;
                if (spec.relu && v < 0) v = 0;
                to[i] = RoundTo<T>(v);
              }
            });
      });
}

}  // namespace millrace::ops
