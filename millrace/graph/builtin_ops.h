// The names of the ops whose nodes the runtime itself adds to graphs. To test
// whether a node has such an op, use its role (op_traits.h).
#pragma once

#include "absl/strings/string_view.h"

namespace millrace::builtin {

inline constexpr absl::string_view kArg = "_Arg";
inline constexpr absl::string_view kRetval = "_Retval";
inline constexpr absl::string_view kSend = "_Send";
inline constexpr absl::string_view kRecv = "_Recv";
inline constexpr absl::string_view kConst = "Const";
inline constexpr absl::string_view kCast = "Cast";
inline constexpr absl::string_view kNoOp = "NoOp";
inline constexpr absl::string_view kSwitch = "Switch";
inline constexpr absl::string_view kMerge = "Merge";
inline constexpr absl::string_view kEnter = "Enter";
inline constexpr absl::string_view kNextIteration = "NextIteration";

}  // namespace millrace::builtin
