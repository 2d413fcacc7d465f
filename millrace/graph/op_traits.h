// What the runtime and the passes know of an op beyond its signature. It is
// declared with the op (op_decl.h): nothing outside of ops/ lists op names, but
// for what tools/op_names.txt excuses.
#pragma once

#include <cstdint>

namespace millrace {

// The part that an op plays in a graph.
enum class OpRole : uint8_t {
  kPlain,  // a kernel computes its outputs
  kConstant,
  kNoOp,
  kControlTrigger,
  kArg,  // a function's argument, or a run's feed
  kRetval,
  kSend,  // into the step's rendezvous
  kRecv,
  kPlaceholder,
  kPlaceholderWithDefault,
  kCall,  // of the function of attribute `f`
  kStackPush,
  kStackPop,
  // Of conditionals and loops. Reference forms have the role of the value form.
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
};

constexpr bool IsControlFlow(OpRole role) { return role >= OpRole::kSwitch; }
constexpr bool IsPlaceholder(OpRole role) {
  return role == OpRole::kPlaceholder ||
         role == OpRole::kPlaceholderWithDefault;
}
// Whether a node belongs to the frame of a graph or a part of one, and not to
// what it computes: it stays, read or not.
constexpr bool IsBoundary(OpRole role) {
  return role == OpRole::kArg || role == OpRole::kRetval ||
         role == OpRole::kSend || role == OpRole::kRecv;
}

// When an op of one output gives what it was given.
enum class Law : uint8_t {
  kNone,
  kPassesOn,      // always
  kSameType,      // if both types are equal
  kOneInput,      // if it has one input
  kTimesOne,      // x * 1, 1 * x
  kOverOne,       // x / 1
  kMinusZero,     // x - 0
  kPlusZero,      // x + 0, 0 + x
  kUndoesItself,  // f(f(x)) is x
  kIdempotent,    // f(f(x)) is f(x)
};

enum OpFlags : uint32_t {
  kStateful = 1 << 0,
  kCommutative = 1 << 1,
  kAggregate = 1 << 2,
  kAllowsUninitialized = 1 << 3,
  // Hands out a variable, which is there as soon as somebody asks.
  kGivesVariable = 1 << 4,
  // Looks at a variable, changes nothing, and waits for nobody.
  kReadsVariable = 1 << 5,
  // Has other state, or looks at it, and changes nothing.
  kHasNoEffect = 1 << 6,
  // Fails the step on what must not be: it stays although nobody reads it.
  kChecks = 1 << 7,
  // Writes into the buffer of an input that is no reference.
  kChangesInput = 1 << 8,
  // State that a replica's device function puts on the parameter servers.
  kOnParameterServers = 1 << 9,
  // A function of one tensor that products apply to their results.
  kActivation = 1 << 10,
};

}  // namespace millrace
