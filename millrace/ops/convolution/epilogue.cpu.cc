#include "millrace/ops/convolution/epilogue.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using double_math::Expm1OfNegative;
using float_math::Expm1OfNegative;
inline float TanhOf(float x) { return float_math::Tanh(x); }
inline double TanhOf(double x) { return double_math::Tanh(x); }
inline float SigmoidOf(float x) { return float_math::Sigmoid(x); }
inline double SigmoidOf(double x) { return double_math::Sigmoid(x); }
inline float ErfOf(float x) { return float_math::Erf(x); }
inline double ErfOf(double x) { return std::erf(x); }

struct Relu {
  template <class S>
  static S Do(S x, S) {
    return x <= S(0) ? S(0) : x;  // NaN stays NaN
  }
};
struct Relu6 {
  template <class S>
  static S Do(S x, S) {
    const S low = x <= S(0) ? S(0) : x;
    return low >= S(6) ? S(6) : low;
  }
};
struct Elu {
  template <class S>
  static S Do(S x, S) {
    const S e = Expm1OfNegative(x);
    return x < S(0) ? e : x;
  }
};
struct LeakyRelu {
  template <class S>
  static S Do(S x, S alpha) {
    const S y = x * alpha;
    return (alpha < S(1) ? x < y : y < x) ? y : x;
  }
};
struct Tanh {
  template <class S>
  static S Do(S x, S) {
    return TanhOf(x);
  }
};
struct Sigmoid {
  template <class S>
  static S Do(S x, S) {
    return SigmoidOf(x);
  }
};
struct GeluExact {
  template <class S>
  static S Do(S x, S) {
    return S(0.5) * x * (S(1) + ErfOf(x * S(0.70710678118654752440)));
  }
};
struct GeluApproximate {
  template <class S>
  static S Do(S x, S) {
    const S inner = S(0.79788456080286535588) * (x + S(0.044715) * x * x * x);
    return S(0.5) * x * (S(1) + TanhOf(inner));
  }
};

template <class Op, class S>
MR_TARGET_CLONES void Apply(S alpha, int64_t n, S* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(z[i], alpha);
}
template <class S>
MR_TARGET_CLONES void AddTo(const S* y, int64_t n, S* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] += y[i];
}
template <class S>
MR_TARGET_CLONES void Normalize(const S* mean, const S* scale, const S* offset,
                                int64_t n, S* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i)
    z[i] = (z[i] - mean[i]) * scale[i] + offset[i];
}

template <class S>
void Activate(Activation activation, S alpha, int64_t n, S* z) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      return Apply<Relu>(alpha, n, z);
    case Activation::kRelu6:
      return Apply<Relu6>(alpha, n, z);
    case Activation::kElu:
      return Apply<Elu>(alpha, n, z);
    case Activation::kLeakyRelu:
      return Apply<LeakyRelu>(alpha, n, z);
    case Activation::kTanh:
      return Apply<Tanh>(alpha, n, z);
    case Activation::kSigmoid:
      return Apply<Sigmoid>(alpha, n, z);
    case Activation::kGeluExact:
      return Apply<GeluExact>(alpha, n, z);
    case Activation::kGeluApproximate:
      return Apply<GeluApproximate>(alpha, n, z);
  }
}

struct NamedActivation {
  const char* name;
  Activation activation;
};
constexpr NamedActivation kActivations[] = {
    {"Relu", Activation::kRelu},
    {"Relu6", Activation::kRelu6},
    {"Elu", Activation::kElu},
    {"LeakyRelu", Activation::kLeakyRelu},
    {"Tanh", Activation::kTanh},
    {"Sigmoid", Activation::kSigmoid},
    {"GeluExact", Activation::kGeluExact},
    {"GeluApproximate", Activation::kGeluApproximate},
};

bool FindActivation(absl::string_view name, EpilogueOps* ops) {
  for (const NamedActivation& known : kActivations) {
    if (known.name == name) {
      ops->activation = known.activation;
      ops->activation_name = known.name;
      return true;
    }
  }
  return false;
}

Status CheckChannels(const Tensor& t, const char* name, DataType type,
                     int64_t channels) {
  if (t.rank() != 1) {
    return InvalidArgument(name, " must be 1-dimensional",
                           t.shape().DebugString());
  }
  if (t.dtype() != type || t.dim(0) != channels) {
    return InvalidArgument(
        "Arguments by channel must be vectors of the output's type with as "
        "many elements as there are channels: ",
        DataTypeName(t.dtype()), t.shape().DebugString(), " vs. ", channels);
  }
  return OkStatus();
}

// Returns the elements of a vector argument, one for each channel.
template <class T>
CountedVector<ComputeType<T>> ReadChannels(const Tensor& t) {
  CountedVector<ComputeType<T>> values;
  for (const T& x : t.flat<T>()) {
    values.push_back(static_cast<ComputeType<T>>(x));
  }
  return values;
}

}  // namespace

