// Properties of an op beyond its signature, for the runtime and the passes.
// They are declared with the op (op_decl.h): code outside ops/ does not list op
// names, except in the files of tools/op_names.txt.
#pragma once

#include <cstdint>

namespace millrace {

// The part that an op plays in a graph.
enum class OpRole : uint8_t {
  kPlain,  // a kernel computes its outputs
  kConstant,
  kNoOp,
  kControlTrigger,
  kArg,  // a function's argument, or a feed of a run
  kRetval,
  kSend,  // into the step's rendezvous
  kRecv,
  kPlaceholder,
  kPlaceholderWithDefault,
  kCall,  // calls the function of attribute `f`
  kStackPush,
  kStackPop,
  // Roles in conditionals and loops. Reference forms have the role of the value
  // form.
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
// Returns whether a node belongs to the frame of a graph or of a partition, and
// not to its computation: it stays, whether it is read or not.
constexpr bool IsBoundary(OpRole role) {
  return role == OpRole::kArg || role == OpRole::kRetval ||
         role == OpRole::kSend || role == OpRole::kRecv;
}

// The condition under which an op with one output returns its input.
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
  // Part of the schema's encoding.
  kStateful = 1 << 0,
  kCommutative = 1 << 1,
  kAggregate = 1 << 2,
  kAllowsUninitialized = 1 << 3,  // references as inputs
  // Outputs a variable, which is available at once.
  kGivesVariable = 1 << 4,
  // Reads a variable, changes nothing, and does not block.
  kReadsVariable = 1 << 5,
  // Has or reads other state, and changes nothing.
  kHasNoEffect = 1 << 6,
  // Fails the step if a condition does not hold: the node stays, even if it is
  // not read.
  kChecks = 1 << 7,
  // Writes into the buffer of an input that is not a reference.
  kChangesInput = 1 << 8,
  // Has state that a replica's device function places on the parameter servers.
  kOnParameterServers = 1 << 9,
  // A function of one tensor that products apply to their results.
  kActivation = 1 << 10,
  // Adds its two inputs, which may be the bias of a product.
  kAddition = 1 << 11,
  // Calls one of the functions of its attributes: its branches.
  kBranches = 1 << 12,
  // Calls the functions of attributes `cond` and `body` in turns.
  kLoops = 1 << 13,
  // Gives a data set, and says of its elements' shapes what nobody reads: they
  // may be none.
  kElementShapesUnread = 1 << 14,
  // May keep an input beyond the step: in a queue, in a table, in Python. What
  // is in a variant that the op gives is kept, too, without this flag.
  kKeepsInputs = 1 << 15,
};

}  // namespace millrace
