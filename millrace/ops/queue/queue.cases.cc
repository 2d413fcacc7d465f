#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

bool IsV2(const CaseList& c) { return c.op().name.ends_with("V2"); }
bool IsPriority(const std::string& op) { return op.starts_with("Priority"); }

// The op of the same generation as the one whose cases these are.
std::string Op(const CaseList& c, const std::string& name) {
  return IsV2(c) ? name + "V2" : name;
}

// Returns types and shapes without the first ones of a priority queue.
AttrMap QueueAttrs(TypeList types, ShapeList shapes, int capacity = -1) {
  return {{"component_types", std::move(types)},
          {"shapes", std::move(shapes)},
          {"capacity", capacity}};
}

// A queue of this kind with elements (int64 [], float [2]).
Case& WithQueue(CaseList& c, const std::string& name, const std::string& kind,
                int capacity = -1) {
  AttrMap attrs =
      IsPriority(kind)
          ? QueueAttrs({kFloat}, {PartialShape({2})}, capacity)
          : QueueAttrs({kInt64, kFloat}, {PartialShape({}), PartialShape({2})},
                       capacity);
  if (kind.starts_with("RandomShuffle")) {
    attrs.Set("seed", 11);
    attrs.Set("seed2", 7);
  }
  return c.Sequence(name)
      .Node("q", kind, {}, std::move(attrs))
      .Node("one", Op(c, "QueueEnqueue"), {"q", Scalar(kInt64, 7), F32({2})})
      .Node("many", Op(c, "QueueEnqueueMany"),
            {"q", Vec(kInt64, {5, 3, 9, 3, 1}), F32({5, 2})})
      .Node("take", Op(c, "QueueDequeue"), {"q"},
            {{"component_types", TypeList{kInt64, kFloat}}})
      .Node("take3", Op(c, "QueueDequeueMany"), {"q", Scalar(3)},
            {{"component_types", TypeList{kInt64, kFloat}}})
      .Node("upto", Op(c, "QueueDequeueUpTo"), {"q", Scalar(4)},
            {{"component_types", TypeList{kInt64, kFloat}}})
      .Node("upto3", Op(c, "QueueDequeueUpTo"), {"q", Scalar(3)},
            {{"component_types", TypeList{kInt64, kFloat}}})
      .Node("size", Op(c, "QueueSize"), {"q"})
      .Node("closed", Op(c, "QueueIsClosed"), {"q"})
      .Node("close", Op(c, "QueueClose"), {"q"})
      .Node("stop", Op(c, "QueueClose"), {"q"},
            {{"cancel_pending_enqueues", true}});
}

void Life(CaseList& c, const std::string& kind) {
  const std::string words = kind.substr(0, kind.find("Queue")) + "Queue '";
  const std::string basic = kind.starts_with("Padding") ? "FIFOQueue '" : words;
  WithQueue(c, "life of " + kind, kind)
      .Run({"one"})
      .Run({"many"})
      .Run({"size"})
      .Run({"take"})
      .Run({"take3"})
      .Run({"many"})
      .Run({"upto3"})
      .Run({"size"})
      .Run({"take3"})
      .Run({"closed"})
      .Run({"close"})
      .Run({"closed"})
      .RunError({"one"}, StatusCode::kCancelled, basic)
      .RunError({"many"}, StatusCode::kCancelled, "is closed.")
      .RunError({"close"}, StatusCode::kCancelled, "is already closed.")
      .Run({"stop"})
      .RunError({"take3"}, StatusCode::kOutOfRange,
                "is closed and has insufficient elements (requested 3, "
                "current size 1)");
  if (!IsPriority(kind)) {  // stock's loses them
    Case& rest = WithQueue(c, "rest of " + kind, kind);
    rest.Run({"many"})
        .Run({"stop"})
        .RunError({"one"}, StatusCode::kCancelled, basic)
        .Run({"upto"})
        .Run({"upto"})
        .RunError({"upto"}, StatusCode::kOutOfRange, words)
        .RunError({"take"}, StatusCode::kOutOfRange, basic);
  }
}

// Stock cannot cut batches of some types.
bool InBatches(DataType t) {
  return t != DataType::kQint16 && t != DataType::kQuint16;
}

