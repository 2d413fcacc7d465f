#include "millrace/ops/ragged/ragged.cases.h"

namespace millrace::cases {
namespace {

using namespace ragged;

AttrMap To(DataType values, int64_t levels, bool batched) {
  return {
      {"Tvalues", values}, {"RAGGED_RANK", levels}, {"batched_input", batched}};
}
AttrMap From(DataType values, int64_t in, int64_t out, DataType splits = kI) {
  return {{"Tvalues", values},
          {"input_ragged_rank", in},
          {"output_ragged_rank", out},
          {"Tsplits", splits}};
}

// Makes a variant, or one for each row, and reads it back.
Case& RoundTrip(CaseList& c, const char* name, std::vector<Value> ragged,
                bool batched, int64_t in_levels, int64_t out_levels,
                DataType splits = kI) {
  const DataType t = ragged.back().tensor.dtype();
  const auto levels = static_cast<int64_t>(ragged.size()) - 1;
  AttrMap to = To(t, levels, batched);
  to.Set("Tsplits", splits);
  return c.Sequence(name)
      .Node("v", "RaggedTensorToVariant", std::move(ragged), std::move(to))
      .Node("r", "RaggedTensorFromVariant", {"v"},
            From(t, in_levels, out_levels, splits));
}

std::vector<Value> OneLevel(DataType t) {
  return {Splits({0, 2, 2, 5}), Rand(t, {5})};
}
std::vector<Value> TwoLevels(DataType t) {
  return {Splits({0, 2, 3}), Splits({0, 2, 2, 5}), Rand(t, {5, 2})};
}

void RoundTrips(CaseList& c, DataType t) {
  RoundTrip(c, "whole", OneLevel(t), false, 1, 1).Run({"r"});
  RoundTrip(c, "rows", OneLevel(t), true, 0, 1).Run({"r"});
  RoundTrip(c, "inferred", OneLevel(t), true, -1, 1).Run({"r"});
  RoundTrip(c, "nested", TwoLevels(t), false, 2, 2).Run({"r"});
  RoundTrip(c, "nested_rows", TwoLevels(t), true, 1, 2).Run({"r"});
  RoundTrip(c, "dense", {Rand(t, {4, 2})}, false, 0, 0).Run({"r"});
  RoundTrip(c, "dense_rows", {Rand(t, {4, 2})}, true, 0, 1)
      .Run({"r"})
      .NoShapeCheck();  // stock's static shape has one row less
}

void MoreRoundTrips(CaseList& c) {
  RoundTrip(c, "int32", {Splits({0, 2, 2, 5}, DataType::kInt32), F32({5})},
            true, 0, 1, DataType::kInt32)
      .Run({"r"});
  RoundTrip(c, "no_rows", {Splits({0}), Empty(kFloat, {0})}, true, 0, 1)
      .Run({"r"});
  RoundTrip(c, "no_rows_nested", {Splits({0}), Empty(kFloat, {0})}, true, 1, 2)
      .Run({"r"});
  RoundTrip(c, "no_values", {Splits({0, 0}), Empty(kFloat, {0})}, true, 0, 1)
      .Run({"r"});
  c.Sequence("matrix_of_variants")
      .Node("v", "RaggedTensorToVariant",
            {Splits({0, 1, 2, 4, 4}), Splits({0, 2, 2, 3, 5}), F32({5})},
            To(kFloat, 2, true))
      .Node("m", "Reshape", {"v", Vec({2, 2})})
      .Node("r", "RaggedTensorFromVariant", {"m"}, From(kFloat, 1, 3))
      .Run({"r"});
  c.Sequence("variants_without_rows")
      .Node("v", "RaggedTensorToVariant", {Splits({0}), Empty(kFloat, {0})},
            To(kFloat, 1, true))
      .Node("m", "Reshape", {"v", Vec({2, 0, 3})})
      .Node("r", "RaggedTensorFromVariant", {"m"}, From(kFloat, 1, 4))
      .Run({"r"});
}

void Failures(CaseList& c) {
  const auto refused = [&](const char* name, std::vector<Value> ragged,
                           bool batched, const char* words) {
    const auto levels = static_cast<int64_t>(ragged.size()) - 1;
    RoundTrip(c, name, std::move(ragged), batched, batched ? -1 : levels,
              std::max<int64_t>(levels, batched ? 1 : 0))
        .RunError({"r"}, kInvalid, words);
  };
  for (const bool batched : {false, true}) {
    refused("decreasing", {Splits({0, 2, 1, 5}), F32({5})}, batched,
            "Invalid ragged splits: ragged splits must be monotonically "
            "increasing, but ragged_splits[2]=1 is smaller than "
            "row_splits[1]=2");
    refused("too_long", {Splits({0, 2, 2, 7}), F32({5})}, batched,
            "Invalid ragged splits: last element of ragged splits must be the "
            "number of ragged values(5) but is 7");
    refused("not_from_0", {Splits({1, 2, 2, 5}), F32({5})}, batched,
            "Invalid ragged splits: first element of ragged splits  must be 0 "
            "but is 1");
    refused("empty", {Empty(kI, {0}), F32({5})}, batched,
            "Invalid ragged splits: ragged splits must have at least one");
    refused("nested", {Splits({0, 2, 7}), Splits({0, 2, 2, 5}), F32({5})},
            batched,
            "Invalid ragged splits: last element of ragged splits must be the "
            "number of ragged values(3) but is 7");
  }
  RoundTrip(c, "rank", OneLevel(kFloat), true, 1, 2)
      .RunError({"r"}, kInvalid,
                "Encoded input RaggedTensorVariant has ragged_rank=0.  "
                "Expected ragged_rank=1.");
  RoundTrip(c, "scalar_rows", {F32({3})}, true, -1, 1)
      .RunError({"r"}, kInvalid,
                "Ragged values must have rank >= 1; encoded scalar element at "
                "index 0")
      .NoShapeCheck();
  c.Sequence("splits_type")
      .Node("v", "RaggedTensorToVariant", OneLevel(kFloat),
            To(kFloat, 1, false))
      .Node("r", "RaggedTensorFromVariant", {"v"},
            From(kFloat, 1, 1, DataType::kInt32))
      .RunError({"r"}, kInvalid,
                "Expected row_splits Tensor dtype: int32, found: int64");
  c.Sequence("values_type")
      .Node("v", "RaggedTensorToVariant", OneLevel(kFloat),
            To(kFloat, 1, false))
      .Node("r", "RaggedTensorFromVariant", {"v"}, From(kI, 1, 1))
      .RunError({"r"}, kInvalid, "Expected values Tensor dtype: int64");
  c.Sequence("no_ragged_tensor")
      .Node("o", "OptionalNone", {})
      .Node("r", "RaggedTensorFromVariant", {"o"}, From(kFloat, 0, 0))
      .RunError({"r"}, kInvalid, "");
}

}  // namespace

MR_CASES(RaggedTensorToVariant)(CaseList& c) {
  c.EachType("Tvalues", RoundTrips);
  MoreRoundTrips(c);
  Failures(c);
  c.BuildError({Of(kI, {1, 2}, {0, 2}), F32({2})}, {{"batched_input", true}},
               "Shape must be rank 1 but is rank 2");
  c.BuildError({Splits({0, 2}), F32({})}, {{"batched_input", false}},
               "Shape must be at least rank 1 but is rank 0");
}

MR_CASES(RaggedTensorFromVariant)(CaseList& c) {
  c.EachType("Tvalues", RoundTrips);
  MoreRoundTrips(c);
  Failures(c);
}

}  // namespace millrace::cases
