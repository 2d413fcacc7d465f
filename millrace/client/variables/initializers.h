// Initializers: the initial values of new variables.
//
//   ops::Variable w = MakeVariable(scope.WithOpName("w"),
//                                  TensorShape({784, 300}), DataType::kFloat,
//                                  GlorotUniform({.seed = 1}));
// Random ones give TensorFlow's numbers for TensorFlow's seeds. They reject
// types that are not floating-point, and shapes that they cannot fill, with
// INVALID_ARGUMENT, an error of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "millrace/client/variables/variables.h"

namespace millrace {

// The value to build: that of a whole variable, or of a part of one.
struct InitialValue {
  TensorShape shape;
  DataType dtype = DataType::kFloat;
  TensorShape full_shape;  // of the whole variable; `shape` if undivided
};

// Builds the value in a scope, which is the variable's block "Initializer".
// Called once for each variable or part. May be empty, for no initializer.
using Initializer =
    std::function<Output(const Scope& scope, const InitialValue& value)>;

// Creates a variable of that shape, called by the scope's op name.
ops::Variable MakeVariable(const Scope& scope, const TensorShape& shape,
                           DataType dtype, const Initializer& initializer,
                           const ops::VariableOptions& options = {});

Initializer Zeros();
Initializer Ones();
// Takes a number for all elements, or a tensor with as many elements as the
// shape has.
Initializer Constant(Literal value);

struct Seeded {
  std::optional<int64_t> seed;  // none: from the graph's seed, see Scope::Seeds
};
// Uniform in [min, max).
Initializer RandomUniform(double min = -0.05, double max = 0.05,
                          const Seeded& seeded = {});
Initializer RandomNormal(double mean = 0, double stddev = 0.05,
                         const Seeded& seeded = {});
// Normally distributed, without values that are more than two deviations from
// the mean.
Initializer TruncatedNormal(double mean = 0, double stddev = 0.05,
                            const Seeded& seeded = {});

// Random numbers of variance scale / n, where n is the number of inputs of a
// unit, of its outputs, or the mean of both. A weight has the shape [...,
// inputs, outputs].
struct VarianceScalingOptions {
  enum Mode { kFanIn, kFanOut, kFanAvg };
  enum Distribution { kTruncatedNormal, kUntruncatedNormal, kUniform };
  double scale = 1;  // above 0
  Mode mode = kFanIn;
  Distribution distribution = kTruncatedNormal;
  std::optional<int64_t> seed;
};
Initializer VarianceScaling(const VarianceScalingOptions& options = {});
// Glorot and Bengio, "Understanding the difficulty of training deep feedforward
// neural networks", AISTATS 2010.
Initializer GlorotUniform(const Seeded& seeded = {});
Initializer GlorotNormal(const Seeded& seeded = {});
// He et al., "Delving deep into rectifiers", ICCV 2015.
Initializer HeUniform(const Seeded& seeded = {});
Initializer HeNormal(const Seeded& seeded = {});
// LeCun et al., "Efficient backprop", 1998.
Initializer LecunUniform(const Seeded& seeded = {});
Initializer LecunNormal(const Seeded& seeded = {});
// A random orthogonal matrix, by a QR decomposition; in shapes with more
// dimensions all but the last are flattened into one (Saxe et al., "Exact
// solutions to the nonlinear dynamics of learning in deep linear neural
// networks", ICLR 2014).
Initializer Orthogonal(double gain = 1, const Seeded& seeded = {});

}  // namespace millrace
