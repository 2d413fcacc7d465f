#include "millrace/ops/ragged/ragged.cases.h"

namespace millrace::cases {

using namespace ragged;

MR_CASES(RaggedTensorToSparse)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Splits({0, 2, 2, 5}), Rand(t, {5})});
  });
  for (const DataType t : {DataType::kInt32, kI}) {
    c.Ok({Splits({0, 2, 3}, t), Splits({0, 2, 2, 5}, t), F32({5})});
    c.Ok({Splits({0, 2, 2, 5}, t), F32({5, 2, 3})});
    c.Ok({Splits({0, 0}, t), Empty(kFloat, {0})});
    c.Ok({Splits({0}, t), Empty(kFloat, {0})});
    c.Ok({Splits({0, 2}, t), Empty(kFloat, {2, 0})});
  }
  c.Ok({Splits({0, 0, 1, 1, 3}), Splits({0, 0, 2, 2}), Splits({0, 3, 4}),
        F32({4})});
  c.Ok({Splits({0, 2, 2, 5}), F64({5, 2})}).Gradient({1});
  c.Error({Empty(kI, {0}), Empty(kFloat, {0})}, kInvalid,
          "ragged splits may not be empty.");
  c.Error({Splits({1, 2}), F32({2})}, kInvalid,
          "First value of ragged splits must be 0.");
  c.Error({Splits({0, 2, 1, 3}), F32({3})}, kInvalid,
          "Ragged splits should be non decreasing, but we got 2 followed by 1");
  const char* const no_match =
      "Final value of ragged splits must match the length the corresponding "
      "ragged values.";
  c.Error({Splits({0, 2}), F32({3})}, kInvalid, no_match);
  c.Error({Splits({0, 4}), F32({3})}, kInvalid, no_match);
  c.Error({Splits({0, 2}), F32({})}, kInvalid, no_match);
  c.Error({Splits({0, 3}), Splits({0, 2, 3}), F32({3})}, kInvalid, no_match);
  c.BuildError({Of(kI, {1, 2}, {0, 2}), F32({2})}, {},
               "Shape must be rank 1 but is rank 2");
  c.BuildError({Splits({0, 2}), F32({})}, {},
               "Shape must be at least rank 1 but is rank 0");
}

}  // namespace millrace::cases
