// Gradients of the ops against finite differences, in double, with shapes known
// and unknown, first and second order.
#include <gtest/gtest.h>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/ops.h"
#include "tests/cases/gradient_check.h"

namespace millrace::cases {
namespace {

using Outputs = std::vector<Output>;

Tensor F(TensorShape shape, double lo = -2, double hi = 2, uint64_t seed = 7) {
  return RandomTensor(DataType::kDouble, std::move(shape), lo, hi, seed);
}
Tensor C(TensorShape shape, double lo = 0.3, double hi = 1.2,
         uint64_t seed = 7) {
  return RandomTensor(DataType::kComplex128, std::move(shape), lo, hi, seed);
}
Tensor I(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}

void Expect(const GraphFunction& f, const std::vector<Tensor>& inputs,
            GradientCheck check = {}) {
  EXPECT_EQ(CheckGradient(f, inputs, check), "");
}

using Unary = Output (*)(const Scope&, const Input&);
using Binary = Output (*)(const Scope&, const Input&, const Input&);

GraphFunction Of(Unary op) {
  return
      [op](const Scope& s, const Outputs& x) { return Outputs{op(s, x[0])}; };
}
GraphFunction Of(Binary op) {
  return [op](const Scope& s, const Outputs& x) {
    return Outputs{op(s, x[0], x[1])};
  };
}

struct UnaryCase {
  const char* name;
  Unary op;
  double lo, hi;
  bool complex;
};

TEST(OpGradients, Unary) {
  const UnaryCase cases[] = {{"Neg", ops::Neg, -2, 2, true},
                             {"Abs", ops::Abs, 0.1, 2, false},
                             {"Square", ops::Square, -2, 2, true},
                             {"Sqrt", ops::Sqrt, 0.3, 2, true},
                             {"Rsqrt", ops::Rsqrt, 0.5, 2, true},
                             {"Inv", ops::Inv, 0.5, 2, true},
                             {"Reciprocal", ops::Reciprocal, 0.5, 2, true},
                             {"Exp", ops::Exp, -1, 1, true},
                             {"Expm1", ops::Expm1, -1, 1, true},
                             {"Log", ops::Log, 0.5, 2, true},
                             {"Log1p", ops::Log1p, -0.5, 2, true},
                             {"Sin", ops::Sin, -2, 2, true},
                             {"Cos", ops::Cos, -2, 2, true},
                             {"Tan", ops::Tan, -1, 1, true},
                             {"Asin", ops::Asin, -0.8, 0.8, true},
                             {"Acos", ops::Acos, -0.8, 0.8, true},
                             {"Atan", ops::Atan, -2, 2, true},
                             {"Sinh", ops::Sinh, -1, 1, true},
                             {"Cosh", ops::Cosh, -1, 1, true},
                             {"Tanh", ops::Tanh, -1, 1, true},
                             {"Asinh", ops::Asinh, -2, 2, true},
                             {"Acosh", ops::Acosh, 1.3, 3, true},
                             {"Atanh", ops::Atanh, -0.8, 0.8, true},
                             {"Sigmoid", ops::Sigmoid, -2, 2, true},
                             {"Erf", ops::Erf, -1, 1, false},
                             {"Erfc", ops::Erfc, -1, 1, false},
                             {"Sign", ops::Sign, 0.1, 2, false},
                             {"Identity", ops::Identity, -2, 2, true},
                             {"Relu", ops::Relu, 0.1, 2, false},
                             {"Relu6", ops::Relu6, 0.1, 2, false},
                             {"L2Loss", ops::L2Loss, -2, 2, false},
                             {"Softmax", ops::Softmax, -2, 2, false},
                             {"LogSoftmax", ops::LogSoftmax, -2, 2, false}};
  for (const UnaryCase& c : cases) {
    SCOPED_TRACE(c.name);
    Expect(Of(c.op), {F({2, 3}, c.lo, c.hi)});
    if (c.complex) Expect(Of(c.op), {C({2, 2})}, {.tolerance = 1e-4});
  }
  Expect(Of(ops::Conj), {C({2, 2})});
  Expect(Of(ops::Relu), {F({3, 3}, -2, 2)});
  Expect(Of(ops::Lgamma), {F({4}, 0.5, 3)}, {.second = false});
}

TEST(OpGradients, Complex) {
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::Real(s, x[0], {.Tout = DataType::kDouble}),
                       ops::Imag(s, x[0], {.Tout = DataType::kDouble}),
                       ops::ComplexAbs(s, x[0], {.Tout = DataType::kDouble})};
      },
      {C({3})}, {.second = false});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::Angle(s, x[0], {.Tout = DataType::kDouble})};
      },
      {C({3})}, {.second = false});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{
            ops::Complex(s, x[0], x[1], {.Tout = DataType::kComplex128})};
      },
      {F({2, 3}), F({3})}, {.second = false});
}

