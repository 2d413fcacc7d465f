#include "tests/fuzz/ops/case_maker.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/cases/bind.h"
#include "tests/fuzz/ops/odd_values.h"

namespace millrace::fuzz {
namespace {

using cases::Case;
using cases::CaseNode;
using cases::Value;

uint64_t SeedOf(absl::string_view op, uint64_t seed, int64_t number) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (char c : op) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return Rng(hash ^ Rng(static_cast<uint64_t>(number))())();
}

class Maker {
 public:
  Maker(const Material& material, const FuzzedOp& op, uint64_t seed)
      : material_(material),
        op_(op),
        odd_(material, op, seed),
        case_(std::make_unique<Case>()) {}

  std::unique_ptr<Case> Make() {
    if (op_.samples.empty() || odd_.OneIn(3)) {
      FromNothing();
    } else {
      FromSample();
    }
    case_->op = op_.def->name;
    case_->options.build_error = false;
    if (case_->runs.empty()) case_->Run({case_->nodes.back().name});
    return std::move(case_);
  }

 private:
  // ---- All by chance.

  void FromNothing() {
    CaseNode node;
    node.name = "op";
    node.op = op_.def->name;
    StatusOr<DataTypeVector> types = InvalidArgument("none yet");
    // Attributes that no graph may have are refused before anything runs.
    for (int tries = 0; tries < 5 && !types.ok(); ++tries) {
      node.attrs = AttrMap();
      for (const AttrDef& attr : op_.def->attrs) {
        if (!attr.default_value || odd_.OneIn(2))
          node.attrs.Set(attr.name, odd_.Attr(attr));
      }
      AttrMap complete = node.attrs;
      const Status fits = CompleteAttrs(*op_.def, &complete);
      if (!fits.ok()) {
        types = fits;
        continue;
      }
      node.attrs = complete;
      types = ArgTypes(op_.def->inputs, complete);
      if (types.ok() && types->size() > kMostInputs)
        types = InvalidArgument("too many inputs");
    }
    if (types.ok()) {
      for (DataType type : *types) node.inputs.push_back(Input(type, &node));
    }
    case_->nodes.push_back(std::move(node));
  }

  Value Input(DataType type, CaseNode* node) {
    if (type == MakeRef(DataType::kString) && !odd_.OneIn(4) && CanMake(type)) {
      return MadeHandle(type, node);
    }
    if (IsRef(type)) {
      const Tensor value = odd_.Of(RemoveRef(type));
      return odd_.OneIn(5) ? Value(Value::Kind::kUninitialized, value)
                           : cases::Var(value);
    }
    if (type == DataType::kResource) return Resource(node);
    if (type == DataType::kVariant && !odd_.OneIn(4) && CanMake(type))
      return MadeHandle(type, node);
    return odd_.Of(type);
  }

  Value Resource(CaseNode* node) {
    const uint64_t kind = odd_.Below(20);
    if (kind < 11 && CanMake(DataType::kResource))
      return MadeHandle(DataType::kResource, node);
    if (kind < 16) {
      static constexpr DataType kTypes[] = {DataType::kFloat, DataType::kFloat,
                                            DataType::kInt32, DataType::kString,
                                            DataType::kComplex64};
      const Tensor value = odd_.Of(odd_.OneOf(kTypes));
      return kind == 15 ? Value(Value::Kind::kUninitialized, value)
                        : cases::Var(value);
    }
    return odd_.Of(DataType::kResource,
                   odd_.OneIn(2) ? TensorShape() : odd_.Shape());
  }

  bool CanMake(DataType type) const {
    return made_ < kMostMade && material_.makers.contains(type);
  }

  // A handle of any class, from a node of its own; sometimes of a resource that
  // has been destroyed before `node` runs.
  Value MadeHandle(DataType type, CaseNode* node) {
    CaseNode maker = odd_.OneOf(material_.makers.at(type));
    maker.name = absl::StrCat("made", made_);
    case_->nodes.insert(case_->nodes.begin() + made_, maker);
    if (type == DataType::kResource && odd_.OneIn(6) &&
        material_.suite->ops->Find("DestroyResourceOp") != nullptr) {
      ++made_;
      const std::string name = absl::StrCat("ended", made_);
      case_->nodes.insert(case_->nodes.begin() + made_,
                          CaseNode{name,
                                   "DestroyResourceOp",
                                   {Value(maker.name)},
                                   {{"ignore_lookup_error", true}},
                                   {}});
      node->control_inputs.push_back(name);
    }
    ++made_;
    return Value(maker.name);
  }

  // ---- A sample with changes.

