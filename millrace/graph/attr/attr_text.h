// Texts of attributes, schemas and nodes for messages, in TensorFlow's form.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// "DT_FLOAT", as attributes show types.
std::string AttrTypeName(DataType type);
// "float, int32_ref"
std::string TypeNames(absl::Span<const DataType> types);
// "Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=[DT_HALF]>"
std::string SummarizeOp(const OpDef& op);
// "{{node n}} = Add[T=DT_FLOAT](a, b:1, ^c)"
std::string SummarizeNode(const NodeDef& node);
// "{{node n}}": what a client looks for in a message to find its node.
std::string NodeMark(absl::string_view name);

// INVALID_ARGUMENT "AttrValue had value with type 'int' when 'type' expected".
Status WrongAttrKind(const AttrValue& value, absl::string_view expected);

}  // namespace millrace