void HoldsSingly(CaseList& c, DataType t) {
  const bool by_priority = IsPriority(c.op().name);
  std::vector<Value> inputs = {"q"};
  TypeList types = {t};
  if (by_priority) {
    inputs.push_back(Scalar(kInt64, 1));
    types = {kInt64, t};
  }
  inputs.push_back(Rand(t, {2}));
  c.Sequence("holds " + DataTypeName(t))
      .Node("q", c.op().name, {}, QueueAttrs({t}, {PartialShape({2})}))
      .Node("put", Op(c, "QueueEnqueue"), inputs)
      .Node("take", Op(c, "QueueDequeue"), {"q"}, {{"component_types", types}})
      .Run({"put"})
      .Run({"take"});
}

// Each dtype goes through a queue of this op.
void HoldsTypes(CaseList& c) {
  const std::string kind = c.op().name;
  for (int n = 1; n < static_cast<int>(DataType::kUint64) + 1; ++n) {
    const auto t = static_cast<DataType>(n);
    if (t == DataType::kResource || t == DataType::kVariant) continue;
    if (!InBatches(t)) {
      HoldsSingly(c, t);
      continue;
    }
    TypeList types = {t};
    Case& s = c.Sequence("holds " + DataTypeName(t));
    s.Node("q", kind, {}, QueueAttrs(types, {PartialShape({2})}));
    if (IsPriority(kind)) {
      types = {kInt64, t};
      s.Node("put", Op(c, "QueueEnqueueMany"),
             {"q", Vec(kInt64, {2, 1, 3}), Rand(t, {3, 2})});
    } else {
      s.Node("put", Op(c, "QueueEnqueueMany"), {"q", Rand(t, {3, 2})});
    }
    s.Node("take", Op(c, "QueueDequeueMany"), {"q", Scalar(2)},
           {{"component_types", types}})
        .Node("last", Op(c, "QueueDequeue"), {"q"},
              {{"component_types", types}})
        .Run({"put"});
    if (kind.starts_with("RandomShuffle")) s.Random();
    s.Run({"take"}).Run({"last"});
  }
}

void MakesQueue(CaseList& c) {
  HoldsTypes(c);
  Life(c, c.op().name);
  const bool any = !IsPriority(c.op().name);
  const TypeList two = any ? TypeList{kInt64, kFloat} : TypeList{kFloat};
  c.Sequence("wrong shapes")
      .Node("op", c.op().name, {},
            QueueAttrs(two,
                       {PartialShape({}), PartialShape({}), PartialShape({})}))
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Different number of component types.");
  if (!c.op().name.starts_with("Padding")) {
    c.Sequence("partial shape")
        .Node("op", c.op().name, {},
              QueueAttrs({kFloat}, {PartialShape({kUnknownDim})}))
        .RunError({"op"}, StatusCode::kInvalidArgument,
                  "Shape [?] is not fully defined");
  }
  if (any && !c.op().name.starts_with("Padding")) {
    c.Sequence("any shape")
        .Node("q", c.op().name, {}, QueueAttrs({kFloat}, {}))
        .Node("put", Op(c, "QueueEnqueue"), {"q", F32({3})})
        .Node("rows", Op(c, "QueueEnqueueMany"), {"q", F32({1, 3})})
        .Node("take", Op(c, "QueueDequeue"), {"q"},
              {{"component_types", TypeList{kFloat}}})
        .Node("take1", Op(c, "QueueDequeueMany"), {"q", Scalar(1)},
              {{"component_types", TypeList{kFloat}}})
        .Run({"put"})
        .Run({"take"})
        .Run({"rows"})
        .RunError({"take1"}, StatusCode::kInvalidArgument,
                  "'s DequeueMany and DequeueUpTo require the components to "
                  "have specified shapes.")
        .Run({"take"});
  }
}