  void FromSample() {
    *case_ = *odd_.OneOf(op_.samples);
    const StatusOr<cases::BoundCase> bound =
        cases::Bind(*case_, *material_.suite->ops, /*lenient=*/true);
    std::vector<size_t> own;
    for (size_t i = 0; i < case_->nodes.size(); ++i) {
      if (case_->nodes[i].op == op_.def->name) own.push_back(i);
    }
    if (own.empty()) own.push_back(case_->nodes.size() - 1);
    const size_t at = odd_.OneOf(own);
    // Nodes are put before this one while it changes.
    CaseNode node = case_->nodes[at];
    const DataTypeVector types =
        bound.ok() ? bound->nodes[at].info.input_types : DataTypeVector();
    for (uint64_t i = 0, n = 1 + odd_.Below(3); i < n; ++i)
      Change(&node, types);
    case_->nodes[at + static_cast<size_t>(made_)] = std::move(node);
  }

  void Change(CaseNode* node, const DataTypeVector& types) {
    const OpDef& def = *op_.def;
    if (node->op == def.name && !def.attrs.empty() &&
        (odd_.OneIn(4) || node->inputs.empty())) {
      const AttrDef& attr = odd_.OneOf(def.attrs);
      // Other types and lengths than those of the inputs are refused.
      if (attr.kind != "type" || odd_.OneIn(10))
        node->attrs.Set(attr.name, odd_.Attr(attr));
      return;
    }
    if (node->inputs.empty()) return;
    const size_t i = odd_.Below(node->inputs.size());
    if (odd_.OneIn(12)) return ChangeLength(node, i);
    Value& value = node->inputs[i];
    const DataType type = i < types.size() ? types[i] : value.tensor.dtype();
    if (type == DataType::kResource || type == DataType::kVariant ||
        type == MakeRef(DataType::kString)) {
      // Most handles stay what they are, so that the rest is reached.
      if (odd_.OneIn(3)) value = Input(type, node);
    } else if (value.kind == Value::Kind::kVariable && odd_.OneIn(6)) {
      value.kind = Value::Kind::kUninitialized;
    } else if (value.kind != Value::Kind::kNode) {
      value.tensor = odd_.Changed(value.tensor);
    } else if (!IsRef(type) && type != DataType::kInvalid && odd_.OneIn(2)) {
      value = odd_.Of(type);
    }
  }

  // The inputs tell the lengths that the sample leaves out.
  void ChangeLength(CaseNode* node, size_t i) {
    auto& inputs = node->inputs;
    const auto at = inputs.begin() + static_cast<int64_t>(i);
    if (odd_.OneIn(2)) {
      inputs.erase(at);
    } else {
      const Value copy = *at;
      inputs.insert(at, odd_.OneIn(10) ? 40 : 1, copy);
    }
  }

  static constexpr size_t kMostInputs = 1100;
  static constexpr int kMostMade = 6;
  const Material& material_;
  const FuzzedOp& op_;
  OddValues odd_;
  std::unique_ptr<Case> case_;
  int made_ = 0;  // nodes at the front of the case
};

std::string Shortened(std::string text) {
  constexpr size_t kLongest = 300;
  if (text.size() > kLongest) {
    text.resize(kLongest);
    text += "...";
  }
  return text;
}

std::string TextOf(const Value& value) {
  if (value.kind == Value::Kind::kNode)
    return absl::StrCat("output ", value.node);
  const std::string tensor = Shortened(value.tensor.DebugString());
  switch (value.kind) {
    case Value::Kind::kFed:
      return tensor;
    case Value::Kind::kVariable:
      return absl::StrCat("variable of ", tensor);
    case Value::Kind::kUninitialized:
      return absl::StrCat("uninitialized ", tensor);
    case Value::Kind::kNode:
      break;
  }
  return "";
}

}  // namespace

std::unique_ptr<Case> MakeCase(const Material& material, const FuzzedOp& op,
                               uint64_t seed, int64_t number) {
  // Values of samples come from a generator that all share.
  cases::ResetFills(absl::StrCat(op.def->name, "/", seed, "/", number));
  std::unique_ptr<Case> made =
      Maker(material, op, SeedOf(op.def->name, seed, number)).Make();
  made->options.name = absl::StrCat("seed ", seed, ", case ", number);
  return made;
}

std::string Describe(const Case& c) {
  std::string text;
  for (const CaseNode& node : c.nodes) {
    absl::StrAppend(&text, "  ", node.name, " = ", node.op);
    for (const auto& [name, value] : node.attrs) {
      absl::StrAppend(&text, " ", name, "=",
                      absl::Utf8SafeCHexEscape(Shortened(value.DebugString())));
    }
    absl::StrAppend(&text, "\n");
    size_t shown = 0;
    for (const Value& value : node.inputs) {
      if (++shown > 20) {
        absl::StrAppend(&text, "    ... ", node.inputs.size(), " inputs\n");
        break;
      }
      absl::StrAppend(&text, "    ", TextOf(value), "\n");
    }
  }
  return text;
}

}  // namespace millrace::fuzz
