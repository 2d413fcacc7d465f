// Cases that all optimizers have.
#pragma once

#include <vector>

#include "tests/cases/case.h"

namespace millrace::cases {

// The inputs of an optimizer: its variables, the scalars before the gradient
// and those after it. Variables after the first are positive.
struct Optimizer {
  int variables;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<AttrMap> attrs = {{}};
  bool global_step = false;  // the last scalar is one, as int64
};

// Adds cases of an op that takes a gradient of the variables' shape.
void DenseCases(CaseList& c, const Optimizer& o);
// Adds cases of an op that takes rows of a gradient and their indices.
// `bad_index` is in the error for an index out of bounds.
void SparseCases(CaseList& c, const Optimizer& o,
                 const char* bad_index = "out of range");
// Returns attributes with this one set, and with it not set.
std::vector<AttrMap> Both(const char* attr);

}  // namespace millrace::cases
