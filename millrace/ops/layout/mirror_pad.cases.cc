#include "millrace/ops/layout/pads.cases.h"

namespace millrace::cases {

MR_CASES(MirrorPad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 4}), Pads({2, 1, 3, 2})}, {{"mode", "REFLECT"}});
    c.Ok({Rand(t, {3, 4}), Pads({3, 1, 0, 4})}, {{"mode", "SYMMETRIC"}});
  });
  c.Ok({F32({2, 3, 3}), Pads({0, 0, 1, 2, 2, 0}, DataType::kInt64)},
       {{"mode", "REFLECT"}})
      .Gradient({0});
  c.Ok({F32({}), Empty(DataType::kInt32, {0, 2})}, {{"mode", "SYMMETRIC"}});
  c.Ok({F32({6, 20, 20, 3}), Pads({0, 0, 2, 3, 5, 1, 0, 0})},
       {{"mode", "SYMMETRIC"}});
  c.Error(
      {F32({2}), Pads({2, 1})}, {{"mode", "REFLECT"}},
      StatusCode::kInvalidArgument,
      "paddings must be less than the dimension size: 2, 1 not less than 2");
  c.Error({F32({2}), Pads({3, 1})}, {{"mode", "SYMMETRIC"}},
          StatusCode::kInvalidArgument,
          "paddings must be no greater than the dimension size: 3, 1 greater "
          "than 2");
  c.Error({F32({2}), Pads({-1, 1})}, {{"mode", "SYMMETRIC"}},
          StatusCode::kInvalidArgument, "paddings must be non-negative: -1 1");
  c.Ok({F32({2, 3}), Pads({0, 0, 0, 0})}, {{"mode", "SYMMETRIC"}});
}

MR_CASES(MirrorPadGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {7, 8}), Pads({2, 1, 1, 2})}, {{"mode", "REFLECT"}});
    c.Ok({Rand(t, {7, 8}), Pads({3, 1, 0, 4})}, {{"mode", "SYMMETRIC"}});
  });
  c.Ok({F32({3, 7, 4}), Pads({0, 0, 1, 2, 0, 0}, DataType::kInt64)},
       {{"mode", "REFLECT"}})
      .Gradient({0});
  c.Ok({F32({3}), Pads({0, 0})}, {{"mode", "SYMMETRIC"}});
  c.Error({F32({4}), Pads({5, 1})}, {{"mode", "SYMMETRIC"}},
          StatusCode::kInvalidArgument,
          "Total paddings must be less than the input dimension size: 6 was "
          "not less than 4");
  c.Error({F32({4}), Pads({2, 1})}, {{"mode", "REFLECT"}},
          StatusCode::kInvalidArgument,
          "paddings must be less than the output dimension size: 2, 1 not less "
          "than 1");
  c.Error({F32({4}), Pads({2, 1})}, {{"mode", "SYMMETRIC"}},
          StatusCode::kInvalidArgument,
          "paddings must be no greater than the output dimension size: 2, 1 "
          "greater than 1");
  c.Error({F32({4}), Pads({-2, 1})}, {{"mode", "SYMMETRIC"}},
          StatusCode::kInvalidArgument, "Paddings must be non-negative: -2, 1");
  c.Ok({F32({2, 3}), Pads({0, 0, 0, 0})}, {{"mode", "SYMMETRIC"}});
}

}  // namespace millrace::cases
