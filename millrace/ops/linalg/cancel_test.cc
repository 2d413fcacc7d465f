// A step ends soon after it is cancelled, whatever it computes of a large
// matrix: run to their ends these steps would take seconds or minutes.
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::ops {
namespace {

// Returns numbers in [0, 1), with a diagonal larger than all others of a row.
Tensor LargeMatrix(int64_t n) {
  Tensor t = Tensor::New(DataType::kDouble, TensorShape({n, n}));
  const auto a = t.mutable_flat<double>();
  uint32_t state = 1;
  for (double& x : a) {
    state = state * 1664525 + 1013904223;
    x = state * 0x1p-32;
  }
  for (int64_t i = 0; i < n; ++i) a[i * n + i] += 2.0 * n;
  return t;
}

using Build = Output (*)(const Scope& s, const Output& a);

struct Long {
  const char* op;
  int64_t n;
  Build build;
};

constexpr Long kLong[] = {
    {"Cholesky", 5000,
     [](const Scope& s, const Output& a) { return Cholesky(s, a); }},
    {"CholeskyGrad", 3000,
     [](const Scope& s, const Output& a) { return CholeskyGrad(s, a, a); }},
    {"Lu", 4000, [](const Scope& s, const Output& a) { return Lu(s, a).lu; }},
    {"MatrixInverse", 3000,
     [](const Scope& s, const Output& a) { return MatrixInverse(s, a); }},
    {"MatrixTriangularSolve", 3000,
     [](const Scope& s, const Output& a) {
       return MatrixTriangularSolve(s, a, a);
     }},
    {"Qr", 3000, [](const Scope& s, const Output& a) { return Qr(s, a).r; }},
    {"SelfAdjointEigV2", 3000,
     [](const Scope& s, const Output& a) { return SelfAdjointEigV2(s, a).v; }},
    {"Svd", 2000, [](const Scope& s, const Output& a) { return Svd(s, a).u; }},
};

TEST(LinalgCancel, StepsEndSoon) {
  for (const Long& c : kLong) {
    SCOPED_TRACE(c.op);
    const Scope s = Scope::NewRoot();
    const Output a = Placeholder(s, DataType::kDouble);
    const Output result = c.build(s, a);
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    RunContext context;
    context.options.timeout_ms = 100;
    const Tensor matrix = LargeMatrix(c.n);
    const auto out = session.Run({{a, matrix}}, {result}, {}, context);
    EXPECT_EQ(out.status().code(), StatusCode::kDeadlineExceeded)
        << out.status();
  }
}

}  // namespace
}  // namespace millrace::ops
