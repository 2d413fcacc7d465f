// ScriptCalls: functions of the client's language that ops of a graph call by
// their tokens (PyFunc). A process that runs such a language sets how they are
// called; in all others such ops fail.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// A call of the function `token`. Of EagerPyFunc `eager` is set: the function
// takes and returns what it would in eager execution. Blocks; any thread.
struct ScriptCall {
  const std::string& token;
  bool eager;
  const std::string& device;  // of the node
  absl::Span<const Tensor> inputs;
};
using ScriptFunction = Status (*)(const ScriptCall& call,
                                  std::vector<Tensor>* outputs);

// Sets how functions are called; null: not at all. Thread-safe.
void SetScriptFunction(ScriptFunction function);
ScriptFunction GetScriptFunction();

}  // namespace millrace
