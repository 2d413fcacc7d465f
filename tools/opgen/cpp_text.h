// The C++ text of names, types and default values of a schema.
#pragma once

#include <string>

#include "millrace/graph/op_def.h"

namespace millrace::opgen {

// Returns `name` as an identifier: keywords of C++ and names that wrappers use
// themselves get a '_' at the end.
std::string Identifier(absl::string_view name);

// Returns the C++ type in which a wrapper takes an attribute of this kind, by
// value ("int64_t", "std::vector<DataType>", ...).
std::string AttrCppType(absl::string_view kind);
// Returns the same as a parameter: small types by value, others by const
// reference.
std::string AttrCppParameter(absl::string_view kind);

// Returns the initializer of a member with this default, with its "= "; "" if
// it equals the type's own default. Tensors and functions have none: their
// members are optional, and unset means the schema's default.
std::string DefaultInitializer(const AttrValue& value);

// Returns `text` as lines of a comment, at most 80 columns wide.
std::string Comment(absl::string_view text);

}  // namespace millrace::opgen
