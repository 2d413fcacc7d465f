#include "millrace/client/op_builder.h"

#include "absl/strings/str_cat.h"
#include "millrace/graph/builtin_ops.h"

namespace millrace {
namespace {

// Returns a list of values of one kind as an attribute.
AttrValue FunctionList(const std::vector<NameAttrList>& functions) {
  AttrValue::FuncList list;
  for (const NameAttrList& f : functions)
    list.push_back(std::make_shared<const NameAttrList>(f));
  return AttrValue(std::move(list));
}

}  // namespace

OpBuilder::OpBuilder(const Scope& scope, absl::string_view op)
    : scope_(scope), op_(op) {}

OpBuilder::~OpBuilder() = default;

OpBuilder& OpBuilder::In(const Input& input) {
  arguments_.push_back({.begin = inputs_.size(), .size = 1});
  inputs_.push_back(input);
  return *this;
}

OpBuilder& OpBuilder::In(const InputList& inputs) {
  arguments_.push_back(
      {.begin = inputs_.size(), .size = inputs.size(), .is_list = true});
  for (const Input& input : inputs.all()) inputs_.push_back(input);
  return *this;
}

OpBuilder& OpBuilder::Attr(const char* name, AttrValue value) {
  attrs_.Set(name, std::move(value));
  return *this;
}

#define MR_ATTR(...)                                                \
  OpBuilder& OpBuilder::Attr(const char* name, __VA_ARGS__ value) { \
    attrs_.Set(name, AttrValue(value));                             \
    return *this;                                                   \
  }
MR_ATTR(const std::string&)
MR_ATTR(int64_t)
MR_ATTR(float)
MR_ATTR(bool)
MR_ATTR(DataType)
MR_ATTR(const PartialShape&)
MR_ATTR(const Tensor&)
MR_ATTR(const NameAttrList&)
MR_ATTR(const std::vector<std::string>&)
MR_ATTR(const std::vector<int64_t>&)
MR_ATTR(const std::vector<float>&)
MR_ATTR(const std::vector<bool>&)
MR_ATTR(const std::vector<DataType>&)
MR_ATTR(const std::vector<PartialShape>&)
MR_ATTR(const std::vector<Tensor>&)
#undef MR_ATTR

OpBuilder& OpBuilder::Attr(const char* name,
                           const std::vector<NameAttrList>& value) {
  attrs_.Set(name, FunctionList(value));
  return *this;
}

OpBuilder& OpBuilder::Attr(const char* name,
                           const std::optional<Tensor>& value) {
  if (value) attrs_.Set(name, AttrValue(*value));
  return *this;
}

OpBuilder& OpBuilder::Attr(const char* name,
                           const std::optional<NameAttrList>& value) {
  if (value) attrs_.Set(name, AttrValue(*value));
  return *this;
}

Status OpBuilder::InferArgument(const ArgDef& arg,
                                absl::Span<const Input> inputs) {
  if (!arg.number_attr.empty()) {
    const int64_t number = static_cast<int64_t>(inputs.size());
    const AttrValue* given = attrs_.Find(arg.number_attr);
    if (given && !(*given == AttrValue(number))) {
      return InvalidArgument("List argument '", arg.name, "' to '", op_,
                             "' Op with length ", number,
                             " must match the length ", given->DebugString(),
                             " of another one.");
    }
    attrs_.Set(arg.number_attr, number);
  } else if (arg.type_list_attr.empty() && inputs.size() != 1) {
    return InvalidArgument("'", op_, "' Op takes one input '", arg.name,
                           "', not a list");
  }
  if (!arg.type_list_attr.empty()) {
    AttrValue::TypeList types;
    for (const Input& input : inputs) {
      if (input.is_literal()) MR_RETURN_IF_ERROR(input.literal().status());
      types.push_back(input.is_literal() ? input.literal().tensor().dtype()
                                         : input.output().dtype());
    }
    attrs_.Set(arg.type_list_attr, std::move(types));
    return OkStatus();
  }
  if (arg.type_attr.empty()) return OkStatus();
  for (const Input& input : inputs) {
    if (input.is_literal() && input.literal().weak()) continue;
    const DataType type = input.is_literal() ? input.literal().tensor().dtype()
                                             : input.output().dtype();
    const AttrValue* known = attrs_.Find(arg.type_attr);
    if (!known) {
      attrs_.Set(arg.type_attr, type);
      told_by_.emplace(arg.type_attr, arg.name);
    } else if (const DataType* t = known->get<DataType>(); t && *t != type) {
      const auto told = told_by_.find(arg.type_attr);
      return InvalidArgument(
          "Input '", arg.name, "' of '", op_, "' Op has type ",
          DataTypeName(type), " that does not match type ", DataTypeName(*t),
          told == told_by_.end()
              ? absl::StrCat(" of attr '", arg.type_attr, "'.")
              : absl::StrCat(" of argument '", told->second, "'."));
    }
  }
  return OkStatus();
}

// Infers a type from literals alone: the widest of theirs.
Status OpBuilder::InferFromLiterals(const ArgDef& arg,
                                    absl::Span<const Input> inputs) {
  for (const Input& input : inputs) {
    if (!input.is_literal()) continue;
    MR_RETURN_IF_ERROR(input.literal().status());
    if (arg.type_attr.empty() || told_by_.contains(arg.type_attr)) continue;
    const DataType type = input.literal().tensor().dtype();
    const AttrValue* known = attrs_.Find(arg.type_attr);
    const DataType* t = known ? known->get<DataType>() : nullptr;
    const DataType wider = t ? WiderType(*t, type) : type;
    // ArgumentType reports those that do not fit together.
    if (wider != DataType::kInvalid) attrs_.Set(arg.type_attr, wider);
  }
  return OkStatus();
}

Status OpBuilder::Infer(const OpDef& op) {
  if (arguments_.size() != op.inputs.size()) {
    return InvalidArgument("'", op_, "' Op takes ", op.inputs.size(),
                           " inputs, got ", arguments_.size());
  }
  // Types that the caller gave count as inferred.
  for (const auto& [name, value] : attrs_) {
    if (value.get<DataType>())
      told_by_.emplace(name, absl::StrCat("attr ", name));
  }
  Status status;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    status.Update(InferArgument(op.inputs[i], InputsOf(i)));
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    status.Update(InferFromLiterals(op.inputs[i], InputsOf(i)));
  }
  return status;
}

