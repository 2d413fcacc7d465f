#include <cmath>
#include <utility>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

AttrMap Solving(bool pivoting, bool perturb = false) {
  return {{"partial_pivoting", pivoting}, {"perturb_singular", perturb}};
}

// Diagonals of matrices; the main ones have larger numbers than their
// neighbours.
Value DiagonalsOf(DataType t, TensorShape shape) {
  const int64_t n = shape.dim(shape.rank() - 1);
  Tensor all = Tensor::Zeros(t, std::move(shape));
  const Status status = Dispatch(
      Types<float, double, Complex64, Complex128>{}, t, [&]<class T>() {
        auto to = all.mutable_flat<T>();
        for (int64_t i = 0; i < all.num_elements(); ++i) {
          const double v = static_cast<double>((i * 7 + 3) % 11) / 8 - 0.6;
          to[i] = T(static_cast<float>(i / n % 3 == 1 ? v + 4 : v));
        }
        return OkStatus();
      });
  MR_CHECK(status.ok(), status.ToString());
  return all;
}

}  // namespace

MR_CASES(TridiagonalMatMul)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 5}) {
      c.Ok(
          {Rand(t, {1, n}), Rand(t, {1, n}), Rand(t, {1, n}), Rand(t, {n, 3})});
    }
    c.Ok({Rand(t, {2, 3, 1, 4}), Rand(t, {2, 3, 1, 4}), Rand(t, {2, 3, 1, 4}),
          Rand(t, {2, 3, 4, 2})});
    c.Ok({Empty(t, {1, 0}), Empty(t, {1, 0}), Empty(t, {1, 0}),
          Empty(t, {0, 2})});
    c.Ok({Empty(t, {0, 1, 3}), Empty(t, {0, 1, 3}), Empty(t, {0, 1, 3}),
          Empty(t, {0, 3, 2})});
    c.Ok({Rand(t, {1, 3}), Rand(t, {1, 3}), Rand(t, {1, 3}), Empty(t, {3, 0})});
  });
  c.Ok({F32({3, 1, 500}), F32({3, 1, 500}), F32({3, 1, 500}),
        F32({3, 500, 40})});
  // The ends that lie outside of the matrix are not read.
  const double nan = std::nan("");
  c.Ok({Of(kDouble, {1, 3}, {1, 2, nan}), F64({1, 3}),
        Of(kDouble, {1, 3}, {nan, 1, 2}), F64({3, 2})});
  for (const DataType t : {kDouble, kC}) {
    c.Ok({Rand(t, {1, 4}), Rand(t, {1, 4}), Rand(t, {1, 4}), Rand(t, {4, 2})})
        .Gradient();
    c.Ok({Rand(t, {2, 1, 3}), Rand(t, {2, 1, 3}), Rand(t, {2, 1, 3}),
          Rand(t, {2, 3, 2})})
        .Gradient();
  }
  const auto error = [&c](std::initializer_list<TensorShape> shapes,
                          const char* words) {
    std::vector<Value> in;
    for (const TensorShape& s : shapes) in.push_back(F32(s));
    c.Error(std::move(in), kInvalid, words);
  };
  error({{3}, {3}, {3}, {3, 2}}, "Input tensor 0 must have rank >= 2, got 1");
  error({{1, 3}, {1, 3}, {1, 3}, {3}},
        "All input tensors must have the same rank.");
  error({{2, 1, 3}, {1, 3}, {2, 1, 3}, {2, 3, 2}},
        "All input tensors must have the same rank.");
  error({{3, 1, 3}, {2, 1, 3}, {2, 1, 3}, {2, 3, 2}},
        "All input tensors must have the same outer dimensions.");
  error({{1, 3}, {1, 3}, {1, 3}, {4, 2}}, "Invalid superdiagonal shape.");
  error({{2, 3}, {1, 3}, {1, 3}, {3, 2}}, "Invalid superdiagonal shape.");
  error({{1, 3}, {1, 4}, {1, 3}, {3, 2}}, "Invalid main diagonal shape.");
  error({{1, 3}, {1, 3}, {1, 4}, {3, 2}}, "Invalid subdiagonal shape.");
  c.BuildError({F32({3}), F32({3}), F32({3}), F32({3, 2})}, {},
               "Shape must be at least rank 2 but is rank 1");
  c.BuildError({F32({1, 4}), F32({1, 3}), F32({1, 3}), F32({3, 2})}, {},
               "must be equal, but are 4 and 3");
  c.BuildError({F32({1, 3}), F32({1, 3}), F32({1, 3}), F32({4, 2})}, {},
               "Dimensions must be equal, but are 3 and 4");
}

