#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Range)(CaseList& c) {
  c.EachType("Tidx", [](CaseList& c, DataType t) {
    const auto range = [&](double start, double limit, double delta) {
      Case& one = c.Ok({Scalar(t, start), Scalar(t, limit), Scalar(t, delta)});
      if (t == DataType::kHalf) {
        one.NoStock("its shape function refuses half where values are known");
      }
    };
    range(1, 20, 3);
    range(20, -1, -3);
    range(5, 5, 1);
  });
  const DataType f = DataType::kFloat;
  c.Ok({Scalar(f, 0), Scalar(f, 1), Scalar(f, 0.1)});
  // A vector of one, where no shape function sees it.
  c.Ok({Vec({0}), Scalar(10), Scalar(3)}).NoShapeCheck();
  c.Ok({Scalar(-2147483648.0), Scalar(2147483647), Scalar(1000000000)});
  c.Error({Scalar(0), Scalar(10), Scalar(0)}, StatusCode::kInvalidArgument,
          "Requires delta != 0: 0");
  c.Error({Scalar(10), Scalar(0), Scalar(3)}, StatusCode::kInvalidArgument,
          "Requires start <= limit when delta > 0: 10/0");
  c.Error({Scalar(0), Scalar(10), Scalar(-3)}, StatusCode::kInvalidArgument,
          "Requires start >= limit when delta < 0: 0/10");
  c.Error({Vec({0, 1}), Scalar(10), Scalar(3)}, StatusCode::kInvalidArgument,
          "start must be a scalar, not shape [2]");
  c.Error({Scalar(0), Scalar(10), Vec({1, 1})}, StatusCode::kInvalidArgument,
          "delta must be a scalar, not shape [2]");
  c.Error({Scalar(f, 0),
           Values<float>({}, {std::numeric_limits<float>::infinity()}),
           Scalar(f, 1)},
          StatusCode::kInvalidArgument,
          "Requires ((limit - start) / delta) <= 9223372036854775807");
}

MR_CASES(LinSpace)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Scalar(t, 1), Scalar(t, 2), Scalar(7)});
    c.Ok({Scalar(t, 3), Scalar(t, -2), Scalar(DataType::kInt64, 100)});
    c.Ok({Scalar(t, 3), Scalar(t, -2), Scalar(1)});
    c.Ok({Scalar(t, 3), Scalar(t, -2), Scalar(2)});
  });
  const DataType f = DataType::kFloat;
  c.Error({Scalar(f, 0), Scalar(f, 1), Scalar(0)}, StatusCode::kInvalidArgument,
          "Requires num > 0: 0");
  c.Error({Vec(f, {0}), Scalar(f, 1), Scalar(1)}, StatusCode::kInvalidArgument,
          "start must be a scalar, not shape [1]");
  c.Error({Scalar(f, 0), Scalar(f, 1), Vec({1})}, StatusCode::kInvalidArgument,
          "num must be a scalar, not shape [1]");
}

}  // namespace millrace::cases
