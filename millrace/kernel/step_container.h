// StepContainer: the resources that live for one step (TensorArrays, stacks).
#pragma once

#include <string>

#include "millrace/kernel/resource.h"

namespace millrace {

// Thread-safe; cleared when the step ends.
class StepContainer {
 public:
  StepContainer() : store_("step") {}
  ~StepContainer() { store_.ClearAll(); }
  ResourceStore& store() { return store_; }

 private:
  ResourceStore store_;
};

}  // namespace millrace
