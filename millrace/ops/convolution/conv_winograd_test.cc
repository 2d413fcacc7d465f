#include "millrace/ops/convolution/conv_winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/ops/convolution/conv_best.h"

namespace millrace::ops {
namespace {

// A CPU device with `width` threads for a kernel.
class WinogradRunner {
 public:
  explicit WinogradRunner(int width) : pool_("test", width) {
    DeviceOptions options;
    options.intra_op = &pool_;
    devices_ = MakeDevices(options, "a", 0).value();
  }
  KernelContext Context() {
    return KernelContext(node_, *devices_[0], step_, {}, {});
  }

 private:
  IntraOpPool pool_;
  std::vector<std::unique_ptr<Device>> devices_;
  NodeInfo node_;
  StepEnvironment step_;
};

constexpr ConvPass kPasses[] = {ConvPass::kForward, ConvPass::kInput,
                                ConvPass::kFilter};

struct Sides {
  int64_t before = 1, after = 1;
};

ConvProblem ProblemOf(int64_t batch, int64_t height, int64_t width, int64_t in,
                      int64_t out, Sides rows = {}, Sides columns = {}) {
  ConvProblem p;
  p.type = DataType::kFloat;
  p.batch = batch;
  p.in_depth = in;
  p.out_depth = out;
  const auto resolve = [](Window& w, int64_t input, const Sides& sides) {
    w.input = input;
    w.filter = 3;
    w.before = sides.before;
    w.after = sides.after;
    w.output = input + sides.before + sides.after - 2;
  };
  resolve(p.window[1], height, rows);
  resolve(p.window[2], width, columns);
  return p;
}

std::string Text(ConvPass pass, const ConvProblem& p) {
  return absl::StrCat(pass == ConvPass::kInput    ? "gradient of input, "
                      : pass == ConvPass::kFilter ? "gradient of filter, "
                                                  : "",
                      "[", p.batch, ",", p.window[1].input, ",",
                      p.window[2].input, ",", p.in_depth, "] to ", p.out_depth,
                      ", padding ", p.window[1].before, " ", p.window[1].after,
                      " ", p.window[2].before, " ", p.window[2].after);
}

// The three tensors of a convolution.
template <class T>
struct Operands {
  std::vector<T> input, filter, output;