struct BinaryCase {
  const char* name;
  Binary op;
  double lo, hi;
  bool complex = false;
  bool second = true;
};

TEST(OpGradients, BinaryWithBroadcast) {
  const BinaryCase cases[] = {
      {"Add", ops::Add, -2, 2, true},
      {"AddV2", ops::AddV2, -2, 2, true},
      {"Sub", ops::Sub, -2, 2, true},
      {"Mul", ops::Mul, -2, 2, true},
      {"MulNoNan", ops::MulNoNan, 0.5, 2},
      {"Div", ops::Div, 0.5, 2, true},
      {"RealDiv", ops::RealDiv, 0.5, 2, true},
      {"DivNoNan", ops::DivNoNan, 0.5, 2, true},
      {"FloorMod", ops::FloorMod, 0.5, 2, false, false},
      {"Maximum", ops::Maximum, -2, 2},
      {"Minimum", ops::Minimum, -2, 2},
      {"SquaredDifference", ops::SquaredDifference, -2, 2},
      {"Pow", ops::Pow, 0.5, 2, true},
      {"Atan2", ops::Atan2, 0.5, 2},
      {"Xdivy", ops::Xdivy, 0.5, 2},
      {"Xlogy", ops::Xlogy, 0.5, 2},
      {"Xlog1py", ops::Xlog1py, 0.5, 2}};
  const std::pair<TensorShape, TensorShape> shapes[] = {
      {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}, {{}, {2, 2}}};
  for (const BinaryCase& c : cases) {
    for (const auto& [a, b] : shapes) {
      SCOPED_TRACE(absl::StrCat(c.name, " ", a.DebugString(), b.DebugString()));
      Expect(Of(c.op), {F(a, c.lo, c.hi, 1), F(b, c.lo, c.hi, 2)},
             {.second = c.second});
      if (c.complex) {
        Expect(Of(c.op), {C(a, 0.5, 1.5, 1), C(b, 0.5, 1.5, 2)},
               {.tolerance = 1e-4, .second = c.second});
      }
    }
  }
  Expect(Of(ops::Cross), {F({2, 3}), F({2, 3}, -2, 2, 3)});
  Expect(
      [](const Scope& s, const Outputs& x) { return Outputs{ops::AddN(s, x)}; },
      {F({2}), F({2}), F({2})});
}

TEST(OpGradients, Select) {
  const Tensor mask =
      Tensor::Of<bool>({2, 3}, {true, false, true, false, false, true});
  const auto select = [](const Scope& s, const Outputs& x) {
    return Outputs{ops::SelectV2(s, x[0], x[1], x[2])};
  };
  Expect(select, {mask, F({2, 3}), F({2, 3}, -2, 2, 9)});
  Expect(select, {mask, F({3}), F({2, 1}, -2, 2, 9)});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::Select(s, x[0], x[1], x[2])};
      },
      {mask, F({2, 3}), F({2, 3}, -2, 2, 9)});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::ClipByValue(s, x[0], x[1], x[2])};
      },
      {F({2, 3}), Tensor::Scalar(-0.7), Tensor::Scalar(0.6)});
}

