#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Ratios(float rows, float columns, int64_t seed) {
  return {{"pooling_ratio", FloatList({1, rows, columns, 1})},
          {"deterministic", true},
          {"seed", seed},
          {"seed2", 5}};
}

void AddPoolCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool pseudo_random : {false, true}) {
      for (const bool overlapping : {false, true}) {
        for (const int64_t seed : {3, 8}) {
          AttrMap attrs = Ratios(1.5f, 1.7f, seed);
          attrs.Set("pseudo_random", pseudo_random);
          attrs.Set("overlapping", overlapping);
          c.Ok({Rand(t, {2, 9, 14, 3})}, attrs).NoShapeCheck();
        }
      }
    }
    AttrMap attrs = Ratios(2.6f, 4.1f, 1);
    attrs.Set("pseudo_random", true);
    c.Ok({Rand(t, {1, 23, 31, 1})}, attrs).NoShapeCheck();
    c.Ok({Rand(t, {1, 23, 31, 2})}, Ratios(1.2f, 2, 4)).NoShapeCheck();
    c.Ok({Mixed(t, {1, 5, 7, 2})}, Ratios(1, 1, 2)).NoShapeCheck();
  });
  const DataType f = DataType::kFloat;
  c.Ok({F32({5, 60, 70, 20})}, Ratios(1.4f, 1.4f, 9)).NoShapeCheck();
  c.Ok({Full(f, {1, 5, 7, 1}, NAN)}, Ratios(1.5f, 1.5f, 2)).NoShapeCheck();
  c.Ok({Full(f, {1, 5, 7, 1}, -INFINITY)}, Ratios(1.5f, 1.5f, 2))
      .NoShapeCheck();
  c.Ok({F32({1, 6, 6, 1})}, {{"pooling_ratio", FloatList({1, 2, 1.5f, 1})}})
      .Random()
      .NoThreadCheck()
      .NoShapeCheck();
  const auto ratio = [](std::initializer_list<float> values) -> AttrMap {
    return {{"pooling_ratio", FloatList(values)}};
  };
  c.Error({F32({1, 5, 7, 1})},
          {{"pooling_ratio", FloatList({1, 1.5f, 1.5f, 1})}, {"seed", 3}},
          kInvalid,
          "Both seed and seed2 should be 0 if deterministic is false.");
  c.Error({F32({1, 5, 7, 1})}, ratio({1, NAN, 1, 1}), kInvalid,
          "pooling_ratio cannot be smaller than 1, got: nan");
  c.Error({F32({1, 5, 7, 1})}, ratio({1, INFINITY, 1, 1}), kInvalid,
          "Pooling ratio is higher than input dimension size for dimension 1. "
          "Input dim size: 5 pooling ratio: inf");
  c.Error({F32({1, 5, 7, 1})}, ratio({1, 6, 1, 1}), kInvalid,
          "for dimension 1. Input dim size: 5 pooling ratio: 6");
  c.Error({F32({0, 5, 7, 1})}, ratio({1, 1.5f, 1, 1}), kInvalid,
          "for dimension 0. Input dim size: 0 pooling ratio: 1");
  c.Error({F32({1, 5, 7, 0})}, ratio({1, 1.5f, 1, 1}), kInvalid,
          "for dimension 3. Input dim size: 0 pooling ratio: 1");
  c.Error({F32({4, 5, 7, 1})}, ratio({2, 1.5f, 1, 1}),
          StatusCode::kUnimplemented,
          "pooling is not yet supported on the batch nor channel dimension.");
  c.Error({F32({4, 5, 7, 4})}, ratio({1, 1.5f, 1, 2}),
          StatusCode::kUnimplemented,
          "pooling is not yet supported on the batch nor channel dimension.");
  c.Error({F32({5, 7, 1})}, ratio({1, 1.5f, 1, 1}), kInvalid,
          "tensor_in must be 4-dimensional");
  c.BuildError({F32({5, 7, 1})}, ratio({1, 1.5f, 1, 1}),
               "must be rank 4 but is rank 3");
  c.BuildError({F32({1, 5, 7, 1})}, ratio({1, 0.5f, 1, 1}),
               "pooling_ratio cannot be smaller than 1, got: 0.5");
  c.BuildError({F32({1, 5, 7, 1})}, ratio({1, 0, 1, 1}),
               "Size computed for dim 1 is negative: -9223372036854775808");
  c.BuildError({F32({1, 5, 7, 1})}, ratio({1, -1, 1, 1}),
               "Size computed for dim 1 is negative: -5");
  c.BuildError({F32({1, 5, 7, 1})}, ratio({1, 1.5f, 1, 1, 1}),
               "pooling_ratio field must specify 4 dimensions");
}

