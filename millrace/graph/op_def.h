// OpDef: the schema of an op, parsed from its declaration (or from a
// function's signature).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/graph/attr/attr_value.h"
#include "millrace/graph/op_decl.h"

namespace millrace {

// The types of a node's inputs or outputs.
using DataTypeVector = absl::InlinedVector<DataType, 16>;

// An input or output. Exactly one of type, type_attr and type_list_attr
// determines its type; number_attr makes it a sequence of that many tensors.
struct ArgDef {
  std::string name;
  DataType type = DataType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

struct AttrDef {
  std::string name;
  std::string kind;  // "type", "list(int)", "string", ...
  std::optional<AttrValue> default_value;
  std::optional<int64_t> minimum;  // of an int; of the length of a list
  AttrValue allowed;               // TypeList or StringList, or nothing
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  std::vector<std::string> control_outputs;  // of a function
  uint32_t flags = 0;  // of OpFlags; the first four are in the encoding
  // The following fields are not part of the schema's encoding.
  OpRole role = OpRole::kPlain;
  Law law = Law::kNone;
  int deprecated_version = 0;
  std::string deprecated_hint;
  ShapeFunction shape = nullptr;
  IntRule ints = nullptr;
  IntRule ints_of_shapes = nullptr;
  std::string doc;

  bool Is(OpFlags flag) const { return (flags & flag) != 0; }

  const AttrDef* FindAttr(absl::string_view name) const;
};

// Parses the texts of a declaration (grammar: op_decl.h). Returns
// INVALID_ARGUMENT that shows the position of the error.
StatusOr<OpDef> ParseOpDecl(const OpDecl& decl);

// Returns the types of a node's inputs or outputs, determined by its attributes
// (references as reference types). Returns INVALID_ARGUMENT if an attribute is
// missing or does not fit, and for more than kMaxArgs types.
inline constexpr int kMaxArgs = 1 << 20;
StatusOr<DataTypeVector> ArgTypes(const std::vector<ArgDef>& args,
                                  const AttrMap& attrs);

// Returns the position of an argument among a node's inputs or outputs, [begin,
// end); NOT_FOUND if there is no argument of that name.
struct ArgRange {
  int begin = 0;
  int end = 0;
};
StatusOr<ArgRange> FindArgRange(const std::vector<ArgDef>& args,
                                const AttrMap& attrs, absl::string_view name);

// Checks `attrs` of a node against the schema. Missing attributes get their
// default, empty lists the kind of the schema. Returns INVALID_ARGUMENT for
// wrong kinds, values that are not allowed and unknown attributes (except those
// that begin with '_'), with TensorFlow's messages, without the node.
Status CompleteAttrs(const OpDef& op, AttrMap* attrs);
// Checks one value against its attribute.
Status CheckAttr(const AttrDef& def, const AttrValue& value);
// Returns the error of a type that no attribute may have: none, an unknown one
// and a reference.
Status CheckTypeAttr(DataType type);

}  // namespace millrace