TEST(OpGradients, Reductions) {
  for (const bool keep : {false, true}) {
    for (const auto& axes :
         {std::vector<int>{0}, {1, -1}, {0, 1, 2}, {-2}, {}}) {
      SCOPED_TRACE(absl::StrCat(keep, " ", axes.size()));
      const auto reduce = [&](auto op) {
        return [=](const Scope& s, const Outputs& x) {
          const Tensor list =
              Tensor::Vector<int32_t>(absl::MakeConstSpan(axes));
          return Outputs{op(s, x[0], ops::Const(s, list))};
        };
      };
      const Tensor x = F({2, 3, 2}, 0.5, 2);
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::Sum(s, x, a, {.keep_dims = keep});
             }),
             {x});
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::Mean(s, x, a, {.keep_dims = keep});
             }),
             {x});
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::Prod(s, x, a, {.keep_dims = keep});
             }),
             {x}, {.second = false});
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::Max(s, x, a, {.keep_dims = keep});
             }),
             {x});
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::Min(s, x, a, {.keep_dims = keep});
             }),
             {x});
      Expect(reduce([=](auto& s, auto x, auto a) {
               return ops::EuclideanNorm(s, x, a, {.keep_dims = keep});
             }),
             {x});
    }
  }
  // Zeros among the factors.
  Expect([](const Scope& s,
            const Outputs& x) { return Outputs{ops::Prod(s, x[0], {1})}; },
         {Tensor::Of<double>({2, 3}, {0, 2, 3, 0, 0, 4})}, {.second = false});
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      Expect(
          [=](const Scope& s, const Outputs& x) {
            return Outputs{
                ops::Cumsum(s, x[0], 1,
                            {.exclusive = exclusive, .reverse = reverse}),
                ops::Cumprod(s, x[0], 1,
                             {.exclusive = exclusive, .reverse = reverse})};
          },
          {F({2, 3}, 0.5, 2)});
    }
  }
}

TEST(OpGradients, MatrixProducts) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const auto product = [=](const Scope& s, const Outputs& x) {
        return Outputs{
            ops::MatMul(s, x[0], x[1], {.transpose_a = ta, .transpose_b = tb})};
      };
      const TensorShape a = ta ? TensorShape({3, 2}) : TensorShape({2, 3});
      const TensorShape b = tb ? TensorShape({4, 3}) : TensorShape({3, 4});
      Expect(product, {F(a), F(b, -2, 2, 8)});
      Expect(product, {C(a), C(b, 0.3, 1, 8)},
             {.tolerance = 1e-4, .second = false});
      const TensorShape a3 =
          ta ? TensorShape({2, 3, 2}) : TensorShape({2, 2, 3});
      const TensorShape b3 =
          tb ? TensorShape({2, 2, 3}) : TensorShape({2, 3, 2});
      const TensorShape b4 =
          tb ? TensorShape({2, 1, 2, 3}) : TensorShape({2, 1, 3, 2});
      Expect(
          [=](const Scope& s, const Outputs& x) {
            return Outputs{
                ops::BatchMatMul(s, x[0], x[1], {.adj_x = ta, .adj_y = tb})};
          },
          {F(a3), F(b3, -2, 2, 8)});
      const auto batch = [=](const Scope& s, const Outputs& x) {
        return Outputs{
            ops::BatchMatMulV2(s, x[0], x[1], {.adj_x = ta, .adj_y = tb})};
      };
      Expect(batch, {F(a3), F(b4, -2, 2, 8)});
      Expect(batch, {F(a3), F(b, -2, 2, 8)});
      Expect(batch, {C(a3), C(b3, 0.3, 1, 8)},
             {.tolerance = 1e-4, .second = false});
    }
  }
}

TEST(OpGradients, Segments) {
  const Tensor ids = I({0, 0, 2, 2});
  const auto segment = [&](Binary op, GradientCheck check = {}) {
    Expect(Of(op), {F({4, 2}, 0.5, 2), ids}, check);
  };
  segment(ops::SegmentSum);
  segment(ops::SegmentMean);
  segment(ops::SegmentMax);
  segment(ops::SegmentMin);
  segment(ops::SegmentProd, {.second = false});
  using Ternary =
      Output (*)(const Scope&, const Input&, const Input&, const Input&);
  const auto unsorted = [&](Ternary op, GradientCheck check = {}) {
    Expect(
        [=](const Scope& s, const Outputs& x) {
          return Outputs{op(s, x[0], ops::Const(s, {2, 0, -1, 2}), 3)};
        },
        {F({4, 2}, 0.5, 2)}, check);
  };
  unsorted(ops::UnsortedSegmentSum);
  unsorted(ops::UnsortedSegmentProd, {.second = false});
  for (Ternary op :
       {Ternary(ops::UnsortedSegmentMax), Ternary(ops::UnsortedSegmentMin)}) {
    Expect(
        [=](const Scope& s, const Outputs& x) {
          return Outputs{op(s, x[0], ops::Const(s, {1, 0, 0, 1}), 2)};
        },
        {F({4, 2}, 0.5, 2)});
  }
}

