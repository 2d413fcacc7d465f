// The names of the ops whose nodes the runtime itself adds to graphs. To test
// whether a node has such an op, use its role (op_traits.h).
#pragma once

#include <cstdint>

namespace millrace::builtin {

inline constexpr char kArg[] = "_Arg";
inline constexpr char kRetval[] = "_Retval";
inline constexpr char kSend[] = "_Send";
inline constexpr char kRecv[] = "_Recv";
inline constexpr char kHostSend[] = "_HostSend";
inline constexpr char kHostRecv[] = "_HostRecv";
inline constexpr char kCopyToHost[] = "_CopyToHost";
inline constexpr char kCopyToDevice[] = "_CopyToDevice";
inline constexpr char kConst[] = "Const";
inline constexpr char kCast[] = "Cast";
inline constexpr char kNoOp[] = "NoOp";
inline constexpr char kIdentity[] = "Identity";
inline constexpr char kSwitch[] = "Switch";
inline constexpr char kRefSwitch[] = "RefSwitch";
inline constexpr char kMerge[] = "Merge";
inline constexpr char kEnter[] = "Enter";
inline constexpr char kRefEnter[] = "RefEnter";
inline constexpr char kNextIteration[] = "NextIteration";
inline constexpr char kCall[] = "PartitionedCall";
inline constexpr char kStatefulCall[] = "StatefulPartitionedCall";
inline constexpr char kSymbolicGradient[] = "SymbolicGradient";

// The attribute of a function's instance that names the call which it belongs
// to: a function with state has one for each call, as if calls were inlined.
// "a/b" is the call of node b in the function that node a calls.
inline constexpr char kCallPath[] = "_call_path";

// The attribute of a conditional or a loop of which not everything is read, and
// its element for the effects of what is called (function/read_results.h).
inline constexpr char kReadResults[] = "_read_results";
inline constexpr int64_t kReadEffects = -1;

}  // namespace millrace::builtin
