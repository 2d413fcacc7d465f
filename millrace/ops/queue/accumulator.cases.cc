#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Resource ops have no sparse forms.
std::string AccumulatorOp(const CaseList& c, const std::string& name) {
  return (c.op().name.starts_with("Resource") ? "Resource" : "") + name;
}

Case& Dense(CaseList& c, const std::string& name, DataType t,
            const char* reduction) {
  Case& s = c.Sequence(name);
  // Stock's shape function says [2] of the handle, which is a scalar.
  if (AccumulatorOp(c, "") == "Resource") s.NoShapeCheck();
  return s
      .Node("a", AccumulatorOp(c, "ConditionalAccumulator"), {},
            {{"dtype", t},
             {"shape", PartialShape({2, kUnknownDim})},
             {"reduction_type", reduction}})
      .Node("one", AccumulatorOp(c, "AccumulatorApplyGradient"),
            {"a", Scalar(kInt64, 0), Rand(t, {2, 3})})
      .Node("two", AccumulatorOp(c, "AccumulatorApplyGradient"),
            {"a", Scalar(kInt64, 1), Rand(t, {2, 3})})
      .Node("take1", AccumulatorOp(c, "AccumulatorTakeGradient"),
            {"a", Scalar(1)}, {{"dtype", t}})
      .Node("take3", AccumulatorOp(c, "AccumulatorTakeGradient"),
            {"a", Scalar(3)}, {{"dtype", t}})
      .Node("count", AccumulatorOp(c, "AccumulatorNumAccumulated"), {"a"});
}

void DenseLife(CaseList& c, DataType t) {
  for (const char* reduction : {"MEAN", "SUM"}) {
    Dense(c, "life " + DataTypeName(t) + reduction, t, reduction)
        .Run({"one"})
        .Run({"count"})
        .Run({"two"})
        .Run({"one"})
        .Run({"take3"})
        .Run({"count"})
        .Run({"one"})
        .Run({"count"})  // it was late
        .Run({"two"})
        .Run({"take1"});
  }
}

void DenseErrors(CaseList& c) {
  Dense(c, "errors", kFloat, "MEAN")
      .Node("wide", AccumulatorOp(c, "AccumulatorApplyGradient"),
            {"a", Scalar(kInt64, 9), F32({2, 4})})
      .Node("tall", AccumulatorOp(c, "AccumulatorApplyGradient"),
            {"a", Scalar(kInt64, 9), F32({3, 3})})
      .Node("take0", AccumulatorOp(c, "AccumulatorTakeGradient"),
            {"a", Scalar(0)}, {{"dtype", kFloat}})
      .Node("set", AccumulatorOp(c, "AccumulatorSetGlobalStep"),
            {"a", Scalar(kInt64, 1)})
      .RunError({"tall"}, StatusCode::kInvalidArgument,
                "Shape mismatch: expected [2,?], got [3,3]")
      .Run({"one"})
      .RunError({"wide"}, StatusCode::kInvalidArgument,
                "Shape mismatch: expected [2,3], got [2,4]")
      .RunError({"take0"}, StatusCode::kInvalidArgument,
                "Argument num_required must be positive, but was 0")
      .Run({"count"})
      .Run({"set"})
      .Run({"one"})
      .Run({"two"})
      .Run({"count"})
      .Run({"take1"});
}

Case& Sparse(CaseList& c, const std::string& name, DataType t,
             PartialShape shape, const char* reduction) {
  const bool known = shape.known_rank();
  const Value dense = known ? Vec(kInt64, {5, 2}) : Empty(kInt64, {0});
  const auto apply = [&](const char* node, std::initializer_list<double> at) {
    return CaseNode{node,
                    "SparseAccumulatorApplyGradient",
                    {"a", Scalar(kInt64, 3), Vec(kInt64, at),
                     Rand(t, {static_cast<int64_t>(at.size()), 2}), dense},
                    {{"has_known_shape", known}},
                    {}};
  };
  Case& s = c.Sequence(name);
  s.Node("a", "SparseConditionalAccumulator", {},
         {{"dtype", t}, {"shape", shape}, {"reduction_type", reduction}});
  for (CaseNode& n :
       std::vector<CaseNode>{apply("first", {0, 2}), apply("second", {2, 3, 4}),
                             apply("mixed", {4, 1, 2}), apply("same", {2, 2}),
                             apply("late", {1})}) {
    if (n.name == "late") n.inputs[1] = Scalar(kInt64, -1);
    s.Node(n.name, n.op, n.inputs, n.attrs);
  }
  return s
      .Node("take1", "SparseAccumulatorTakeGradient", {"a", Scalar(1)},
            {{"dtype", t}})
      .Node("take4", "SparseAccumulatorTakeGradient", {"a", Scalar(4)},
            {{"dtype", t}})
      .Node("count", "AccumulatorNumAccumulated", {"a"});
}

void SparseLife(CaseList& c, DataType t) {
  for (const char* reduction : {"MEAN", "SUM"}) {
    for (const bool known : {true, false}) {
      Sparse(c, "life " + DataTypeName(t) + reduction + (known ? "1" : "0"), t,
             known ? PartialShape({5, 2}) : PartialShape(), reduction)
          .Run({"first"})
          .Run({"late"})
          .Run({"second"})
          .Run({"mixed"})
          .Run({"same"})
          .Run({"count"})
          .Run({"take4"})
          .Run({"second"})
          .Run({"take1"})
          .Run({"count"});
    }
  }
}

