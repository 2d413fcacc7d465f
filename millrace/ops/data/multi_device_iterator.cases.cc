#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Adds an iterator for two devices over seven numbers, and nodes for the next
// element of each in iteration `incarnation`.
Case& ForTwoDevices(CaseList& c, const char* name, int incarnation = 1) {
  const auto node = [&](const char* op, const char* other) {
    return c.op().name == op ? "op" : other;
  };
  const char* const it = node("MultiDeviceIterator", "it");
  Case& k = WithRange(c, name, 7)
                .Node(it, "MultiDeviceIterator", {},
                      With(Named(Numbers()), "devices",
                           StringList{"/cpu:0", "/cpu:1"}))
                .Node(node("MultiDeviceIteratorInit", "init"),
                      "MultiDeviceIteratorInit", {"range", it, Count(2)});
  for (const int shard : {0, 1}) {
    k.Node(absl::StrCat("next", shard), "MultiDeviceIteratorGetNextFromShard",
           {it, Scalar(shard), Count(incarnation)}, Numbers());
  }
  return k;
}

void InTurn(CaseList& c) {
  const std::string init =
      c.op().name == "MultiDeviceIteratorInit" ? "op" : "init";
  ForTwoDevices(c, "in_turn")
      .Run({init})
      .Run({"next0"})
      .Run({"next0"})
      .Run({"next1"})
      .Run({"next0"})
      .Run({"next1"})
      .Run({"next1"})
      .Run({"next0"})
      .RunError({"next1"}, StatusCode::kOutOfRange, "End of sequence")
      .RunError({"next0"}, StatusCode::kOutOfRange, "End of sequence");
  ForTwoDevices(c, "anew", 2)
      .Run({init})
      .RunError({"next0"}, kInvalid,
                "Invalid incarnation id. Provided: 2; Expected: 1")
      .Run({init})
      .Run({"next1"})
      .Run({"next0"});
}

}  // namespace

MR_CASES(MultiDeviceIterator)(CaseList& c) { InTurn(c); }
MR_CASES(MultiDeviceIteratorInit)(CaseList& c) {
  InTurn(c);
  ForTwoDevices(c, "of_strings")
      .Node("text", "TensorDataset", {StrScalar("a")},
            {{"Toutput_types", TypeList{DataType::kString}},
             {"output_shapes", ShapeList{PartialShape({})}}})
      .Node("other", "MultiDeviceIteratorInit", {"text", "it", Count(2)})
      .RunError({"other"}, kInvalid,
                "Data type mismatch at component 0: expected int64 but got "
                "string.");
}
MR_CASES(MultiDeviceIteratorGetNextFromShard)(CaseList& c) {
  for (const int shard : {0, 1}) {
    ForTwoDevices(c, shard == 0 ? "first" : "second")
        .Node("op", "MultiDeviceIteratorGetNextFromShard",
              {"it", Scalar(shard), Count(1)}, Numbers())
        .Run({"init"})
        .Run({"op"})
        .Run({"op"});
  }
  ForTwoDevices(c, "before")
      .Node("op", "MultiDeviceIteratorGetNextFromShard",
            {"it", Scalar(0), Count(1)}, Numbers())
      .RunError({"op"}, StatusCode::kFailedPrecondition, "GetNext() failed")
      .NoStock("stock's process ends");
  ForTwoDevices(c, "no_such_shard")
      .Node("op", "MultiDeviceIteratorGetNextFromShard",
            {"it", Scalar(2), Count(1)}, Numbers())
      .Run({"init"})
      .RunError({"op"}, kInvalid, "there is no shard 2")
      .NoStock("stock reads past the end");
}
MR_CASES(MultiDeviceIteratorToStringHandle)(CaseList& c) {
  ForTwoDevices(c, "there_and_back")
      .Node("op", "MultiDeviceIteratorToStringHandle", {"it"})
      .Node("back", "MultiDeviceIteratorFromStringHandle", {"op"}, Numbers())
      .Node("element", "MultiDeviceIteratorGetNextFromShard",
            {"back", Scalar(1), Count(1)}, Numbers())
      .Run({"init"})
      .Run({"element"})
      .Run({"element"});
}
MR_CASES(MultiDeviceIteratorFromStringHandle)(CaseList& c) {
  c.Error({StrScalar("no handle")}, kInvalid,
          "Could not parse string_handle as a valid ResourceHandle");
}

}  // namespace millrace::cases
