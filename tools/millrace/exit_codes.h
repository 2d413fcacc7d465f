// What the command's parts exit with when they do not come to run.
#pragma once

namespace millrace {

inline constexpr int kStartError = 1;
inline constexpr int kUsageError = 2;

}  // namespace millrace
