// How the cases of an op are written: files x.cases.cc beside its kernels.
//
//   #include "tests/cases/case.h"
//
//   namespace millrace::cases {
//
//   MR_CASES(BiasAdd)(CaseList& c) {
//     c.Ok({F32({2, 3, 4}), F32({4})}).Gradient().Tolerance(1e-5);
//     c.Ok({F32({2, 4, 3, 3}), F32({4})}, {{"data_format", "NCHW"}});
//     c.EachType("T", [](CaseList& c, DataType t) {
//       c.Ok({Rand(t, {2, 3}), Rand(t, {3})});
//     });
//     c.Error({F32({2, 3}), F32({4})}, StatusCode::kInvalidArgument,
//             "Must provide as many biases as");
//   }
//
//   }  // namespace millrace::cases
//
// Every case is run by the generic tests (cases_test.cc): schema, shape
// function against the run, every kernel entry against the last one, 1 against
// 2 threads, inputs untouched, gradients, and stock TensorFlow, which must give
// the same values, dtypes, shapes, error codes and words. So expected values
// are not written down.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/graph/attr/attr_value.h"
#include "millrace/graph/op_def.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class KernelTable;

namespace cases {
class CaseList;
}

struct CasesDecl {
  const char* op;
  const char* file;
  void (*fill)(cases::CaseList&);
};

namespace cases {

using namespace millrace;  // NOLINT: the one using-directive of a cases file

using IntList = AttrValue::IntList;
using FloatList = AttrValue::FloatList;
using BoolList = AttrValue::BoolList;
using StringList = AttrValue::StringList;
using TypeList = AttrValue::TypeList;
using ShapeList = AttrValue::ShapeList;

// Short names, which most files of cases use.
inline constexpr DataType kFloat = DataType::kFloat;
inline constexpr DataType kDouble = DataType::kDouble;
inline constexpr DataType kInt32 = DataType::kInt32;
inline constexpr DataType kInt64 = DataType::kInt64;
inline constexpr DataType kString = DataType::kString;
inline constexpr DataType kIndexTypes[] = {kInt32, kInt64};
inline constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One input of a node: a value (fed), a variable that holds a value, or in a
// sequence the output of another node.
struct Value {
  enum class Kind { kFed, kVariable, kUninitialized, kNode };

  Value(Tensor t) : tensor(std::move(t)) {}                       // NOLINT
  Value(const char* output) : kind(Kind::kNode), node(output) {}  // NOLINT
  Value(std::string output)
      : kind(Kind::kNode), node(std::move(output)) {}  // NOLINT
  Value(Kind k, Tensor t) : kind(k), tensor(std::move(t)) {}

