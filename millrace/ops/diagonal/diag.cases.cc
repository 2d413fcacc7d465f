#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Diag)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3})});
    c.Ok({Rand(t, {2, 3})});
  });
  c.Ok({F32({4})}).Gradient();
  c.Ok({F32({70})});
  c.Ok({Empty(DataType::kFloat, {0})});
}

MR_CASES(DiagPart)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 3})});
    c.Ok({Rand(t, {2, 3, 2, 3})});
  });
  c.Ok({F32({3, 3})}).Gradient();
  c.Error({F32({2, 2, 2})}, StatusCode::kInvalidArgument,
          "The rank of the tensor should be");
  c.Error({F32({2, 3})}, StatusCode::kInvalidArgument,
          "Invalid shape [2,3]: dimensions 0 and 1 do not match.");
}

MR_CASES(MatrixBandPart)(CaseList& c) {
  const DataType i64 = DataType::kInt64;
  c.EachType("T", [i64](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 5}), Scalar(i64, 1), Scalar(i64, 2)});
    c.Ok({Rand(t, {2, 5, 3}), Scalar(i64, -1), Scalar(i64, 0)});
  });
  c.Ok({F32({3, 3}), Scalar(0), Scalar(-1)}).Gradient({0});
  c.Ok({F32({2, 3}), Scalar(i64, -1), Scalar(i64, -1)});
  c.Ok({F32({2, 3}), Scalar(i64, 2), Scalar(i64, 3)});
  c.Ok({F32({6, 2}), Scalar(i64, 0), Scalar(i64, 0)});
  c.Ok({Empty(DataType::kFloat, {2, 0}), Scalar(i64, 0), Scalar(i64, 0)});
  const auto error = [&c, i64](Value x, int lower, int upper,
                               const char* words) {
    c.Error({std::move(x), Scalar(i64, lower), Scalar(i64, upper)},
            StatusCode::kInvalidArgument, words);
  };
  error(F32({2}), 1, 1, "input must be at least 2-dim, received shape: [2]");
  error(F32({2, 2}), 3, 1,
        "num_lower must be negative or less or equal to number of rows (2) "
        "got: 3");
  error(F32({2, 2}), 1, 3,
        "num_upper must be negative or less or equal to number of columns (2) "
        "got: 3");
  c.Ok({F32({2, 3}), Scalar(i64, 2), Scalar(i64, -1)});
  c.Ok({F32({2, 3}), Scalar(i64, -1), Scalar(i64, 2)});
  c.Ok({F32({2, 3}), Scalar(i64, 1), Scalar(i64, 3)});
}

MR_CASES(BatchMatrixBandPart)(CaseList& c) {
  const DataType i64 = DataType::kInt64;
  c.EachType("T", [i64](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 3}), Scalar(i64, 1), Scalar(i64, -1)});
  });
  c.Error({F32({2, 2}), Scalar(i64, 3), Scalar(i64, 1)},
          StatusCode::kInvalidArgument,
          "num_lower must be negative or less or equal to number of rows (2) "
          "got: 3");
}

}  // namespace millrace::cases
