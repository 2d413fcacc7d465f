#include "tests/cases/case.h"

using namespace millrace::cases;

namespace {

// Stock builds no graph in which a shape that is the scalar -1 is not a
// constant; so static shapes are left out where there is one.

constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kInt64 = DataType::kInt64;
constexpr auto kInvalid = StatusCode::kInvalidArgument;

AttrMap Element(DataType t) { return {{"element_dtype", t}}; }

// "rows": the list of three rows of a tensor.
Case& Rows(CaseList& c, const char* name, DataType t = kFloat) {
  return c.Sequence(name).Node("rows", "TensorListFromTensor",
                               {Rand(t, {3, 2}), Vec({2})});
}
// "list": a list of elements that are not set.
Case& Reserved(CaseList& c, const char* name, int size, Value shape,
               DataType t = kFloat) {
  return c.Sequence(name).Node("list", "TensorListReserve",
                               {std::move(shape), Scalar(size)}, Element(t));
}
Case& Empty(CaseList& c, const char* name, Value shape, DataType t = kFloat,
            int most = -1) {
  return c.Sequence(name).Node("list", "EmptyTensorList",
                               {std::move(shape), Scalar(most)}, Element(t));
}
// A value whose static shape nobody knows.
Case& Hidden(Case& c, const char* name, Value v) {
  // A temporary here gets a wrong warning from g++ 12.
  const PartialShape unknown;
  return c.Node(name, "PlaceholderWithDefault", {std::move(v)},
                {{"shape", unknown}});
}

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

void StacksAndGathers(CaseList& c, DataType t) {
  Rows(c, "rows", t)
      .Node("s", "TensorListStack", {"rows", Vec({2})}, Element(t))
      .Node("g", "TensorListGather", {"rows", Vec({2, 0, 2}), Vec({2})},
            Element(t))
      .Run({"s", "g"});
  Reserved(c, "zeros", 3, Vec({-1, 2}), t)
      .Node("a", "TensorListSetItem", {"list", Scalar(1), Rand(t, {3, 2})})
      .Node("s", "TensorListStack", {"a", Vec({-1, 2})}, Element(t))
      .Node("g", "TensorListGather", {"a", Vec({1, 0}), Vec({-1, 2})},
            Element(t))
      .Run({"s", "g"});
}

void Concats(CaseList& c, DataType t) {
  c.Sequence("rows")
      .Node("list", "TensorListSplit",
            {Rand(t, {6, 2}), Vec({-1, 2}), Vec(kInt64, {3, 0, 3})})
      .Node("a", "TensorListConcatV2", {"list", Vec({-1, 2}), Vec(kInt64, {})},
            Element(t))
      .Node("b", "TensorListConcat", {"list"}, Element(t))
      .Run({"a", "b"});
  Reserved(c, "not_set", 2, Vec({-1, 2}), t)
      .Node("s", "TensorListSetItem", {"list", Scalar(1), Rand(t, {3, 2})})
      .Node("a", "TensorListConcatV2", {"s", Vec({-1, 2}), Vec(kInt64, {2, 5})},
            Element(t))
      .Run({"a"});
}

void Scatters(CaseList& c, DataType t) {
  c.Sequence("indices")
      .Node("a", "TensorListScatter",
            {Rand(t, {3, 2}), Vec({3, 0, 1}), Vec({2})})
      .Node("b", "TensorListScatterV2",
            {Rand(t, {3, 2}), Vec({3, 0, 1}), Vec({2}), Scalar(6)})
      .Node("d", "TensorListScatterIntoExistingList",
            {"b", Rand(t, {2, 2}), Vec({3, 6})})
      .Node("n", "TensorListLength", {"d"})
      .Node("sa", "TensorListStack", {"a", Vec({2})}, Element(t))
      .Node("sb", "TensorListStack", {"b", Vec({2})}, Element(t))
      .Node("sd", "TensorListStack", {"d", Vec({2})}, Element(t))
      .Run({"n", "sa", "sb", "sd"});
}

void FailingPushes(CaseList& c) {
  Empty(c, "full", Scalar(-1), kFloat, 1)
      .Node("a", "TensorListPushBack", {"list", F32({2})})
      .Node("b", "TensorListPushBack", {"a", F32({2})})
      .NoShapeCheck()
      .RunError({"b"}, kInvalid, "Tried to push item into a full list");
  Hidden(Empty(c, "other_shape", Vec({3})), "v", F32({2}))
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
  Hidden(Reserved(c, "other_shape", 2, Vec({3})), "v", F32({2}))
      .Node("s", "TensorListSetItem", {"list", Scalar(1), "v"})
      .RunError({"s"}, kInvalid,
                "Tried to set a tensor with incompatible shape at a list "
                "index. Item element shape: [2] list shape: [3]");
}

void FailingPops(CaseList& c) {
  Empty(c, "empty", Vec({2}))
      .Node("p", "TensorListPopBack", {"list", Vec({2})}, Element(kFloat))
      .RunError({"p"}, kInvalid, "Trying to pop from an empty list.");
  Reserved(c, "not_set", 2, Vec({2, -1}))
      .Node("p", "TensorListPopBack", {"list", Vec({-1, 3})}, Element(kFloat))
      .Run({"p:1"});
}

// What remains after a pop may have elements of other shapes; the shape that
// the op is given says nothing of them.
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

// Joined pieces of different lengths, whose gradients are popped one by one.
void ConcatGradients(CaseList& c, const char* op, std::vector<Value> more) {
  std::vector<Value> inputs = {"b"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  for (const bool known : {false, true}) {
    Empty(c, "lengths", known ? Vec({-1, 2}) : Scalar(-1))
        .Node("a", "TensorListPushBack", {"list", F32({3, 2})})
        .Node("b", "TensorListPushBack", {"a", F32({1, 2})})
        .Node("j", op, inputs, Element(kFloat))
        .NoShapeCheck()
        .Run({"j:0"})
        .Gradient();
  }
}

void FailingStacks(CaseList& c) {
  Empty(c, "empty", Vec({-1, 2}))
      .Node("s", "TensorListStack", {"list", Vec({-1, 2})}, Element(kFloat))
      .RunError({"s"}, kInvalid,
                "Tried to stack elements of an empty list with "
                "non-fully-defined element_shape: [?,2]");
  Empty(c, "empty_of_known_shape", Vec({3, 2}))
      .Node("s", "TensorListStack", {"list", Scalar(-1)}, Element(kFloat))
      .NoShapeCheck()
      .Run({"s"});
  Reserved(c, "not_set", 2, Scalar(-1))
      .Node("s", "TensorListStack", {"list", Scalar(-1)}, Element(kFloat))
      .NoShapeCheck()
      .RunError({"s"}, kInvalid,
                "Tried to stack list which only contains uninitialized "
                "tensors");
  Rows(c, "count")
      .Node("s", "TensorListStack", {"rows", Vec({2})},
            {{"element_dtype", kFloat}, {"num_elements", 4}})
      .RunError({"s"}, kInvalid,
                "Operation expected a list with 4 elements but got a list with "
                "3 elements.");
}

void FailingGathers(CaseList& c) {
  Rows(c, "too_far")
      .Node("g", "TensorListGather", {"rows", Vec({3}), Vec({2})},
            Element(kFloat))
      .RunError({"g"}, kInvalid, "Index 3 out o range; list only has 3");
  Empty(c, "empty", Scalar(-1))
      .Node("g", "TensorListGather",
            {"list", cases::Empty(DataType::kInt32, {0}), Scalar(-1)},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"g"}, kInvalid, "Tried to gather 0-elements from a list with");
  Reserved(c, "not_set", 2, Scalar(-1))
      .Node("g", "TensorListGather", {"list", Vec({1}), Scalar(-1)},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"g"}, kInvalid,
                "Tried to gather uninitialized tensors from a list with");
}

