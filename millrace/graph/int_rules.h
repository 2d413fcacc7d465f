// Arithmetic of shapes while a graph is built: rules by which ops compute the
// values of small integer tensors, as far as they are known. An op names its
// rule in its declaration (`ints`, `ints_of_shapes`).
#pragma once

#include "absl/functional/function_ref.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/int_values.h"

namespace millrace {

// The node that a rule is applied to. The pointers may be null if nothing is
// known.
struct IntRuleInputs {
  const Node& node;
  absl::FunctionRef<const IntValue*(int input)> value;
  absl::FunctionRef<const PartialShape&(int input)> shape;
};

namespace int_rules {

// Rules that use the attributes or the inputs' shapes.
bool Constant(const IntRuleInputs& in, int port, IntValue* out);
bool Shape(const IntRuleInputs& in, int port, IntValue* out);
bool Size(const IntRuleInputs& in, int port, IntValue* out);
bool Rank(const IntRuleInputs& in, int port, IntValue* out);

// Rules that use the inputs' values. Same returns the value of the first input.
bool Same(const IntRuleInputs& in, int port, IntValue* out);
bool Enter(const IntRuleInputs& in, int port, IntValue* out);
bool Pack(const IntRuleInputs& in, int port, IntValue* out);
bool Unpack(const IntRuleInputs& in, int port, IntValue* out);
bool Concat(const IntRuleInputs& in, int port, IntValue* out);
bool ConcatV2(const IntRuleInputs& in, int port, IntValue* out);
bool StridedSlice(const IntRuleInputs& in, int port, IntValue* out);
bool Slice(const IntRuleInputs& in, int port, IntValue* out);
bool Gather(const IntRuleInputs& in, int port, IntValue* out);
bool ExpandDims(const IntRuleInputs& in, int port, IntValue* out);
bool Squeeze(const IntRuleInputs& in, int port, IntValue* out);
bool Reshape(const IntRuleInputs& in, int port, IntValue* out);
bool Fill(const IntRuleInputs& in, int port, IntValue* out);
bool Range(const IntRuleInputs& in, int port, IntValue* out);

// Element-wise rules for two inputs of one size, or one of which has one
// element.
bool Add(const IntRuleInputs& in, int port, IntValue* out);
bool Subtract(const IntRuleInputs& in, int port, IntValue* out);
bool Multiply(const IntRuleInputs& in, int port, IntValue* out);
bool Divide(const IntRuleInputs& in, int port, IntValue* out);
bool FloorDivide(const IntRuleInputs& in, int port, IntValue* out);
bool FloorMod(const IntRuleInputs& in, int port, IntValue* out);
bool Maximum(const IntRuleInputs& in, int port, IntValue* out);
bool Minimum(const IntRuleInputs& in, int port, IntValue* out);

// Reductions of a whole vector.
bool Sum(const IntRuleInputs& in, int port, IntValue* out);
bool Product(const IntRuleInputs& in, int port, IntValue* out);
bool ReduceMax(const IntRuleInputs& in, int port, IntValue* out);
bool ReduceMin(const IntRuleInputs& in, int port, IntValue* out);

}  // namespace int_rules
}  // namespace millrace
