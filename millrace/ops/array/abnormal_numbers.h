// How CheckNumerics names what it has found.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace millrace::ops::abnormal_numbers {

enum Found : int { kNan = 1, kPositive = 2, kNegative = 4 };

// How messages name infinities: all "Inf", or "-Inf" and "+Inf".
enum class Infinities { kAlike, kBySign };

// Returns "A", "A and B" or "A, B, and C", as TensorFlow writes them.
inline std::string Words(int found, Infinities infinities) {
  std::vector<std::string> w;
  if (infinities == Infinities::kBySign) {
    if (found & kNegative) w.push_back("-Inf");
    if (found & kPositive) w.push_back("+Inf");
  } else if (found & (kNegative | kPositive)) {
    w.push_back("Inf");
  }
  if (found & kNan) w.push_back("NaN");
  if (w.size() == 1) return w[0];
  if (w.size() == 2) return absl::StrCat(w[0], " and ", w[1]);
  return absl::StrCat(w[0], ", ", w[1], ", and ", w[2]);
}

}  // namespace millrace::ops::abnormal_numbers
