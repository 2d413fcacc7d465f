#include "millrace/train/optimizers/learning_rate_decay.h"

#include <algorithm>
#include <numbers>

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

DataType TypeOf(const Input& learning_rate) {
  return learning_rate.is_literal() ? DataType::kFloat
                                    : learning_rate.output().dtype();
}

// A block of ops in which everything has the learning rate's type.
class DecayBlock {
 public:
  DecayBlock(const Scope& scope, const char* name, DataType type)
      : scope_(scope.BlockFor(name)), type_(type) {}

  const Scope& scope() const { return scope_; }
  Scope last() const { return scope_.WithOpName(scope_.name()); }

  Output operator()(const Input& value) const {
    if (value.is_literal()) {
      return ops::Const(scope_, value.literal(), type_);
    }
    if (value.output().dtype() == type_) return value.output();
    return ops::Cast(scope_, value.output(), type_);
  }
  // step / decay_steps
  Output Fraction(const Input& step, const Input& decay_steps) const {
    return ops::RealDiv(scope_, (*this)(step), (*this)(decay_steps));
  }
  // The same, rounded down with `staircase`.
  Output Fraction(const Input& step, const Input& decay_steps,
                  bool staircase) const {
    const Output p = Fraction(step, decay_steps);
    return staircase ? ops::Floor(scope_, p) : p;
  }
  // (1 + cos(pi * fraction)) / 2
  Output HalfWave(const Output& fraction) const {
    const Output cosine =
        ops::Cos(scope_, ops::Mul(scope_, fraction, (*this)(std::numbers::pi)));
    return ops::Mul(scope_, ops::AddV2(scope_, cosine, (*this)(1.0)),
                    (*this)(0.5));
  }
  // (1 - alpha) * decayed + alpha
  Output AtLeast(const Input& alpha, const Output& decayed) const {
    const Output least = (*this)(alpha);
    const Output rest = ops::Sub(scope_, (*this)(1.0), least);
    return ops::AddV2(scope_, ops::Mul(scope_, rest, decayed), least);
  }

 private:
  const Scope scope_;
  const DataType type_;
};

// The linear and the periodic part, and the sum with its ends.
struct LinearCosine {
  Output linear;
  Output cosine;
};
LinearCosine LinearAndCosine(const DecayBlock& b, const Output& step,
                             const Output& decay_steps,
                             const Input& num_periods) {
  const Scope& s = b.scope();
  const Output now = ops::Minimum(s, step, decay_steps);
  const Output fraction = ops::RealDiv(s, now, decay_steps);
  const Output linear =
      ops::RealDiv(s, ops::Sub(s, decay_steps, now), decay_steps);
  const Output periods = ops::Mul(s, b(num_periods), b(2.0));
  return {linear, b.HalfWave(ops::Mul(s, periods, fraction))};
}

}  // namespace

Output ExponentialDecay(const Scope& scope, const Input& learning_rate,
                        const Input& global_step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options) {
  const DecayBlock b(scope, "ExponentialDecay", TypeOf(learning_rate));
  const Output p = b.Fraction(global_step, decay_steps, options.staircase);
  return ops::Mul(b.last(), b(learning_rate),
                  ops::Pow(b.scope(), b(decay_rate), p));
}

Output NaturalExpDecay(const Scope& scope, const Input& learning_rate,
                       const Input& global_step, const Input& decay_steps,
                       const Input& decay_rate, const DecayOptions& options) {
  const DecayBlock b(scope, "NaturalExpDecay", TypeOf(learning_rate));
  const Output p = b.Fraction(global_step, decay_steps, options.staircase);
  const Output exponent =
      ops::Mul(b.scope(), ops::Neg(b.scope(), b(decay_rate)), p);
  return ops::Mul(b.last(), b(learning_rate), ops::Exp(b.scope(), exponent));
}

Output InverseTimeDecay(const Scope& scope, const Input& learning_rate,
                        const Input& global_step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options) {
  const DecayBlock b(scope, "InverseTimeDecay", TypeOf(learning_rate));
  const Output p = b.Fraction(global_step, decay_steps, options.staircase);
  const Output divisor =
      ops::AddV2(b.scope(), b(1.0), ops::Mul(b.scope(), b(decay_rate), p));
  return ops::RealDiv(b.last(), b(learning_rate), divisor);
}

Output PolynomialDecay(const Scope& scope, const Input& learning_rate,
                       const Input& global_step, const Input& decay_steps,
                       const PolynomialDecayOptions& options) {
  const DecayBlock b(scope, "PolynomialDecay", TypeOf(learning_rate));
  const Scope& s = b.scope();
  Output step = b(global_step);
  Output steps = b(decay_steps);
  if (options.cycle) {
    // The first cycle includes step 0, too.
    const Output cycles =
        ops::SelectV2(s, ops::Equal(s, step, 0), b(1.0),
                      ops::Ceil(s, ops::RealDiv(s, step, steps)));
    steps = ops::Mul(s, steps, cycles);
  } else {
    step = ops::Minimum(s, step, steps);
  }
  const Output left = ops::Sub(s, b(1.0), ops::RealDiv(s, step, steps));
  const Output end = b(options.end_learning_rate);
  const Output decayed = ops::Mul(s, ops::Sub(s, b(learning_rate), end),
                                  ops::Pow(s, left, b(options.power)));
  return ops::AddV2(b.last(), decayed, end);
}