void FailingConcats(CaseList& c) {
  Empty(c, "empty", Scalar(-1))
      .Node("a", "TensorListConcatV2", {"list", Vec({-1, -1}), Vec(kInt64, {})},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"a"}, kInvalid,
                "All except the first dimension must be fully defined when "
                "concating an empty tensor list.");
  Reserved(c, "rows_of_not_set", 2, Scalar(-1))
      .Node("a", "TensorListConcatV2", {"list", Vec({-1, 2}), Vec(kInt64, {1})},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"a"}, kInvalid,
                "List contains uninitialized tensor at index 1 but "
                "leading_dims has only 1 elements.");
  Empty(c, "scalar", Scalar(-1))
      .Node("s", "TensorListPushBack", {"list", F32({})})
      .Node("a", "TensorListConcatV2", {"s", Scalar(-1), Vec(kInt64, {})},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"a"}, kInvalid,
                "Concat saw a scalar shape at index 0 but requires at least "
                "vectors.");
}

void FailingSplits(CaseList& c) {
  c.Sequence("too_long")
      .Node("s", "TensorListSplit",
            {F32({3, 2}), Vec({-1, 2}), Vec(kInt64, {2, 2})})
      .RunError({"s"}, kInvalid,
                "Attempting to slice [2, 4] from tensor with length 3");
  c.Sequence("unused")
      .Node("s", "TensorListSplit",
            {F32({3, 2}), Vec({-1, 2}), Vec(kInt64, {1, 1})})
      .RunError({"s"}, kInvalid,
                "Unused values in tensor. Length of tensor: 3 Values used: 2");
  c.Sequence("negative")
      .Node("s", "TensorListSplit",
            {F32({3, 2}), Vec({-1, 2}), Vec(kInt64, {4, -1})})
      .RunError({"s"}, kInvalid, "");
}

