#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Limits {
  double mean, deviation, low, high;
};

void Limited(CaseList& c, DataType t, Limits l) {
  c.Ok({Vec({230}), Scalar(t, l.mean), Scalar(t, l.deviation), Scalar(t, l.low),
        Scalar(t, l.high)},
       {{"dtype", t}, {"seed", 3}, {"seed2", 5}});
}

void TruncatedSamplers(CaseList& c, DataType t) {
  for (const Limits& l :
       {Limits{0, 1, -1, 1}, Limits{0, 1, -5, 5}, Limits{0, 1, 2, kInf},
        Limits{0, 1, -kInf, -2}, Limits{1, 2, 1.5, 1.75}, Limits{0, 1, 5, 6},
        Limits{0, 1, -6, -5}, Limits{-3, 0.5, -kInf, -3},
        Limits{0, 1, 0.5, kInf}}) {
    Limited(c, t, l);
  }
  c.Sequence("rows")
      .Node("op", "ParameterizedTruncatedNormal",
            {Vec(DataType::kInt64, {3, 2, 5}), Vec(t, {0, 1, 2}), Vec(t, {1}),
             Vec(t, {-5, 0, 1.5}), Scalar(t, 5)},
            {{"dtype", t}, {"seed", 7}})
      .Run({"op"})
      .Run({"op"});
  c.Sequence("long rows")
      .Node("op", "ParameterizedTruncatedNormal",
            {Vec({2, 900}), Vec(t, {0, 1}), Vec(t, {1}), Vec(t, {-0.5, 0.5}),
             Scalar(t, 1)},
            {{"dtype", t}, {"seed", 7}})
      .Run({"op"})
      .Run({"op"});
}

void FailsWith(CaseList& c, Value shape, std::vector<Value> parameters,
               StatusCode code, const char* words) {
  std::vector<Value> inputs = {std::move(shape)};
  for (Value& p : parameters) inputs.push_back(std::move(p));
  c.Error(std::move(inputs), {{"dtype", DataType::kFloat}, {"seed", 1}}, code,
          words)
      .NoShapeCheck();
}

}  // namespace

MR_CASES(ParameterizedTruncatedNormal)(CaseList& c) {
  c.EachType("dtype", TruncatedSamplers);
  const DataType t = DataType::kFloat;
  const StatusCode invalid = StatusCode::kInvalidArgument;
  const auto number = [t](double x) { return Scalar(t, x); };
  const std::vector<Value> usual = {number(0), number(1), number(-1),
                                    number(1)};
  const char* const names[] = {"means", "stddevs", "minvals", "maxvals"};
  for (size_t i = 0; i < 4; ++i) {
    std::vector<Value> other = usual;
    const std::string name = names[i];
    other[i] = Full(t, {1, 1}, 1);
    FailsWith(
        c, Vec({3}), other, invalid,
        ("Input " + name + " should be a scalar or vector, got shape: [1,1]")
            .c_str());
    other[i] = Full(t, {2}, 1);
    FailsWith(
        c, Vec({3}), other, invalid,
        ("Input " + name + " should have length 1 or shape[0], got shape: [2]")
            .c_str());
  }
  FailsWith(c, Scalar(3), usual, invalid,
            "Input shape should be a vector, got shape: []");
  FailsWith(c, Empty(DataType::kInt32, {0}), usual, invalid,
            "Shape tensor must not be empty, got");
  FailsWith(c, Vec({-3}), usual, invalid, "must be >= 0");
  for (const Limits& l :
       {Limits{0, 0, -1, 1}, Limits{0, -1, -1, 1}, Limits{0, 1, 1, 1},
        Limits{0, 1, 2, 1}, Limits{0, 1, -kInf, kInf}, Limits{0, kNan, -1, 1},
        Limits{0, 1, kNan, 1}}) {
    FailsWith(
        c, Vec({3}),
        {number(l.mean), number(l.deviation), number(l.low), number(l.high)},
        invalid, "Invalid parameters");
  }
  FailsWith(c, Vec({3}), {number(kNan), number(1), number(-1), number(1)},
            StatusCode::kInternal,
            "rejection sampler failed to accept a sample.");
  c.Ok({Vec({0}), number(0), number(0), number(-1), number(1)},
       {{"dtype", t}, {"seed", 1}});
  c.Ok({Vec({3, 0}), number(0), number(1), number(-1), number(1)},
       {{"dtype", t}, {"seed", 1}});
}

}  // namespace millrace::cases
