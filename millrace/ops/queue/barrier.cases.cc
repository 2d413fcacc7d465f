#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Two components, of keys that come in different orders.
void BarrierLife(CaseList& c) {
  const TypeList types = {kFloat, kInt64};
  c.Sequence("life")
      .Node("b", "Barrier", {},
            {{"component_types", types},
             {"shapes", ShapeList{PartialShape({2}), PartialShape({})}}})
      .Node("xy", "BarrierInsertMany", {"b", Str({"x", "y"}), F32({2, 2})},
            {{"component_index", 0}})
      .Node("y", "BarrierInsertMany", {"b", Str({"y"}), I64({1})},
            {{"component_index", 1}})
      .Node("zx", "BarrierInsertMany", {"b", Str({"z", "x"}), I64({2})},
            {{"component_index", 1}})
      .Node("z", "BarrierInsertMany", {"b", Str({"z"}), I64({1})},
            {{"component_index", 1}})
      .Node("zz", "BarrierInsertMany", {"b", Str({"z"}), F32({1, 2})},
            {{"component_index", 0}})
      .Node("third", "BarrierInsertMany", {"b", Str({"z"}), F32({1, 2})},
            {{"component_index", 2}})
      .Node("types", "BarrierInsertMany", {"b", Str({"z"}), I64({1})},
            {{"component_index", 0}})
      .Node("new", "BarrierInsertMany", {"b", Str({"new"}), I64({1})},
            {{"component_index", 1}})
      .Node("none", "BarrierInsertMany", {"b", Str({"n"}), F32({1, 0})},
            {{"component_index", 0}})
      .Node("take2", "BarrierTakeMany", {"b", Scalar(2)},
            {{"component_types", types}})
      .Node("take0", "BarrierTakeMany", {"b", Scalar(0)},
            {{"component_types", types}})
      .Node("small", "BarrierTakeMany", {"b", Scalar(5)},
            {{"component_types", types}, {"allow_small_batch", true}})
      .Node("other", "BarrierTakeMany", {"b", Scalar(1)},
            {{"component_types", TypeList{kFloat}}})
      .Node("timeout", "BarrierTakeMany", {"b", Scalar(1)},
            {{"component_types", types}, {"timeout_ms", 10}})
      .Node("ready", "BarrierReadySize", {"b"})
      .Node("begun", "BarrierIncompleteSize", {"b"})
      .Node("close", "BarrierClose", {"b"})
      .Run({"xy"})
      .Run({"ready"})
      .Run({"begun"})
      .Run({"take0"})
      .Run({"y"})
      .Run({"zx"})
      .Run({"ready"})
      .Run({"begun"})
      .Run({"take2"})
      .RunError({"z"}, StatusCode::kInvalidArgument,
                "Key z already has a value for component 1 in barrier")
      .RunError({"third"}, StatusCode::kInvalidArgument,
                "The component ID is out of range 2 > num_components (= 2)")
      .RunError({"types"}, StatusCode::kInvalidArgument,
                "Signature mismatch, have: string_ref, string, int64-> "
                "expected: string_ref, string, float->")
      .RunError({"none"}, StatusCode::kInvalidArgument,
                "Tensors with no elements are not supported")
      .RunError({"other"}, StatusCode::kInvalidArgument, "Signature mismatch")
      .RunError({"timeout"}, StatusCode::kInvalidArgument,
                "Timeout not supported yet.")
      .Run({"close"})
      .RunError({"close"}, StatusCode::kCancelled, "is already closed.")
      .RunError({"new"}, StatusCode::kCancelled,
                "is closed, but attempted to insert a brand new key: new.  "
                "Pending enqueues cancelled: 0.  Insertion index: 0.  Number "
                "of incomplete keys: 1.")
      .Run({"zz"})
      .RunError({"new"}, StatusCode::kCancelled,
                "is closed.  Pending enqueues cancelled: 0.  Number of new "
                "insertions: 1.  Number of incomplete keys: 0.")
      .Run({"small"})
      .RunError({"small"}, StatusCode::kOutOfRange,
                "is closed and has insufficient elements (requested 0, total "
                "size 0)")
      .RunError({"take2"}, StatusCode::kOutOfRange,
                "is closed and has insufficient elements (requested 2, total "
                "size 0)");
}

