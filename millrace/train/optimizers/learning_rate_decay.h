// Learning rates that decay with the global step.
//
//   Output rate = ExponentialDecay(scope, 0.1, step, 1000, 0.96,
//                                  {.staircase = true});
//   GradientDescentOptimizer optimizer(rate);
//
// Each returns a scalar of the type of `learning_rate` (float for a number of
// C++), computed anew in every step where the scope says. `global_step` is a
// scalar of any integer or floating type, 0 or above; `decay_steps` is
// positive. Errors are recorded in the graph. Names and formulas are
// TensorFlow's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace::train {

struct DecayOptions {
  bool staircase = false;  // rounds step / decay_steps down
};

// learning_rate * decay_rate ^ (step / decay_steps)
Output ExponentialDecay(const Scope& scope, const Input& learning_rate,
                        const Input& global_step, const Input& decay_steps,
                        const Input& decay_rate,
                        const DecayOptions& options = {});
// learning_rate * e ^ (-decay_rate * step / decay_steps)
Output NaturalExpDecay(const Scope& scope, const Input& learning_rate,
                       const Input& global_step, const Input& decay_steps,
                       const Input& decay_rate,
                       const DecayOptions& options = {});
// learning_rate / (1 + decay_rate * step / decay_steps)
Output InverseTimeDecay(const Scope& scope, const Input& learning_rate,
                        const Input& global_step, const Input& decay_steps,
                        const Input& decay_rate,
                        const DecayOptions& options = {});

struct PolynomialDecayOptions {
  Input end_learning_rate = 0.0001;
  Input power = 1.0;
  bool cycle = false;  // after decay_steps: restarts, over a longer time
};
// (learning_rate - end) * (1 - step / decay_steps) ^ power + end
Output PolynomialDecay(const Scope& scope, const Input& learning_rate,
                       const Input& global_step, const Input& decay_steps,
                       const PolynomialDecayOptions& options = {});

struct PiecewiseConstantOptions {
  DataType dtype = DataType::kFloat;
};
// Returns values[0] up to and including boundaries[0], values[1] up to
// boundaries[1], ..., and the last value after the last boundary. There must be
// one value more than boundaries, which must ascend; otherwise
// INVALID_ARGUMENT.
Output PiecewiseConstant(const Scope& scope, const Input& step,
                         const std::vector<double>& boundaries,
                         const std::vector<double>& values,
                         const PiecewiseConstantOptions& options = {});

struct CosineDecayOptions {
  Input alpha = 0.0;
};
// Half a cosine wave down to alpha * learning_rate (Loshchilov and Hutter,
// "SGDR: stochastic gradient descent with warm restarts", ICLR 2017).
Output CosineDecay(const Scope& scope, const Input& learning_rate,
                   const Input& global_step, const Input& decay_steps,
                   const CosineDecayOptions& options = {});

struct CosineDecayRestartsOptions {
  double t_mul = 2;   // ratio of the lengths of successive periods
  double m_mul = 1;   // ratio of their initial rates; t_mul and m_mul > 0
  Input alpha = 0.0;  // the smallest fraction of the learning rate
};
// The same with warm restarts.
Output CosineDecayRestarts(const Scope& scope, const Input& learning_rate,
                           const Input& global_step,
                           const Input& first_decay_steps,
                           const CosineDecayRestartsOptions& options = {});

struct LinearCosineDecayOptions {
  Input num_periods = 0.5;
  Input alpha = 0.0;
  Input beta = 0.001;
};
// (alpha + linear) * cosine + beta (Bello et al., "Neural optimizer search with
// reinforcement learning", ICML 2017).
Output LinearCosineDecay(const Scope& scope, const Input& learning_rate,
                         const Input& global_step, const Input& decay_steps,
                         const LinearCosineDecayOptions& options = {});

struct NoisyLinearCosineDecayOptions {
  Input initial_variance = 1.0;
  Input variance_decay = 0.55;
  Input num_periods = 0.5;
  Input alpha = 0.0;
  Input beta = 0.001;
  std::optional<int64_t> seed;
};
// The same with noise of decreasing variance on the linear part.
Output NoisyLinearCosineDecay(
    const Scope& scope, const Input& learning_rate, const Input& global_step,
    const Input& decay_steps,
    const NoisyLinearCosineDecayOptions& options = {});

}  // namespace millrace::train