  Kind kind = Kind::kFed;
  Tensor tensor;
  std::string node;  // "q", "split:1"
};

// ---- Values. All are deterministic; two calls in one case differ. ----

// Random values in [lo, hi): floating and complex types any, integers and
// quantized types whole numbers; unsigned types start at 0 if lo < 0; bool
// both; strings are short words.
Value Rand(DataType type, TensorShape shape, double lo, double hi);
// The same in [-2, 2), whole numbers in [-9, 10).
Value Rand(DataType type, TensorShape shape);
inline Value F32(TensorShape s) { return Rand(DataType::kFloat, std::move(s)); }
inline Value F64(TensorShape s) {
  return Rand(DataType::kDouble, std::move(s));
}
inline Value I32(TensorShape s) { return Rand(DataType::kInt32, std::move(s)); }
inline Value I64(TensorShape s) { return Rand(DataType::kInt64, std::move(s)); }
inline Value U8(TensorShape s) { return Rand(DataType::kUint8, std::move(s)); }
inline Value Bool(TensorShape s) { return Rand(DataType::kBool, std::move(s)); }
inline Value C64(TensorShape s) {
  return Rand(DataType::kComplex64, std::move(s));
}
inline Value C128(TensorShape s) {
  return Rand(DataType::kComplex128, std::move(s));
}

// start, start + step, ... in row-major order.
Value Iota(DataType type, TensorShape shape, double start = 0, double step = 1);
// Whole numbers 0 ... n-1 in a mixed order: no two elements are equal (types
// of 8 bits wrap around).
Value Distinct(DataType type, TensorShape shape);
Value Full(DataType type, TensorShape shape, double value);
// Given values, converted to the type. bool: 0 is false. Strings: the number's
// decimal digits.
Value Of(DataType type, TensorShape shape,
         std::initializer_list<double> values);
inline Value Vec(DataType type, std::initializer_list<double> values) {
  return Of(type, TensorShape({static_cast<int64_t>(values.size())}), values);
}
inline Value Scalar(DataType type, double value) {
  return Of(type, {}, {value});
}
// int32 vectors and scalars, which are axes, sizes and indices so often.
inline Value Vec(std::initializer_list<double> values) {
  return Vec(DataType::kInt32, values);
}
inline Value Scalar(int value) { return Scalar(DataType::kInt32, value); }
// Exact values of a C++ type: Values<float>({1, 2}), Values<Half>({2, 1},
// {...}).
template <class T>
Value Values(std::initializer_list<T> values) {
  return Tensor::Vector<T>(values);
}
template <class T>
Value Values(TensorShape shape, std::initializer_list<T> values) {
  return Tensor::Of<T>(std::move(shape), values);
}
// Strings, which may hold zero bytes: Str({"a", std::string("b\0", 2)}).
Value Str(std::initializer_list<std::string> values);
Value Str(TensorShape shape, std::initializer_list<std::string> values);
Value StrScalar(std::string value);
// No elements: `shape` has a 0.
Value Empty(DataType type, TensorShape shape);
// Random values among which are, for floating types, NaN, infinities, both
// zeros, the smallest and largest numbers, for integers the extremes.
Value Mixed(DataType type, TensorShape shape);
// Floating types only: infinities, zeros and extremes, but no NaN.
Value MixedNoNan(DataType type, TensorShape shape);

// A variable with this value: a reference variable or a resource, as the
// schema says. Its value after the run is compared too.
inline Value Var(Value v) {
  return Value(Value::Kind::kVariable, std::move(v.tensor));
}
// A variable without a value.
inline Value Uninitialized(DataType type, TensorShape shape) {
  return Value(Value::Kind::kUninitialized,
               Tensor::Zeros(type, std::move(shape)));
}

// ---- Cases. ----

struct CaseNode {
  std::string name;
  std::string op;
  std::vector<Value> inputs;
  AttrMap attrs;  // those that the inputs do not tell (T, N, Tin, ...)
  std::vector<std::string> control_inputs;
};

struct CaseRun {
  // Nodes, all of whose outputs are compared, or single outputs "node:1".
  std::vector<std::string> fetches;
  StatusCode code = StatusCode::kOk;
  std::string words;
};

// A small graph and what is run of it. Most cases have one node, called "op".
class Case {
 public:
  // Shown in the report; unique within an op (numbered otherwise).
  Case& Name(std::string name);
  // |ours - stock| <= absolute + relative * |stock|. Without: integers, bool
  // and strings are equal; double 1e-12, float 1e-5, half 2e-3, bfloat16 2e-2,
  // both relative and absolute. The reference kernel is compared the same way.
  // A NaN equals a NaN.
  Case& Tolerance(double relative, double absolute);
  Case& Tolerance(double both) { return Tolerance(both, both); }
  // Within `n` units in the last place of the output's type.
  Case& Ulp(int n);
  // Bits are equal (NaNs all count as one).
  Case& Exact();
  // The op's gradient is checked by finite differences, for the floating
  // inputs with these numbers (none given: for all).
  Case& Gradient(std::vector<int> inputs = {});
  // Tolerance of that check; 1e-3 otherwise (the op is run in double if it
  // can).
  Case& GradientTolerance(double t);
  // Not run on stock TensorFlow, or a result that is allowed to differ. Cases
  // of an op in own_ops.txt are not run on stock anyway.
  Case& NoStock(std::string reason);
  Case& Deviates(std::string reason);
  // Run on stock only where the processor has this flag of /proc/cpuinfo;
  // anywhere if it is empty.
  Case& StockNeeds(std::string flag, std::string reason);
  // Values are chance: only dtypes and shapes are compared.
  Case& Random();
  // The result depends on the number of threads (asynchronous updates).
  Case& NoThreadCheck();
  Case& NoShapeCheck();
  // Stock refuses the op where it does not know its inputs' shapes, so they are
  // known there; otherwise a graph knows the inputs' types alone.
  Case& KnownShapes();
  // Kernel entries are not compared with the last one (they may differ).
  Case& NoReferenceCheck();
  // Input i of the (first) node is a variable that holds the value.
  Case& RefInput(int i);
  // Outputs with these numbers are not compared (undefined by contract).
  Case& IgnoreOutputs(std::vector<int> outputs);

