#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// `type` is used with all shapes.
void Reduce(CaseList& c, DataType type, double lo, double hi,
            double tolerance = 1e-5) {
  const AttrMap keep({{"keep_dims", true}});
  const auto value = [&](TensorShape s) {
    return Rand(type, std::move(s), lo, hi);
  };
  c.Ok({value({3, 4}), Vec({0})});
  c.Ok({value({3, 4}), Vec({1})});
  c.Ok({value({3, 4}), Vec({0, 1})});
  c.Ok({value({3, 4}), Vec({-1, -2})}, keep);
  c.Ok({value({3, 4}), Empty(DataType::kInt32, {0})});
  c.Ok({value({3, 4}), Scalar(1)});
  c.Ok({value({3, 4, 5, 6}), Vec({1, 3})}, keep);
  c.Ok({value({3, 4, 5, 6}), Vec({0, 2})});
  c.Ok({value({3, 4, 5, 6}), Vec(DataType::kInt64, {2, 0, 1})});
  c.Ok({value({1, 4, 1}), Vec({0, 2})});
  c.Ok({value({}), Empty(DataType::kInt32, {0})});
  c.Ok({value({1}), Vec({0})});
  c.Ok({value({100}), Vec({0})});
  c.Ok({value({7, 300}), Vec({1})});
  c.Ok({value({300, 700}), Vec({0})});                       // wide rows to one
  c.Ok({value({70000, 3}), Vec({0})}).Tolerance(tolerance);  // many rows to one
  c.Ok({value({1000, 300}), Vec({0, 1})})
      .Tolerance(tolerance);  // cut into slices
  c.Ok({value({2, 600, 2, 200}), Vec({1, 3})}).Tolerance(tolerance);
  c.Ok({Empty(type, {0, 3}), Vec({0})});
  c.Ok({Empty(type, {0, 3}), Vec({1})});
  c.Error({value({2, 3}), Vec({2})}, StatusCode::kInvalidArgument,
          "Invalid reduction dimension (2 for input with 2 dimension(s)");
  c.Error({value({2, 3}), Vec({-3})}, StatusCode::kInvalidArgument,
          "Invalid reduction dimension (-3 for input with 2 dimension(s)");
  c.Error({value({2, 3}), Vec({0, 0})}, StatusCode::kInvalidArgument,
          "Invalid reduction arguments: Axes contains duplicate dimension: 0");
  c.BuildError({value({2, 3}), Vec({2})}, {},
               "Invalid reduction dimension 2 for input with 2 dimensions.");
}

void EachType(CaseList& c, double lo, double hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 5}, lo, hi), Vec({0})});
    c.Ok({Rand(t, {4, 5}, lo, hi), Vec({1})});
    c.Ok({Rand(t, {3, 200}, lo, hi), Vec({1})});
    c.Ok({Rand(t, {3, 200}, lo, hi), Vec({0})});
    c.Ok({Empty(t, {0, 2}), Vec({0})});
  });
}

// Adds groups of dimensions that are kept and reduced in turn: five or six of
// each, the innermost one reduced or kept.
void ManyGroups(CaseList& c, DataType type, double lo, double hi,
                double tolerance = 1e-4) {
  const AttrMap keep({{"keep_dims", true}});
  const auto value = [&](TensorShape s) {
    return Rand(type, std::move(s), lo, hi);
  };
  c.Ok({value({2, 3, 2, 3, 2, 1, 3, 2, 3, 2, 3}), Vec({1, 3, 6, 8, 10})});
  c.Ok({value({2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2}), Vec({1, 3, 5, 7, 9})}, keep);
  c.Ok({value({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}), Vec({0, 2, 4, 6, 8, 10})});
  // Cut into slices.
  c.Ok({value({2, 4, 2, 4, 2, 4, 2, 4, 2, 40}), Vec({1, 3, 5, 7, 9})})
      .Tolerance(tolerance);
  c.Ok({value({40, 2, 4, 2, 4, 2, 4, 2, 4, 2, 3}), Vec({0, 2, 4, 6, 8})})
      .Tolerance(tolerance);
}

// Adds rows that are read as several streams.
void LongRows(CaseList& c, DataType type, double lo, double hi,
              double tolerance = 1e-5) {
  const int64_t n = type == kFloat ? 33001 : 140001;
  c.Ok({Rand(type, {2, n}, lo, hi), Vec({1})}).Tolerance(tolerance);
}

// Adds rows around the sizes at which loops begin to use more lanes, and counts
// of rows that are searched side by side.
void RowSizes(CaseList& c, DataType type, double lo, double hi) {
  for (int64_t n : {5, 15, 16, 17, 31, 33, 64, 127, 129, 257, 1100}) {
    c.Ok({Rand(type, {11, n}, lo, hi), Vec({1})});
  }
  c.Ok({Rand(type, {700, 9}, lo, hi), Vec({1})});
  c.Ok({Rand(type, {3, 50, 9}, lo, hi), Vec({0, 2})});
}

