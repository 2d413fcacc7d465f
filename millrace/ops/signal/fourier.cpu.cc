#include "millrace/ops/signal/fourier.h"

#include <algorithm>
#include <cmath>

namespace millrace::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr char kTables[] = "the tables of a Fourier transform";

// Appends exp(-2 pi sqrt(-1) k / n).
template <class T>
void AddRoot(int64_t k, int64_t n, std::vector<T>* roots) {
  const double angle =
      -2 * kPi * (static_cast<double>(k) / static_cast<double>(n));
  roots->push_back(static_cast<T>(std::cos(angle)));
  roots->push_back(static_cast<T>(std::sin(angle)));
}

// Returns the factors of n, with those of 8 wherever that saves steps; none if
// one is too large.
std::vector<int64_t> StepsOf(int64_t n) {
  std::vector<int64_t> factors;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (; twos >= 5 || twos == 3; twos -= 3) factors.push_back(8);
  for (; twos >= 2; twos -= 2) factors.push_back(4);
  if (twos == 1) factors.push_back(2);
  for (int64_t p = 3; n > 1; p += 2) {
    if (p > kLargestFourierFactor) return {};
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  return factors;
}

// Returns the least length, of at least n, of a convolution that takes few
// steps.
int64_t ConvolutionLength(int64_t n) {
  int64_t best = 0;
  for (const int64_t odd : {1, 3, 5, 9, 15, 25}) {
    int64_t size = odd;
    while (size < n) size *= 2;
    if (best == 0 || size < best) best = size;
  }
  return best;
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

template <class T>
StatusOr<std::unique_ptr<const FourierPlan<T>>> FourierPlan<T>::Make(
    int64_t n) {
  std::unique_ptr<FourierPlan> plan(new FourierPlan(n));
  const std::vector<int64_t> factors = StepsOf(n);
  MR_RETURN_IF_ERROR(n == 1 || !factors.empty() ? plan->TabulateFactors(factors)
                                                : plan->TabulateConvolution());
  return std::unique_ptr<const FourierPlan>(std::move(plan));
}

template <class T>
Status FourierPlan<T>::TabulateFactors(const std::vector<int64_t>& factors) {
  int64_t count = 0, rest = n_;
  for (const int64_t r : factors) {
    count += 2 * ((r - 1) * (rest / r) + r);
    rest /= r;
  }
  MR_RETURN_IF_ERROR(
      charge_.Set(count * static_cast<int64_t>(sizeof(T)), kTables));
  // Steps point into the roots, which do not move.
  roots_.reserve(static_cast<size_t>(count));
  rest = n_;
  for (const int64_t r : factors) {
    FourierStep<T> step;
    step.r = r;
    step.m = rest / r;
    step.stride = n_ / rest;
    step.roots = roots_.data() + roots_.size();
    for (int64_t p = 0; p < step.m; ++p) {
      for (int64_t j = 1; j < r; ++j) AddRoot(j * p, rest, &roots_);
    }
    step.cycle = roots_.data() + roots_.size();
    for (int64_t k = 0; k < r; ++k) AddRoot(k, r, &roots_);
    steps_.push_back(step);
    rest /= r;
  }
  return OkStatus();
}

template <class T>
Status FourierPlan<T>::TabulateConvolution() {
  const int64_t n = n_;
  const int64_t size = ConvolutionLength(2 * n - 1);
  MR_ASSIGN_OR_RETURN(convolution_, Make(size));
  MemoryCharge work_charge;
  constexpr auto kElement = static_cast<int64_t>(sizeof(T));
  MR_RETURN_IF_ERROR(charge_.Set((n + size) * 2 * kElement, kTables));
  MR_RETURN_IF_ERROR(work_charge.Set(
      (2 * size + convolution_->work_size()) * kElement, kTables));
  chirp_.reserve(static_cast<size_t>(2 * n));
  // k * k modulo 2 n, which increases by 2 k + 1.
  int64_t square = 0;
  for (int64_t k = 0; k < n; ++k) {
    AddRoot(square, 2 * n, &chirp_);
    square = (square + 2 * k + 1) % (2 * n);
  }
  std::vector<T> line(static_cast<size_t>(2 * size));
  std::vector<T> work(static_cast<size_t>(convolution_->work_size()));
  Planes<T> x = {line.data(), line.data() + size};
  for (int64_t k = 0; k < n; ++k) {
    const int64_t mirror = k == 0 ? 0 : size - k;
    x.re[k] = x.re[mirror] = chirp_[2 * k];
    x.im[k] = x.im[mirror] = -chirp_[2 * k + 1];
  }
  x = convolution_->Forward(1, x, work.data());
  // The convolution's inverse transform needs no division.
  for (int64_t k = 0; k < size; ++k) {
    chirp_spectrum_.push_back(x.re[k] / static_cast<T>(size));
    chirp_spectrum_.push_back(x.im[k] / static_cast<T>(size));
  }
  return OkStatus();
}

template <class T>
int64_t FourierPlan<T>::work_size() const {
  return convolution_ == nullptr
             ? 2 * n_
             : 2 * convolution_->length() + convolution_->work_size();
}

template <class T>
Planes<T> FourierPlan<T>::Forward(int64_t lines, Planes<T> x, T* work) const {
  return convolution_ == nullptr
             ? ByFactors(lines, x, {work, work + n_ * lines})
             : ByConvolution(lines, x, work);
}

template <class T>
Planes<T> FourierPlan<T>::ByFactors(int64_t lines, Planes<T> x,
                                    Planes<T> y) const {
  for (FourierStep<T> step : steps_) {
    step.stride *= lines;
    RunFourierStep(step, x, y);
    std::swap(x, y);
  }
  return x;
}

// Uses Bluestein's identity: i k = (i * i + k * k - (k - i) * (k - i)) / 2.
template <class T>
Planes<T> FourierPlan<T>::ByConvolution(int64_t lines, Planes<T> x,
                                        T* work) const {
  const int64_t size = convolution_->length(), all = size * lines;
  const Planes<T> padded = {work, work + all};
  MultiplyLines(lines, n_, chirp_.data(), x, padded);
  std::fill(padded.re + n_ * lines, padded.re + all, T(0));
  std::fill(padded.im + n_ * lines, padded.im + all, T(0));
  Planes<T> y = convolution_->Forward(lines, padded, work + 2 * all);
  MultiplyLines(lines, size, chirp_spectrum_.data(), y, y);
  // The result is in one of two buffers, and the other one is free.
  T* const rest = y.re == padded.re ? work + 2 * all : work;
  y = convolution_->Forward(lines, {y.im, y.re}, rest);
  MultiplyLines(lines, n_, chirp_.data(), {y.im, y.re}, x);
  return x;
}

template <class T>
StatusOr<std::unique_ptr<const RealFourierPlan<T>>> RealFourierPlan<T>::Make(
    int64_t n) {
  std::unique_ptr<RealFourierPlan> plan(new RealFourierPlan(n));
  if (plan->paired()) {
    MR_RETURN_IF_ERROR(
        plan->charge_.Set((n + 2) * static_cast<int64_t>(sizeof(T)), kTables));
    plan->roots_.reserve(static_cast<size_t>(n + 2));
    for (int64_t k = 0; k <= n / 2; ++k) AddRoot(k, n, &plan->roots_);
  }
  MR_ASSIGN_OR_RETURN(plan->complex_,
                      FourierPlan<T>::Make(plan->paired() ? n / 2 : n));
  return std::unique_ptr<const RealFourierPlan>(std::move(plan));
}

template <class T>
int64_t RealFourierPlan<T>::work_size() const {
  return complex_->work_size() + 2 * (length() + 1);
}

template <class T>
Planes<T> RealFourierPlan<T>::Forward(int64_t lines, Planes<T> x,
                                      T* work) const {
  T* const rest = work + 2 * (length() + 1) * lines;
  const Planes<T> y = complex_->Forward(lines, x, rest);
  if (!paired()) return y;
  const Planes<T> z = {work, work + (length() + 1) * lines};
  SplitSpectrum(lines, length(), roots_.data(), y, z);
  return z;
}

template <class T>
Planes<T> RealFourierPlan<T>::Inverse(int64_t lines, Planes<T> x,
                                      T* work) const {
  T* const rest = work + 2 * (length() + 1) * lines;
  if (paired()) {
    const Planes<T> z = {work, work + (length() + 1) * lines};
    JoinSpectrum(lines, length(), roots_.data(), x, z);
    const Planes<T> y = complex_->Forward(lines, {z.im, z.re}, rest);
    return {y.im, y.re};
  }
  std::fill(x.im, x.im + lines, T(0));
  for (int64_t k = n_ / 2 + 1; k < n_; ++k) {
    for (int64_t v = 0; v < lines; ++v) {
      x.re[k * lines + v] = x.re[(n_ - k) * lines + v];
      x.im[k * lines + v] = -x.im[(n_ - k) * lines + v];
    }
  }
  const Planes<T> y = complex_->Forward(lines, {x.im, x.re}, rest);
  return {y.im, y.re};
}

template class FourierPlan<float>;
template class FourierPlan<double>;
template class RealFourierPlan<float>;
template class RealFourierPlan<double>;

}  // namespace millrace::ops
