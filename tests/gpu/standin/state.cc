#include <cstdlib>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/objects.h"

namespace millrace::cuda::standin {

State& GetState() {
  static State* const state = new State;
  return *state;
}

ContextObject*& CurrentContext() {
  thread_local ContextObject* current = nullptr;
  return current;
}

Result BeginCall(const char* symbol) {
  const auto error = static_cast<Result>(CountCall(symbol));
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mu);
  if (error != Result::kSuccess) {
    ContextObject* const context = CurrentContext();
    if (EndsContext(error) && context != nullptr &&
        context->error == Result::kSuccess)
      context->error = error;
    return error;
  }
  return state.initialized ? Result::kSuccess : Result::kNotInitialized;
}

Result NeedContext(ContextObject** context) {
  *context = CurrentContext();
  if (*context == nullptr || (*context)->users == 0)
    return Result::kInvalidContext;
  return (*context)->error;
}

}  // namespace millrace::cuda::standin
