// CallEffects: finds which nodes of a called function may run again for its
// gradient, with the same result as in the first run.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "millrace/graph/graph.h"

namespace millrace::ops {

// The object that a handle or a reference denotes: a variable, a tensor array,
// ...
struct StateOrigin {
  // Equal names denote the same object, different names different objects; ""
  // may be any object.
  std::string name;
  // Made by the run that uses it, so another run has its own.
  bool is_own = false;
  // The object is a tensor array whose elements stay when they are read.
  bool stays = false;
};

// The objects that may have changed since the function ran.
struct StateChanges {
  bool any = false;
  absl::flat_hash_set<std::string> names;

  void Add(const StateOrigin& origin);
  bool MayHave(const StateOrigin& origin) const;
};

// Facts about a function that are known at its call.
struct CallSurroundings {
  std::vector<StateOrigin> args;  // by number; others may be anything
  StateChanges changes;           // made by the functions that call it
};

// Finds the effects of the nodes of one graph: the body of a function, or a
// graph that calls functions. Calls are followed into the functions; each is
// examined once for the same arguments. For use by one thread.
class CallEffects {
 public:
  // `graph` must outlive this.
  CallEffects(const Graph* graph, CallSurroundings around);

  // Adds the changes that `node` makes. Requires: `node` runs before the
  // gradient does.
  void Runs(const Node& node);
  // Returns the surroundings given to the constructor with these changes added,
  // for the functions that nodes call.
  const CallSurroundings& surroundings() const { return around_; }

  // Returns OK if `node` may run again. Returns UNIMPLEMENTED with the reason
  // if it has effects, changes state, takes something away, or depends on
  // something that has changed since.
  Status MayRunAgain(const Node& node) const;

 private:
  const Graph* const graph_;
  CallSurroundings around_;
};

// Returns what a handle or reference denotes in a graph that calls functions.
StateOrigin OriginAround(const Graph& graph, OutputRef value,
                         const CallSurroundings& around);

// Returns the arguments that the body of a functional loop returns unchanged.
std::vector<int32_t> InvariantArgs(const Graph& body);

}  // namespace millrace::ops
