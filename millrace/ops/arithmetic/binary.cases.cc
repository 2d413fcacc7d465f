#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kI = DataType::kInt32;

// Adds every type and every form of broadcasting; y is in [y_lo, y_hi).
void Binary(CaseList& c, double x_lo, double x_hi, double y_lo, double y_hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, x_lo, x_hi), Rand(t, {3, 7}, y_lo, y_hi)});
    c.Ok({Rand(t, {1100}, x_lo, x_hi), Rand(t, {}, y_lo, y_hi)});
    c.Ok({Rand(t, {}, x_lo, x_hi), Rand(t, {70}, y_lo, y_hi)});
    c.Ok({Rand(t, {2, 1, 5}, x_lo, x_hi), Rand(t, {3, 1}, y_lo, y_hi)});
  });
  const DataType t = c.AllowedTypes("T")[0];
  const auto shapes = [&](TensorShape x, TensorShape y) {
    c.Ok(
        {Rand(t, std::move(x), x_lo, x_hi), Rand(t, std::move(y), y_lo, y_hi)});
  };
  shapes({}, {});
  shapes({1}, {});
  shapes({1, 1}, {1});
  shapes({64, 50}, {50});     // a row to each row
  shapes({64, 50}, {64, 1});  // an element to each row
  shapes({3}, {400, 3});      // short rows
  shapes({400, 3}, {400, 1});
  shapes({2, 3, 4, 5}, {3, 1, 5});
  shapes({2, 1, 4, 1}, {3, 1, 5});
  shapes({300, 300}, {300, 300});
  shapes({200, 1}, {1, 300});
  shapes({0, 3}, {3});
  shapes({0}, {1});
  shapes({2, 0}, {});
  c.Error({Rand(t, {3}), Rand(t, {2})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [3] vs. [2]");
  c.Error({Rand(t, {2, 3}), Rand(t, {2, 2})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [2,3] vs. [2,2]");
}

void Gradients(CaseList& c, double x_lo, double x_hi, double y_lo,
               double y_hi) {
  const DataType d = DataType::kDouble;
  c.Ok({Rand(d, {2, 3}, x_lo, x_hi), Rand(d, {2, 3}, y_lo, y_hi)}).Gradient();
  c.Ok({Rand(d, {2, 3}, x_lo, x_hi), Rand(d, {3}, y_lo, y_hi)}).Gradient();
  c.Ok({Rand(d, {2, 1}, x_lo, x_hi), Rand(d, {}, y_lo, y_hi)}).Gradient();
}

// `deviates` says that stock's message is not compared.
void ZeroDivisors(CaseList& c, bool deviates = false) {
  const auto error = [&](Value x, Value y) {
    Case& one =
        c.Error({std::move(x), std::move(y)}, StatusCode::kInvalidArgument,
                "Integer division by zero");
    if (deviates) one.Deviates("stock says INTERNAL without a reason");
  };
  error(I32({2, 3}), Vec({1, 0, 1}));
  error(I32({3}), Scalar(0));
  error(Scalar(1), Vec({1, 2, 0}));
  c.Ok({Empty(kI, {0}), Scalar(0)});
  // The smallest number has no opposite.
  c.Ok({Vec({-2147483648.0, 7, -7, 7, -7}), Vec({-1, 2, 2, -2, -2})});
}

// Adds integers of many digits, of which some are too large to be divided as
// numbers with a point.
void IntegerQuotients(CaseList& c) {
  const DataType wide = DataType::kInt64;
  for (DataType t : {kI, wide}) {
    c.Ok({Rand(t, {2003}, -2e9, 2e9), Rand(t, {2003}, 1, 1e5)}).Exact();
    c.Ok({Rand(t, {2003}, -2e9, 2e9), Rand(t, {2003}, -90, -1)}).Exact();
    c.Ok({Rand(t, {300}, -2e9, 2e9), Of(t, {}, {-7})}).Exact();
    c.Ok({Of(t, {}, {1234567891}), Rand(t, {300}, 1, 9999)}).Exact();
  }
  c.Ok({Rand(wide, {600}, -1e15, 1e15), Rand(wide, {600}, 1, 1e8)}).Exact();
  c.Ok({Rand(wide, {600}, -9e18, 9e18), Rand(wide, {600}, 1, 1e12)}).Exact();
}

void FloatEdges(CaseList& c) {
  const std::initializer_list<double> x = {1, -1, 0, 5.5, -5.5, 5.5, -5.5, 7};
  const std::initializer_list<double> y = {0, 0, 0, 2, 2, -2, -2, 1e30};
  c.Ok({Vec(kFloat, x), Vec(kFloat, y)});
  c.Ok({Vec(DataType::kDouble, y), Vec(DataType::kDouble, x)});
  c.Ok({Mixed(kFloat, {40}), F32({40})});
  c.Ok({F32({40}), Mixed(kFloat, {40})});
}

}  // namespace

MR_CASES(Add)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  c.Ok({Str({"a", "", "long enough to be on the heap"}), Str({"b", "c", ""})});
  c.Ok({Str({2, 1}, {"a", "b"}), Str({"x", "y", std::string("z\0", 2)})});
}
MR_CASES(AddV2)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Mixed(t, {20}), Mixed(t, {20})});
  });
}
MR_CASES(Sub)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
}
MR_CASES(Mul)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  c.Ok({Mixed(kI, {20}), Mixed(kI, {20})});
}
MR_CASES(MulNoNan)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  FloatEdges(c);
}
MR_CASES(Div)(CaseList& c) {
  Binary(c, -9, 9, 1, 9);
  Gradients(c, -9, 9, 1, 9);
  ZeroDivisors(c);
  FloatEdges(c);
}
MR_CASES(RealDiv)(CaseList& c) {
  Binary(c, -9, 9, 1, 9);
  Gradients(c, -9, 9, 1, 9);
  FloatEdges(c);
}
MR_CASES(DivNoNan)(CaseList& c) {
  Binary(c, -9, 9, 1, 9);
  Gradients(c, -9, 9, 1, 9);
  FloatEdges(c);
}
MR_CASES(FloorDiv)(CaseList& c) {
  Binary(c, -20, 20, 1, 5);
  IntegerQuotients(c);
  ZeroDivisors(c);
  FloatEdges(c);
}
MR_CASES(TruncateDiv)(CaseList& c) {
  Binary(c, -20, 20, 1, 5);
  IntegerQuotients(c);
  ZeroDivisors(c, true);
  FloatEdges(c);
}
MR_CASES(FloorMod)(CaseList& c) {
  Binary(c, -20, 20, 1, 5);
  IntegerQuotients(c);
  ZeroDivisors(c);
  FloatEdges(c);
}
MR_CASES(Mod)(CaseList& c) {
  Binary(c, -20, 20, 1, 5);
  IntegerQuotients(c);
  ZeroDivisors(c);
  FloatEdges(c);
}
MR_CASES(TruncateMod)(CaseList& c) {
  Binary(c, -20, 20, 1, 5);
  IntegerQuotients(c);
  ZeroDivisors(c, true);
  FloatEdges(c);
}
MR_CASES(Maximum)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  FloatEdges(c);
}
MR_CASES(Minimum)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
  FloatEdges(c);
}
MR_CASES(Pow)(CaseList& c) {
  Binary(c, 0.5, 3, 0, 3);
  Gradients(c, 0.5, 3, 0.5, 3);
  for (double y : {0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 0.5, -0.5, -1.0, -2.0}) {
    for (DataType t : {kFloat, kDouble}) {
      c.Ok({Rand(t, {30}), Scalar(t, y)});
      c.Ok({Mixed(t, {41}), Scalar(t, y)});
    }
  }
  c.Ok({I32({4}), Vec({0, 3, 2, 40})});
  c.Error({Vec({2, 3}), Vec({3, -1})}, StatusCode::kInvalidArgument,
          "Integers to negative integer powers are not allowed");
  c.Ok({Empty(kI, {2, 0}), Scalar(-1)});
  FloatEdges(c);
}
MR_CASES(SquaredDifference)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, -9, 9);
}
MR_CASES(Atan2)(CaseList& c) {
  Binary(c, -9, 9, -9, 9);
  Gradients(c, -9, 9, 1, 9);
  FloatEdges(c);
  for (DataType t : {kFloat, DataType::kDouble}) {
    c.Ok({Rand(t, {2003}, -9, 9), Rand(t, {2003}, -1, 1)});
    c.Ok({Rand(t, {2003}, -1, 1), Rand(t, {2003}, -9, 9)});
    c.Ok({Mixed(t, {41, 1}), Mixed(t, {41})});
  }
}
MR_CASES(Xdivy)(CaseList& c) {
  Binary(c, -9, 9, 1, 9);
  Gradients(c, 1, 9, 1, 9);
  FloatEdges(c);
}
MR_CASES(Xlogy)(CaseList& c) {
  Binary(c, -9, 9, 1, 9);
  Gradients(c, 1, 9, 1, 9);
  FloatEdges(c);
}
MR_CASES(Xlog1py)(CaseList& c) {
  Binary(c, -9, 9, 0, 9);
  Gradients(c, 1, 9, 1, 9);
  FloatEdges(c);
}

}  // namespace millrace::cases
