// The C++ wrapper of an op: its parameters and its text.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"

namespace millrace::opgen {

// Returns whether an op gets a wrapper. Public, current ops do; internal ones
// ("_X") and deprecated ones do not, nor do those whose name the client uses
// for something more convenient: Const, Variable.
bool HasWrapper(const OpDef& op);

// An attribute is inferred from the inputs, or it is a parameter: a positional
// one if it has no default, otherwise a member of the options.
struct WrapperAttrs {
  std::vector<const AttrDef*> positional;
  std::vector<const AttrDef*> optional;
};
WrapperAttrs ClassifyAttrs(const OpDef& op);

// Return comment, options, outputs and declaration; and the definition.
std::string DeclareWrapper(const OpDef& op);
std::string DefineWrapper(const OpDef& op);

// Return the text of ops.gen.h and ops.gen.cc.
std::string WrapperHeader(const OpRegistry& ops);
std::string WrapperSource(const OpRegistry& ops);

}  // namespace millrace::opgen