void Pads(CaseList& c) {
  for (DataType t : {kFloat, DataType::kString}) {
    c.Sequence("pads " + DataTypeName(t))
        .Node("q", c.op().name, {},
              QueueAttrs({t}, {PartialShape({kUnknownDim, 2, kUnknownDim})}))
        .Node("a", Op(c, "QueueEnqueue"), {"q", Rand(t, {1, 2, 3})})
        .Node("b", Op(c, "QueueEnqueue"), {"q", Rand(t, {2, 2, 1})})
        .Node("c", Op(c, "QueueEnqueueMany"), {"q", Rand(t, {2, 3, 2, 1})})
        .Node("empty", Op(c, "QueueEnqueue"), {"q", Rand(t, {3, 2, 0})})
        .Node("bad", Op(c, "QueueEnqueue"), {"q", Rand(t, {1, 3, 3})})
        .Node("take", Op(c, "QueueDequeueMany"), {"q", Scalar(5)},
              {{"component_types", TypeList{t}}})
        .Node("none", Op(c, "QueueDequeueMany"), {"q", Scalar(0)},
              {{"component_types", TypeList{t}}})
        .Node("one", Op(c, "QueueDequeue"), {"q"},
              {{"component_types", TypeList{t}}})
        .Run({"a"})
        .Run({"b"})
        .Run({"c"})
        .Run({"empty"})
        .Run({"take"})
        .RunError({"bad"}, StatusCode::kInvalidArgument,
                  "Shape mismatch in tuple component 0. Expected [?,2,?], got "
                  "[1,3,3]")
        .Run({"none"})
        .Run({"b"})
        .Run({"one"});
  }
  c.Sequence("no shapes")
      .Node("op", c.op().name, {}, QueueAttrs({kFloat}, {}))
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Shapes must be provided for all components, but received 1 "
                "dtypes and 0 shapes.");
  c.Sequence("unknown rank")
      .Node("op", c.op().name, {}, QueueAttrs({kFloat}, {PartialShape()}))
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "shape <unknown> must have known rank.");
}

void Shuffles(CaseList& c) {
  AttrMap attrs = QueueAttrs({kInt64}, {PartialShape({})}, 30);
  attrs.Set("min_after_dequeue", 4);
  attrs.Set("seed", 3);
  c.Sequence("min_after_dequeue")
      .Node("q", c.op().name, {}, attrs)
      .Node("put", Op(c, "QueueEnqueueMany"), {"q", Iota(kInt64, {15})})
      .Node("take", Op(c, "QueueDequeueMany"), {"q", Scalar(5)},
            {{"component_types", TypeList{kInt64}}})
      .Node("one", Op(c, "QueueDequeue"), {"q"},
            {{"component_types", TypeList{kInt64}}})
      .Node("size", Op(c, "QueueSize"), {"q"})
      .Node("close", Op(c, "QueueClose"), {"q"})
      .Run({"put"})
      .Run({"take"})
      .Run({"take"})
      .Run({"one"})
      .Run({"put"})
      .Run({"take"})
      .Run({"take"})
      .Run({"close"})
      .Run({"take"})
      .Run({"one"})
      .Run({"size"});
  attrs.Set("min_after_dequeue", -1);
  c.Sequence("negative minimum")
      .Node("op", c.op().name, {}, attrs)
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "min_after_dequeue -1 must be >= 0");
  attrs.Set("min_after_dequeue", 30);
  c.Sequence("minimum too large")
      .Node("op", c.op().name, {}, attrs)
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "min_after_dequeue 30 must be < capacity 30");
  // A second user may leave the seeds open, but not one of them.
  const auto shared = [](int seed, int seed2) {
    AttrMap a = QueueAttrs({kInt64}, {PartialShape({})}, 30);
    a.Set("shared_name", "seeded");
    a.Set("seed", seed);
    a.Set("seed2", seed2);
    return a;
  };
  c.Sequence("seeds")
      .Node("q", c.op().name, {}, shared(1, 2))
      .Node("open", c.op().name, {}, shared(0, 0))
      .Node("one", c.op().name, {}, shared(1, 0))
      .Node("other", c.op().name, {}, shared(3, 4))
      .Node("size", Op(c, "QueueSize"), {"open"})
      .Node("of_one", Op(c, "QueueSize"), {"one"})
      .Node("of_other", Op(c, "QueueSize"), {"other"})
      .Node("first", Op(c, "QueueSize"), {"q"})
      .Run({"first"})
      .Run({"size"})
      .RunError({"of_one"}, StatusCode::kInvalidArgument,
                "has random seeds (1, 2) but requested seeds are (1, 0).")
      .RunError({"of_other"}, StatusCode::kInvalidArgument,
                "has random seeds (1, 2) but requested seeds are (3, 4).");
}

