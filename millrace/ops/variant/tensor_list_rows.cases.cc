#include <vector>

#include "millrace/ops/variant/lists.cases.h"

namespace millrace::cases {
namespace {

using namespace lists;

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

// Adds a list of two vectors of several lengths, which says nothing of shapes.
Case& Unequal(CaseList& c, const char* name) {
  return Empty(c, name, Scalar(-1))
      .Node("first", "TensorListPushBack", {"list", F32({3})})
      .Node("unequal", "TensorListPushBack", {"first", F32({2})})
      .NoShapeCheck();
}

// Stacking and gathering need one shape, which `op` gets as its last input.
void FailingShapes(CaseList& c, const char* op, std::vector<Value> more) {
  const auto run = [&](const char* name, Value shape, const char* words) {
    std::vector<Value> inputs = {"unequal"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    inputs.push_back("shape");
    WithUnknownShape(Unequal(c, name), "shape", std::move(shape))
        .Node("s", op, std::move(inputs), Element(kFloat))
        .RunError({"s"}, kInvalid, words);
  };
  run("elements", Vec({-1}),
      "PartialTensorShape: Incompatible shapes during merge: [3] vs. [2]");
  run("other_shape", Vec({4}),
      "PartialTensorShape: Incompatible shapes during merge: [4] vs. [3]");
  run("other_rank", Vec({3, -1}),
      "PartialTensorShape: Incompatible ranks during merge: 2 vs. 1");
}

void FailingGathers(CaseList& c) {
  FailingShapes(c, "TensorListGather", {Vec({0, 1})});
  Unequal(c, "too_far_for_a_shape")
      .Node("g", "TensorListGather", {"unequal", Vec({7}), Scalar(-1)},
            Element(kFloat))
      .RunError({"g"}, kInvalid,
                "Trying to gather element 7 in a list with 2 elements.");
  Unequal(c, "nothing")
      .Node("g", "TensorListGather",
            {"unequal", cases::Empty(DataType::kInt32, {0}), Scalar(-1)},
            Element(kFloat))
      .RunError({"g"}, kInvalid, "Tried to gather 0-elements from a list with");
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
  const auto run = [&c](const char* name, Value shape, const char* words) {
    WithUnknownShape(Unequal(c, name), "shape", std::move(shape))
        .Node("a", "TensorListConcatV2", {"unequal", "shape", Vec(kInt64, {})},
              Element(kFloat))
        .RunError({"a"}, kInvalid, words);
  };
  run("other_rows", Vec({2}),
      "First entry of element_shape input does not match the first dim of list "
      "element at index: 0 Expected: 2 Actual: 3");
  run("other_rank", Vec({-1, 4}),
      "PartialTensorShape: Incompatible ranks during merge: 1 vs. 0");
  WithUnknownShape(Empty(c, "other_rank_of_list", Vec({-1, 3})), "shape",
                   Vec({-1}))
      .Node("a", "TensorListConcatV2", {"list", "shape", Vec(kInt64, {})},
            Element(kFloat))
      .NoShapeCheck()
      .RunError({"a"}, kInvalid,
                "PartialTensorShape: Incompatible ranks during merge: 1 vs. 2");
  WithUnknownShape(Reserved(c, "rows_of_shape", 3, Scalar(-1)), "shape",
                   Vec({2}))
      .Node("a", "TensorListConcatV2", {"list", "shape", Vec(kInt64, {1})},
            Element(kFloat))
      .NoShapeCheck()
      .Run({"a"});
  WithUnknownShape(Empty(c, "rows_of_list", Vec({-1, 3})), "shape", Scalar(-1))
      .Node("a", "TensorListConcatV2", {"list", "shape", Vec(kInt64, {})},
            Element(kFloat))
      .NoShapeCheck()
      .Run({"a"});
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

}  // namespace

MR_CASES(TensorListStack)(CaseList& c) {
  c.EachType("element_dtype", StacksAndGathers);
  FailingStacks(c);
  FailingShapes(c, "TensorListStack", {});
}
MR_CASES(TensorListGather)(CaseList& c) {
  c.EachType("element_dtype", StacksAndGathers);
  FailingGathers(c);
}
MR_CASES(TensorListConcat)(CaseList& c) {
  c.EachType("element_dtype", Concats);
  ConcatGradients(c, "TensorListConcat", {});
  Reserved(c, "not_set", 2, Vec({1, 2}))
      .Node("a", "TensorListConcat", {"list"}, Element(kFloat))
      .NoShapeCheck()
      .RunError({"a"}, kInvalid,
                "Trying to concat list with only uninitialized tensors");
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
  WithUnknownShape(c.Sequence("other_shape"), "v", F32({3, 2}))
      .Node("s", "TensorListFromTensor", {"v", Vec({3})})
      .RunError({"s"}, kInvalid,
                "Specified a list with shape [3] from a tensor with shape [2]");
  WithUnknownShape(c.Sequence("scalar"), "v", F32({}))
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
  const auto into = [&c](const char* name, Value rows, Value indices,
                         const char* error) {
    Reserved(c, name, 2, Vec({2}))
        .Node("s", "TensorListScatterIntoExistingList",
              {"list", std::move(rows), std::move(indices)})
        .NoShapeCheck()
        .RunError({"s"}, kInvalid, error);
  };
  into("rows", F32({3, 2}), Vec({0, 1}),
       "Expected len(indices) == tensor.shape[0], but saw: 2 vs. 3");
  into("indices_rank", F32({1, 2}), Scalar(0),
       "Expected indices to be a vector, but received shape: []");
}

}  // namespace millrace::cases