StatusOr<DataType> OpBuilder::ArgumentType(const ArgDef& arg,
                                           const Input& input) const {
  if (!arg.type_list_attr.empty()) return input.literal().tensor().dtype();
  if (arg.type_attr.empty()) return arg.type;
  return GetAttr<DataType>(attrs_, arg.type_attr);
}

Output OpBuilder::AddConstant(const Tensor& value, absl::string_view name) {
  ClientGraph::NodeSpec spec = scope_.NewNode();
  spec.name = scope_.graph().UniqueName(name);
  spec.op = builtin::kConst;
  spec.attrs.Set("value", value);
  spec.attrs.Set("dtype", value.dtype());
  auto constant = scope_.graph().AddNode(spec);
  if (!constant.ok()) {
    scope_.Fail(constant.status(), spec.name);
    return {};
  }
  return constant->output(0);
}

Status OpBuilder::AddInputs(const OpDef& op, absl::string_view name,
                            std::vector<Output>* outputs) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const ArgDef& arg = op.inputs[i];
    const absl::Span<const Input> inputs = InputsOf(i);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Input& input = inputs[k];
      if (!input.is_literal()) {
        if (!input.output()) {
          return InvalidArgument("Input '", arg.name, "' of '", op_,
                                 "' Op is a null output");
        }
        outputs->push_back(input.output());
        continue;
      }
      if (arg.is_ref) {
        return InvalidArgument("Input '", arg.name, "' of '", op_,
                               "' Op must be a variable, not a value");
      }
      MR_ASSIGN_OR_RETURN(const DataType type, ArgumentType(arg, input));
      auto value = input.literal().As(type);
      if (!value.ok()) {
        return Prefix(
            absl::StrCat("Input '", arg.name, "' of '", op_, "' Op: "),
            value.status());
      }
      const bool is_list = arguments_[i].is_list;
      outputs->push_back(AddConstant(
          *value, absl::StrCat(name, "/", arg.name,
                               is_list ? absl::StrCat("_", k) : "")));
      if (!outputs->back()) return scope_.status();
    }
  }
  return OkStatus();
}

// An op that takes a reference runs where the variable is, whatever device the
// scope requests.
Scope OpBuilder::BesideReferences(const OpDef& op,
                                  const std::vector<Output>& inputs) const {
  Scope place = scope_;
  size_t at = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    for (size_t k = 0; k < arguments_[i].size; ++k, ++at) {
      if (op.inputs[i].is_ref) place = place.ColocateWith(inputs[at]);
    }
  }
  return place;
}

Operation OpBuilder::Finish() {
  auto found = scope_.graph().FindOp(op_);
  if (!found.ok()) {
    scope_.Fail(found.status(), op_);
    return {};
  }
  def_ = *found;
  // Also after an error, so that lists of outputs have their length.
  const Status inferred = Infer(*def_);
  if (!scope_.ok()) return {};
  const std::string name = scope_.TakeOpName(op_);
  if (name.empty()) return {};
  Status status = inferred;
  std::vector<Output> inputs;
  if (status.ok()) status = AddInputs(*def_, name, &inputs);
  if (status.ok()) {
    const Scope place = BesideReferences(*def_, inputs);
    ClientGraph::NodeSpec spec = place.NewNode();
    spec.name = name;
    spec.op = op_;
    spec.inputs = inputs;
    for (const auto& [attr, value] : attrs_) spec.attrs.Set(attr, value);
    auto added = scope_.graph().AddNode(spec);
    if (added.ok()) {
      operation_ = *added;
      return operation_;
    }
    status = added.status();
  }
  scope_.Fail(status, name);
  return {};
}

AttrMap OpBuilder::NodeAttrs() const {
  const Node& node = *operation_.node();
  if (node.op == def_) return node.attrs;
  // The graph has made the name of a function a call of it.
  const auto function = GetAttr<AttrValue::Func>(node.attrs, "f");
  return function.ok() ? (*function)->attrs : node.attrs;
}

Output OpBuilder::Out(int i) const {
  if (!operation_) return {};
  auto range = FindArgRange(def_->outputs, NodeAttrs(), def_->outputs[i].name);
  return range.ok() ? operation_.output(range->begin) : Output();
}

std::vector<Output> OpBuilder::OutList(int i) const {
  if (!def_) return {};
  AttrMap attrs = operation_ ? NodeAttrs() : attrs_;
  // Types that are unknown after an error do not change the number of outputs.
  if (!operation_) {
    for (const AttrDef& attr : def_->attrs) {
      if (!attrs.Find(attr.name) && attr.default_value)
        attrs.Set(attr.name, *attr.default_value);
      if (!attrs.Find(attr.name) && attr.kind == "type")
        attrs.Set(attr.name, DataType::kFloat);
    }
  }
  auto range = FindArgRange(def_->outputs, attrs, def_->outputs[i].name);
  if (!range.ok()) return {};
  std::vector<Output> list;
  for (int port = range->begin; port < range->end; ++port)
    list.push_back(operation_.output(port));
  return list;
}

}  // namespace millrace
