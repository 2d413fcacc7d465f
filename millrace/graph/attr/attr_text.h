// Formats attributes, schemas and nodes for messages, as TensorFlow does.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "millrace/graph/graph_def.h"

namespace millrace {

// Returns "DT_FLOAT", the form of types in attributes.
std::string AttrTypeName(DataType type);
// Returns "float, int32_ref".
std::string TypeNames(absl::Span<const DataType> types);
// Returns "Op<name=Add; signature=x:T, y:T -> z:T;
// attr=T:type,allowed=[DT_HALF]>".
std::string SummarizeOp(const OpDef& op);
// Returns "{{node n}} = Add[T=DT_FLOAT](a, b:1, ^c)".
std::string SummarizeNode(const NodeDef& node);
// Returns "{{node n}}", by which a client finds its node in a message.
std::string NodeMark(absl::string_view name);

// Returns INVALID_ARGUMENT "AttrValue had value with type 'int' when 'type'
// expected".
Status WrongAttrKind(const AttrValue& value, absl::string_view expected);

}  // namespace millrace
