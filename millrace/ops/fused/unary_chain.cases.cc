#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// It may come with another version of stock.
constexpr char kLacks[] = "stock's chains have other ops";

AttrMap Chain(StringList ops) {
  AttrMap attrs;
  attrs.Set("op_names", std::move(ops));
  return attrs;
}

}  // namespace

MR_CASES(_UnaryOpsComposition)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = t == DataType::kHalf     ? 2e-2
                             : t == DataType::kDouble ? 1e-10
                                                      : 1e-4;
    c.Ok({Rand(t, {5, 7}, 1, 2)}, Chain({"Sqrt", "Log", "Exp"}))
        .Tolerance(tolerance);
    c.Ok({Rand(t, {3000}, -1, 1)}, Chain({"Tanh", "Square", "Neg", "Sigmoid"}))
        .Tolerance(tolerance);
    for (const char* op :
         {"Abs", "Ceil", "Cos", "Elu", "Exp", "Expm1", "Floor", "Neg", "Relu",
          "Relu6", "Round", "Selu", "Sigmoid", "Sin", "Square", "Tanh"}) {
      c.Ok({Rand(t, {40}, -2, 2)}, Chain({op})).Tolerance(tolerance);
    }
    for (const char* op :
         {"Inv", "Log", "Log1p", "Reciprocal", "Rsqrt", "Sqrt"}) {
      c.Ok({Rand(t, {40}, 1.5, 2)}, Chain({op})).Tolerance(tolerance);
    }
    c.Ok({Rand(t, {40}, 1.5, 2)}, Chain({"Acosh"}))
        .Tolerance(tolerance)
        .NoStock(kLacks);
    for (const char* op : {"Acos", "Asin", "Asinh", "Atan", "Atanh", "Cosh",
                           "Rint", "Sinh", "Tan"}) {
      c.Ok({Rand(t, {40}, -0.9, 0.9)}, Chain({op}))
          .Tolerance(tolerance)
          .NoStock(kLacks);
    }
    c.Ok({Empty(t, {0})}, Chain({"Abs"}));
  });
}

}  // namespace millrace::cases
