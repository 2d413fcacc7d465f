#include "millrace/graph/import_error.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

// A node may have many inputs, and each of their sources many outputs.
constexpr size_t kMostInputs = 100;

// Returns the value of an attribute of `node` or its default; null if neither
// is a T.
template <class T>
const T* Given(const OpDef& op, const AttrMap& attrs, absl::string_view name) {
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) {
    const AttrDef* def = op.FindAttr(name);
    if (def == nullptr || !def->default_value) return nullptr;
    value = &*def->default_value;
  }
  return value->get<T>();
}

bool GivesEmptyList(const AttrMap& attrs, absl::string_view name) {
  const AttrValue* value = attrs.Find(name);
  return value != nullptr && value->get<AttrValue::EmptyList>() != nullptr;
}

}  // namespace

// The types of a node's inputs or outputs as its attributes give them, which
// nobody has checked. A number in an attribute takes no memory here.
class ImportError::Types {
 public:
  // Returns the error of attributes that give no types. Where they lack or are
  // of another kind, `known()` is false after it.
  Status Read(const OpDef& op, const std::vector<ArgDef>& args,
              const AttrMap& attrs) {
    for (const ArgDef& arg : args) {
      if (known_) MR_RETURN_IF_ERROR(Add(op, arg, attrs));
    }
    return OkStatus();
  }
  // Those of a node that is checked.
  void Read(const DataTypeVector& types) {
    for (DataType type : types) Append(type, 1);
  }

  bool known() const { return known_; }
  int64_t size() const { return size_; }
  DataType at(int64_t i) const {
    for (const auto& [type, end] : parts_) {
      if (i < end) return type;
    }
    return DataType::kInvalid;
  }

 private:
  void Append(DataType type, int64_t number) {
    size_ += number;
    parts_.emplace_back(type, size_);
  }

  Status Add(const OpDef& op, const ArgDef& arg, const AttrMap& attrs) {
    const size_t begin = parts_.size();
    if (!arg.type_list_attr.empty()) {
      if (GivesEmptyList(attrs, arg.type_list_attr)) return OkStatus();
      const auto* list =
          Given<AttrValue::TypeList>(op, attrs, arg.type_list_attr);
      known_ = list != nullptr;
      if (!known_) return OkStatus();
      for (DataType type : *list) Append(type, 1);
    } else {
      int64_t number = 1;
      if (!arg.number_attr.empty()) {
        const auto* value = Given<int64_t>(op, attrs, arg.number_attr);
        known_ = value != nullptr;
        if (!known_) return OkStatus();
        number = *value;
        if (number > std::numeric_limits<int32_t>::max())
          return InvalidArgument("Number of outputs is too big: ", number);
        if (number < 0)
          return InvalidArgument("Value for number_attr() ", number, " < 0");
        // As in TensorFlow, which looks at the type only of such a list.
        const auto* type = Given<DataType>(op, attrs, arg.type_attr);
        if (type != nullptr) MR_RETURN_IF_ERROR(CheckTypeAttr(*type));
      }
      const DataType* type = arg.type_attr.empty()
                                 ? &arg.type
                                 : Given<DataType>(op, attrs, arg.type_attr);
      known_ = type != nullptr;
      if (known_) Append(*type, number);
    }
    return arg.is_ref ? MakeRefs(arg, begin) : OkStatus();
  }

  Status MakeRefs(const ArgDef& arg, size_t begin) {
    for (size_t i = begin; i < parts_.size(); ++i) {
      DataType& type = parts_[i].first;
      if (IsRef(type)) {
        return InvalidArgument("Requested reference to a reference type: ",
                               DataTypeName(type), " of '", arg.name, "'");
      }
      type = MakeRef(type);
    }
    return OkStatus();
  }

  std::vector<std::pair<DataType, int64_t>> parts_;  // a type and its end
  int64_t size_ = 0;
  bool known_ = true;
};

ImportError::ImportError(const GraphDef& def, const Graph& graph)
    : graph_(graph) {
  for (const NodeDef& node : def.nodes) by_name_.try_emplace(node.name, &node);
}

bool ImportError::ReadSource(absl::string_view name, Types* types) const {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) {
    const Node* node = graph_.Find(name);
    if (node != nullptr) types->Read(node->output_types);
    return node != nullptr;
  }
  const NodeDef& source = *it->second;
  const OpDef* op = graph_.ops().Find(source.op);
  if (op == nullptr) {
    const FunctionDef* function = graph_.library().Find(source.op);
    if (function == nullptr) return false;
    op = &function->signature;
  }
  return types->Read(*op, op->outputs, source.attrs).ok() && types->known();
}

Status ImportError::CheckEdge(const NodeDef& node, const Types& inputs,
                              size_t k) const {
  const TensorName input = SplitTensorName(node.inputs[k]);
  Types source;
  if (!ReadSource(input.node, &source)) return OkStatus();
  if (input.port < 0 || input.port >= source.size()) return OkStatus();
  const auto dst_port = static_cast<int64_t>(k);
  if (dst_port >= inputs.size()) {
    return InvalidArgument("Input ", dst_port, " of node ", node.name,
                           " does not exist. Node only has ", inputs.size(),
                           " inputs.");
  }
  const DataType actual = source.at(input.port);
  const DataType expected = inputs.at(dst_port);
  if (CanFeed(actual, expected)) return OkStatus();
  return InvalidArgument(
      "Input ", dst_port, " of node ", node.name, " was passed ",
      DataTypeName(actual), " from ", input.node, ":", input.port,
      " incompatible with expected ", DataTypeName(expected), ".");
}

Status ImportError::FirstOf(const NodeDef& node, const OpDef& op,
                            Status status) const {
  Types inputs;
  Types outputs;
  Status types = inputs.Read(op, op.inputs, node.attrs);
  types.Update(outputs.Read(op, op.outputs, node.attrs));
  // What the attributes give is told beside what is wrong with it.
  const auto first = [&](const Status& earlier) {
    return Annotate(earlier, absl::StrCat("; ", status.message()));
  };
  if (!types.ok()) {
    return first(
        Annotate(types, absl::StrCat("\n\t [[{{node ", node.name, "}}]]")));
  }
  if (!inputs.known()) return status;
  for (size_t k = 0; k < std::min(node.inputs.size(), kMostInputs); ++k) {
    if (absl::StartsWith(node.inputs[k], "^")) break;
    const Status edge = CheckEdge(node, inputs, k);
    if (!edge.ok()) return first(edge);
  }
  return status;
}

}  // namespace millrace
