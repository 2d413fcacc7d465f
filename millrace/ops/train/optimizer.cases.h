// Cases that all optimizers have.
#pragma once

#include <vector>

#include "tests/cases/case.h"

namespace millrace::cases {

// What an optimizer takes: its variables, the scalars before and after the
// gradient. Variables after the first are positive.
struct Optimizer {
  int variables;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<AttrMap> attrs = {{}};
  bool global_step = false;  // the last scalar is one, of int64
};

// Adds cases of an op that takes a gradient of the variables' shape.
void DenseCases(CaseList& c, const Optimizer& o);
// Adds cases of an op that takes rows of a gradient and their indices. The
// error for an index outside the variables has the words `bad_index`.
void SparseCases(CaseList& c, const Optimizer& o,
                 const char* bad_index = "out of range");
// Attributes with this one set, and with it not set.
std::vector<AttrMap> Both(const char* attr);

}  // namespace millrace::cases