// The largest elements of windows of Iota, whose rows end at `rows` and whose
// columns end at `columns`.
Value LargestOf(DataType t, std::initializer_list<double> rows,
                std::initializer_list<double> columns, double width) {
  Tensor out =
      Tensor::New(DataType::kDouble,
                  TensorShape({1, static_cast<int64_t>(rows.size()),
                               static_cast<int64_t>(columns.size()), 1}));
  size_t i = 0;
  for (const double y : rows) {
    for (const double x : columns) {
      out.mutable_flat<double>()[i++] = (y - 1) * width + x - 1;
    }
  }
  if (t == DataType::kDouble) return out;
  Value value = Full(t, out.shape(), 0);
  const auto from = out.flat<double>();
  for (size_t k = 0; k < from.size(); ++k) {
    if (t == DataType::kFloat) {
      value.tensor.mutable_flat<float>()[k] = static_cast<float>(from[k]);
    } else if (t == DataType::kInt32) {
      value.tensor.mutable_flat<int32_t>()[k] = static_cast<int32_t>(from[k]);
    } else {
      value.tensor.mutable_flat<int64_t>()[k] = static_cast<int64_t>(from[k]);
    }
  }
  return value;
}

Value Positions(std::initializer_list<double> values) {
  return Vec(DataType::kInt64, values);
}

// The inputs of a gradient.
struct MaxBack {
  Value in = Iota(DataType::kFloat, {1, 5, 7, 1});
  Value out = LargestOf(DataType::kFloat, {2, 4, 5}, {2, 4, 5, 7}, 7);
  Value gradient = F32({1, 3, 4, 1});
  Value rows = Positions({0, 2, 4, 5});
  Value columns = Positions({0, 2, 4, 5, 7});

  std::vector<Value> Inputs() const {
    return {in, out, gradient, rows, columns};
  }
};
struct AvgBack {
  Value shape = Positions({1, 5, 7, 1});
  Value gradient = F32({1, 3, 4, 1});
  Value rows = Positions({0, 2, 4, 5});
  Value columns = Positions({0, 2, 4, 5, 7});

  std::vector<Value> Inputs() const { return {shape, gradient, rows, columns}; }
};

}  // namespace