void Cancels(CaseList& c) {
  c.Sequence("cancels")
      .Node("b", "Barrier", {},
            {{"component_types", TypeList{kFloat, kFloat}},
             {"shapes", ShapeList{PartialShape({}), PartialShape({})}}})
      .Node("put", "BarrierInsertMany", {"b", Str({"a", "b", "c"}), F32({3})},
            {{"component_index", 0}})
      .Node("rest", "BarrierInsertMany", {"b", Str({"a"}), F32({1})},
            {{"component_index", 1}})
      .Node("begun", "BarrierIncompleteSize", {"b"})
      .Node("close", "BarrierClose", {"b"})
      .Node("cancel", "BarrierClose", {"b"},
            {{"cancel_pending_enqueues", true}})
      .Run({"put"})
      .Run({"close"})
      .Run({"begun"})
      .Run({"cancel"})
      .Run({"begun"})
      .RunError({"cancel"}, StatusCode::kCancelled, "is already closed.")
      .RunError({"rest"}, StatusCode::kCancelled,
                "is closed.  Pending enqueues cancelled: 1.  Number of new "
                "insertions: 1.  Number of incomplete keys: 0.");
}

void Options(CaseList& c) {
  c.Sequence("shapes")
      .Node("op", "Barrier", {}, {{"component_types", TypeList{kFloat}}})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "All of the component shapes must be specified");
  c.Sequence("capacity")
      .Node("op", "Barrier", {},
            {{"component_types", TypeList{kFloat}},
             {"shapes", ShapeList{PartialShape({})}},
             {"capacity", 3}})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Barrier only accepts capacity=-1.");
  c.Sequence("partly known")
      .Node("op", "Barrier", {},
            {{"component_types", TypeList{kFloat}},
             {"shapes", ShapeList{PartialShape({kUnknownDim, 2})}}})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Shape [?,2] is not fully defined");
  // A shape of unknown rank is that of a scalar.
  c.Sequence("unknown")
      .Node("b", "Barrier", {},
            {{"component_types", TypeList{kFloat}},
             {"shapes", ShapeList{PartialShape()}}})
      .Node("put", "BarrierInsertMany", {"b", Str({"a", "b"}), F32({2})},
            {{"component_index", 0}})
      .Node("wrong", "BarrierInsertMany", {"b", Str({"c"}), F32({1, 2})},
            {{"component_index", 0}})
      .Node("take", "BarrierTakeMany", {"b", Scalar(2)},
            {{"component_types", TypeList{kFloat}}})
      .Run({"put"})
      .RunError({"wrong"}, StatusCode::kInvalidArgument,
                "Shape mismatch in tuple component 2. Expected [], got [2]")
      .Run({"take"});
}

}  // namespace

MR_CASES(Barrier)(CaseList& c) {
  BarrierLife(c);
  Cancels(c);
  Options(c);
}
MR_CASES(BarrierInsertMany)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Sequence("holds " + DataTypeName(t))
        .Node("b", "Barrier", {},
              {{"component_types", TypeList{t}},
               {"shapes", ShapeList{PartialShape({2})}}})
        .Node("put", "BarrierInsertMany",
              {"b", Str({"c", "a", "b"}), Rand(t, {3, 2})},
              {{"component_index", 0}})
        .Node("wrong", "BarrierInsertMany", {"b", Str({"d"}), Rand(t, {1, 3})},
              {{"component_index", 0}})
        .Node("take", "BarrierTakeMany", {"b", Scalar(3)},
              {{"component_types", TypeList{t}}})
        .Run({"put"})
        .RunError({"wrong"}, StatusCode::kInvalidArgument,
                  "Shape mismatch in tuple component 2. Expected [2], got [3]")
        .Run({"take"});
  });
}
MR_CASES(BarrierTakeMany)(CaseList& c) { BarrierLife(c); }
MR_CASES(BarrierReadySize)(CaseList& c) { BarrierLife(c); }
MR_CASES(BarrierIncompleteSize)(CaseList& c) { Cancels(c); }
MR_CASES(BarrierClose)(CaseList& c) { Cancels(c); }

}  // namespace millrace::cases