// Equal priorities too.
void Orders(CaseList& c) {
  c.Sequence("order")
      .Node("q", c.op().name, {}, QueueAttrs({kInt64}, {PartialShape({})}))
      .Node(
          "put", Op(c, "QueueEnqueueMany"),
          {"q", Vec(kInt64, {3, 1, 2, 3, 1, 2, 3, 1, 1, 2, -5, 3, 2, 2, 1, 1}),
           Iota(kInt64, {16})})
      .Node("take", Op(c, "QueueDequeueMany"), {"q", Scalar(8)},
            {{"component_types", TypeList{kInt64, kInt64}}})
      .Run({"put"})
      .Run({"take"})
      .Run({"put"})
      .Run({"take"})
      .Run({"take"})
      .Run({"take"});
}

// The op is a part of these lives.
void UsedByAll(CaseList& c) {
  for (const char* kind : {"FIFOQueue", "PaddingFIFOQueue",
                           "RandomShuffleQueue", "PriorityQueue"}) {
    Life(c, Op(c, kind));
  }
}

// How many elements an op is for.
enum class Elements { kOne, kMany };

void EnqueueErrors(CaseList& c, Elements elements) {
  const bool many = elements == Elements::kMany;
  const AttrMap attrs =
      QueueAttrs({kInt64, kFloat}, {PartialShape({}), PartialShape({2})});
  const TensorShape batch = many ? TensorShape({2}) : TensorShape();
  const auto rows = [&](std::initializer_list<int64_t> dims) {
    DimVector all(dims);
    if (many) all.insert(all.begin(), 2);
    return TensorShape(absl::MakeConstSpan(all));
  };
  c.Sequence("errors")
      .Node("q", Op(c, "FIFOQueue"), {}, attrs)
      .Node("shape", c.op().name, {"q", Rand(kInt64, batch), F32(rows({3}))})
      .Node("types", c.op().name, {"q", Rand(kInt64, batch), I32(rows({2}))})
      .Node("count", c.op().name, {"q", Rand(kInt64, batch)})
      .Node("good", c.op().name, {"q", Rand(kInt64, batch), F32(rows({2}))})
      .Node("timeout", c.op().name, {"q", Rand(kInt64, batch), F32(rows({2}))},
            {{"timeout_ms", 10}})
      .RunError({"shape"}, StatusCode::kInvalidArgument,
                many ? "Shape mismatch in tuple component 1. Expected [2,2], "
                       "got [2,3]"
                     : "Shape mismatch in tuple component 1. Expected [2], got "
                       "[3]")
      .RunError({"types"}, StatusCode::kInvalidArgument,
                IsV2(c) ? "Signature mismatch, have: resource, int64, int32-> "
                          "expected: resource, int64, float->"
                        : "Signature mismatch, have: string_ref, int64, "
                          "int32-> expected: string_ref, int64, float->")
      .RunError({"count"}, StatusCode::kInvalidArgument, "Signature mismatch")
      .RunError({"timeout"}, StatusCode::kInvalidArgument,
                "Timeout not supported yet.")
      .Run({"good"});
  if (!many) return;
  c.Sequence("sizes differ")
      .Node("q", Op(c, "FIFOQueue"), {}, QueueAttrs({kInt64, kFloat}, {}))
      .Node("op", c.op().name, {"q", I64({2}), F32({3})})
      .Node("none", c.op().name, {"q", I64({0}), F32({0, 2})})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "All input tensors must have the same size in the 0th "
                "dimension. Component 1 has 3, and should have 2")
      .Run({"none"});
}

