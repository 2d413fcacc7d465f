// FunctionTargets: where functions run that are called on another device than
// that of their caller.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/kernel/function_runner.h"

namespace millrace {

class FunctionLibrary;

// A function for a device of another task.
struct RemoteFunction {
  std::string device;  // full name
  NameAttrList function;
  // Has it and the functions that it calls.
  std::shared_ptr<const FunctionLibrary> library;
  std::vector<DataType> result_types;
};

// The owner of the devices provides it. Thread-safe.
class FunctionTargets {
 public:
  virtual ~FunctionTargets() = default;
  // Returns the device of this process with a full name; null if there is none,
  // or after End.
  virtual Device* Find(absl::string_view name) = 0;
  // Runs a function on another task, as a step of its own that ends with the
  // step of `environment`. Returns INTERNAL if it reaches no other tasks.
  virtual void RunRemote(const StepEnvironment& environment,
                         const RemoteFunction& function,
                         std::vector<Tensor> args,
                         FunctionRunner::RunDone done) = 0;
  // Called by the owner at the end of its session: data sets' iterators may
  // live on. Idempotent.
  virtual void End() = 0;
};

// Returns the INTERNAL of a device that is not known.
inline Status NoFunctionTarget(absl::string_view device) {
  return Internal("Currently don't support instantiating functions on device: ",
                  device);
}

}  // namespace millrace
