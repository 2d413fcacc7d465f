#include "millrace/ops/signal/fourier.h"

#include <algorithm>
#include <cmath>

namespace millrace::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;

// The compiler's complex product checks for infinities.
inline Complex128 Times(const Complex128& a, const Complex128& b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}
// Returns exp(-2 pi sqrt(-1) k / n).
Complex128 Root(int64_t k, int64_t n) {
  const double angle =
      -2 * kPi * (static_cast<double>(k) / static_cast<double>(n));
  return {std::cos(angle), std::sin(angle)};
}

// One step of Stockham's algorithm: lines of `n` = r * m elements, `stride` of
// them interleaved, become r times as many lines of m elements.
struct Step {
  int64_t r, m, stride;
  const Complex128* roots;  // of the whole length
  int64_t root_step;        // whose power is the root of n

  const Complex128& RootOf(int64_t k) const { return roots[k * root_step]; }
};

void Step2(const Step& s, const Complex128* x, Complex128* y) {
  for (int64_t p = 0; p < s.m; ++p) {
    const Complex128 w = s.RootOf(p);
    const Complex128* from = x + s.stride * p;
    Complex128* to = y + s.stride * 2 * p;
    for (int64_t q = 0; q < s.stride; ++q) {
      const Complex128 a = from[q], b = from[q + s.stride * s.m];
      to[q] = a + b;
      to[q + s.stride] = Times(a - b, w);
    }
  }
}

void Step4(const Step& s, const Complex128* x, Complex128* y) {
  for (int64_t p = 0; p < s.m; ++p) {
    const Complex128 w1 = s.RootOf(p), w2 = s.RootOf(2 * p),
                     w3 = s.RootOf(3 * p);
    const Complex128* from = x + s.stride * p;
    Complex128* to = y + s.stride * 4 * p;
    const int64_t far = s.stride * s.m;
    for (int64_t q = 0; q < s.stride; ++q) {
      const Complex128 a = from[q], b = from[q + far], c = from[q + 2 * far],
                       d = from[q + 3 * far];
      const Complex128 ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
      const Complex128 rotated(b_d.imag(), -b_d.real());
      to[q] = ac + bd;
      to[q + s.stride] = Times(a_c + rotated, w1);
      to[q + 2 * s.stride] = Times(ac - bd, w2);
      to[q + 3 * s.stride] = Times(a_c - rotated, w3);
    }
  }
}

void StepOf(const Step& s, const Complex128* x, Complex128* y) {
  const int64_t n = s.r * s.m;
  for (int64_t p = 0; p < s.m; ++p) {
    for (int64_t j = 0; j < s.r; ++j) {
      Complex128* to = y + s.stride * (s.r * p + j);
      std::fill(to, to + s.stride, Complex128(0));
      for (int64_t k = 0; k < s.r; ++k) {
        // exp(-2 pi sqrt(-1) (j k / r + j p / n)).
        const Complex128 w = s.RootOf((j * k * s.m + j * p) % n);
        const Complex128* from = x + s.stride * (p + s.m * k);
        for (int64_t q = 0; q < s.stride; ++q) to[q] += Times(from[q], w);
      }
    }
  }
}

}  // namespace

std::vector<int64_t> FourierFactors(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t p = 2; n > 1; ++p) {
    if (p > kLargestFourierFactor) return {};
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (factors.empty()) factors.push_back(1);
  return factors;
}

StatusOr<std::unique_ptr<const FourierPlan>> FourierPlan::Make(int64_t n) {
  std::unique_ptr<FourierPlan> plan(new FourierPlan(n, FourierFactors(n)));
  MR_RETURN_IF_ERROR(plan->Tabulate());
  return std::unique_ptr<const FourierPlan>(std::move(plan));
}

Status FourierPlan::Tabulate() {
  constexpr auto kElement = static_cast<int64_t>(sizeof(Complex128));
  constexpr char kTables[] = "the tables of a Fourier transform";
  const int64_t n = n_;
  if (!factors_.empty()) {
    MR_RETURN_IF_ERROR(charge_.Set(n * kElement, kTables));
    roots_.reserve(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) roots_.push_back(Root(k, n));
    return OkStatus();
  }
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  MR_ASSIGN_OR_RETURN(convolution_, Make(size));
  MemoryCharge work_charge;
  MR_RETURN_IF_ERROR(charge_.Set((n + size) * kElement, kTables));
  MR_RETURN_IF_ERROR(
      work_charge.Set(convolution_->work_size() * kElement, kTables));
  chirp_.reserve(static_cast<size_t>(n));
  // k * k modulo 2 n, which increases by 2 k + 1.
  int64_t square = 0;
  for (int64_t k = 0; k < n; ++k) {
    chirp_.push_back(Root(square, 2 * n));
    square = (square + 2 * k + 1) % (2 * n);
  }
  chirp_spectrum_.resize(static_cast<size_t>(size));
  chirp_spectrum_[0] = std::conj(chirp_[0]);
  for (int64_t k = 1; k < n; ++k) {
    chirp_spectrum_[k] = chirp_spectrum_[size - k] = std::conj(chirp_[k]);
  }
  std::vector<Complex128> work(static_cast<size_t>(convolution_->work_size()));
  convolution_->Forward(chirp_spectrum_.data(), work.data());
  return OkStatus();
}

int64_t FourierPlan::work_size() const {
  return convolution_ == nullptr
             ? n_
             : convolution_->length() + convolution_->work_size();
}

void FourierPlan::Run(FourierDirection direction, Complex128* line,
                      Complex128* work) const {
  if (direction == FourierDirection::kForward) return Forward(line, work);
  for (int64_t i = 0; i < n_; ++i) line[i] = std::conj(line[i]);
  Forward(line, work);
  const double scale = 1 / static_cast<double>(n_);
  for (int64_t i = 0; i < n_; ++i) line[i] = std::conj(line[i]) * scale;
}

void FourierPlan::Forward(Complex128* line, Complex128* work) const {
  convolution_ == nullptr ? ByFactors(line, work) : ByConvolution(line, work);
}

void FourierPlan::ByFactors(Complex128* line, Complex128* work) const {
  Complex128* x = line;
  Complex128* y = work;
  int64_t rest = n_, stride = 1;
  for (const int64_t r : factors_) {
    const Step step{r, rest / r, stride, roots_.data(), n_ / rest};
    if (r == 1) return;
    r == 2   ? Step2(step, x, y)
    : r == 4 ? Step4(step, x, y)
             : StepOf(step, x, y);
    std::swap(x, y);
    rest /= r;
    stride *= r;
  }
  if (x != line) std::copy(x, x + n_, line);
}

// Uses Bluestein's identity: i k = (i * i + k * k - (k - i) * (k - i)) / 2.
void FourierPlan::ByConvolution(Complex128* line, Complex128* work) const {
  const int64_t size = convolution_->length();
  Complex128* padded = work;
  Complex128* rest = work + size;
  for (int64_t i = 0; i < n_; ++i) padded[i] = Times(line[i], chirp_[i]);
  std::fill(padded + n_, padded + size, Complex128(0));
  convolution_->Forward(padded, rest);
  for (int64_t i = 0; i < size; ++i) {
    padded[i] = Times(padded[i], chirp_spectrum_[i]);
  }
  convolution_->Run(FourierDirection::kInverse, padded, rest);
  for (int64_t k = 0; k < n_; ++k) line[k] = Times(padded[k], chirp_[k]);
}

}  // namespace millrace::ops
