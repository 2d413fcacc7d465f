#include "millrace/ops/variant/lists.cases.h"

namespace millrace::cases {
namespace {

using namespace lists;

void PushesAndPops(CaseList& c, DataType t) {
  Empty(c, "order", Scalar(-1), t)
      .Node("a", "TensorListPushBack", {"list", Rand(t, {2, 3})})
      .Node("b", "TensorListPushBack", {"a", Rand(t, {})})
      .Node("n", "TensorListLength", {"b"})
      .Node("p", "TensorListPopBack", {"b", Scalar(-1)}, Element(t))
      .Node("q", "TensorListPopBack", {"p", Scalar(-1)}, Element(t))
      .Node("left", "TensorListLength", {"q"})
      .Node("kept", "TensorListLength", {"a"})
      .NoShapeCheck()
      .Run({"n", "p:1", "q:1", "left", "kept"});
}

void GetsAndSets(CaseList& c, DataType t) {
  Reserved(c, "elements", 3, Vec({2}), t)
      .Node("s", "TensorListSetItem", {"list", Scalar(1), Rand(t, {2})})
      .Node("g", "TensorListGetItem", {"s", Scalar(1), Vec({2})}, Element(t))
      .Node("z", "TensorListGetItem", {"s", Scalar(2), Vec({2})}, Element(t))
      .Node("o", "TensorListGetItem", {"list", Scalar(1), Vec({2})}, Element(t))
      .Run({"g", "z", "o"});
}

void FailingPushes(CaseList& c) {
  Empty(c, "full", Scalar(-1), kFloat, 1)
      .Node("a", "TensorListPushBack", {"list", F32({2})})
      .Node("b", "TensorListPushBack", {"a", F32({2})})
      .NoShapeCheck()
      .RunError({"b"}, kInvalid, "Tried to push item into a full list");
  WithUnknownShape(Empty(c, "other_shape", Vec({3})), "v", F32({2}))
      .Node("a", "TensorListPushBack", {"list", "v"})
      .RunError({"a"}, kInvalid,
                "Tried to append a tensor with incompatible shape to a list. "
                "Op element shape: [2] list shape: [3]");
  c.Sequence("no_list")
      .Node("o", "OptionalNone", {})
      .Node("a", "TensorListPushBack", {"o", F32({2})})
      .RunError({"a"}, kInvalid, "Input handle is not a list. Saw: '");
}

void FailingElements(CaseList& c) {
  Reserved(c, "too_far", 2, Vec({2}))
      .Node("g", "TensorListGetItem", {"list", Scalar(2), Vec({2})},
            Element(kFloat))
      .RunError({"g"}, kInvalid,
                "Trying to access element 2 in a list with 2 elements.");
  Reserved(c, "unknown_shape", 2, Scalar(-1))
      .Node("g", "TensorListGetItem", {"list", Scalar(1), Scalar(-1)},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"g"}, kInvalid,
                "Trying to read an uninitialized tensor but element_shape is "
                "not fully defined");
  Reserved(c, "shape_of_others", 3, Scalar(-1))
      .Node("s", "TensorListSetItem", {"list", Scalar(1), F32({2, 3})})
      .Node("g", "TensorListGetItem", {"s", Scalar(2), Scalar(-1)},
            Element(kFloat))
      .NoShapeCheck()
      .Run({"g"});
}

void FailingSets(CaseList& c) {
  Reserved(c, "too_far", 2, Vec({2}))
      .Node("s", "TensorListSetItem", {"list", Scalar(2), F32({2})})
      .RunError({"s"}, kInvalid,
                "Trying to modify element 2 in a list with 2 elements.");
  Reserved(c, "grows", 2, Vec({2}))
      .Node("s", "TensorListSetItem", {"list", Scalar(4), F32({2})},
            {{"resize_if_index_out_of_bounds", true}})
      .Node("n", "TensorListLength", {"s"})
      .Node("t", "TensorListStack", {"s", Vec({2})}, Element(kFloat))
      .Run({"n", "t"});
  WithUnknownShape(Reserved(c, "other_shape", 2, Vec({3})), "v", F32({2}))
      .Node("s", "TensorListSetItem", {"list", Scalar(1), "v"})
      .RunError({"s"}, kInvalid,
                "Tried to set a tensor with incompatible shape at a list "
                "index. Item element shape: [2] list shape: [3]");
}

void FailingPops(CaseList& c) {
  WithUnknownShape(Reserved(c, "unknown_shape", 2, Scalar(-1)), "shape",
                   Vec({-1}))
      .Node("p", "TensorListPopBack", {"list", "shape"}, Element(kFloat))
      .NoShapeCheck()
      .RunError({"p:1"}, kInvalid,
                "Trying to read an uninitialized tensor but element_shape is "
                "not fully defined.[?]");
  WithUnknownShape(Reserved(c, "other_rank", 2, Vec({2})), "shape",
                   Vec({3, -1}))
      .Node("p", "TensorListPopBack", {"list", "shape"}, Element(kFloat))
      .NoShapeCheck()
      .RunError({"p:1"}, kInvalid,
                "PartialTensorShape: Incompatible ranks during merge: 2 vs. 1");
  Empty(c, "empty", Vec({2}))
      .Node("p", "TensorListPopBack", {"list", Vec({2})}, Element(kFloat))
      .RunError({"p"}, kInvalid, "Trying to pop from an empty list.");
  Reserved(c, "not_set", 2, Vec({2, -1}))
      .Node("p", "TensorListPopBack", {"list", Vec({-1, 3})}, Element(kFloat))
      .Run({"p:1"});
}

// The elements that remain after a pop may have other shapes; the shape given
// to the op does not describe them.
void PopsOfOtherShapes(CaseList& c) {
  Reserved(c, "other_shapes", 2, Vec({-1, 2}))
      .Node("a", "TensorListSetItem", {"list", Scalar(0), F32({3, 2})})
      .Node("b", "TensorListSetItem", {"a", Scalar(1), F32({1, 2})})
      .Node("p", "TensorListPopBack", {"b", Vec({1, 2})}, Element(kFloat))
      .Node("q", "TensorListPopBack", {"p", Vec({3, 2})}, Element(kFloat))
      .Run({"p:1", "q:1"});
  Empty(c, "unknown", Scalar(-1))
      .Node("a", "TensorListPushBack", {"list", F32({3, 2})})
      .Node("b", "TensorListPushBack", {"a", F32({4})})
      .Node("p", "TensorListPopBack", {"b", Vec({4})}, Element(kFloat))
      .Node("q", "TensorListPopBack", {"p", Vec({3, 2})}, Element(kFloat))
      .NoShapeCheck()
      .Run({"p:1", "q:1"});
}

// Sums and zeros of lists, for gradients.
void Sums(CaseList& c) {
  for (DataType t :
       {kFloat, DataType::kHalf, DataType::kInt32, DataType::kComplex128}) {
    Reserved(c, "sum", 3, Vec({2}), t)
        .Node("a", "TensorListSetItem", {"list", Scalar(1), Rand(t, {2})})
        .Node("b", "TensorListSetItem", {"a", Scalar(0), Rand(t, {2})})
        .Node("sum", "AddN", {"a", "b", "b"})
        .Node("zeros", "ZerosLike", {"b"})
        .Node("s", "TensorListStack", {"sum", Vec({2})}, Element(t))
        .Node("z", "TensorListStack", {"zeros", Vec({2})}, Element(t))
        .Run({"s", "z"});
  }
  Reserved(c, "lengths", 3, Vec({2}))
      .Node("other", "TensorListReserve", {Vec({2}), Scalar(2)},
            Element(kFloat))
      .Node("sum", "AddN", {"list", "other"})
      .Node("n", "TensorListLength", {"sum"})
      .RunError({"n"}, kInvalid,
                "Trying to add two lists of tensors with different lengths. "
                "One is 3 and the other is 2");
}

}  // namespace

