// StepContainer: the resources that live for one step (TensorArrays, stacks).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/resource.h"

namespace millrace {

// Thread-safe; cleared when the step ends.
class StepContainer {
 public:
  // Every container of the store exists: whether a step has made a resource
  // yet, which nodes that run beside each other decide, is in no error.
  StepContainer() : store_("step", /*all_exist=*/true) {}
  ~StepContainer() { store_.ClearAll(); }
  ResourceStore& store() { return store_; }
  // Returns the name of the container in the store of a step's resources.
  static std::string NameOf(int64_t step_id) {
    return absl::StrCat("__per_step_", step_id);
  }

 private:
  ResourceStore store_;
};

}  // namespace millrace