// Adds sizes at which 16-bit types are converted in several blocks.
void Blocks(CaseList& c) {
  for (const DataType t : {DataType::kHalf, DataType::kBfloat16}) {
    c.Ok({Mixed(t, {7, 40}), Vec({1})});
    c.Ok({Mixed(t, {40, 7}), Vec({0})});
    c.Ok({Rand(t, {3, 2500}), Vec({1})});
    c.Ok({Rand(t, {9, 700}), Vec({0})});
    c.Ok({Rand(t, {5, 3, 300}), Vec({0, 2})});
    c.Ok({Rand(t, {5, 30, 3}), Vec({0, 2})});
    c.Ok({Rand(t, {3, 70000}), Vec({1})});
  }
}

void Gradients(CaseList& c) {
  c.Ok({Rand(DataType::kDouble, {2, 3, 2}, 1, 2), Vec({1})}).Gradient({0});
  c.Ok({Rand(DataType::kDouble, {2, 3}, 1, 2), Vec({0, 1})}).Gradient({0});
}

}  // namespace

MR_CASES(Sum)(CaseList& c) {
  Reduce(c, kFloat, -1, 1);
  EachType(c, -9, 9);
  RowSizes(c, kFloat, -1, 1);
  RowSizes(c, DataType::kInt32, -1000, 1000);
  RowSizes(c, DataType::kUint8, 0, 200);
  RowSizes(c, DataType::kComplex64, -1, 1);
  Gradients(c);
  LongRows(c, kFloat, -1, 1);
  ManyGroups(c, kFloat, -1, 1);
}
MR_CASES(Mean)(CaseList& c) {
  Reduce(c, kFloat, -1, 1);
  EachType(c, -9, 9);
  Gradients(c);
  c.Ok({Vec(DataType::kInt8, {100, 100, 101, -1}), Vec({0})});
  c.Ok({Vec({-3, -4}), Vec({0})});
  LongRows(c, kFloat, -1, 1);
  ManyGroups(c, kFloat, -1, 1);
}
MR_CASES(Prod)(CaseList& c) {
  // Stock multiplies in float.
  Reduce(c, kFloat, 0.999, 1.001, 1e-3);
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = t == DataType::kBfloat16 ? 0.2
                             : t == DataType::kHalf   ? 2e-2
                                                      : 1e-5;
    for (int axis : {0, 1}) {
      c.Ok({Rand(t, {4, 20}, 0.5, 2.5), Vec({static_cast<double>(axis)})})
          .Tolerance(tolerance);
    }
    c.Ok({Empty(t, {0, 2}), Vec({0})});
  });
  Gradients(c);
  LongRows(c, kFloat, 0.999, 1.001, 1e-3);
  ManyGroups(c, kFloat, 0.999, 1.001, 1e-3);
}
MR_CASES(EuclideanNorm)(CaseList& c) {
  Reduce(c, kFloat, -1, 1);
  EachType(c, -3, 3);
  LongRows(c, kFloat, -1, 1);
  ManyGroups(c, kFloat, -1, 1);
}
MR_CASES(Max)(CaseList& c) {
  Reduce(c, kFloat, -1, 1);
  EachType(c, -9, 9);
  RowSizes(c, kFloat, -1, 1);
  RowSizes(c, DataType::kDouble, -1, 1);
  RowSizes(c, DataType::kInt32, -1000, 1000);
  RowSizes(c, DataType::kUint8, 0, 200);
  Blocks(c);
  c.Ok({Mixed(kFloat, {40}), Vec({0})});
  c.Ok({Mixed(kFloat, {5, 40}), Vec({0})});
  c.Ok({Mixed(kFloat, {40, 5}), Vec({1})});
  c.Ok({Mixed(kFloat, {9, 33}), Vec({1})});
  c.Ok({Mixed(kFloat, {9, 700}), Vec({1})});
  Gradients(c);
  LongRows(c, kFloat, -1, 1);
  ManyGroups(c, kFloat, -1, 1);
}
MR_CASES(Min)(CaseList& c) {
  Reduce(c, kFloat, -1, 1);
  EachType(c, -9, 9);
  RowSizes(c, kFloat, -1, 1);
  RowSizes(c, DataType::kDouble, -1, 1);
  RowSizes(c, DataType::kInt32, -1000, 1000);
  RowSizes(c, DataType::kUint8, 0, 200);
  Blocks(c);
  c.Ok({Mixed(kFloat, {40}), Vec({0})});
  c.Ok({Mixed(kFloat, {5, 40}), Vec({0})});
  c.Ok({Mixed(kFloat, {40, 5}), Vec({1})});
  c.Ok({Mixed(kFloat, {9, 33}), Vec({1})});
  c.Ok({Mixed(kFloat, {9, 700}), Vec({1})});
  Gradients(c);
  LongRows(c, kFloat, -1, 1);
  ManyGroups(c, kFloat, -1, 1);
}
MR_CASES(All)(CaseList& c) {
  Reduce(c, DataType::kBool, 0, 1);
  c.Ok({Full(DataType::kBool, {3, 100}, 1), Vec({1})});
  LongRows(c, DataType::kBool, 0, 1);
  ManyGroups(c, DataType::kBool, 0, 1);
}
MR_CASES(Any)(CaseList& c) {
  Reduce(c, DataType::kBool, 0, 1);
  c.Ok({Full(DataType::kBool, {3, 100}, 0), Vec({1})});
  LongRows(c, DataType::kBool, 0, 1);
  ManyGroups(c, DataType::kBool, 0, 1);
}

}  // namespace millrace::cases
