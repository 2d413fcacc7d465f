// Material: what cases of odd inputs are made from, gathered from the samples
// of all ops.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cases/suite.h"

namespace millrace::fuzz {

// An op with a CPU kernel.
struct FuzzedOp {
  const OpDef* def = nullptr;
  std::string family;  // "" without samples
  std::vector<const cases::Case*> samples;
  std::vector<std::string> texts;  // strings of its samples
  bool check_shapes = true;        // outputs against the shape function
};

struct Material {
  const cases::Suite* suite = nullptr;
  std::vector<FuzzedOp> ops;
  // Nodes of samples that need no other node, by the type of their first
  // output: resources, variants and references to strings (older handles).
  std::map<DataType, std::vector<cases::CaseNode>> makers;
  std::vector<std::string> texts;  // of all ops, only some of each
};

// Requires: `suite` outlives the result.
Material Gather(const cases::Suite& suite);

// Returns the ops whose name or family is one of `names`; all if there are
// none. An unknown name is NOT_FOUND.
StatusOr<std::vector<const FuzzedOp*>> Select(
    const Material& material, const std::vector<std::string>& names);

}  // namespace millrace::fuzz