TEST(OpGradients, Shapes) {
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{
            ops::Reshape(s, x[0], {3, 2}),
            ops::ExpandDims(s, x[0], 1),
            ops::Squeeze(s, ops::ExpandDims(s, x[0], 0)),
            ops::Transpose(s, x[0], {1, 0}),
            ops::ReverseV2(s, x[0], {1}),
            ops::Reverse(s, x[0], {true, false}),
            ops::Roll(s, x[0], 1, 1),
            ops::ReverseSequence(s, x[0], ops::Const(s, {2, 1}), 1),
            ops::MatrixBandPart(s, x[0], 0, -1),
            ops::Diag(s, x[0]),
            ops::Tile(s, x[0], {2, 3}),
            ops::BroadcastTo(s, x[0], {4, 2, 3}),
            ops::Pad(s, x[0], {{1, 2}, {0, 1}}),
            ops::PadV2(s, x[0], {{1, 2}, {0, 1}}, ops::Const(s, 3.0)),
            ops::MirrorPad(s, x[0], {{1, 1}, {1, 2}}, "REFLECT"),
            ops::MirrorPad(s, x[0], {{1, 1}, {1, 2}}, "SYMMETRIC"),
            ops::EnsureShape(s, x[0], PartialShape({2, -1})),
            ops::CheckNumerics(s, x[0], "why")};
      },
      {F({2, 3})});
  Expect([](const Scope& s,
            const Outputs& x) { return Outputs{ops::DiagPart(s, x[0])}; },
         {F({2, 3, 2, 3})});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::Fill(s, {2, 3}, x[0]),
                       ops::Fill(s, ops::Const(s, std::vector<int>{}), x[0])};
      },
      {F({})});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::ConjugateTranspose(s, x[0], {1, 0})};
      },
      {C({2, 3})}, {.tolerance = 1e-4});
}

TEST(OpGradients, JoinAndSplit) {
  for (const int axis : {1, -1}) {
    Expect(
        [=](const Scope& s, const Outputs& x) {
          return Outputs{ops::ConcatV2(s, x, axis), ops::Concat(s, 1, x)};
        },
        {F({2, 1}), F({2, 3}), F({2, 2})});
    Expect(
        [=](const Scope& s, const Outputs& x) {
          Outputs all = ops::Split(s, axis, x[0], 2);
          const Outputs v = ops::SplitV(s, x[0], {1, 3}, axis, 2);
          const Outputs u = ops::Unpack(s, x[0], 4, {.axis = axis});
          all.push_back(v[1]);
          all.push_back(u[2]);
          all.push_back(ops::Pack(s, {x[0], x[0]}, {.axis = axis}));
          return all;
        },
        {F({2, 4})});
  }
}

TEST(OpGradients, Slices) {
  Expect(
      [](const Scope& s, const Outputs& x) {
        const Output constant = ops::StridedSlice(s, x[0], {1, 3}, {0, 0},
                                                  {-1, -2}, {.end_mask = 1});
        const Output shrunk = ops::StridedSlice(s, x[0], {1, 0}, {2, 3}, {1, 1},
                                                {.shrink_axis_mask = 1});
        const Output grown =
            ops::StridedSlice(s, x[0], {0, 0, 1}, {0, 0, 3}, {1, 1, 1},
                              {.ellipsis_mask = 1, .new_axis_mask = 2});
        return Outputs{constant, shrunk, grown,
                       ops::Slice(s, x[0], {1, 1}, {1, -1})};
      },
      {F({2, 4})});
}

