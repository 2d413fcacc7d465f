// Declares an op as constinit data, without registration at start-up.
//
//   MR_OP(BiasAdd) {
//     .inputs  = "value: T, bias: T",
//     .outputs = "output: T",
//     .attrs   = "T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
//     .shape   = [](ShapeContext& c) -> Status { ... },
//     .doc     = "Adds a vector along the channel dimension.",
//   };
//
// Grammar (TensorFlow's), args and attrs being lists of these:
//   arg:     name ": " [number attr " * "] one of: dtype, type attr, list(type)
//            attr, Ref(one of these); separated by ","
//   attr:    name ": " kind [">= minimum"] ["= default"]; separated by ";"
//   kind:    string int float bool type shape tensor func, list(kind),
//            {a, b} of types or quoted strings, list({...}), numbertype,
//            realnumbertype, quantizedtype
//   default: as JSON, strings also in single quotes; Infinity, -Infinity, NaN;
//            a type by name, with or without quotes; a shape [2, -1], or null
//            for an unknown rank; a function by name; a tensor as a vector with
//            its type, uint8[255, 0, 0, 255]; a list [a, b]
// A malformed text is a compile error; defaults are checked when a registry is
// built.
#pragma once

#include <cstdint>
#include <string_view>

#include "millrace/base/status.h"
#include "millrace/graph/op_traits.h"
#include "millrace/graph/signature_check.h"

namespace millrace {

class ShapeContext;

// Infers output shapes; see shape_context.h.
using ShapeFunction = Status (*)(ShapeContext&);

struct IntRuleInputs;
struct IntValue;

// Computes output `port` as far as it is known, and returns whether any of it
// is; see int_rules.h.
using IntRule = bool (*)(const IntRuleInputs& in, int port, IntValue* out);

struct OpFields {
  const char* inputs = "";
  const char* outputs = "";
  const char* attrs = "";
  uint32_t flags = 0;  // of OpFlags
  OpRole role = OpRole::kPlain;
  Law law = Law::kNone;
  ShapeFunction shape = nullptr;  // null: outputs of unknown shape
  // Compute the values of small integer outputs while a graph is built, from
  // the values of the inputs, or from the inputs' shapes alone. At most one of
  // the two is set.
  IntRule ints = nullptr;
  IntRule ints_of_shapes = nullptr;
  const char* doc = "";
  int deprecated_version = 0;  // GraphDef version from which it is refused
  const char* deprecated_hint = "";
};

struct OpDecl {
  const char* name;
  OpFields fields;
};

namespace internal {
struct OpName {
  const char* name;
};
consteval OpDecl operator|(OpName name, OpFields fields) {
  CheckSignature(fields.inputs, fields.outputs, fields.attrs);
  return {name.name, fields};
}
}  // namespace internal

}  // namespace millrace

#define MR_OP(Name)                                 \
  extern const ::millrace::OpDecl mr_op_##Name;     \
  constinit const ::millrace::OpDecl mr_op_##Name = \
      ::millrace::internal::OpName{#Name} | ::millrace::OpFields
