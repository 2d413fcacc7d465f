#include "millrace/kernel/script_calls.h"

#include <atomic>

namespace millrace {
namespace {

constinit std::atomic<ScriptFunction> script_function{nullptr};

}  // namespace

void SetScriptFunction(ScriptFunction function) {
  script_function.store(function, std::memory_order_release);
}
ScriptFunction GetScriptFunction() {
  return script_function.load(std::memory_order_acquire);
}

}  // namespace millrace
