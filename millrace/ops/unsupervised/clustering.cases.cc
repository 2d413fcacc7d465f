#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Value I64Scalar(double value) { return Scalar(kInt64, value); }

}  // namespace

MR_CASES(KmeansPlusPlusInitialization)(CaseList& c) {
  const auto inputs = [](Value points, double count, double seed,
                         double retries) -> std::vector<Value> {
    return {std::move(points), I64Scalar(count), I64Scalar(seed),
            I64Scalar(retries)};
  };
  for (const double seed : {0.0, 1.0, 42.0, -7.0}) {
    for (const double retries : {0.0, 1.0, 3.0, -1.0}) {
      c.Ok(inputs(F32({12, 3}), 5, seed, retries));
    }
  }
  c.Ok(inputs(F32({12, 3}), 12, 3, 0));
  c.Ok(inputs(F32({4000, 5}), 4, 3, 1));
  c.Ok(inputs(Full(kFloat, {4, 2}, 1), 3, 1, 0));
  c.Ok(inputs(Full(kFloat, {4, 2}, 1), 4, 1, 2));
  c.Ok(inputs(Empty(kFloat, {3, 0}), 2, 1, 0));
  c.Ok(inputs(Values<float>({3, 1}, {kNan, 1, 2}), 3, 1, 0))
      .NoStock("reads behind its points");
  const auto error = [&c](std::vector<Value> inputs, const char* words) {
    c.Error(std::move(inputs), kInvalid, words);
  };
  error(inputs(F32({12, 3}), 13, 1, 0),
        "Expected num_to_sample <= points.rows(). 13 vs 12.");
  error(inputs(F32({12, 3}), 0, 1, 0), "Expected num_to_sample > 0.");
  error(inputs(F32({12, 3}), -1, 1, 0), "Expected num_to_sample > 0.");
  error(inputs(Empty(kFloat, {0, 2}), 1, 1, 0), "Expected points.rows() > 0.");
  error(inputs(F32({3}), 1, 1, 0), "Input points should be a matrix.");
  const char* const names[] = {"num_to_sample", "seed",
                               "num_retries_per_sample"};
  for (size_t i = 0; i < 3; ++i) {
    std::vector<Value> wrong = inputs(F32({3, 2}), 1, 1, 0);
    wrong[i + 1] = Vec(kInt64, {1});
    c.Error(std::move(wrong), kInvalid,
            std::string("Input ") + names[i] + " should be a scalar.");
  }
}

MR_CASES(KMC2ChainInitialization)(CaseList& c) {
  for (const double seed : {0.0, 1.0, 42.0, -5.0, 1099511627779.0}) {
    for (const int64_t n : {1, 2, 3, 10, 1000}) {
      c.Ok({Rand(kFloat, {n}, 0, 5), I64Scalar(seed)});
    }
  }
  c.Ok({Values<float>({kNan, 1, 2}), I64Scalar(1)});
  c.Error({Empty(kFloat, {0}), I64Scalar(1)}, kInvalid,
          "Expected distances_tensor.size() > 0.");
  c.Error({F32({1, 2}), I64Scalar(1)}, kInvalid,
          "Input distances should be a vector.");
  c.Error({F32({2}), Vec(kInt64, {1})}, kInvalid,
          "Input seed should be a scalar.");
}

MR_CASES(NearestNeighbors)(CaseList& c) {
  // Among them are centers at the same distance.
  const Value points = Of(kFloat, {4, 2}, {0, 0, 1, 1, 0.5, 0.5, 9, 9});
  const Value centers = Of(kFloat, {5, 2}, {0, 0, 1, 1, 1, 1, 5, 5, 0, 0});
  for (const double k : {0.0, 1.0, 2.0, 3.0, 5.0, 9.0}) {
    c.Ok({points, centers, I64Scalar(k)});
    c.Ok({F32({300, 6}), F32({8, 6}), I64Scalar(k)});
  }
  c.Ok({F32({2, 3}), Empty(kFloat, {0, 3}), I64Scalar(1)});
  c.Ok({Empty(kFloat, {2, 0}), Empty(kFloat, {3, 0}), I64Scalar(2)});
  const Value unclear = Values<float>({3, 2}, {kNan, 0, 1, 1, 2, 2});
  for (const double k : {1.0, 2.0, 3.0}) {
    c.Ok({F32({1, 2}), unclear, I64Scalar(k)});
  }
  const auto error = [&c](Value points, Value centers, Value k,
                          const char* words) {
    c.Error({std::move(points), std::move(centers), std::move(k)}, kInvalid,
            words);
  };
  error(F32({1, 3}), F32({5, 2}), I64Scalar(1),
        "Expected point_dimensions == center_dimensions: 3 vs 2.");
  error(F32({2}), F32({5, 2}), I64Scalar(1),
        "Input points should be a matrix.");
  error(F32({1, 2}), F32({2}), I64Scalar(1),
        "Input centers should be a matrix.");
  error(F32({1, 2}), F32({5, 2}), Vec(kInt64, {1}),
        "Input k should be a scalar.");
  error(Empty(kFloat, {0, 2}), F32({5, 2}), I64Scalar(2),
        "Expected points.rows() > 0.");
  c.Error({F32({1, 2}), F32({5, 2}), I64Scalar(-1)}, kInvalid,
          "Expected k >= 0, got -1.")
      .NoStock("ends its process");
}

}  // namespace millrace::cases
