#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Reshape)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 6}), Vec({3, 4})});
  });
  c.Ok({F32({2, 6}), Vec({-1, 3})}).Gradient();
  c.Ok({F32({2, 6}), Scalar(-1)}).NoShapeCheck();
  c.Ok({F32({1}), Empty(DataType::kInt32, {0})});
  c.Ok({F32({4}), Vec(DataType::kInt64, {2, 1, -1})});
  c.Ok({Empty(DataType::kFloat, {0}), Vec({0, -1})});
  c.Ok({Empty(DataType::kFloat, {0, 6}), Vec({0, 2, -1})});
  c.Ok({Empty(DataType::kFloat, {0, 6}), Vec({-1, 5})});
  c.Ok({Str({"a", "b"}), Vec({2, 1})});
  const auto error = [&c](Value shape, const char* words) {
    c.Error({F32({4}), std::move(shape)}, StatusCode::kInvalidArgument, words);
  };
  error(Vec({-2}), "Size 0 must be non-negative, not -2");
  error(Vec({-1, -1}), "Only one input size may be -1, not both 0 and 1");
  error(Vec({3}),
        "Input to reshape is a tensor with 4 values, but the requested shape "
        "has 3");
  error(Vec({3, -1}),
        "Input to reshape is a tensor with 4 values, but the requested shape "
        "requires a multiple "
        "of 3");
  error(Vec({0, -1}),
        "Input to reshape is a tensor with 4 values, but the requested shape "
        "has 0");
  error(Vec(DataType::kInt64, {1099511627776.0, 1099511627776.0}),
        "Shape [1099511627776, 1099511627776] has too many elements");
  error(Vec(DataType::kInt64, {1099511627776.0, 1099511627776.0, -1}),
        "Shape [1099511627776, 1099511627776, -1] has too many elements");
  c.BuildError({F32({4}), Vec({3})}, {},
               "Cannot reshape a tensor with 4 elements to shape [3]");
  c.BuildError({F32({4}), Vec({3, -1})}, {},
               "Dimension size must be evenly divisible by 3 but is 4");
}

MR_CASES(ExpandDims)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Scalar(1)});
  });
  for (int dim : {-3, -2, -1, 0, 2}) c.Ok({F32({2, 3}), Scalar(dim)});
  c.Ok({F32({}), Scalar(DataType::kInt64, 0)});
  c.Ok({F32({2, 3}), Scalar(0)}).Gradient({0});
  c.Ok({F32({2}), Vec({1})});
  c.Error({F32({4}), Scalar(3)}, StatusCode::kInvalidArgument,
          "Tried to expand dim index 3 for tensor with 1 dimensions.");
  c.Error({F32({4}), Scalar(-3)}, StatusCode::kInvalidArgument,
          "Tried to expand dim index -3 for tensor with 1 dimensions.");
  c.Error({F32({4}), Vec({0, 1})}, StatusCode::kInvalidArgument,
          "'dim' must be a tensor with a single value");
  c.BuildError({F32({4}), Scalar(3)}, {}, "dim 3 not in the interval [-2, 1].");
}

MR_CASES(Squeeze)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {1, 2, 1})}); });
  c.Ok({F32({1, 2, 1})}, {{"squeeze_dims", IntList{0}}}).Gradient();
  c.Ok({F32({1, 2, 1})}, {{"squeeze_dims", IntList{-1, 0}}});
  c.Ok({F32({})});
  c.Ok({Empty(DataType::kFloat, {1, 0})});
  c.BuildError({F32({4})}, {{"squeeze_dims", IntList{3}}},
               "squeeze_dims[0] not in [-1,1).");
  c.BuildError({F32({4})}, {{"squeeze_dims", IntList{0}}},
               "Can not squeeze dim[0], expected a dimension of 1, got 4");
}

MR_CASES(EnsureShape)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}, {{"shape", PartialShape({2, kUnknownDim})}});
  });
  c.Ok({F32({2})}, {{"shape", PartialShape({kUnknownDim})}}).Gradient();
  c.Ok({F32({2})}, {{"shape", PartialShape()}})
      .NoStock("its shape function refuses an unknown rank");
  c.BuildError({F32({2})}, {{"shape", PartialShape({3})}}, "");
  const PartialShape unknown;
  c.Sequence("at_run_time")
      .Node("v", "PlaceholderWithDefault", {F32({2})}, {{"shape", unknown}})
      .Node("e", "EnsureShape", {"v"}, {{"shape", PartialShape({3})}})
      .RunError({"e"}, StatusCode::kInvalidArgument, "Shape of tensor ");
}

MR_CASES(Bitcast)(CaseList& c) {
  const auto ok = [&c](Value x, DataType type) {
    c.Ok({std::move(x)}, {{"type", type}});
  };
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 16})}, {{"type", DataType::kUint8}});
    c.Ok({Rand(t, {3})}, {{"type", t}});
  });
  ok(F32({3}), DataType::kInt32);
  ok(F32({3}), DataType::kUint8);
  ok(U8({3, 4}), DataType::kInt32);
  ok(U8({64, 4}), DataType::kUint32);
  ok(F32({64, 3}), DataType::kInt16);
  ok(Rand(DataType::kInt8, {3}), DataType::kQint8);
  ok(C64({2, 2}), DataType::kComplex128);
  ok(C128({2}), DataType::kHalf);
  ok(Rand(DataType::kBfloat16, {2, 2}), DataType::kUint16);
  ok(Empty(DataType::kInt64, {0}), DataType::kDouble);
  c.BuildError({F32({3})}, {{"type", DataType::kDouble}},
               " due to shape. 3 does not match 2");
}

}  // namespace millrace::cases
