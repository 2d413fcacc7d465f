// OpBuilder: builds one node from inputs and attributes. The wrappers of
// ops.gen.h use it, and so can programs for ops without a wrapper.
//
//   OpBuilder op(scope, "MatMul");
//   op.In(a).In(b).Attr("transpose_b", true);
//   op.Finish();
//   Output product = op.Out(0);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace {

// Infers type and length attributes from inputs that are outputs and tensors;
// literals (input.h) are then converted to the inferred type. A literal becomes
// a constant "op/argument". An error is recorded in the graph and leaves null
// outputs, as many as the schema says. Not thread-safe.
class OpBuilder {
 public:
  // `op` is the name of an op or of a function of the graph.
  OpBuilder(const Scope& scope, absl::string_view op);
  ~OpBuilder();
  OpBuilder(const OpBuilder&) = delete;
  OpBuilder& operator=(const OpBuilder&) = delete;

  // Adds inputs, in the order of the schema.
  OpBuilder& In(const Input& input);
  OpBuilder& In(const InputList& inputs);
  OpBuilder& Attr(const char* name, AttrValue value);
  OpBuilder& Attr(const char* name, const std::string& value);
  OpBuilder& Attr(const char* name, int64_t value);
  OpBuilder& Attr(const char* name, float value);
  OpBuilder& Attr(const char* name, bool value);
  OpBuilder& Attr(const char* name, DataType value);
  OpBuilder& Attr(const char* name, const PartialShape& value);
  OpBuilder& Attr(const char* name, const Tensor& value);
  OpBuilder& Attr(const char* name, const NameAttrList& value);
  OpBuilder& Attr(const char* name, const std::vector<std::string>& value);
  OpBuilder& Attr(const char* name, const std::vector<int64_t>& value);
  OpBuilder& Attr(const char* name, const std::vector<float>& value);
  OpBuilder& Attr(const char* name, const std::vector<bool>& value);
  OpBuilder& Attr(const char* name, const std::vector<DataType>& value);
  OpBuilder& Attr(const char* name, const std::vector<PartialShape>& value);
  OpBuilder& Attr(const char* name, const std::vector<Tensor>& value);
  OpBuilder& Attr(const char* name, const std::vector<NameAttrList>& value);
  // Sets an attribute. nullopt stands for the schema's default.
  OpBuilder& Attr(const char* name, const std::optional<Tensor>& value);
  OpBuilder& Attr(const char* name, const std::optional<NameAttrList>& value);

  // Adds the node. Returns null after an error. Requires: called once.
  Operation Finish();

  // Returns the output of argument `i` of the schema, or its list of outputs.
  Output Out(int i) const;
  std::vector<Output> OutList(int i) const;

 private:
  // The inputs of one argument.
  struct Argument {
    size_t begin = 0;
    size_t size = 0;
    bool is_list = false;
  };
  absl::Span<const Input> InputsOf(size_t i) const {
    return absl::MakeConstSpan(inputs_).subspan(arguments_[i].begin,
                                                arguments_[i].size);
  }
  // Returns the attributes of the added node that `def_` knows.
  AttrMap NodeAttrs() const;
  Status Infer(const OpDef& op);
  Status InferArgument(const ArgDef& arg, absl::Span<const Input> inputs);
  Status InferFromLiterals(const ArgDef& arg, absl::Span<const Input> inputs);
  StatusOr<DataType> ArgumentType(const ArgDef& arg, const Input& input) const;
  Status AddInputs(const OpDef& op, absl::string_view name,
                   std::vector<Output>* outputs);
  Scope BesideReferences(const OpDef& op,
                         const std::vector<Output>& inputs) const;
  Output AddConstant(const Tensor& value, absl::string_view name);

  const Scope scope_;
  const std::string op_;
  const OpDef* def_ = nullptr;
  std::vector<Input> inputs_;
  absl::InlinedVector<Argument, 4> arguments_;
  AttrMap attrs_;
  // The argument from which each type attribute was inferred, for messages.
  absl::flat_hash_map<std::string, std::string> told_by_;
  Operation operation_;
};

}  // namespace millrace