MR_CASES(EmptyTensorList)(CaseList& c) {
  for (DataType t : c.AllowedTypes("element_dtype")) {
    Empty(c, "empty", Vec({2}), t)
        .Node("n", "TensorListLength", {"list"})
        .Run({"n"});
  }
  c.Sequence("int64_shape")
      .Node("list", "EmptyTensorList", {Vec(kInt64, {2, -1}), Scalar(-1)},
            Element(kFloat))
      .Node("s", "TensorListElementShape", {"list"},
            {{"shape_type", DataType::kInt32}})
      .NoShapeCheck()
      .Run({"s"});
  WithUnknownShape(c.Sequence("scalar_shape"), "v", Scalar(3))
      .Node("list", "EmptyTensorList", {"v", Scalar(-1)}, Element(kFloat))
      .NoShapeCheck()
      .RunError({"list"}, kInvalid,
                "The only valid scalar shape tensor is the fully unknown shape "
                "specified as -1.");
}
MR_CASES(TensorListReserve)(CaseList& c) {
  for (DataType t : c.AllowedTypes("element_dtype")) {
    Reserved(c, "length", 3, Vec({2}), t)
        .Node("n", "TensorListLength", {"list"})
        .Run({"n"});
  }
  c.Sequence("int64_shape")
      .Node("list", "TensorListReserve", {Vec(kInt64, {2, -1}), Scalar(2)},
            Element(kFloat))
      .Node("n", "TensorListLength", {"list"})
      .Run({"n"});
  Reserved(c, "negative", -1, Vec({2}))
      .RunError({"list"}, kInvalid,
                "The num_elements to reserve must be a non negative number, "
                "but got -1");
}
MR_CASES(TensorListPushBack)(CaseList& c) {
  c.EachType("element_dtype", PushesAndPops);
  FailingPushes(c);
  Sums(c);
}
MR_CASES(TensorListPopBack)(CaseList& c) {
  c.EachType("element_dtype", PushesAndPops);
  PopsOfOtherShapes(c);
  FailingPops(c);
}
MR_CASES(TensorListGetItem)(CaseList& c) {
  c.EachType("element_dtype", GetsAndSets);
  Rows(c, "int64_shape")
      .Node("g", "TensorListGetItem", {"rows", Scalar(1), Vec(kInt64, {2})},
            Element(kFloat))
      .Run({"g"});
  FailingElements(c);
}
MR_CASES(TensorListSetItem)(CaseList& c) {
  c.EachType("element_dtype", GetsAndSets);
  FailingSets(c);
}
MR_CASES(TensorListLength)(CaseList& c) {
  Rows(c, "rows").Node("n", "TensorListLength", {"rows"}).Run({"n"});
}
MR_CASES(TensorListElementShape)(CaseList& c) {
  c.EachType("shape_type", [](CaseList& c, DataType t) {
    Reserved(c, "known", 1, Vec({2, -1}))
        .Node("s", "TensorListElementShape", {"list"}, {{"shape_type", t}})
        .Run({"s"});
    Reserved(c, "unknown", 1, Scalar(-1))
        .Node("s", "TensorListElementShape", {"list"}, {{"shape_type", t}})
        .NoShapeCheck()
        .Run({"s"});
  });
}
MR_CASES(TensorListResize)(CaseList& c) {
  for (int size : {0, 2, 5}) {
    Rows(c, "size")
        .Node("r", "TensorListResize", {"rows", Scalar(size)})
        .Node("s", "TensorListStack", {"r", Vec({2})}, Element(kFloat))
        .Run({"s"});
  }
  Rows(c, "negative")
      .Node("r", "TensorListResize", {"rows", Scalar(-1)})
      .NoShapeCheck()
      .RunError({"r"}, kInvalid,
                "TensorListSlice expects size to be non-negative. Got: -1");
}

}  // namespace millrace::cases
