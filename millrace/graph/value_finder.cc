#include "millrace/graph/value_finder.h"

#include <algorithm>

#include "millrace/graph/int_rules.h"

namespace millrace {
namespace {

bool HasReference(const Node& node) {
  const auto is_ref = [](DataType t) { return IsRef(t); };
  return std::any_of(node.input_types.begin(), node.input_types.end(),
                     is_ref) ||
         std::any_of(node.output_types.begin(), node.output_types.end(),
                     is_ref);
}

}  // namespace

ValueFinder::ValueFinder(const Graph* graph, const ConstantEvaluator* evaluate,
                         ShapeOf shape, MayHaveValue may_have_value)
    : graph_(graph),
      evaluate_(evaluate),
      shape_(std::move(shape)),
      may_have_value_(std::move(may_have_value)) {}

ValueFinder::Needs ValueFinder::NeedsOf(const Node& node) {
  if (node.op->ints_of_shapes != nullptr) return Needs::kNothing;
  if (node.op->ints != nullptr) return Needs::kSomeInput;
  // A placeholder with a default may still be fed.
  if (evaluate_ == nullptr || *evaluate_ == nullptr || node.inputs.empty() ||
      node.op->Is(kStateful) || IsControlFlow(node.op->role) ||
      HasReference(node) || IsPlaceholder(node.op->role)) {
    return Needs::kNever;
  }
  return Needs::kAllInputs;
}

const Tensor* ValueFinder::Find(OutputRef output) {
  Value* value = Compute(output);
  return value == nullptr ? nullptr : TensorOf(*value);
}

const IntValue* ValueFinder::FindInts(OutputRef output) {
  Value* value = Compute(output);
  return value == nullptr || !value->ints ? nullptr : &*value->ints;
}

const Tensor* ValueFinder::TensorOf(Value& value) {
  if (!value.tensor && value.ints && value.ints->IsKnown())
    value.tensor = value.ints->ToTensor();
  return value.tensor ? &*value.tensor : nullptr;
}

ValueFinder::Value* ValueFinder::Known(OutputRef output) {
  auto it = found_.find(output.node);
  if (it == found_.end() ||
      static_cast<size_t>(output.port) >= it->second.size())
    return nullptr;
  return &it->second[static_cast<size_t>(output.port)];
}

// Visits inputs first, with an explicit stack: chains may be long.
ValueFinder::Value* ValueFinder::Compute(OutputRef output) {
  if (output.node == kNoNode || !may_have_value_(output.node)) return nullptr;
  if (Value* known = Known(output)) return known;
  std::vector<NodeId> stack = {output.node};
  while (!stack.empty()) {
    const Node& node = *graph_->node(stack.back());
    auto [it, first_visit] = found_.try_emplace(node.id);
    Values& values = it->second;
    if (first_visit && node.op->ints_of_shapes == nullptr) {
      // An existing but empty entry is being computed: a loop ends at it.
      for (const OutputRef& in : node.inputs) {
        if (in.node != kNoNode && may_have_value_(in.node) &&
            !found_.contains(in.node)) {
          stack.push_back(in.node);
        }
      }
      if (graph_->node(stack.back()) != &node) continue;
    }
    stack.pop_back();
    if (values.empty()) {
      Values computed(static_cast<size_t>(node.num_outputs()));
      ComputeNode(node, &computed);
      found_[node.id] = std::move(computed);
    }
  }
  return Known(output);
}

void ValueFinder::ComputeNode(const Node& node, Values* out) {
  if (const AttrValue* value = node.attrs.Find("value");
      value != nullptr && node.op->role == OpRole::kConstant) {
    if (const Tensor* tensor = value->get<Tensor>()) (*out)[0].tensor = *tensor;
  }
  const IntRule rule = node.op->ints_of_shapes != nullptr
                           ? node.op->ints_of_shapes
                           : node.op->ints;
  if (rule != nullptr) {
    const auto value_of = [&](int input) -> const IntValue* {
      Value* v = Known(node.inputs[input]);
      return v == nullptr || !v->ints ? nullptr : &*v->ints;
    };
    const auto shape_of = [&](int input) -> const PartialShape& {
      return shape_(node.inputs[input]);
    };
    for (int port = 0; port < node.num_outputs(); ++port) {
      IntValue ints;
      if (rule({node, value_of, shape_of}, port, &ints))
        (*out)[port].ints = std::move(ints);
    }
  }
  if (std::none_of(out->begin(), out->end(),
                   [](const Value& v) { return v.tensor || v.ints; })) {
    Evaluate(node, out);
  }
}

// Calls the kernel if all inputs are known and everything is small.
void ValueFinder::Evaluate(const Node& node, Values* out) {
  if (evaluate_ == nullptr || *evaluate_ == nullptr || node.inputs.empty() ||
      node.op->Is(kStateful) || IsControlFlow(node.op->role) ||
      HasReference(node)) {
    return;
  }
  for (int port = 0; port < node.num_outputs(); ++port) {
    const int64_t n = shape_({node.id, port}).num_elements();
    const size_t element = std::max<size_t>(SizeOf(node.output_types[port]), 1);
    if (n < 0 || n > static_cast<int64_t>(kMaxEvaluatedBytes / element)) return;
  }
  std::vector<Tensor> inputs;
  for (const OutputRef& in : node.inputs) {
    Value* value = Known(in);
    const Tensor* tensor = value == nullptr ? nullptr : TensorOf(*value);
    if (tensor == nullptr || tensor->size_bytes() > kMaxEvaluatedBytes) return;
    inputs.push_back(*tensor);
  }
  std::optional<std::vector<Tensor>> results = (*evaluate_)(node, inputs);
  if (!results || results->size() != out->size()) return;
  for (size_t i = 0; i < out->size(); ++i) {
    Value& value = (*out)[i];
    value.tensor = std::move((*results)[i]);
    IntValue ints;
    if (IntValue::FromTensor(*value.tensor, &ints))
      value.ints = std::move(ints);
  }
}

}  // namespace millrace
