#include "millrace/ops/ctc/alignment.h"

#include <algorithm>

#include "millrace/base/memory/checked_size.h"

namespace millrace::ops {
namespace {

// Steps between two looks at whether the work is still wanted.
constexpr int64_t kStepsBetweenChecks = 16;

// Sets `to` to the softmax of a step's logits.
template <class T>
void SoftmaxOfStep(const T* from, int64_t n, T* to) {
  T largest = from[0];
  for (int64_t k = 1; k < n; ++k) largest = std::max(largest, from[k]);
  T sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    to[k] = std::exp(from[k] - largest);
    sum += to[k];
  }
  for (int64_t k = 0; k < n; ++k) to[k] /= sum;
}

// The logarithms of the variables of one sequence, [time, positions].
template <class T>
class Alignment {
 public:
  // `y` has the probabilities of the classes at each step.
  Alignment(const AlignmentProblem<T>& p, StepsOf<T> y)
      : p_(p),
        y_(y),
        positions_(static_cast<int64_t>(p.padded.size())),
        alpha_(static_cast<size_t>(p.time * positions_), kLogOfZero<T>),
        beta_(alpha_) {}

  // Return false if the step was cancelled.
  bool RunForward(const KernelContext& ctx) {
    At(alpha_, 0, 0) = LogOf(0, 0);
    if (positions_ > 1) At(alpha_, 0, 1) = LogOf(0, 1);
    for (int64_t t = 1; t < p_.time; ++t) {
      if (IsCancelled(ctx, t)) return false;
      for (int64_t u = First(t); u < Last(t); ++u) {
        T sum = Stays(u) ? At(alpha_, t - 1, u) : kLogOfZero<T>;
        if (u > 0) sum = AddLogs(sum, At(alpha_, t - 1, u - 1));
        if (u > 1 && Skips(u, u - 2)) {
          sum = AddLogs(sum, At(alpha_, t - 1, u - 2));
        }
        At(alpha_, t, u) = LogOf(t, u) + sum;
      }
    }
    return true;
  }
  bool RunBackward(const KernelContext& ctx) {
    for (int64_t u = std::max<int64_t>(0, positions_ - 2); u < positions_;
         ++u) {
      At(beta_, p_.time - 1, u) = 0;
    }
    for (int64_t t = p_.time - 2; t >= 0; --t) {
      if (IsCancelled(ctx, t)) return false;
      const auto from = [&](int64_t u) {
        return At(beta_, t + 1, u) + LogOf(t + 1, u);
      };
      for (int64_t u = First(t); u < Last(t); ++u) {
        T sum = Stays(u) ? from(u) : kLogOfZero<T>;
        if (u + 1 < positions_) sum = AddLogs(sum, from(u + 1));
        if (u + 2 < positions_ && Skips(u, u + 2)) {
          sum = AddLogs(sum, from(u + 2));
        }
        At(beta_, t, u) = sum;
      }
    }
    return true;
  }

  // Returns the logarithm of the probability of all alignments.
  T Total() {
    T total = kLogOfZero<T>;
    for (int64_t u = 0; u < positions_; ++u) {
      total = AddLogs(total, At(alpha_, 0, u) + At(beta_, 0, u));
    }
    return total;
  }

  // Replaces the probabilities by the gradient. They stay where there is no
  // alignment, as in stock.
  void SetGradient(T total) {
    if (total == kLogOfZero<T>) return;
    std::vector<T> sums(static_cast<size_t>(p_.classes));
    for (int64_t t = 0; t < p_.time; ++t) {
      std::fill(sums.begin(), sums.end(), kLogOfZero<T>);
      for (int64_t u = 0; u < positions_; ++u) {
        T& sum = sums[static_cast<size_t>(Label(u))];
        sum = AddLogs(sum, At(alpha_, t, u) + At(beta_, t, u));
      }
      T* const dy = y_(t);
      for (int64_t k = 0; k < p_.classes; ++k) {
        dy[k] -= std::exp(sums[static_cast<size_t>(k)] - total);
      }
    }
  }

 private:
  T& At(std::vector<T>& v, int64_t t, int64_t u) {
    return v[static_cast<size_t>(t * positions_ + u)];
  }
  int32_t Label(int64_t u) const { return p_.padded[static_cast<size_t>(u)]; }
  T LogOf(int64_t t, int64_t u) const { return std::log(y_(t)[Label(u)]); }
  bool Stays(int64_t u) const {
    return p_.merge_repeated || Label(u) == p_.blank;
  }
  // Returns whether the blank between two positions may be left out.
  bool Skips(int64_t u, int64_t other) const {
    return Label(u) != p_.blank &&
           !(p_.merge_repeated && Label(u) == Label(other));
  }
  // Return the positions that can be reached by step t, and from which the end
  // can be reached after it.
  int64_t First(int64_t t) const {
    return std::max<int64_t>(0, positions_ - 2 * (p_.time - t));
  }
  int64_t Last(int64_t t) const { return std::min(positions_, 2 * (t + 1)); }

  static bool IsCancelled(const KernelContext& ctx, int64_t t) {
    return t % kStepsBetweenChecks == 0 && !ctx.CheckCancelled().ok();
  }

  const AlignmentProblem<T>& p_;
  const StepsOf<T> y_;
  const int64_t positions_;
  std::vector<T> alpha_, beta_;
};

}  // namespace

template <class T>
StatusOr<int64_t> AlignmentBytes(int64_t time, int64_t classes,
                                 int64_t padded_labels) {
  const CheckedSize variables = CheckedSize(time) * padded_labels * 2;
  return ((variables + classes) * static_cast<int64_t>(sizeof(T)))
      .Get("the memory of an alignment");
}

template <class T>
void Align(const KernelContext& ctx, const AlignmentProblem<T>& p, T* loss,
           StepsOf<T> gradient) {
  for (int64_t t = 0; t < p.time; ++t) {
    SoftmaxOfStep(p.logits(t), p.classes, gradient(t));
  }
  Alignment<T> alignment(p, gradient);
  if (!alignment.RunForward(ctx) || !alignment.RunBackward(ctx)) return;
  const T total = alignment.Total();
  *loss = -total;
  alignment.SetGradient(total);
}

MR_ALIGNMENT(, float)
MR_ALIGNMENT(, double)

}  // namespace millrace::ops
