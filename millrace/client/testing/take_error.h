// TakeError: the error that building left in a graph, for tests that go on with
// the graph.
#pragma once

#include "millrace/client/scope.h"

namespace millrace {

// Returns the graph's first error and clears it; OK if there is none. `built`
// is what was built, which a call can be the argument for.
template <class T>
Status TakeError(const Scope& scope, const T& /*built*/) {
  const Status status = scope.status();
  scope.graph().ClearStatus();
  return status;
}

}  // namespace millrace