StatusOr<EpilogueOps> EpilogueOps::Read(const KernelInit& init,
                                        const char* what, int first_input) {
  EpilogueOps e;
  e.first_input = first_input;
  MR_ASSIGN_OR_RETURN(e.epsilon, init.Attr<float>("epsilon"));
  MR_ASSIGN_OR_RETURN(e.alpha, init.Attr<float>("leakyrelu_alpha"));
  MR_ASSIGN_OR_RETURN(const auto fused,
                      init.Attr<std::vector<std::string>>("fused_ops"));
  if (fused.empty()) {
    return InvalidArgument("Fused ", what, " must have at least one fused op.");
  }
  size_t next = 0;
  int wanted = 0;
  if (fused[next] == "BiasAdd") {
    e.adds_bias = true;
    wanted += 1;
    ++next;
  } else if (fused[next] == "FusedBatchNorm") {
    e.normalizes = true;
    wanted += 4;
    ++next;
  }
  if (next > 0 && next < fused.size() && fused[next] == "Add") {
    e.adds_tensor = true;
    wanted += 1;
    ++next;
  }
  if (next > 0 && next < fused.size() && FindActivation(fused[next], &e)) {
    ++next;
  }
  if (next < fused.size()) {
    return Unimplemented("Fusion is not implemented: [",
                         absl::StrJoin(fused, ","), "]");
  }
  const int given = init.num_inputs() - first_input;
  if (given < wanted) {
    return InvalidArgument("Fused ", what, " with ", absl::StrJoin(fused, "+"),
                           " must have ", wanted, " extra arguments, but has ",
                           given);
  }
  return e;
}

Status EpilogueOps::CheckArguments(KernelContext& ctx, DataType type,
                                   const TensorShape& out,
                                   int64_t channels) const {
  static constexpr const char* kBias[] = {"bias"};
  static constexpr const char* kNormalization[] = {
      "scale", "offset", "estimated_mean", "estimated_variance"};
  int input = first_input;
  for (const char* const name : normalizes ? absl::MakeConstSpan(kNormalization)
                                           : absl::MakeConstSpan(kBias)) {
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(input++), name, type, channels));
  }
  if (!adds_tensor) return OkStatus();
  const Tensor& other = ctx.input(input);
  if (other.dtype() == type && other.shape() == out) return OkStatus();
  return InvalidArgument("The tensor to add must be like the output: ",
                         DataTypeName(other.dtype()),
                         other.shape().DebugString(), " vs. ",
                         out.DebugString());
}

StatusOr<Epilogue> Epilogue::Make(const KernelInit& init, const char* what,
                                  int first_input) {
  Epilogue e;
  MR_ASSIGN_OR_RETURN(e.ops_, EpilogueOps::Read(init, what, first_input));
  return e;
}

template <class T>
Status Epilogue::RunTyped(KernelContext& ctx, Tensor* out) const {
  using S = ComputeType<T>;
  const int64_t channels = out->dim(out->rank() - 1);
  const int64_t rows = out->num_elements() / channels;
  MR_RETURN_IF_ERROR(
      ops_.CheckArguments(ctx, out->dtype(), out->shape(), channels));
  CountedVector<S> scale, offset, mean;
  const int first = ops_.first_input;
  if (ops_.adds_bias) {
    offset = ReadChannels<T>(ctx.input(first));
  } else {
    scale = ReadChannels<T>(ctx.input(first));
    offset = ReadChannels<T>(ctx.input(first + 1));
    mean = ReadChannels<T>(ctx.input(first + 2));
    const CountedVector<S> variance = ReadChannels<T>(ctx.input(first + 3));
    for (size_t c = 0; c < scale.size(); ++c) {
      scale[c] /= std::sqrt(variance[c] + static_cast<S>(ops_.epsilon));
    }
  }
  const char* const added =
      ops_.adds_tensor ? ctx.input(ops_.added_input()).data() : nullptr;
  constexpr bool kConverts = !std::is_same_v<T, S>;
  const S alpha = static_cast<S>(static_cast<T>(ops_.alpha));
  // Works on several rows at a time, so that converted elements stay in the
  // cache.
  const int64_t step = std::max<int64_t>(1, 2 * kFloatBlock / channels);
  T* const elements = out->mutable_flat<T>().data();
  return ctx.ParallelFor(
      (rows + step - 1) / step, step * channels / 2 + 20,
      [&](int64_t begin, int64_t end) {
        CountedVector<S> room, more;
        if (kConverts) {
          room.resize(static_cast<size_t>(step * channels));
          if (added != nullptr) more = room;
        }
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * step * channels;
          const int64_t n = std::min(step, rows - block * step) * channels;
          S* z;
          const S* y = nullptr;
          if constexpr (kConverts) {
            z = room.data();
            ToFloats(DataTypeOf<T>, elements + first, z, n);
            if (added != nullptr) {
              ToFloats(DataTypeOf<T>, reinterpret_cast<const T*>(added) + first,
                       more.data(), n);
              y = more.data();
            }
          } else {
            z = elements + first;
            if (added != nullptr) y = reinterpret_cast<const S*>(added) + first;
          }
          for (int64_t at = 0; at < n; at += channels) {
            if (ops_.adds_bias) {
              AddTo(offset.data(), channels, z + at);
            } else {
              Normalize(mean.data(), scale.data(), offset.data(), channels,
                        z + at);
            }
          }
          if (y != nullptr) AddTo(y, n, z);
          Activate(ops_.activation, alpha, n, z);
          if constexpr (kConverts) {
            FromFloats(DataTypeOf<T>, z, elements + first, n);
          }
        }
      });
}

Status Epilogue::Run(KernelContext& ctx, Tensor* out) const {
  if (out->num_elements() == 0) return OkStatus();
  return Dispatch(FloatTypes{}, out->dtype(),
                  [&]<class T>() -> Status { return RunTyped<T>(ctx, out); });
}

}  // namespace millrace::ops
