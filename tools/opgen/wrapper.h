// The C++ wrapper of an op: which parameters it has, and its text.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"

namespace millrace::opgen {

// Public, current ops get a wrapper; internal ones ("_X") and deprecated ones
// do not, nor do those whose name the client gives to something more
// convenient: Const, Variable.
bool HasWrapper(const OpDef& op);

// An attribute is told by the inputs, or it is a parameter: a positional one
// without a default, a member of the options with one.
struct WrapperAttrs {
  std::vector<const AttrDef*> positional;
  std::vector<const AttrDef*> optional;
};
WrapperAttrs ClassifyAttrs(const OpDef& op);

// Comment, options, outputs and declaration; and the definition.
std::string DeclareWrapper(const OpDef& op);
std::string DefineWrapper(const OpDef& op);

// ops.gen.h and ops.gen.cc.
std::string WrapperHeader(const OpRegistry& ops);
std::string WrapperSource(const OpRegistry& ops);

}  // namespace millrace::opgen