Output PiecewiseConstant(const Scope& scope, const Input& step,
                         const std::vector<double>& boundaries,
                         const std::vector<double>& values,
                         const PiecewiseConstantOptions& options) {
  const DecayBlock b(scope, "PiecewiseConstant", options.dtype);
  const Scope& s = b.scope();
  if (values.size() != boundaries.size() + 1 ||
      !std::is_sorted(boundaries.begin(), boundaries.end())) {
    scope.Fail(
        InvalidArgument(
            "PiecewiseConstant needs ascending boundaries and one value "
            "more than boundaries, got ",
            boundaries.size(), " boundaries and ", values.size(), " values"),
        "PiecewiseConstant");
    return {};
  }
  // Selects from the last piece to the first, each at the boundary to the next.
  // Steps up to 2^53 are exact as doubles.
  const Output at = step.is_literal()
                        ? ops::Const(s, step.literal(), DataType::kDouble)
                        : ops::Cast(s, step.output(), DataType::kDouble);
  Output rate = b(values.back());
  for (size_t i = boundaries.size(); i-- > 0;) {
    const Output before =
        ops::LessEqual(s, at, ops::Const(s, boundaries[i], DataType::kDouble));
    rate = ops::SelectV2(s, before, b(values[i]), rate);
  }
  return ops::Identity(b.last(), rate);
}

Output CosineDecay(const Scope& scope, const Input& learning_rate,
                   const Input& global_step, const Input& decay_steps,
                   const CosineDecayOptions& options) {
  const DecayBlock b(scope, "CosineDecay", TypeOf(learning_rate));
  const Output steps = b(decay_steps);
  const Output step = ops::Minimum(b.scope(), b(global_step), steps);
  const Output fraction = ops::RealDiv(b.scope(), step, steps);
  return ops::Mul(b.last(), b(learning_rate),
                  b.AtLeast(options.alpha, b.HalfWave(fraction)));
}

Output CosineDecayRestarts(const Scope& scope, const Input& learning_rate,
                           const Input& global_step,
                           const Input& first_decay_steps,
                           const CosineDecayRestartsOptions& options) {
  const DecayBlock b(scope, "SGDRDecay", TypeOf(learning_rate));
  const Scope& s = b.scope();
  if (!(options.t_mul > 0 && options.m_mul > 0)) {
    scope.Fail(InvalidArgument("CosineDecayRestarts needs t_mul and m_mul "
                               "above 0, got ",
                               options.t_mul, " and ", options.m_mul),
               "SGDRDecay");
    return {};
  }
  const Output t = b.Fraction(global_step, first_decay_steps);
  Output restarts;
  Output fraction;
  if (options.t_mul == 1) {
    restarts = ops::Floor(s, t);
    fraction = ops::Sub(s, t, restarts);
  } else {
    // Period i begins at (1 - t_mul^i) / (1 - t_mul) and is t_mul^i long.
    const Output one = b(1.0);
    const Output mul = b(options.t_mul);
    const Output rest = ops::Sub(s, one, mul);
    restarts = ops::Floor(
        s, ops::RealDiv(s, ops::Log(s, ops::Sub(s, one, ops::Mul(s, t, rest))),
                        ops::Log(s, mul)));
    const Output length = ops::Pow(s, mul, restarts);
    const Output begin = ops::RealDiv(s, ops::Sub(s, one, length), rest);
    fraction = ops::RealDiv(s, ops::Sub(s, t, begin), length);
  }
  const Output height = ops::Pow(s, b(options.m_mul), restarts);
  const Output decayed = ops::Mul(s, height, b.HalfWave(fraction));
  return ops::Mul(b.last(), b(learning_rate),
                  b.AtLeast(options.alpha, decayed));
}

Output LinearCosineDecay(const Scope& scope, const Input& learning_rate,
                         const Input& global_step, const Input& decay_steps,
                         const LinearCosineDecayOptions& options) {
  const DecayBlock b(scope, "LinearCosineDecay", TypeOf(learning_rate));
  const Scope& s = b.scope();
  const LinearCosine parts =
      LinearAndCosine(b, b(global_step), b(decay_steps), options.num_periods);
  const Output decayed =
      ops::Mul(s, ops::AddV2(s, b(options.alpha), parts.linear), parts.cosine);
  return ops::Mul(b.last(), b(learning_rate),
                  ops::AddV2(s, decayed, b(options.beta)));
}

Output NoisyLinearCosineDecay(const Scope& scope, const Input& learning_rate,
                              const Input& global_step,
                              const Input& decay_steps,
                              const NoisyLinearCosineDecayOptions& options) {
  const DataType type = TypeOf(learning_rate);
  const DecayBlock b(scope, "NoisyLinearCosineDecay", type);
  const Scope& s = b.scope();
  const Output steps = b(decay_steps);
  const Output step = ops::Minimum(s, b(global_step), steps);
  const LinearCosine parts =
      LinearAndCosine(b, step, steps, options.num_periods);
  const Output variance = ops::RealDiv(
      s, b(options.initial_variance),
      ops::Pow(s, ops::AddV2(s, b(1.0), step), b(options.variance_decay)));
  const auto [seed, seed2] = s.Seeds(options.seed);
  const Output normal = ops::RandomStandardNormal(
      s, Tensor::New(DataType::kInt32, TensorShape({0})), type,
      {.seed = seed, .seed2 = seed2});
  const Output noisy =
      ops::AddV2(s, parts.linear, ops::Mul(s, normal, ops::Sqrt(s, variance)));
  const Output decayed =
      ops::Mul(s, ops::AddV2(s, b(options.alpha), noisy), parts.cosine);
  return ops::Mul(b.last(), b(learning_rate),
                  ops::AddV2(s, decayed, b(options.beta)));
}

}  // namespace millrace::train
