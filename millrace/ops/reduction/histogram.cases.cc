#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(HistogramFixedWidth)(CaseList& c) {
  const DataType f = DataType::kFloat;
  c.EachType("T", [](CaseList& c, DataType t) {
    c.EachType("dtype", [t](CaseList& c, DataType d) {
      c.Ok({Rand(t, {3, 40}, -5, 20), Vec(t, {0, 15}), Scalar(5)},
           {{"dtype", d}});
    });
  });
  c.Ok({Vec(f, {-1, 0, 1.5, 2, 5, 15}), Vec(f, {0, 5}), Scalar(5)});
  c.Ok({Empty(f, {0}), Vec(f, {0, 1}), Scalar(2)});
  c.Error({F32({2}), Vec(f, {5, 0}), Scalar(5)}, StatusCode::kInvalidArgument,
          "value_range should satisfy value_range[0] < value_range[1], but got "
          "'[5, 0]'");
  c.Error({F32({2}), Vec(f, {0, 5}), Scalar(0)}, StatusCode::kInvalidArgument,
          "nbins should be a positive number, but got '0'");
  c.Error({F32({2}), Vec(f, {0, 5, 1}), Scalar(2)},
          StatusCode::kInvalidArgument,
          "value_range should be a vector of 2 elements.");
  c.Error({F32({2}), Of(f, {1, 2}, {0, 1}), Scalar(2)},
          StatusCode::kInvalidArgument, "value_range should be a vector.");
  c.Error({F32({2}), Vec(f, {0, 5}), Vec({2})}, StatusCode::kInvalidArgument,
          "nbins should be a scalar.");
  c.Error({Values<float>({std::numeric_limits<float>::quiet_NaN()}),
           Vec(f, {0, 5}), Scalar(2)},
          StatusCode::kInvalidArgument, "Histogram values must not contain NaN")
      .Name("a number that the host does not see");
}

}  // namespace millrace::cases