void DequeueErrors(CaseList& c, Elements elements) {
  const bool many = elements == Elements::kMany;
  const AttrMap attrs =
      QueueAttrs({kInt64, kFloat}, {PartialShape({}), PartialShape({2})});
  Case& s = c.Sequence("errors");
  s.Node("q", Op(c, "FIFOQueue"), {}, attrs);
  std::vector<Value> inputs = {"q"};
  if (many) inputs.push_back(Scalar(0));
  s.Node("types", c.op().name, inputs,
         {{"component_types", TypeList{kInt64, DataType::kInt32}}})
      .Node("count", c.op().name, inputs,
            {{"component_types", TypeList{kInt64}}})
      .Node("timeout", c.op().name, inputs,
            {{"component_types", TypeList{kInt64, kFloat}}, {"timeout_ms", 10}})
      .RunError({"types"}, StatusCode::kInvalidArgument, "Signature mismatch")
      .RunError({"count"}, StatusCode::kInvalidArgument, "Signature mismatch")
      .RunError({"timeout"}, StatusCode::kInvalidArgument,
                "Timeout not supported yet.");
  if (!many) return;
  s.Node("none", c.op().name, inputs,
         {{"component_types", TypeList{kInt64, kFloat}}})
      .Run({"none"});
  c.Sequence("negative")
      .Node("q", Op(c, "FIFOQueue"), {}, attrs)
      .Node("op", c.op().name, {"q", Scalar(-1)},
            {{"component_types", TypeList{kInt64, kFloat}}})
      .RunError({"op"}, StatusCode::kInvalidArgument, "-1");
}

}  // namespace

MR_CASES(FIFOQueue)(CaseList& c) { MakesQueue(c); }
MR_CASES(FIFOQueueV2)(CaseList& c) { MakesQueue(c); }
MR_CASES(PaddingFIFOQueue)(CaseList& c) {
  MakesQueue(c);
  Pads(c);
}
MR_CASES(PaddingFIFOQueueV2)(CaseList& c) {
  MakesQueue(c);
  Pads(c);
}
MR_CASES(RandomShuffleQueue)(CaseList& c) {
  MakesQueue(c);
  Shuffles(c);
}
MR_CASES(RandomShuffleQueueV2)(CaseList& c) {
  MakesQueue(c);
  Shuffles(c);
}
MR_CASES(PriorityQueue)(CaseList& c) {
  MakesQueue(c);
  Orders(c);
}
MR_CASES(PriorityQueueV2)(CaseList& c) {
  MakesQueue(c);
  Orders(c);
}
MR_CASES(QueueEnqueue)(CaseList& c) {
  UsedByAll(c);
  EnqueueErrors(c, Elements::kOne);
}
MR_CASES(QueueEnqueueV2)(CaseList& c) {
  UsedByAll(c);
  EnqueueErrors(c, Elements::kOne);
}
MR_CASES(QueueEnqueueMany)(CaseList& c) { EnqueueErrors(c, Elements::kMany); }
MR_CASES(QueueEnqueueManyV2)(CaseList& c) { EnqueueErrors(c, Elements::kMany); }
MR_CASES(QueueDequeue)(CaseList& c) { DequeueErrors(c, Elements::kOne); }
MR_CASES(QueueDequeueV2)(CaseList& c) { DequeueErrors(c, Elements::kOne); }
MR_CASES(QueueDequeueMany)(CaseList& c) { DequeueErrors(c, Elements::kMany); }
MR_CASES(QueueDequeueManyV2)(CaseList& c) { DequeueErrors(c, Elements::kMany); }
MR_CASES(QueueDequeueUpTo)(CaseList& c) { DequeueErrors(c, Elements::kMany); }
MR_CASES(QueueDequeueUpToV2)(CaseList& c) { DequeueErrors(c, Elements::kMany); }
MR_CASES(QueueClose)(CaseList& c) { Life(c, "FIFOQueue"); }
MR_CASES(QueueCloseV2)(CaseList& c) { Life(c, "FIFOQueueV2"); }
MR_CASES(QueueIsClosed)(CaseList& c) { Life(c, "FIFOQueue"); }
MR_CASES(QueueIsClosedV2)(CaseList& c) { Life(c, "FIFOQueueV2"); }
MR_CASES(QueueSize)(CaseList& c) { Life(c, "FIFOQueue"); }
MR_CASES(QueueSizeV2)(CaseList& c) { Life(c, "FIFOQueueV2"); }
MR_CASES(FakeQueue)(CaseList& c) {
  c.Sequence("reference")
      .Node("q", "FIFOQueueV2", {}, QueueAttrs({kFloat}, {PartialShape({})}))
      .Node("op", "FakeQueue", {"q"})
      .Node("put", "QueueEnqueueV2", {"q", F32({})})
      .Node("take", "QueueDequeue", {"op"},
            {{"component_types", TypeList{kFloat}}})
      .Run({"put"})
      .Run({"take"});
}

}  // namespace millrace::cases
