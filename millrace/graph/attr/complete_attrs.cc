// Checks a node's attributes against the schema of its op.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/op_def.h"

namespace millrace {
namespace {

// `has` is how TensorFlow begins to speak of a type, or of one in a list.
Status CheckType(DataType type, absl::string_view has = "has") {
  if (type == DataType::kInvalid)
    return InvalidArgument("AttrValue ", has, " invalid DataType");
  if (!HasDataTypeName(type)) {
    return InvalidArgument("AttrValue has invalid DataType enum: ",
                           static_cast<int>(type));
  }
  if (IsRef(type)) {
    return InvalidArgument("AttrValue must not have reference type value of ",
                           DataTypeName(type));
  }
  return CheckedDataType(static_cast<int>(type)).status();
}

Status NotAllowed(const AttrDef& def, absl::string_view value) {
  const auto* types = def.allowed.get<AttrValue::TypeList>();
  std::string allowed;
  if (types != nullptr) {
    allowed = TypeNames(*types);
  } else if (const auto* texts = def.allowed.get<AttrValue::StringList>()) {
    allowed = absl::StrCat("\"", absl::StrJoin(*texts, "\", \""), "\"");
  }
  return InvalidArgument("Value for attr '", def.name, "' of ", value,
                         " is not in the list of allowed values: ", allowed,
                         "\n\t");
}

Status CheckAllowed(const AttrDef& def, DataType type) {
  const auto* allowed = def.allowed.get<AttrValue::TypeList>();
  if (allowed == nullptr ||
      std::find(allowed->begin(), allowed->end(), type) != allowed->end()) {
    return OkStatus();
  }
  return NotAllowed(def, DataTypeName(type));
}

Status CheckAllowed(const AttrDef& def, const std::string& text) {
  const auto* allowed = def.allowed.get<AttrValue::StringList>();
  if (allowed == nullptr ||
      std::find(allowed->begin(), allowed->end(), text) != allowed->end()) {
    return OkStatus();
  }
  return NotAllowed(def, AttrValue(text).DebugString());
}

template <class List>
Status CheckAllAllowed(const AttrDef& def, const AttrValue& value) {
  if (const List* list = value.get<List>()) {
    for (const auto& item : *list) MR_RETURN_IF_ERROR(CheckAllowed(def, item));
  }
  return OkStatus();
}

Status CheckTypes(const AttrDef& def, const AttrValue& value) {
  Status status;
  if (const DataType* type = value.get<DataType>()) {
    status = CheckType(*type);
  } else if (const auto* list = value.get<AttrValue::TypeList>()) {
    for (DataType t : *list) status.Update(CheckType(t, "contains"));
  }
  return status.ok() ? status
                     : Annotate(status, absl::StrCat("\n\t for attr '",
                                                     def.name, "'\n\t"));
}

Status CheckMinimum(const AttrDef& def, const AttrValue& value) {
  if (!def.minimum) return OkStatus();
  if (const int64_t* v = value.get<int64_t>()) {
    if (*v < *def.minimum) {
      return InvalidArgument("Value for attr '", def.name, "' of ", *v,
                             " must be at least minimum ", *def.minimum,
                             "\n\t");
    }
  } else if (value.list_size() < *def.minimum) {
    return InvalidArgument("Length for attr '", def.name, "' of ",
                           value.list_size(), " must be at least minimum ",
                           *def.minimum, "\n\t");
  }
  return OkStatus();
}

// Returns the empty list of a kind.
AttrValue EmptyListOf(absl::string_view kind) {
  if (kind == "list(string)") return AttrValue::StringList();
  if (kind == "list(int)") return AttrValue::IntList();
  if (kind == "list(float)") return AttrValue::FloatList();
  if (kind == "list(bool)") return AttrValue::BoolList();
  if (kind == "list(type)") return AttrValue::TypeList();
  if (kind == "list(shape)") return AttrValue::ShapeList();
  if (kind == "list(tensor)") return AttrValue::TensorList();
  return AttrValue::FuncList();
}

// Ends the attribute with the error of shapes that are none.
Status CheckElementShapes(const OpDef& op, AttrMap* attrs) {
  const AttrValue* const unfit = attrs->Find(kUnfitShapesAttr);
  if (unfit == nullptr) return OkStatus();
  if (!op.Is(kElementShapesUnread)) {
    const auto* const text = unfit->get<std::string>();
    return InvalidArgument(text != nullptr ? *text : unfit->DebugString(), "; ",
                           SummarizeOp(op));
  }
  attrs->Erase(kUnfitShapesAttr);
  return OkStatus();
}

Status UnknownAttr(const OpDef& op, const AttrMap& attrs) {
  for (const auto& [name, value] : attrs) {
    if (absl::StartsWith(name, "_") || op.FindAttr(name) != nullptr) continue;
    return InvalidArgument(
        "NodeDef mentions attr '", name, "' not in ", SummarizeOp(op),
        "; the attributes of newer clients are only taken with values that "
        "change nothing");
  }
  return OkStatus();
}

}  // namespace

Status CheckTypeAttr(DataType type) { return CheckType(type); }

Status CheckAttr(const AttrDef& def, const AttrValue& value) {
  const bool empty_list = value.get<AttrValue::EmptyList>() != nullptr;
  if (empty_list ? !absl::StartsWith(def.kind, "list(")
                 : !value.IsKind(def.kind)) {
    return Annotate(WrongAttrKind(value, def.kind),
                    absl::StrCat("\n\t for attr '", def.name, "'\n\t"));
  }
  MR_RETURN_IF_ERROR(CheckTypes(def, value));
  MR_RETURN_IF_ERROR(CheckMinimum(def, value));
  if (!def.allowed.has_value()) return OkStatus();
  if (const DataType* type = value.get<DataType>())
    return CheckAllowed(def, *type);
  if (const auto* text = value.get<std::string>())
    return CheckAllowed(def, *text);
  MR_RETURN_IF_ERROR(CheckAllAllowed<AttrValue::TypeList>(def, value));
  return CheckAllAllowed<AttrValue::StringList>(def, value);
}

Status CompleteAttrs(const OpDef& op, AttrMap* attrs) {
  MR_RETURN_IF_ERROR(CheckElementShapes(op, attrs));
  size_t known = 0;
  for (const AttrDef& def : op.attrs) {
    const AttrValue* value = attrs->Find(def.name);
    if (value == nullptr) {
      if (!def.default_value) {
        return InvalidArgument("NodeDef missing attr '", def.name, "' from ",
                               SummarizeOp(op));
      }
      attrs->Set(def.name, *def.default_value);
    } else {
      const Status status = CheckAttr(def, *value);
      if (!status.ok())
        return Annotate(status, absl::StrCat("; ", SummarizeOp(op)));
      if (value->get<AttrValue::EmptyList>() != nullptr) {
        attrs->Set(def.name, EmptyListOf(def.kind));
      }
    }
    ++known;
  }
  return known == attrs->size() ? OkStatus() : UnknownAttr(op, *attrs);
}

}  // namespace millrace