void FailingScatters(CaseList& c) {
  c.Sequence("negative")
      .Node("s", "TensorListScatter", {F32({1, 2}), Vec({-1}), Vec({2})})
      .RunError({"s"}, kInvalid,
                "Indices in TensorListScatter must all be non-negative.");
  c.Sequence("too_far")
      .Node("s", "TensorListScatterV2",
            {F32({1, 2}), Vec({3}), Vec({2}), Scalar(3)})
      .RunError({"s"}, kInvalid,
                "TensorListScatter: Trying to scatter at index 3 in list with "
                "size 3");
  c.Sequence("rows")
      .Node("s", "TensorListScatter", {F32({2, 2}), Vec({1}), Vec({2})})
      .RunError({"s"}, kInvalid,
                "Invalid number of rows in input tensor. Expected: 1 Actual: "
                "2");
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
  Hidden(c.Sequence("scalar_shape"), "v", Scalar(3))
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
MR_CASES(TensorListStack)(CaseList& c) {
  c.EachType("element_dtype", StacksAndGathers);
  FailingStacks(c);
}
MR_CASES(TensorListGather)(CaseList& c) {
  c.EachType("element_dtype", StacksAndGathers);
  FailingGathers(c);
}
MR_CASES(TensorListConcat)(CaseList& c) {
  c.EachType("element_dtype", Concats);
  ConcatGradients(c, "TensorListConcat", {});
}
MR_CASES(TensorListConcatV2)(CaseList& c) {
  c.EachType("element_dtype", Concats);
  Rows(c, "int64_shape")
      .Node("a", "TensorListConcatV2",
            {"rows", Vec(kInt64, {-1}), Vec(kInt64, {})}, Element(kFloat))
      .Run({"a"});
  ConcatGradients(c, "TensorListConcatV2", {Vec({-1, 2}), Vec(kInt64, {})});
  FailingConcats(c);
}
MR_CASES(TensorListSplit)(CaseList& c) {
  c.EachType("element_dtype", Concats);
  c.Sequence("int64_shape")
      .Node("s", "TensorListSplit",
            {F32({3, 2}), Vec(kInt64, {-1, 2}), Vec(kInt64, {1, 2})})
      .Node("n", "TensorListLength", {"s"})
      .Run({"n"});
  FailingSplits(c);
}
MR_CASES(TensorListFromTensor)(CaseList& c) {
  c.EachType("element_dtype", StacksAndGathers);
  c.Sequence("int64_shape")
      .Node("s", "TensorListFromTensor", {F32({3, 70}), Vec(kInt64, {-1})})
      .Node("t", "TensorListStack", {"s", Scalar(-1)}, Element(kFloat))
      .NoShapeCheck()
      .Run({"t"});
  Hidden(c.Sequence("other_shape"), "v", F32({3, 2}))
      .Node("s", "TensorListFromTensor", {"v", Vec({3})})
      .RunError({"s"}, kInvalid,
                "Specified a list with shape [3] from a tensor with shape [2]");
  Hidden(c.Sequence("scalar"), "v", F32({}))
      .Node("s", "TensorListFromTensor", {"v", Scalar(-1)})
      .NoShapeCheck()
      .RunError({"s"}, kInvalid,
                "Tensor must be at least a vector, but saw shape: []");
}
MR_CASES(TensorListScatter)(CaseList& c) {
  c.EachType("element_dtype", Scatters);
  c.Sequence("int64_shape")
      .Node("s", "TensorListScatter", {F32({1, 2}), Vec({1}), Vec(kInt64, {2})})
      .Node("n", "TensorListLength", {"s"})
      .Run({"n"});
  FailingScatters(c);
}
MR_CASES(TensorListScatterV2)(CaseList& c) {
  c.EachType("element_dtype", Scatters);
  c.Sequence("int64_shape")
      .Node("s", "TensorListScatterV2",
            {F32({1, 2}), Vec({1}), Vec(kInt64, {2}), Scalar(-1)})
      .Node("n", "TensorListLength", {"s"})
      .NoShapeCheck()
      .Run({"n"});
}
MR_CASES(TensorListScatterIntoExistingList)(CaseList& c) {
  c.EachType("element_dtype", Scatters);
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
MR_CASES(TensorListConcatLists)(CaseList& c) {
  for (DataType t : c.AllowedTypes("element_dtype")) {
    Empty(c, "lists", Vec({2}), t)
        .Node("other", "TensorListReserve", {Vec({2}), Scalar(2)}, Element(t))
        .Node("j", "TensorListConcatLists", {"list", "other"}, Element(t))
        .Node("n", "TensorListLength", {"j"})
        .Run({"n"});
  }
  Rows(c, "values")
      .Node("j", "TensorListConcatLists", {"rows", "rows"}, Element(kFloat))
      .Node("s", "TensorListStack", {"j", Vec({2})}, Element(kFloat))
      .Run({"s"});
}
MR_CASES(TensorListPushBackBatch)(CaseList& c) {
  c.EachType("element_dtype", [](CaseList& c, DataType t) {
    Rows(c, "rows", t)
        .Node("both", "Pack", {"rows", "rows"})
        .Node("b", "TensorListPushBackBatch", {"both", Rand(t, {2, 2})})
        .Node("u", "Unpack", {"b"}, {{"num", 2}})
        .Node("s0", "TensorListStack", {"u", Vec({2})}, Element(t))
        .Node("s1", "TensorListStack", {"u:1", Vec({2})}, Element(t))
        .Run({"s0", "s1"});
  });
}
