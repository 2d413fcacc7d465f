#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Attrs(TypeList types, const char* name) {
  return {{"dtypes", std::move(types)}, {"shared_name", name}};
}

void Fifo(CaseList& c) {
  const AttrMap attrs = Attrs({kInt64, kFloat}, c.op().name.c_str());
  AttrMap small = attrs;
  small.Set("memory_limit", 8);
  small.Set("shared_name", c.op().name + "small");
  c.Sequence("life")
      .Node("put", "Stage", {I64({2}), F32({3})}, attrs)
      .Node("more", "Stage", {I64({1}), F32({})}, attrs)
      .Node("take", "Unstage", {}, attrs)
      .Node("peek", "StagePeek", {Scalar(1)}, attrs)
      .Node("size", "StageSize", {}, attrs)
      .Node("clear", "StageClear", {}, attrs)
      .Node("large", "Stage", {I64({2}), F32({3})}, small)
      .Run({"size"})
      .Run({"put"})
      .Run({"more"})
      .Run({"peek"})
      .Run({"take"})
      .Run({"size"})
      .Run({"clear"})
      .Run({"size"})
      .RunError({"large"}, StatusCode::kResourceExhausted,
                "Attempted to insert tensors with combined size of '28' bytes "
                "into Staging Area with a memory limit of '8'.");
}

void ByKey(CaseList& c, const std::string& kind) {
  const AttrMap attrs = Attrs({kInt64, kFloat}, (kind + c.op().name).c_str());
  c.Sequence("life")
      .Node("put", kind + "Stage",
            {Scalar(kInt64, 5), Vec({0, 1}), I64({2}), F32({3})}, attrs)
      .Node("a", kind + "Stage", {Scalar(kInt64, 3), Vec({0}), I64({2})}, attrs)
      .Node("b", kind + "Stage", {Scalar(kInt64, 3), Vec({1}), F32({2})}, attrs)
      .Node("peek", kind + "Peek", {Scalar(kInt64, 5), Vec({0, 1})}, attrs)
      .Node("take", kind + "Unstage", {Scalar(kInt64, 5), Vec({0, 1})}, attrs)
      .Node("any", kind + "UnstageNoKey", {Vec({0, 1})}, attrs)
      .Node("size", kind + "Size", {}, attrs)
      .Node("partial", kind + "IncompleteSize", {}, attrs)
      .Node("clear", kind + "Clear", {}, attrs)
      .Run({"put"})
      .Run({"a"})
      .Run({"partial"})
      .Run({"size"})
      .RunError({"a"}, StatusCode::kInvalidArgument,
                "The tensor for index '0' for key '3' was already initialized")
      .Run({"b"})
      .Run({"size"})
      .Run({"peek"})
      .Run({"take"})
      .Run({"any"})
      .Run({"size"})
      .Run({"put"})
      .Run({"clear"})
      .Run({"size"});
  const AttrMap keyed = Attrs({kFloat}, (kind + c.op().name + "key").c_str());
  const StatusCode invalid = StatusCode::kInvalidArgument;
  c.Sequence("shapes of keys")
      .Node("matrix", kind + "Stage",
            {Of(kInt64, {1, 1}, {5}), Vec({0}), F32({3})}, keyed)
      .Node("vector", kind + "Stage", {Vec(kInt64, {7}), Vec({0}), F32({3})},
            keyed)
      .Node("two", kind + "Stage", {Vec(kInt64, {1, 2}), Vec({0}), F32({3})},
            keyed)
      .Node("none", kind + "Stage", {Empty(kInt64, {0, 2}), Vec({0}), F32({3})},
            keyed)
      .Node("peek", kind + "Peek", {Scalar(kInt64, 5), Vec({0})}, keyed)
      .Node("other", kind + "Peek", {Scalar(kInt64, 7), Vec({0})}, keyed)
      .Node("take", kind + "Unstage", {Vec(kInt64, {5}), Vec({0})}, keyed)
      .Run({"matrix"})
      .Run({"vector"})
      .RunError({"two"}, invalid,
                "key must be an int64 scalar, got tensor with shape: [2]")
      .RunError({"none"}, invalid, "key must not be empty")
      .Run({"peek"})
      .Run({"other"})
      .RunError({"take"}, invalid, "key must be an int64 scalar: [1]");
}

}  // namespace

MR_CASES(Stage)(CaseList& c) { Fifo(c); }
MR_CASES(Unstage)(CaseList& c) { Fifo(c); }
MR_CASES(StagePeek)(CaseList& c) { Fifo(c); }
MR_CASES(StageSize)(CaseList& c) { Fifo(c); }
MR_CASES(StageClear)(CaseList& c) { Fifo(c); }
MR_CASES(MapStage)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapPeek)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapUnstage)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapUnstageNoKey)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapSize)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapIncompleteSize)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(MapClear)(CaseList& c) { ByKey(c, "Map"); }
MR_CASES(OrderedMapStage)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapPeek)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapUnstage)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapUnstageNoKey)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapSize)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapIncompleteSize)(CaseList& c) { ByKey(c, "OrderedMap"); }
MR_CASES(OrderedMapClear)(CaseList& c) { ByKey(c, "OrderedMap"); }

}  // namespace millrace::cases
