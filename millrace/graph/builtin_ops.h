// The names of the ops of which the runtime itself adds nodes to graphs.
// Whether a node is of one of them says its role (op_traits.h).
#pragma once

namespace millrace::builtin {

inline constexpr char kArg[] = "_Arg";
inline constexpr char kRetval[] = "_Retval";
inline constexpr char kSend[] = "_Send";
inline constexpr char kRecv[] = "_Recv";
inline constexpr char kConst[] = "Const";
inline constexpr char kCast[] = "Cast";
inline constexpr char kNoOp[] = "NoOp";
inline constexpr char kSwitch[] = "Switch";
inline constexpr char kMerge[] = "Merge";
inline constexpr char kEnter[] = "Enter";
inline constexpr char kNextIteration[] = "NextIteration";

}  // namespace millrace::builtin
