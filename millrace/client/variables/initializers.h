// Initializers: the initial values of new variables.
//
//   ops::Variable w = ops::MakeVariable(
//       scope.WithOpName("w"), TensorShape({784, 300}), DataType::kFloat,
//       GlorotUniform({.seed = 1}));
// Random ones give TensorFlow's numbers for TensorFlow's seeds. They reject
// types that are not floating-point, and shapes that they cannot fill, with
// INVALID_ARGUMENT, an error of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "millrace/client/variables/variables.h"

namespace millrace {

// The value to build: that of a whole variable, or of a part of one.
struct InitialValue {
  TensorShape shape;
  DataType dtype = DataType::kFloat;
  TensorShape full_shape;  // of the whole variable; `shape` if undivided
  // Where the part begins in the whole; empty if undivided.
  std::vector<int64_t> offset = {};
};

// Builds the value in a scope, which is the variable's block "Initializer".
// Called once for each variable or part. May be empty, for no initializer.
using Initializer =
    std::function<Output(const Scope& scope, const InitialValue& value)>;

namespace ops {

// Creates a variable of that shape, called by the scope's op name.
Variable MakeVariable(const Scope& scope, const TensorShape& shape,
                      DataType dtype, const Initializer& initializer,
                      const VariableOptions& options = {});

}  // namespace ops

Initializer Zeros();
Initializer Ones();
// Takes a number for all elements, or a tensor with as many elements as the
// shape has.
Initializer Constant(Literal value);

struct RandomUniformOptions {
  double min = -0.05;
  double max = 0.05;            // excluded
  std::optional<int64_t> seed;  // none: from the graph's seed, see Scope::Seeds
};
Initializer RandomUniform(const RandomUniformOptions& options = {});

struct RandomNormalOptions {
  double mean = 0;
  double stddev = 0.05;
  std::optional<int64_t> seed;
};
Initializer RandomNormal(const RandomNormalOptions& options = {});
// Normally distributed, without values that are more than two deviations from
// the mean.
Initializer TruncatedNormal(const RandomNormalOptions& options = {});

// Random numbers of variance scale / n, where n is the number of inputs of a
// unit, of its outputs, or the mean of both. A weight has the shape [...,
// inputs, outputs].
enum class VarianceScalingMode { kFanIn, kFanOut, kFanAvg };
enum class VarianceScalingDistribution {
  kTruncatedNormal,
  kUntruncatedNormal,
  kUniform,
};
struct VarianceScalingOptions {
  double scale = 1;  // above 0
  VarianceScalingMode mode = VarianceScalingMode::kFanIn;
  VarianceScalingDistribution distribution =
      VarianceScalingDistribution::kTruncatedNormal;
  std::optional<int64_t> seed;
};
Initializer VarianceScaling(const VarianceScalingOptions& options = {});

// VarianceScaling by the rules of several papers.
struct VarianceRuleOptions {
  std::optional<int64_t> seed;
};
// Glorot and Bengio, "Understanding the difficulty of training deep feedforward
// neural networks", AISTATS 2010.
Initializer GlorotUniform(const VarianceRuleOptions& options = {});
Initializer GlorotNormal(const VarianceRuleOptions& options = {});
// He et al., "Delving deep into rectifiers", ICCV 2015.
Initializer HeUniform(const VarianceRuleOptions& options = {});
Initializer HeNormal(const VarianceRuleOptions& options = {});
// LeCun et al., "Efficient backprop", 1998.
Initializer LecunUniform(const VarianceRuleOptions& options = {});
Initializer LecunNormal(const VarianceRuleOptions& options = {});
// A random orthogonal matrix, by a QR decomposition; in shapes with more
// dimensions all but the last are flattened into one (Saxe et al., "Exact
// solutions to the nonlinear dynamics of learning in deep linear neural
// networks", ICLR 2014).
struct OrthogonalOptions {
  double gain = 1;
  std::optional<int64_t> seed;
};
Initializer Orthogonal(const OrthogonalOptions& options = {});

// The slice that a part has of the value of the whole variable: with a seed, a
// variable in parts begins with the values that it has in one piece, however it
// is cut. Each part builds the whole value for that. An empty `whole` is an
// error of the graph.
Initializer SlicesOfWhole(Initializer whole);

}  // namespace millrace
