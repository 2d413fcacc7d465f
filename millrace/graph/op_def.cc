#include "millrace/graph/op_def.h"

#include "absl/strings/str_cat.h"

namespace millrace {
namespace {

// Appends the types of one argument.
Status AppendTypes(const ArgDef& arg, const AttrMap& attrs,
                   DataTypeVector* types) {
  const size_t begin = types->size();
  if (!arg.type_list_attr.empty()) {
    const AttrValue* value = attrs.Find(arg.type_list_attr);
    if (value != nullptr && value->get<AttrValue::TypeList>() != nullptr) {
      const auto& list = *value->get<AttrValue::TypeList>();
      types->insert(types->end(), list.begin(), list.end());
    } else {
      MR_ASSIGN_OR_RETURN(
          AttrValue::TypeList list,
          GetAttr<AttrValue::TypeList>(attrs, arg.type_list_attr));
      types->insert(types->end(), list.begin(), list.end());
    }
  } else {
    DataType type = arg.type;
    if (!arg.type_attr.empty()) {
      MR_ASSIGN_OR_RETURN(type, GetAttr<DataType>(attrs, arg.type_attr));
    }
    int64_t number = 1;
    if (!arg.number_attr.empty()) {
      MR_ASSIGN_OR_RETURN(number, GetAttr<int64_t>(attrs, arg.number_attr));
      if (number < 0 || number > kMaxArgs) {
        return InvalidArgument("Value for attr '", arg.number_attr, "' of ",
                               number, " must lie between 0 and ", kMaxArgs);
      }
    }
    types->insert(types->end(), static_cast<size_t>(number), type);
  }
  if (types->size() > static_cast<size_t>(kMaxArgs)) {
    return InvalidArgument("Too many arguments: more than ", kMaxArgs);
  }
  if (arg.is_ref) {
    for (size_t i = begin; i < types->size(); ++i) {
      if (!IsRef((*types)[i])) (*types)[i] = MakeRef((*types)[i]);
    }
  }
  return OkStatus();
}

}  // namespace

const AttrDef* OpDef::FindAttr(absl::string_view attr_name) const {
  for (const AttrDef& a : attrs) {
    if (a.name == attr_name) return &a;
  }
  return nullptr;
}

StatusOr<DataTypeVector> ArgTypes(const std::vector<ArgDef>& args,
                                  const AttrMap& attrs) {
  DataTypeVector types;
  for (const ArgDef& arg : args)
    MR_RETURN_IF_ERROR(AppendTypes(arg, attrs, &types));
  return types;
}

StatusOr<ArgRange> FindArgRange(const std::vector<ArgDef>& args,
                                const AttrMap& attrs, absl::string_view name) {
  DataTypeVector types;
  for (const ArgDef& arg : args) {
    const int begin = static_cast<int>(types.size());
    MR_RETURN_IF_ERROR(AppendTypes(arg, attrs, &types));
    if (arg.name == name)
      return ArgRange{begin, static_cast<int>(types.size())};
  }
  return NotFound("No argument named '", name, "'");
}

}  // namespace millrace