MR_CASES(FractionalMaxPool)(CaseList& c) { AddPoolCases(c); }
MR_CASES(FractionalAvgPool)(CaseList& c) {
  AddPoolCases(c);
  c.Ok({F64({2, 6, 7, 2})}, Ratios(1.5f, 1.5f, 2)).NoShapeCheck();
}
MR_CASES(FractionalMaxPoolGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Iota(t, {1, 5, 7, 1}), LargestOf(t, {2, 4, 5}, {2, 4, 5, 7}, 7),
          Rand(t, {1, 3, 4, 1}), Positions({0, 2, 4, 5}),
          Positions({0, 2, 4, 5, 7})});
    // Windows that overlap give several gradients to one element.
    c.Ok({Iota(t, {1, 5, 7, 1}), LargestOf(t, {3, 5, 5}, {3, 5, 6, 7}, 7),
          Rand(t, {1, 3, 4, 1}), Positions({0, 2, 4, 5}),
          Positions({0, 2, 4, 5, 7})},
         {{"overlapping", true}});
    Case& both = c.Sequence("a pool and its gradient");
    const Value in = Rand(t, {2, 9, 10, 3});
    both.Node("pool", "FractionalMaxPool", {in}, Ratios(1.5f, 1.7f, 3));
    both.Node("op", "FractionalMaxPoolGrad",
              {in, "pool:0", Rand(t, {2, 6, 5, 3}), "pool:1", "pool:2"});
    both.Run({"op"}).NoShapeCheck();
  });
  c.Ok(MaxBack{.gradient = F32({1, 2, 4, 1})}.Inputs());
  c.Ok(MaxBack{.rows = Positions({0, 2, 4, 9})}.Inputs());
  const auto differs = "tensor_out_dup is not the same as tensor_out";
  c.Error(MaxBack{.out = F32({1, 3, 4, 1})}.Inputs(), kInvalid, differs);
  c.Error(MaxBack{}.Inputs(), {{"overlapping", true}}, kInvalid, differs);
  c.Error(MaxBack{.rows = Positions({0, 2, 4})}.Inputs(), kInvalid, differs);
  c.Error(MaxBack{.rows = Positions({0, 2, 2, 5})}.Inputs(), kInvalid, differs);
  c.Error(MaxBack{.rows = Empty(DataType::kInt64, {0})}.Inputs(), kInvalid,
          differs);
  c.Error(MaxBack{.columns = Positions({0, 2, 4})}.Inputs(), kInvalid, differs);
  c.Error(MaxBack{.in = F32({5, 7, 1})}.Inputs(), kInvalid,
          "orig_input should be a tensor of rank 4, got ");
  c.Error(MaxBack{.out = F32({3, 4, 1})}.Inputs(), kInvalid,
          "orig_output should be a tensor of rank 4, got ");
  c.Error(MaxBack{.in = F32({0, 5, 7, 1})}.Inputs(), kInvalid,
          "orig_input must not be empty, got ");
  c.Error(MaxBack{.rows = I64({1, 4})}.Inputs(), kInvalid,
          "row_pooling_sequence must be a vector, received shape [1,4]");
  c.Error(MaxBack{.columns = I64({1, 4})}.Inputs(), kInvalid,
          "col_pooling_sequence must be a vector, received shape [1,4]");
  c.Error(MaxBack{.rows = Positions({-1, 2, 4, 5})}.Inputs(), kInvalid,
          "row_pooling_sequence must not be negative")
      .NoStock("stock reads before the tensor");
  c.Error(MaxBack{.in = Iota(DataType::kFloat, {2, 5, 7, 1})}.Inputs(),
          kInvalid, differs)
      .NoStock("stock writes behind its table");
  c.Error(MaxBack{.gradient = F32({2, 3, 4, 1})}.Inputs(), kInvalid,
          "out_backprop has 24 elements, more than the output's 12")
      .NoStock("stock reads behind its table");
  c.BuildError(MaxBack{.in = F32({5, 7, 1})}.Inputs(), {},
               "must be rank 4 but is rank 3");
}
MR_CASES(FractionalAvgPoolGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool overlapping : {false, true}) {
      c.Ok({Positions({2, 5, 7, 3}), Rand(t, {2, 3, 4, 3}, -50, 50),
            Positions({0, 2, 4, 5}), Positions({0, 2, 4, 5, 7})},
           {{"overlapping", overlapping}});
    }
  });
  c.Ok(AvgBack{.rows = Positions({0, 2, 4, 5, 5})}.Inputs());
  c.Ok(AvgBack{.rows = Positions({0, 2, 4, 9})}.Inputs());
  c.Ok(AvgBack{.rows = Positions({0, 2, 9, 10})}.Inputs());
  c.Ok(AvgBack{.rows = Positions({0, 3, 2, 5})}.Inputs());
  c.Ok(AvgBack{.rows = Of(DataType::kInt64, {1, 4}, {0, 2, 4, 5})}.Inputs());
  c.Ok(AvgBack{.shape = Positions({1, 5, 7, 2})}.Inputs());
  c.Ok(AvgBack{.shape = Positions({2, 5, 7, 1})}.Inputs());
  c.Error(AvgBack{.shape = Positions({1, 5, 7})}.Inputs(), kInvalid,
          "original input tensor shape must be1-dimensional and 4 elements");
  c.Error(AvgBack{.shape = Positions({-1, 5, 7, 1})}.Inputs(), kInvalid,
          "Expected a non-negative size, got -1");
  c.Error(AvgBack{.shape = Positions({1, 0, 7, 1})}.Inputs(), kInvalid,
          "Rows dimension of input must not be 0");
  c.Error(AvgBack{.shape = Positions({1e12, 1e12, 7, 1})}.Inputs(), kInvalid,
          "");
  c.Error(AvgBack{.gradient = F32({3, 4, 1})}.Inputs(), kInvalid,
          "out_backprop must be 4-dimensional");
  c.Error(AvgBack{.gradient = F32({0, 3, 4, 1})}.Inputs(), kInvalid,
          "out_backprop must be positive for all dimension, got:0");
  c.Error(AvgBack{.rows = Positions({0, 2, 4})}.Inputs(), kInvalid,
          "Given out_backprop shape [1,3,4,1], row_seq_tensor must have at "
          "least 4 elements, but got 3");
  c.Error(AvgBack{.columns = Positions({0, 2, 4})}.Inputs(), kInvalid,
          "col_seq_tensor must have at least 5 elements, but got 3");
  c.Error(AvgBack{.rows = Positions({-1, 2, 4, 5})}.Inputs(), kInvalid,
          "Row sequence tensor values must not be negative, got ");
  c.Error(AvgBack{.columns = Positions({-1, 2, 4, 5, 7})}.Inputs(), kInvalid,
          "Column sequence tensor values must not be negative, got ");
  c.Error(AvgBack{.gradient = F32({2, 3, 4, 1})}.Inputs(), kInvalid,
          "has a larger batch or more channels than the input")
      .NoStock("stock writes behind its tensor");
}

}  // namespace millrace::cases