MR_CASES(TridiagonalSolve)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const auto& [pivoting, perturb] :
         {std::pair(true, false), {false, false}, {true, true}}) {
      const AttrMap attrs = Solving(pivoting, perturb);
      for (const int64_t n : {1, 3, 8}) {
        c.Ok({DiagonalsOf(t, {3, n}), Rand(t, {n, 3})}, attrs)
            .Tolerance(MatrixTolerance(t));
      }
      c.Ok({DiagonalsOf(t, {2, 2, 3, 5}), Rand(t, {2, 2, 5, 2})}, attrs)
          .Tolerance(MatrixTolerance(t));
      c.Ok({Empty(t, {3, 0}), Empty(t, {0, 2})}, attrs);
      c.Ok({Empty(t, {0, 3, 2}), Empty(t, {0, 2, 2})}, attrs);
      Case& no_columns = c.Ok({Rand(t, {3, 2}), Empty(t, {2, 0})}, attrs);
      if (perturb) no_columns.NoStock("it may end the process");
    }
    // A zero at the start, singular matrices, and zeros.
    const auto singular = [&](Value diagonals, Value rhs, bool pivoting) {
      Case& one =
          c.Ok({std::move(diagonals), std::move(rhs)}, Solving(pivoting));
      if (IsComplex(t)) one.Deviates("stock's complex NaN is 0");
    };
    const Value zero_first = Of(t, {3, 3}, {1, 2, 9, 0, 5, 6, 8, 1, 2});
    const Value zero_second = Of(t, {3, 3}, {1, 1, 0, 1, 1, 0, 0, 1, 1});
    for (const Value& diagonals : {zero_first, zero_second}) {
      c.Ok({diagonals, Rand(t, {3, 2})}).Tolerance(MatrixTolerance(t));
      singular(diagonals, Rand(t, {3, 2}), false);
    }
    for (const bool pivoting : {false, true}) {
      singular(Of(t, {3, 3}, {1, 2, 9, 1, 5, 0, 8, 1, 0}), Rand(t, {3, 2}),
               pivoting);
      singular(Of(t, {3, 2}, {1, 0, 1, 1, 0, 1}), Rand(t, {2, 2}), pivoting);
      singular(Full(t, {3, 3}, 0), Rand(t, {3, 2}), pivoting);
      singular(Full(t, {3, 1}, 0), Full(t, {1, 2}, 0), pivoting);
    }
  });
  // Perturbed pivots.
  const auto perturbed = [&c](std::initializer_list<double> diagonals,
                              std::initializer_list<double> rhs) {
    const auto n = static_cast<int64_t>(rhs.size());
    c.Ok({Of(kDouble, {3, n}, diagonals), Of(kDouble, {n, 1}, rhs)},
         Solving(true, true))
        .Tolerance(1e-9);
  };
  perturbed({0, 0, 0}, {1});
  perturbed({0, 0, 0}, {0});
  perturbed({0, 1e-300, 0}, {1e30});
  perturbed({0, 0, 0}, {1e300});
  perturbed({1, 0, 1, 1, 0, 1}, {1, 3});
  perturbed({5, 0, 3, 0, 0, 0}, {1, 1});
  perturbed({0, 0, 0, 3, 0, 0}, {1, 1});
  perturbed({2, 0, -2, -4, 0, 4}, {1, 3});
  perturbed({0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 3, 5});
  perturbed({7, 2, 0, 2, 50, 0, 0, 1, 0}, {1, 3, 5});
  perturbed({7, 2, 0, 2, 5, 0, 0, 11, 0}, {1, 3, 5});
  c.Ok({Full(kDouble, {3, 3}, 0), Of(kDouble, {3, 2}, {1, 2, 3, 4, 5, 6})},
       Solving(true, true));
  for (const DataType t : {kDouble, kC}) {
    c.Ok({DiagonalsOf(t, {3, 4}), Rand(t, {4, 2})}).Tolerance(1e-10).Gradient();
    c.Ok({DiagonalsOf(t, {3, 3}), Rand(t, {3, 2})}, Solving(false))
        .Tolerance(1e-10)
        .Gradient();
  }
  c.Error({DiagonalsOf(kFloat, {3, 3}), F32({3, 2})}, Solving(false, true),
          kInvalid,
          "Setting perturb_singular requires also setting partial_pivoting.");
  c.Error({F32({2, 3}), F32({3, 2})}, kInvalid,
          "Expected diagonals to be provided as a matrix with 3 rows, got 2 "
          "rows.");
  c.Error({F32({3, 3}), F32({4, 2})}, kInvalid,
          "Expected the same number of left-hand sides and right-hand sides, "
          "got 3 and 4.");
  c.Error({F32({3}), F32({3, 2})}, kInvalid,
          "Input tensor 0 must have rank >= 2, got 1");
  c.Error({F32({3, 3}), F32({3})}, kInvalid,
          "All input tensors must have the same rank.");
  c.Error({F32({2, 3, 3}), F32({3, 3, 2})}, kInvalid,
          "All input tensors must have the same outer dimensions.");
  c.BuildError({F32({2, 3}), F32({3, 2})}, {}, "Dimension must be 3 but is 2");
  c.BuildError({F32({3, 3}), F32({4, 2})}, {},
               "Dimensions must be equal, but are 3 and 4");
}

}  // namespace millrace::cases