  // Sequences. Nodes are added in an order in which inputs come first; inputs
  // are values or outputs of earlier nodes ("q", "split:1").
  Case& Node(std::string name, std::string op, std::vector<Value> inputs,
             AttrMap attrs = {}, std::vector<std::string> control_inputs = {});
  // One step: the named nodes and what they need. State stays from run to run.
  Case& Run(std::vector<std::string> fetches);
  Case& RunError(std::vector<std::string> fetches, StatusCode code,
                 std::string words);

  struct Options {
    std::string name;
    bool has_tolerance = false;
    double relative = 0, absolute = 0;
    int ulp = -1;
    bool gradient = false;
    std::vector<int> gradient_inputs;
    double gradient_tolerance = 1e-3;
    std::string no_stock, deviates;
    std::string stock_needs, stock_needs_why;
    bool random = false;
    bool thread_check = true, shape_check = true, reference_check = true;
    bool known_shapes = false;
    std::vector<int> ignored_outputs;
    // The error is found when the graph is built, not when it runs.
    bool build_error = false;
    StatusCode build_code = StatusCode::kOk;
    std::string build_words;
  };

  std::string op;  // whose case it is
  std::vector<CaseNode> nodes;
  std::vector<CaseRun> runs;
  Options options;
};

// Collects the cases of one op.
class CaseList {
 public:
  // `kernels` and `op` outlive the list.
  CaseList(const OpDef& op, const KernelTable& kernels);

  const OpDef& op() const { return op_; }

  // The op gives a result. Attributes that the inputs tell need not be given.
  Case& Ok(std::vector<Value> inputs, AttrMap attrs = {});
  // It gives this error when it runs; `words` are part of the message, in
  // stock's too.
  Case& Error(std::vector<Value> inputs, StatusCode code, std::string words) {
    return Error(std::move(inputs), {}, code, std::move(words));
  }
  Case& Error(std::vector<Value> inputs, AttrMap attrs, StatusCode code,
              std::string words);
  // Building the graph fails: the shape function, which sees the inputs as
  // constants, or the attributes. Stock's client says ValueError with `words`.
  Case& BuildError(std::vector<Value> inputs, AttrMap attrs, std::string words);
  // Several nodes or several runs.
  Case& Sequence(std::string name);

  // Calls `f` with every dtype below 24 that the CPU kernels allow for a type
  // attribute, but for resource and variant.
  void EachType(absl::string_view attr,
                absl::FunctionRef<void(CaseList&, DataType)> f);
  std::vector<DataType> AllowedTypes(absl::string_view attr) const;

  std::vector<std::unique_ptr<Case>>& cases() { return cases_; }

 private:
  const OpDef& op_;
  const KernelTable& kernels_;
  std::vector<std::unique_ptr<Case>> cases_;
};

// What stock needs for bfloat16 where it computes with oneDNN, for StockNeeds:
// empty for other types.
const char* FlagForBfloat16(DataType type);

// Starts the random values of an op's cases anew.
void ResetFills(absl::string_view op);

}  // namespace cases
}  // namespace millrace

#define MR_CASES(Name)                                                       \
  static void mr_case_fn_##Name(::millrace::cases::CaseList&);               \
  extern const ::millrace::CasesDecl mr_cases_##Name;                        \
  constinit const ::millrace::CasesDecl mr_cases_##Name{#Name, __FILE__,     \
                                                        &mr_case_fn_##Name}; \
  static void mr_case_fn_##Name
