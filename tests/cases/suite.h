// All cases of all ops, with the tables that they need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"
#include "tests/cases/case.h"

namespace millrace::cases {

struct OpCases {
  std::string family;  // folder below millrace/ops
  const OpDef* op = nullptr;
  std::vector<std::unique_ptr<Case>> cases;  // each with a name
};

struct Suite {
  std::unique_ptr<const OpRegistry> ops;
  KernelTable kernels;
  std::vector<OpCases> op_cases;
};

// The tables of the program. Aborts where declarations do not parse or cases
// belong to no op.
std::unique_ptr<Suite> LoadSuite();

}  // namespace millrace::cases