  explicit Operands(const ConvProblem& p)
      : input(p.InputSize()), filter(p.FilterSize()), output(p.OutputSize()) {}
  template <class F, class U>
  Operands(const Operands<U>& o, F&& f) {
    for (const U& x : o.input) input.push_back(f(x));
    for (const U& x : o.filter) filter.push_back(f(x));
    for (const U& x : o.output) output.push_back(f(x));
  }
  ConvData data() {
    return {reinterpret_cast<char*>(input.data()),
            reinterpret_cast<char*>(filter.data()),
            reinterpret_cast<char*>(output.data())};
  }
  std::vector<T>& result(ConvPass pass) {
    return pass == ConvPass::kForward ? output
           : pass == ConvPass::kInput ? input
                                      : filter;
  }
};

Operands<float> Random(const ConvProblem& p, uint64_t seed) {
  Rng rng(seed);
  Operands<float> o(p);
  for (auto* v : {&o.input, &o.filter, &o.output}) {
    for (float& x : *v) x = static_cast<float>(rng.Double() * 2 - 1);
  }
  return o;
}

std::vector<double> Exact(ConvPass pass, ConvProblem p, Operands<double> o) {
  WinogradRunner runner(1);
  KernelContext ctx = runner.Context();
  p.type = DataType::kDouble;
  EXPECT_TRUE(RunPlainConv(ctx, pass, p, o.data()).ok());
  return o.result(pass);
}

// Returns the largest error, relative to the sum of the absolute values of the
// products of that element; for the gradient of a filter relative to the
// largest such sum of the window, since its elements are computed from each
// other's products.
double ErrorOf(ConvPass pass, const ConvProblem& p, const Operands<float>& o,
               const std::vector<float>& result) {
  const std::vector<double> exact =
      Exact(pass, p, Operands<double>(o, [](float x) { return double{x}; }));
  const std::vector<double> sums =
      Exact(pass, p, Operands<double>(o, [](float x) { return std::fabs(x); }));
  const size_t window = sums.size() / static_cast<size_t>(p.Taps());
  double worst = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    double sum = sums[i];
    if (pass == ConvPass::kFilter) {
      for (size_t j = i % window; j < sums.size(); j += window) {
        sum = std::max(sum, sums[j]);
      }
    }
    const double error = std::fabs(result[i] - exact[i]);
    if (error > 0) worst = std::max(worst, error / sum);
    if (std::isnan(result[i])) return std::numeric_limits<double>::infinity();
  }
  return worst;
}

std::vector<ConvProblem> Problems() {
  std::vector<ConvProblem> problems;
  for (const int64_t height : {1, 2, 3, 4, 5}) {
    for (const int64_t width : {1, 2, 3, 4, 5, 13}) {
      problems.push_back(ProblemOf(2, height, width, 5, 3));
    }
  }
  for (const int64_t in : {1, 15, 16, 17, 64}) {
    for (const int64_t out : {1, 16, 31, 48, 65, 80, 130}) {
      problems.push_back(ProblemOf(1, 6, 7, in, out));
    }
  }
  for (const Sides& rows :
       {Sides{0, 0}, Sides{2, 2}, Sides{0, 2}, Sides{2, 0}, Sides{4, 5}}) {
    for (const Sides& columns : {Sides{0, 0}, Sides{1, 0}, Sides{3, 1}}) {
      problems.push_back(ProblemOf(3, 5, 4, 18, 20, rows, columns));
    }
  }
  problems.push_back(ProblemOf(2, 31, 30, 64, 64));  // many blocks
  problems.push_back(ProblemOf(1, 9, 9, 600, 70));   // few tiles
  return problems;
}

#define MR_SKIP_WITHOUT_KERNELS()                                \
  if (SupportedWinogradKernels().empty()) {                      \
    GTEST_SKIP() << "this machine has neither AVX-512 nor AVX2"; \
  }

TEST(WinogradConvTest, EqualsSumsOfProducts) {
  MR_SKIP_WITHOUT_KERNELS();
  WinogradRunner runner(4);
  KernelContext ctx = runner.Context();
  const DnnlConv direct;
  uint64_t seed = 0;
  double worst[3] = {}, worst_direct[3] = {};  // by pass
  for (const ConvProblem& p : Problems()) {
    for (const ConvPass pass : kPasses) {
      const Operands<float> operands = Random(p, ++seed);
      Operands<float> other = operands;
      const auto of_pass = static_cast<size_t>(pass);
      for (const WinogradKernels* kernels : SupportedWinogradKernels()) {
        Operands<float> o = operands;
        const StatusOr<bool> done =
            RunWinogradConv(ctx, pass, p, o.data(), *kernels);
        ASSERT_TRUE(done.ok()) << done.status();
        EXPECT_TRUE(*done) << Text(pass, p);
        const double error = ErrorOf(pass, p, o, o.result(pass));
        EXPECT_LT(error, 1e-6)
            << Text(pass, p) << ", seed " << seed << ", " << kernels->name;
        worst[of_pass] = std::max(worst[of_pass], error);
      }
      ASSERT_TRUE(direct.Run(ctx, pass, p, other.data()).ok());
      worst_direct[of_pass] = std::max(
          worst_direct[of_pass], ErrorOf(pass, p, other, other.result(pass)));
    }
  }
  RecordProperty("worst", absl::StrJoin(worst, " "));
  RecordProperty("worst_direct", absl::StrJoin(worst_direct, " "));
}

// Halves and quarters of small integers are exact.
TEST(WinogradConvTest, SmallWholeNumbersAreExact) {
  MR_SKIP_WITHOUT_KERNELS();
  WinogradRunner runner(2);
  KernelContext ctx = runner.Context();
  const ConvProblem p = ProblemOf(2, 9, 8, 33, 40);
  for (const WinogradKernels* kernels : SupportedWinogradKernels()) {
    for (const ConvPass pass : kPasses) {
      Operands<float> o(Random(p, 1),
                        [](float x) { return std::round(9 * x); });
      ASSERT_TRUE(RunWinogradConv(ctx, pass, p, o.data(), *kernels).value());
      EXPECT_EQ(ErrorOf(pass, p, o, o.result(pass)), 0)
          << Text(pass, p) << ", " << kernels->name;
    }
  }
}

TEST(WinogradConvTest, BitsDoNotDependOnThreads) {
  MR_SKIP_WITHOUT_KERNELS();
  const ConvProblem p = ProblemOf(3, 27, 28, 40, 72);
  for (const ConvPass pass : kPasses) {
    std::vector<float> first;
    for (const int width : {1, 2, 7}) {
      WinogradRunner runner(width);
      KernelContext ctx = runner.Context();
      Operands<float> o = Random(p, 5);
      ASSERT_TRUE(RunWinogradConv(ctx, pass, p, o.data()).value());
      if (first.empty()) first = o.result(pass);
      EXPECT_EQ(o.result(pass), first) << width << " threads";
    }
  }
}

// Puts one such number at a time into an operand. The result has NaN and
// infinities, and other numbers, where plain sums have them.
TEST(WinogradConvTest, NumbersThatAreNotFiniteGoTheOtherWay) {
  MR_SKIP_WITHOUT_KERNELS();
  WinogradRunner runner(2);
  KernelContext ctx = runner.Context();
  const ConvProblem p = ProblemOf(4, 24, 24, 32, 32);
  const BestConv best;
  const float infinity = std::numeric_limits<float>::infinity();
  for (const ConvPass pass : kPasses) {
    ASSERT_TRUE(IsWinogradFaster(pass, p));
    for (const float special : {infinity, -infinity, std::nanf(""), 3e38f}) {
      for (const ConvPass operand : kPasses) {
        if (operand == pass) continue;
        Operands<float> o = Random(p, 3);
        std::vector<float>& source = o.result(operand);
        source[source.size() / 3] = special;
        source[source.size() / 3 + 1] = special;
        Operands<float> plain = o;
        for (const WinogradKernels* kernels : SupportedWinogradKernels()) {
          EXPECT_FALSE(
              RunWinogradConv(ctx, pass, p, o.data(), *kernels).value());
        }
        ASSERT_TRUE(best.Run(ctx, pass, p, o.data()).ok());
        ASSERT_TRUE(RunPlainConv(ctx, pass, p, plain.data()).ok());
        const std::vector<float>& y = o.result(pass);
        const std::vector<float>& expected = plain.result(pass);
        for (size_t i = 0; i < y.size(); ++i) {
          if (std::isfinite(expected[i])) {
            ASSERT_NEAR(y[i], expected[i],
                        1e-3 + 1e-3 * std::fabs(expected[i]));
          } else if (std::isnan(expected[i])) {
            ASSERT_TRUE(std::isnan(y[i])) << special << " at " << i;
          } else {
            ASSERT_EQ(y[i], expected[i]) << special;
          }
        }
      }
    }
  }
}

TEST(WinogradConvTest, TakesWhatPays) {
  MR_SKIP_WITHOUT_KERNELS();
  const auto pays = [](const ConvProblem& p) {
    return IsWinogradFaster(ConvPass::kForward, p);
  };
  const ConvProblem p = ProblemOf(16, 56, 56, 64, 64);
  EXPECT_TRUE(pays(p));
  EXPECT_TRUE(IsWinogradFaster(ConvPass::kInput, p));
  EXPECT_TRUE(IsWinogradFaster(ConvPass::kFilter, p));
  EXPECT_FALSE(pays(ProblemOf(16, 56, 56, 3, 64)));  // few channels
  EXPECT_FALSE(pays(ProblemOf(1, 7, 7, 512, 512)));  // few pixels
  ConvProblem q = p;
  q.window[1].stride = 2;
  EXPECT_FALSE(pays(q));
  q = p;
  q.window[2].dilation = 2;
  EXPECT_FALSE(pays(q));
  q = p;
  q.channels_first = true;
  EXPECT_FALSE(pays(q));
  q = p;
  q.type = DataType::kBfloat16;
  EXPECT_FALSE(pays(q));
  q = p;
  q.groups = 2;
  EXPECT_FALSE(pays(q));
}

}  // namespace
}  // namespace millrace::ops
