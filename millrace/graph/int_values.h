// Arithmetic of shapes while a graph is built: the values of small int tensors
// of which some elements may be unknown.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "millrace/graph/graph.h"

namespace millrace {

// A scalar or vector of int32 or int64.
struct IntValue {
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMaxElements = 1024;

  DataType type = DataType::kInt32;
  bool is_scalar = false;
  absl::InlinedVector<int64_t, 8> v;

  int64_t size() const { return static_cast<int64_t>(v.size()); }
  bool IsKnown() const;
  Tensor ToTensor() const;  // only if IsKnown()
  // False for other types, higher ranks and many elements.
  static bool FromTensor(const Tensor& tensor, IntValue* out);
};

// What a rule sees of its node; the pointers may be null, for not known at all.
struct IntRuleInputs {
  const Node& node;
  absl::FunctionRef<const IntValue*(int input)> value;
  absl::FunctionRef<const PartialShape&(int input)> shape;
};

// Computes output `port` as far as it is known; false if nothing is.
using IntRule = bool (*)(const IntRuleInputs& in, int port, IntValue* out);

struct IntRuleEntry {
  const char* op;
  IntRule rule;
  bool from_shapes;  // needs shapes of inputs only, not their values
};

// Null if there is no rule for the op.
const IntRuleEntry* FindIntRule(absl::string_view op);

}  // namespace millrace
