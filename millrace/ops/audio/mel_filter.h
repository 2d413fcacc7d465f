// MelFilter: gathers the frequencies of a spectrum in bands of the mel scale.
#pragma once

#include <cmath>
#include <cstdint>

#include "absl/types/span.h"

namespace millrace::ops {

struct MelLimits {
  int64_t bands = 0;
  double lower = 0, upper = 0;  // in hertz
};

// The bands are triangles that overlap by half, with corners at equal distances
// on the mel scale. Immutable; computes the weights of bands where they are
// needed, so it takes no memory.
class MelFilter {
 public:
  // Returns whether there is such a filter for spectra of this length.
  static bool Fits(const MelLimits& limits, int64_t length, int64_t rate) {
    return limits.bands >= 1 && rate > 0 && length >= 2 &&
           !(limits.lower < 0) && !(limits.upper <= limits.lower);
  }

  // Requires: Fits.
  MelFilter(const MelLimits& limits, int64_t length, int64_t rate)
      : limits_(limits),
        hz_per_bin_(0.5 * static_cast<double>(rate) /
                    static_cast<double>(length - 1)),
        low_(Mel(limits.lower)),
        spacing_((Mel(limits.upper) - low_) /
                 static_cast<double>(limits.bands + 1)) {
    const double end = limits.upper / hz_per_bin_;
    const double start = 1.5 + limits.lower / hz_per_bin_;
    // A limit that is no number compares as false.
    in_range_ = end < static_cast<double>(length) && start <= end + 2;
    if (!in_range_) return;
    start_ = static_cast<int64_t>(start);
    end_ = static_cast<int64_t>(end);
  }

  // Returns whether all bands lie within the spectra; otherwise Run does
  // nothing.
  bool in_range() const { return in_range_; }

  // Adds the roots of a squared spectrum to the bands that they belong to.
  void Run(absl::Span<const float> squares, absl::Span<double> bands) const {
    if (!in_range_) return;
    int64_t channel = 0;  // the first band whose center is not below
    for (int64_t i = start_; i <= end_; ++i) {
      const double mel = Mel(static_cast<double>(i) * hz_per_bin_);
      while (channel < limits_.bands && Center(channel) < mel) ++channel;
      const double left = channel > 0 ? Center(channel - 1) : low_;
      const double right = Center(channel);
      const double value =
          std::sqrt(static_cast<double>(squares[static_cast<size_t>(i)]));
      const double weighted = value * ((right - mel) / (right - left));
      if (channel > 0) bands[static_cast<size_t>(channel - 1)] += weighted;
      if (channel < limits_.bands) {
        bands[static_cast<size_t>(channel)] += value - weighted;
      }
    }
  }

 private:
  static double Mel(double hz) { return 1127.0 * std::log1p(hz / 700.0); }
  double Center(int64_t band) const {
    return low_ + spacing_ * static_cast<double>(band + 1);
  }

  MelLimits limits_;
  double hz_per_bin_, low_, spacing_;
  bool in_range_ = false;
  int64_t start_ = 0, end_ = -1;
};

}  // namespace millrace::ops
