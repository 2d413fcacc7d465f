#include "millrace/client/variables/initializers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "millrace/client/ops.h"

namespace millrace {
namespace {

Output ShapeConst(const Scope& scope, const TensorShape& shape) {
  const DimVector dims = shape.dims();
  return ops::Const(
      scope.WithOpName("shape"),
      Tensor::Vector<int64_t>(absl::MakeConstSpan(dims.data(), dims.size())));
}

bool CheckFloating(const Scope& scope, DataType type, const char* what) {
  if (IsFloating(type)) return true;
  scope.Fail(InvalidArgument(what, ": expected floating point type, got ",
                             DataTypeName(type)),
             what);
  return false;
}

// Returns a tensor with all elements equal.
Output Filled(const Scope& scope, const InitialValue& value,
              const Literal& number, const char* name) {
  const Output one = ops::Const(scope.WithOpName(absl::StrCat(name, "/Const")),
                                number, value.dtype);
  return ops::Fill(scope.WithOpName(name),
                   ShapeConst(scope.SubScope(name), value.shape), one);
}

// Returns zeros or ones, also of types to which no number of C++ converts.
Output FilledWith(const Scope& scope, const InitialValue& value, int number) {
  const char* const name = number == 0 ? "zeros" : "ones";
  if (value.dtype == DataType::kBool) {
    return Filled(scope, value, number != 0, name);
  }
  if (value.dtype == DataType::kString) {
    if (number == 0) return Filled(scope, value, "", name);
    scope.Fail(InvalidArgument("there is no one of type string"), name);
    return {};
  }
  return Filled(scope, value, number, name);
}

// Returns random * factor + offset.
Output Scaled(const Scope& scope, const Output& random, double factor,
              double offset) {
  return ops::AddV2(scope, ops::Mul(scope.WithOpName("mul"), random, factor),
                    offset);
}

Output Uniform(const Scope& scope, const InitialValue& value, double min,
               double max, const std::optional<int64_t>& seed) {
  if (!CheckFloating(scope, value.dtype, "random_uniform")) return {};
  const Scope block = scope.SubScope("random_uniform");
  const auto [seed1, seed2] = block.Seeds(seed);
  const Output random =
      ops::RandomUniform(block, ShapeConst(block, value.shape), value.dtype,
                         {.seed = seed1, .seed2 = seed2});
  // The factor is the difference of the rounded limits, as in TensorFlow.
  const Output low = ops::Const(block.WithOpName("min"), min, value.dtype);
  const Output high = ops::Const(block.WithOpName("max"), max, value.dtype);
  return ops::AddV2(scope.WithOpName("random_uniform"),
                    ops::Mul(block, random, ops::Sub(block, high, low)), low);
}

Output Normal(const Scope& scope, const InitialValue& value, double mean,
              double stddev, const std::optional<int64_t>& seed) {
  if (!CheckFloating(scope, value.dtype, "random_normal")) return {};
  const Scope block = scope.SubScope("random_normal");
  const auto [seed1, seed2] = block.Seeds(seed);
  const Output random =
      ops::RandomStandardNormal(block, ShapeConst(block, value.shape),
                                value.dtype, {.seed = seed1, .seed2 = seed2});
  return Scaled(block, random, stddev, mean);
}

Output Truncated(const Scope& scope, const InitialValue& value, double mean,
                 double stddev, const std::optional<int64_t>& seed) {
  if (!CheckFloating(scope, value.dtype, "truncated_normal")) return {};
  const Scope block = scope.SubScope("truncated_normal");
  const auto [seed1, seed2] = block.Seeds(seed);
  const Output random =
      ops::TruncatedNormal(block, ShapeConst(block, value.shape), value.dtype,
                           {.seed = seed1, .seed2 = seed2});
  return Scaled(block, random, stddev, mean);
}

// The fans of a weight [..., inputs, outputs].
struct Fans {
  double in = 1;
  double out = 1;
};
Fans FansOf(const TensorShape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {};
  if (rank == 1) {
    return {static_cast<double>(shape.dim(0)),
            static_cast<double>(shape.dim(0))};
  }
  const double field = static_cast<double>(shape.NumElements(0, rank - 2));
  return {field * static_cast<double>(shape.dim(rank - 2)),
          field * static_cast<double>(shape.dim(rank - 1))};
}

double ScaledVariance(const VarianceScalingOptions& options,
                      const TensorShape& shape) {
  const Fans fans = FansOf(shape);
  double n = fans.in;
  if (options.mode == VarianceScalingMode::kFanOut) n = fans.out;
  if (options.mode == VarianceScalingMode::kFanAvg) {
    n = (fans.in + fans.out) / 2;
  }
  return options.scale / std::max(1.0, n);
}

Initializer Scaling(double scale, VarianceScalingMode mode,
                    VarianceScalingDistribution distribution,
                    const VarianceRuleOptions& options) {
  return VarianceScaling({.scale = scale,
                          .mode = mode,
                          .distribution = distribution,
                          .seed = options.seed});
}

Output OrthogonalMatrix(const Scope& scope, const InitialValue& value,
                        double gain, const std::optional<int64_t>& seed) {
  const TensorShape& shape = value.shape;
  if (shape.rank() < 2) {
    scope.Fail(InvalidArgument("Orthogonal: the shape must be at least "
                               "two-dimensional, got ",
                               shape.DebugString()),
               "Orthogonal");
    return {};
  }
  const int64_t columns = shape.dim(shape.rank() - 1);
  const int64_t rows = shape.NumElements(0, shape.rank() - 1);
  InitialValue flat = value;
  flat.shape = TensorShape({std::max(rows, columns), std::min(rows, columns)});
  const Output random = Normal(scope, flat, 0, 1, seed);
  if (!random) return {};
  const auto qr = ops::Qr(scope, random);
  // The signs make it uniform over all orthogonal matrices.
  Output q =
      ops::Mul(scope, qr.q, ops::Sign(scope, ops::DiagPart(scope, qr.r)));
  if (rows < columns) q = ops::Transpose(scope, q, {1, 0});
  return ops::Mul(scope, ops::Reshape(scope, q, ShapeConst(scope, shape)),
                  gain);
}

}  // namespace

ops::Variable ops::MakeVariable(const Scope& scope, const TensorShape& shape,
                                DataType dtype, const Initializer& initializer,
                                const VariableOptions& options) {
  return Variable(
      scope,
      [&](const Scope& s) {
        return initializer(s, {shape, dtype, shape});
      },
      options);
}

Initializer Zeros() {
  return [](const Scope& scope, const InitialValue& value) {
    return FilledWith(scope, value, 0);
  };
}

Initializer Ones() {
  return [](const Scope& scope, const InitialValue& value) {
    return FilledWith(scope, value, 1);
  };
}

Initializer Constant(Literal value) {
  return [literal = std::move(value)](const Scope& scope,
                                      const InitialValue& value) -> Output {
    if (literal.status().ok() && literal.tensor().rank() == 0) {
      return Filled(scope, value, literal, "Const");
    }
    const Output all =
        ops::Const(scope.WithOpName("Const"), literal, value.dtype);
    if (!all) return {};
    return ops::Reshape(scope, all, ShapeConst(scope, value.shape));
  };
}

Initializer RandomUniform(const RandomUniformOptions& options) {
  return [=](const Scope& scope, const InitialValue& value) {
    return Uniform(scope, value, options.min, options.max, options.seed);
  };
}

Initializer RandomNormal(const RandomNormalOptions& options) {
  return [=](const Scope& scope, const InitialValue& value) {
    return Normal(scope, value, options.mean, options.stddev, options.seed);
  };
}

Initializer TruncatedNormal(const RandomNormalOptions& options) {
  return [=](const Scope& scope, const InitialValue& value) {
    return Truncated(scope, value, options.mean, options.stddev, options.seed);
  };
}

Initializer VarianceScaling(const VarianceScalingOptions& options) {
  return [options](const Scope& scope, const InitialValue& value) -> Output {
    if (!(options.scale > 0)) {
      scope.Fail(
          InvalidArgument("VarianceScaling: the scale must be positive, got ",
                          options.scale),
          "VarianceScaling");
      return {};
    }
    // The deviation of a normal distribution that is truncated at two
    // deviations.
    constexpr double kTruncatedDeviation = .87962566103423978;
    const double variance = ScaledVariance(options, value.full_shape);
    switch (options.distribution) {
      case VarianceScalingDistribution::kTruncatedNormal:
        return Truncated(scope, value, 0,
                         std::sqrt(variance) / kTruncatedDeviation,
                         options.seed);
      case VarianceScalingDistribution::kUntruncatedNormal:
        return Normal(scope, value, 0, std::sqrt(variance), options.seed);
      case VarianceScalingDistribution::kUniform:
        break;
    }
    const double limit = std::sqrt(3 * variance);
    return Uniform(scope, value, -limit, limit, options.seed);
  };
}

Initializer GlorotUniform(const VarianceRuleOptions& options) {
  return Scaling(1, VarianceScalingMode::kFanAvg,
                 VarianceScalingDistribution::kUniform, options);
}
Initializer GlorotNormal(const VarianceRuleOptions& options) {
  return Scaling(1, VarianceScalingMode::kFanAvg,
                 VarianceScalingDistribution::kTruncatedNormal, options);
}
Initializer HeUniform(const VarianceRuleOptions& options) {
  return Scaling(2, VarianceScalingMode::kFanIn,
                 VarianceScalingDistribution::kUniform, options);
}
Initializer HeNormal(const VarianceRuleOptions& options) {
  return Scaling(2, VarianceScalingMode::kFanIn,
                 VarianceScalingDistribution::kTruncatedNormal, options);
}
Initializer LecunUniform(const VarianceRuleOptions& options) {
  return Scaling(1, VarianceScalingMode::kFanIn,
                 VarianceScalingDistribution::kUniform, options);
}
Initializer LecunNormal(const VarianceRuleOptions& options) {
  return Scaling(1, VarianceScalingMode::kFanIn,
                 VarianceScalingDistribution::kTruncatedNormal, options);
}

Initializer Orthogonal(const OrthogonalOptions& options) {
  return [=](const Scope& scope, const InitialValue& value) {
    return OrthogonalMatrix(scope, value, options.gain, options.seed);
  };
}

Initializer SlicesOfWhole(Initializer whole) {
  return [whole = std::move(whole)](const Scope& scope,
                                    const InitialValue& value) -> Output {
    if (!whole) {
      scope.Fail(InvalidArgument(
                     "SlicesOfWhole: expected an initializer, got an empty "
                     "one"),
                 "SlicesOfWhole");
      return {};
    }
    const Output all =
        whole(scope, {value.full_shape, value.dtype, value.full_shape});
    if (!all || value.offset.empty()) return all;
    const DimVector dims = value.shape.dims();
    return ops::Slice(scope, all, value.offset,
                      std::vector<int64_t>(dims.begin(), dims.end()));
  };
}

}  // namespace millrace
