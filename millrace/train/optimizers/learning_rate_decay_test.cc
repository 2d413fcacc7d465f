#include "millrace/train/optimizers/learning_rate_decay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A schedule over a step that is fed.
class LearningRateDecay : public testing::Test {
 protected:
  std::vector<float> Rates(const Output& rate,
                           const std::vector<int64_t>& steps) {
    std::vector<float> rates;
    EXPECT_TRUE(s_.ok()) << s_.status();
    Session session(s_);
    for (const int64_t step : steps) {
      auto out = session.Run({{step_, Tensor::Scalar(step)}}, {rate});
      EXPECT_TRUE(out.ok()) << out.status();
      rates.push_back(out.ok() ? (*out)[0].scalar<float>() : NAN);
    }
    return rates;
  }
  // Compares a rate with the same formula in plain numbers.
  template <class F>
  void Expect(const Output& rate, const std::vector<int64_t>& steps, F plain) {
    const std::vector<float> rates = Rates(rate, steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_NEAR(rates[i], plain(static_cast<double>(steps[i])), 1e-6)
          << "step " << steps[i];
    }
  }
  const Scope s_ = Scope::NewRoot();
  const Output step_ = ops::Placeholder(
      s_, DataType::kInt64, {.shape = PartialShape(std::vector<int64_t>{})});
};

TEST_F(LearningRateDecay, Exponential) {
  const Output rate = ExponentialDecay(s_, 0.5, step_, 10, 0.9);
  EXPECT_EQ(rate.name(), "ExponentialDecay:0");
  Expect(rate, {0, 5, 10, 25},
         [](double t) { return 0.5 * std::pow(0.9, t / 10); });
  Expect(ExponentialDecay(s_, 0.5, step_, 10, 0.9, {.staircase = true}),
         {0, 9, 10, 25},
         [](double t) { return 0.5 * std::pow(0.9, std::floor(t / 10)); });
}

TEST_F(LearningRateDecay, NaturalExp) {
  Expect(NaturalExpDecay(s_, 0.5, step_, 4, 0.2), {0, 3, 8},
         [](double t) { return 0.5 * std::exp(-0.2 * t / 4); });
  Expect(NaturalExpDecay(s_, 0.5, step_, 4, 0.2, {.staircase = true}),
         {0, 3, 8},
         [](double t) { return 0.5 * std::exp(-0.2 * std::floor(t / 4)); });
}

TEST_F(LearningRateDecay, InverseTime) {
  Expect(InverseTimeDecay(s_, 0.5, step_, 4, 2), {0, 3, 8},
         [](double t) { return 0.5 / (1 + 2 * t / 4); });
  Expect(InverseTimeDecay(s_, 0.5, step_, 4, 2, {.staircase = true}), {0, 3, 8},
         [](double t) { return 0.5 / (1 + 2 * std::floor(t / 4)); });
}

TEST_F(LearningRateDecay, Polynomial) {
  Expect(PolynomialDecay(s_, 0.1, step_, 10,
                         {.end_learning_rate = 0.02, .power = 2}),
         {0, 5, 10, 30}, [](double t) {
           return 0.08 * std::pow(1 - std::min(t, 10.0) / 10, 2) + 0.02;
         });
  Expect(PolynomialDecay(s_, 0.1, step_, 10, {.cycle = true}),
         {0, 5, 10, 11, 20, 25}, [](double t) {
           const double steps = 10 * (t == 0 ? 1 : std::ceil(t / 10));
           return 0.0999 * (1 - t / steps) + 0.0001;
         });
}

TEST_F(LearningRateDecay, Piecewise) {
  const Output rate = PiecewiseConstant(s_, step_, {10, 20}, {1.0, 0.5, 0.25});
  EXPECT_THAT(Rates(rate, {0, 10, 11, 20, 21, 1000}),
              ElementsAre(1, 1, 0.5, 0.5, 0.25, 0.25));
  EXPECT_THAT(Rates(PiecewiseConstant(s_, step_, {}, {3.0}), {7}),
              ElementsAre(3));
  PiecewiseConstant(s_, step_, {20, 10}, {1.0, 0.5, 0.25});
  EXPECT_THAT(s_.status().message(), HasSubstr("needs ascending boundaries"));
}

double HalfWave(double fraction) {
  return 0.5 * (1 + std::cos(std::numbers::pi * fraction));
}

TEST_F(LearningRateDecay, Cosine) {
  Expect(CosineDecay(s_, 0.5, step_, 100, {.alpha = 0.1}), {0, 30, 100, 170},
         [](double t) {
           return 0.5 * (0.9 * HalfWave(std::min(t, 100.0) / 100) + 0.1);
         });
}

TEST_F(LearningRateDecay, CosineRestarts) {
  // Periods of 10, 20, 40, each starting at half the height.
  Expect(CosineDecayRestarts(s_, 1.0, step_, 10, {.m_mul = 0.5}),
         {0, 5, 12, 29, 31, 50}, [](double t) {
           if (t < 10) return HalfWave(t / 10);
           if (t < 30) return 0.5 * HalfWave((t - 10) / 20);
           return 0.25 * HalfWave((t - 30) / 40);
         });
  Expect(CosineDecayRestarts(s_, 1.0, step_, 10, {.t_mul = 1, .alpha = 0.2}),
         {0, 5, 12, 25},
         [](double t) { return 0.8 * HalfWave(std::fmod(t, 10) / 10) + 0.2; });
}

TEST_F(LearningRateDecay, LinearCosine) {
  const auto plain = [](double t) {
    t = std::min(t, 100.0);
    return 0.5 *
           ((0.1 + (100 - t) / 100) * HalfWave(2 * 0.75 * t / 100) + 0.01);
  };
  Expect(LinearCosineDecay(s_, 0.5, step_, 100,
                           {.num_periods = 0.75, .alpha = 0.1, .beta = 0.01}),
         {0, 30, 100, 170}, plain);
  Expect(NoisyLinearCosineDecay(s_, 0.5, step_, 100,
                                {.initial_variance = 0.0,
                                 .num_periods = 0.75,
                                 .alpha = 0.1,
                                 .beta = 0.01}),
         {0, 30, 100, 170}, plain);
  const Output noisy = NoisyLinearCosineDecay(s_, 0.5, step_, 100, {.seed = 1});
  EXPECT_NE(Rates(noisy, {1})[0], Rates(noisy, {2})[0]);
}

TEST_F(LearningRateDecay, TheTypeIsTheRates) {
  const Output rate = ExponentialDecay(s_, ops::Const(s_, 0.5), step_, 1, 0.5);
  EXPECT_EQ(rate.dtype(), DataType::kDouble);
  EXPECT_TRUE(s_.ok()) << s_.status();
}

}  // namespace
}  // namespace millrace::train
