// C++ texts of names, types and default values of a schema.
#pragma once

#include <string>

#include "millrace/graph/op_def.h"

namespace millrace::opgen {

// `name` as an identifier: keywords of C++ and names that wrappers use
// themselves get a '_' behind.
std::string Identifier(absl::string_view name);

// The C++ type in which a wrapper takes an attribute of this kind, by value
// ("int64_t", "std::vector<DataType>", ...).
std::string AttrCppType(absl::string_view kind);
// Same as a parameter: small types by value, others by const reference.
std::string AttrCppParameter(absl::string_view kind);

// The initializer of a member with this default, with its "= "; empty where
// the type's own default is meant. Tensors and functions have none: their
// members are optional, and unset means the schema's default.
std::string DefaultInitializer(const AttrValue& value);

// `text` as lines of a comment, at most 80 columns wide.
std::string Comment(absl::string_view text);

}  // namespace millrace::opgen
