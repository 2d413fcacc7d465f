// Makes the cases of a round: an op with inputs and attributes of chance.
#pragma once

#include <memory>

#include "tests/fuzz/ops/material.h"

namespace millrace::fuzz {

// Returns case `number` of the op for the seed: a sample of the op with one to
// three changes, or an op whose inputs and attributes are all chance. The same
// arguments give the same case.
std::unique_ptr<cases::Case> MakeCase(const Material& material,
                                      const FuzzedOp& op, uint64_t seed,
                                      int64_t number);

// Returns the nodes of a case with inputs and attributes, a line each.
std::string Describe(const cases::Case& c);

}  // namespace millrace::fuzz