TEST(OpGradients, Lookups) {
  const auto indices = [](const Scope& s) {
    return ops::Const(s, {{2, 0}, {1, 2}});
  };
  for (const int axis : {0, 1, 2, -1}) {
    Expect(
        [=](const Scope& s, const Outputs& x) {
          return Outputs{ops::GatherV2(s, x[0], indices(s), axis)};
        },
        {F({3, 3, 3})}, {.second = axis != 0});
  }
  for (const int axis : {1, 2}) {
    Expect(
        [=](const Scope& s, const Outputs& x) {
          return Outputs{
              ops::GatherV2(s, x[0], indices(s), axis, {.batch_dims = 1}),
              ops::GatherV2(s, x[0], indices(s), axis, {.batch_dims = -1})};
        },
        {F({2, 3, 3})});
  }
  Expect(
      [=](const Scope& s, const Outputs& x) {
        return Outputs{ops::Gather(s, x[0], indices(s))};
      },
      {F({3, 2})}, {.second = false});
  Expect(
      [=](const Scope& s, const Outputs& x) {
        return Outputs{ops::GatherNd(s, x[0], {{1, 0}, {0, 1}, {1, 0}}),
                       ops::ScatterNd(s, {{1}, {3}}, x[0], {5, 2})};
      },
      {F({2, 2})});
  Expect(
      [=](const Scope& s, const Outputs& x) {
        return Outputs{ops::GatherNd(s, x[0], {{1}, {0}, {1}})};
      },
      {F({2, 2})}, {.second = false});
  Expect(
      [=](const Scope& s, const Outputs& x) {
        Outputs parts = ops::DynamicPartition(s, x[0], {0, 1, 0, 1}, 2);
        parts.push_back(
            ops::DynamicStitch(s, {{2, 0}, {1, 3}}, {parts[0], parts[1]}));
        return parts;
      },
      {F({4, 2})});
}

TEST(OpGradients, Nn) {
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::BiasAdd(s, x[0], x[1]),
                       ops::BiasAddV1(s, x[0], x[1])};
      },
      {F({2, 2, 3}), F({3}, -2, 2, 4)});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::BiasAdd(s, x[0], x[1], {.data_format = "NCHW"})};
      },
      {F({2, 3, 2, 2}), F({3}, -2, 2, 4)});
  // For labels whose rows add up to 1, and no way from a gradient back to them.
  const Tensor labels =
      Tensor::Of<double>({2, 4}, {0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0, 0.2});
  const auto loss = [](const Scope& s, const Outputs& x) {
    return Outputs{ops::SoftmaxCrossEntropyWithLogits(s, x[0], x[1]).loss};
  };
  Expect(loss, {F({2, 4}), labels}, {.inputs = {0}});
  Expect(loss, {F({2, 4}), labels}, {.inputs = {1}, .second = false});
  Expect(
      [](const Scope& s, const Outputs& x) {
        return Outputs{ops::SparseSoftmaxCrossEntropyWithLogits(
                           s, x[0], ops::Const(s, {1, 0, 3}))
                           .loss};
      },
      {F({3, 4})});
}

TEST(OpGradients, Casts) {
  Expect(
      [](const Scope& s, const Outputs& x) {
        const Output narrow = ops::Cast(s, x[0], DataType::kFloat);
        return Outputs{ops::Cast(s, ops::Square(s, narrow), DataType::kDouble)};
      },
      {F({3})}, {.tolerance = 1e-2, .step = 1e-2, .second = false});
}

// Stock has no gradient of cubic interpolation for these types either.
TEST(OpGradients, ResizeBicubicOfOtherTypes) {
  for (const DataType type : {DataType::kHalf, DataType::kBfloat16}) {
    const Scope s = Scope::NewRoot();
    const Output x = ops::Const(s, F({1, 2, 2, 1}));
    const Output y = ops::ResizeBicubic(s, ops::Cast(s, x, type), {3, 3});
    const auto dx = ops::Gradients(s, {y}, {x});
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_FALSE(dx[0]);
  }
}

}  // namespace
}  // namespace millrace::cases