void SparseErrors(CaseList& c) {
  Case& s = Sparse(c, "errors", kFloat, PartialShape({5, 2}), "MEAN");
  struct {
    const char* name;
    Value indices, values, shape;
    const char* words;
  } const kErrors[] = {
      {"limit", Vec(kInt64, {7}), F32({1, 2}), Vec(kInt64, {5, 2}),
       "Shape mismatch: index of slice 0 exceeded limits of shape; index is 7 "
       "exceeded 5"},
      {"scalar", Scalar(kInt64, 1), F32({1, 2}), Vec(kInt64, {5, 2}),
       "Input indices should be vector but received shape: []"},
      {"flat", Vec(kInt64, {1}), F32({}), Vec(kInt64, {5, 2}),
       "Values cannot be 0-dimensional."},
      {"count2", Vec(kInt64, {1, 2}), F32({1, 2}), Vec(kInt64, {5, 2}),
       "Expected 2 non-empty input values, got 1"},
      {"width", Vec(kInt64, {1}), F32({1, 3}), Vec(kInt64, {5, 2}),
       "Shape mismatch: expected values dim 1 to be 2, got 3"},
      {"shape", Vec(kInt64, {1}), F32({1, 2}), Vec(kInt64, {6, 2}),
       "Shape mismatch: expected shape dim 0 to be 5, got 6"},
      {"rank", Vec(kInt64, {1}), F32({1, 2}), Vec(kInt64, {5}),
       "Shape mismatch: expected shape rank at least 2, got 1"},
      {"low", Vec(kInt64, {1}), F32({1}), Vec(kInt64, {5, 2}),
       "Shape mismatch: expected values rank at least 2, got 1"}};
  for (const auto& e : kErrors) {
    s.Node(e.name, "SparseAccumulatorApplyGradient",
           {"a", Scalar(kInt64, 3), e.indices, e.values, e.shape},
           {{"has_known_shape", true}});
  }
  for (const auto& e : kErrors) {
    s.RunError({e.name}, StatusCode::kInvalidArgument, e.words);
  }
  s.Run({"first"}).RunError({"width"}, StatusCode::kInvalidArgument,
                            kErrors[4].words);
}

// No gradients of other types than the accumulator's.
void OtherTypes(CaseList& c) {
  for (int n = 1; n <= static_cast<int>(DataType::kUint64); ++n) {
    const auto t = static_cast<DataType>(n);
    if (t == kFloat || t == DataType::kString || t == DataType::kBool ||
        t == DataType::kResource || t == DataType::kVariant) {
      continue;
    }
    const std::string& op = c.op().name;
    const bool sparse = op.starts_with("Sparse");
    Case& s = c.Sequence("of " + DataTypeName(t));
    s.Node("a",
           sparse ? "SparseConditionalAccumulator"
                  : AccumulatorOp(c, "ConditionalAccumulator"),
           {}, {{"dtype", kFloat}, {"shape", PartialShape({2, 3})}})
        .Node("count", AccumulatorOp(c, "AccumulatorNumAccumulated"), {"a"})
        .Run({"count"})
        .NoShapeCheck();
    if (op.ends_with("TakeGradient")) {
      s.Node("op", op, {"a", Scalar(1)}, {{"dtype", t}});
      s.NoStock("stock corrupts its memory");
    } else if (sparse) {
      s.Node("op", op,
             {"a", Scalar(kInt64, 0), Vec(kInt64, {1}), Rand(t, {1, 3}),
              Vec(kInt64, {2, 3})},
             {{"has_known_shape", true}})
          .NoStock("stock aborts on it");
    } else {
      s.Node("op", op, {"a", Scalar(kInt64, 0), Rand(t, {2, 3})})
          .NoStock("stock aborts on it");
    }
    s.RunError({"op"}, StatusCode::kInvalidArgument,
               "Signature mismatch, have: ");
  }
}

void EachGradientType(CaseList& c, void (*f)(CaseList&, DataType)) {
  for (DataType t : {kFloat, DataType::kDouble, DataType::kHalf}) f(c, t);
}

}  // namespace

MR_CASES(ConditionalAccumulator)(CaseList& c) {
  EachGradientType(c, DenseLife);
}
MR_CASES(ResourceConditionalAccumulator)(CaseList& c) {
  EachGradientType(c, DenseLife);
}
MR_CASES(SparseConditionalAccumulator)(CaseList& c) {
  EachGradientType(c, SparseLife);
}
MR_CASES(AccumulatorApplyGradient)(CaseList& c) {
  DenseErrors(c);
  OtherTypes(c);
}
MR_CASES(ResourceAccumulatorApplyGradient)(CaseList& c) {
  DenseErrors(c);
  OtherTypes(c);
}
MR_CASES(AccumulatorTakeGradient)(CaseList& c) {
  DenseErrors(c);
  OtherTypes(c);
}
MR_CASES(ResourceAccumulatorTakeGradient)(CaseList& c) {
  DenseErrors(c);
  OtherTypes(c);
}
MR_CASES(AccumulatorNumAccumulated)(CaseList& c) { DenseErrors(c); }
MR_CASES(ResourceAccumulatorNumAccumulated)(CaseList& c) { DenseErrors(c); }
MR_CASES(AccumulatorSetGlobalStep)(CaseList& c) { DenseErrors(c); }
MR_CASES(ResourceAccumulatorSetGlobalStep)(CaseList& c) { DenseErrors(c); }
MR_CASES(SparseAccumulatorApplyGradient)(CaseList& c) {
  SparseErrors(c);
  OtherTypes(c);
}
MR_CASES(SparseAccumulatorTakeGradient)(CaseList& c) {
  EachGradientType(c, SparseLife);
  OtherTypes(c);
}

}  // namespace millrace::cases
