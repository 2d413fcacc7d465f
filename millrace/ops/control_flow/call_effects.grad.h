// CallEffects: which nodes of a called function may run once more for its
// gradient, and would give again what they gave.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "millrace/graph/graph.h"

namespace millrace::ops {

// What a handle or a reference stands for: a variable, a tensor array, ...
struct StateOrigin {
  // Equal names: the same thing; others: another one. "": it may be any.
  std::string name;
  // Made by the run that uses it, so that another run has its own.
  bool is_own = false;
  // A tensor array whose elements stay when they are read.
  bool stays = false;
};

// What does not hold any more what it held when the function ran.
struct StateChanges {
  bool any = false;
  absl::flat_hash_set<std::string> names;

  void Add(const StateOrigin& origin);
  bool MayHave(const StateOrigin& origin) const;
};

// What is known of a function from where it is called.
struct CallSurroundings {
  std::vector<StateOrigin> args;  // by number; others may be anything
  StateChanges changes;           // by the functions that call it
};

// What the nodes of one graph do: the body of a function, or one that calls
// some.
// Calls are followed into the functions, each of which is looked at once for
// the same arguments. One thread.
class CallEffects {
 public:
  // `graph` outlives this.
  CallEffects(const Graph* graph, CallSurroundings around);

  // `node` runs before the gradient does: adds what it changes.
  void Runs(const Node& node);
  // What was given, with those changes: for the functions that nodes call.
  const CallSurroundings& surroundings() const { return around_; }

  // Whether `node` could run again. UNIMPLEMENTED says why not: it has effects,
  // changes state, takes something away or depends on what has changed since.
  Status MayRunAgain(const Node& node) const;

 private:
  const Graph* const graph_;
  CallSurroundings around_;
};

// What a handle or reference stands for in a graph that calls functions.
StateOrigin OriginAround(const Graph& graph, OutputRef value,
                         const CallSurroundings& around);

// Returns the arguments that the body of a functional loop gives on as they
// are.
std::vector<int32_t> InvariantArgs(const Graph& body);

}  // namespace millrace::ops
