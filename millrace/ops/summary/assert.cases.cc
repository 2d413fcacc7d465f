#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Assert)(CaseList& c) {
  c.Ok({Scalar(DataType::kBool, 1), Str({"never"})});
  c.Error({Scalar(DataType::kBool, 0), Str({"x is", "y"}),
           Iota(DataType::kFloat, {5})},
          StatusCode::kInvalidArgument, "assertion failed: [x is");
  c.Error({Scalar(DataType::kBool, 0), Iota(DataType::kInt32, {5})},
          {{"summarize", 2}}, StatusCode::kInvalidArgument,
          "assertion failed: [0 1...]");
}

}  // namespace millrace::cases
