#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Stock's shape functions treat the handle, a scalar, as a vector of two like
// that of the first form; therefore static shapes are not compared.

constexpr DataType kFloat = DataType::kFloat;

AttrMap Dtype(DataType t) { return {{"dtype", t}}; }

// An array "ta" of `size` elements.
Case& Array(CaseList& c, const char* name, int size, AttrMap attrs) {
  return c.Sequence(name).NoShapeCheck().Node("ta", "TensorArrayV3",
                                              {Scalar(size)}, std::move(attrs));
}
Case& Array(CaseList& c, const char* name, int size, DataType t = kFloat) {
  return Array(c, name, size, Dtype(t));
}

void WritesAndReads(CaseList& c, DataType t) {
  Array(c, "order", 2, t)
      .Node("w1", "TensorArrayWriteV3",
            {"ta", Scalar(1), Rand(t, {2, 3}), "ta:1"})
      .Node("w0", "TensorArrayWriteV3", {"ta", Scalar(0), Rand(t, {}), "w1"})
      .Node("r0", "TensorArrayReadV3", {"ta", Scalar(0), "w0"}, Dtype(t))
      .Node("r1", "TensorArrayReadV3", {"ta", Scalar(1), "w0"}, Dtype(t))
      .Run({"w0", "r0", "r1"});
}

void ScattersAndGathers(CaseList& c, DataType t) {
  Array(c, "rows", 4, t)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({3, 0, 2}), Rand(t, {3, 2}), "ta:1"})
      .Node("g", "TensorArrayGatherV3", {"ta", Vec({2, 3, 0}), "s"}, Dtype(t))
      .Run({"s", "g"});
  Array(c, "scalars", 3, t)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({0, 1, 2}), Rand(t, {3}), "ta:1"})
      .Node("g", "TensorArrayGatherV3", {"ta", Vec({1}), "s"}, Dtype(t))
      .Run({"g"});
}

void SplitsAndConcats(CaseList& c, DataType t) {
  Array(c, "lengths", 3, t)
      .Node("s", "TensorArraySplitV3",
            {"ta", Rand(t, {6, 2}), Vec(DataType::kInt64, {3, 0, 3}), "ta:1"})
      .Node("j", "TensorArrayConcatV3", {"ta", "s"}, Dtype(t))
      .Run({"s", "j"});
}

// Types that no array op writes: only empty results can be read.
void Nothing(CaseList& c, DataType t) {
  Array(c, "nothing", 0, t)
      .Node("g", "TensorArrayGatherV3",
            {"ta", Empty(DataType::kInt32, {0}), "ta:1"},
            {{"dtype", t}, {"element_shape", PartialShape({2, 3})}})
      .Node("j", "TensorArrayConcatV3", {"ta", "ta:1"},
            {{"dtype", t}, {"element_shape_except0", PartialShape({3})}})
      .Run({"g", "j"});
}

bool IsWritten(DataType t) { return !IsQuantized(t); }

void FailingWrites(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "index_too_large", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(2), F32({2}), "ta:1"})
      .RunError({"w"}, code,
                "Tried to write to index 2 but array is not resizeable and "
                "size is: 2");
  Array(c, "index_negative", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(-1), F32({2}), "ta:1"})
      .RunError({"w"}, code, "Tried to write to index -1 but array");
  Array(c, "index_of_rank_1", 2)
      .Node("i", "Identity", {Vec({0})})
      .Node("w", "TensorArrayWriteV3", {"ta", "i", F32({2}), "ta:1"})
      .RunError({"w"}, code,
                "TensorArray index must be scalar, but had shape: [1]");
  Array(c, "twice", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "w"})
      .RunError({"x"}, code,
                "Could not write to TensorArray index 0 because it has already "
                "been written to.");
  Array(c, "after_read", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "w"}, {},
            {"r"})
      .RunError({"x"}, code,
                "Could not write to TensorArray index 0 because it has already "
                "been read.");
  Array(c, "other_dtype", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), I32({2}), "ta:1"})
      .RunError({"w"}, code,
                "TensorArray dtype is float but Op is trying to write dtype "
                "int32.");
  Array(c, "other_shape", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({3})}})
      .Node("i", "PlaceholderWithDefault", {F32({2})},
            {{"shape", PartialShape()}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), "i", "ta:1"})
      .RunError({"w"}, code,
                "because the value shape is [2] which is incompatible with the "
                "TensorArray's inferred element shape: [3] (consider setting "
                "infer_shape=False).");
  Array(c, "not_identical", 2,
        {{"dtype", kFloat}, {"identical_element_shapes", true}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(1), F32({3}), "w"})
      .RunError({"x"}, code, "incompatible with the TensorArray's inferred");
}

void GrowingWrites(CaseList& c) {
  Array(c, "grows", 0, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(4), F32({2}), "ta:1"})
      .Node("n", "TensorArraySizeV3", {"ta", "w"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(4), "w"}, Dtype(kFloat))
      .Run({"n", "r"});
  Array(c, "different_shapes", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(1), F32({0, 3}), "w"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(0), "x"}, Dtype(kFloat))
      .Node("q", "TensorArrayReadV3", {"ta", Scalar(1), "x"}, Dtype(kFloat))
      .Run({"r", "q"});
}

void FailingReads(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "out_of_range", 2)
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(2), "ta:1"}, Dtype(kFloat))
      .RunError({"r"}, code, "Tried to read from index 2 but array size is: 2");
  Array(c, "never_written", 2)
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(1), "ta:1"}, Dtype(kFloat))
      .RunError({"r"}, code, "Could not read from TensorArray index 1.");
  Array(c, "twice", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("q", "TensorArrayReadV3", {"ta", Scalar(0), "w"}, Dtype(kFloat),
            {"r"})
      .RunError({"q"}, code,
                "twice because it was cleared after a previous read (perhaps "
                "try setting clear_after_read = false?).");
  Array(c, "other_dtype", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(0), "w"},
            Dtype(DataType::kInt32))
      .RunError({"r"}, code,
                "TensorArray dtype is float but Op requested dtype int32.");
  Array(c, "index_of_rank_1", 2)
      .Node("i", "Identity", {Vec({0})})
      .Node("r", "TensorArrayReadV3", {"ta", "i", "ta:1"}, Dtype(kFloat))
      .RunError({"r"}, code, "TensorArray index must be scalar, but had shape");
}

void OtherReads(CaseList& c) {
  Array(c, "read_twice", 1, {{"dtype", kFloat}, {"clear_after_read", false}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("q", "TensorArrayReadV3", {"ta", Scalar(0), "w"}, Dtype(kFloat),
            {"r"})
      .Run({"r", "q"});
  Array(c, "zeros_of_known_shape", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2})}})
      .Node("r", "TensorArrayReadV3", {"ta", Scalar(1), "ta:1"}, Dtype(kFloat))
      .Run({"r"});
}

void FailingRows(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "scatter_too_far", 2)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({0, 2}), F32({2, 2}), "ta:1"})
      .RunError({"s"}, code, "Max scatter index must be < array size (2 vs. 2");
  Array(c, "scatter_negative", 2)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({0, -1}), F32({2, 2}), "ta:1"})
      .RunError({"s"}, code, "Tried to write to index -1 but array is not");
  Array(c, "scatter_counts", 2)
      .Node("i", "PlaceholderWithDefault", {Vec({0, 1})},
            {{"shape", PartialShape()}})
      .Node("s", "TensorArrayScatterV3", {"ta", "i", F32({3, 2}), "ta:1"})
      .RunError({"s"}, code,
                "Expected len(indices) == values.shape[0], but saw: 2 vs. 3");
  Array(c, "scatter_scalar", 2)
      .Node("v", "PlaceholderWithDefault", {F32({})},
            {{"shape", PartialShape()}})
      .Node("s", "TensorArrayScatterV3", {"ta", Vec({0}), "v", "ta:1"})
      .RunError({"s"}, code,
                "Input value for unpack must be at least a vector but received "
                "shape: []");
  Array(c, "scatter_other_dtype", 2)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({0, 1}), I32({2, 2}), "ta:1"})
      .RunError({"s"}, code,
                "TensorArray dtype is float but Op is trying to write dtype "
                "int32.");
}

void FailingGathers(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "empty_of_unknown_shape", 2)
      .Node("g", "TensorArrayGatherV3",
            {"ta", Empty(DataType::kInt32, {0}), "ta:1"}, Dtype(kFloat))
      .RunError({"g"}, StatusCode::kUnimplemented,
                "TensorArray has size zero, but element shape <unknown> is not "
                "fully defined.");
  Array(c, "inconsistent", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(1), F32({3}), "w"})
      .Node("g", "TensorArrayGatherV3", {"ta", Vec({0, 1}), "x"}, Dtype(kFloat))
      .RunError({"g"}, code,
                "TensorArray has inconsistent shapes.  Index 0 has shape: [2] "
                "but index 1 has shape: [3]");
  Array(c, "other_element_shape", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("g", "TensorArrayGatherV3", {"ta", Vec({0}), "w"},
            {{"dtype", kFloat}, {"element_shape", PartialShape({3})}})
      .RunError({"g"}, code,
                "TensorArray was passed element_shape [3] which does not match "
                "the Tensor at index 0: [2]");
  Array(c, "merge_of_shapes", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2, -1})}})
      .Node("g", "TensorArrayGatherV3", {"ta", Vec({0}), "ta:1"},
            {{"dtype", kFloat}, {"element_shape", PartialShape({3, -1})}})
      .RunError({"g"}, code, "Incompatible shapes");
}

void FailingConcats(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "scalar", 1)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({}), "ta:1"})
      .Node("j", "TensorArrayConcatV3", {"ta", "w"}, Dtype(kFloat))
      .RunError({"j"}, code,
                "Concat saw a scalar shape at index 0 but requires at least "
                "vectors.  Did you mean to call pack?");
  Array(c, "inconsistent", 2)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2, 2}), "ta:1"})
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(1), F32({1, 3}), "w"})
      .Node("j", "TensorArrayConcatV3", {"ta", "x"}, Dtype(kFloat))
      .RunError({"j"}, code,
                "Index 0 has (excepting dimension 0) shape: [2] but index 1 "
                "has (excepting dimension 0) shape: [3]");
  Array(c, "other_row_shape", 1)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2, 2}), "ta:1"})
      .Node("j", "TensorArrayConcatV3", {"ta", "w"},
            {{"dtype", kFloat}, {"element_shape_except0", PartialShape({3})}})
      .RunError({"j"}, code,
                "TensorArray was passed element_shape_except0 [3] but index 0 "
                "has (excepting dimension 0) shape: [2] which does not match.");
  Array(c, "empty_of_unknown_shape", 0)
      .Node("j", "TensorArrayConcatV3", {"ta", "ta:1"}, Dtype(kFloat))
      .RunError({"j"}, StatusCode::kUnimplemented,
                "TensorArray has size zero, but element_shape_except0");
}

void FailingSplits(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  const DataType i64 = DataType::kInt64;
  Array(c, "lengths", 2)
      .Node("s", "TensorArraySplitV3",
            {"ta", F32({3, 2}), Vec(i64, {1, 1}), "ta:1"})
      .RunError({"s"}, code,
                "Expected sum of lengths to be equal to values.shape[0], but "
                "sum of lengths is 2 and value's shape is: [3,2]");
  Array(c, "count", 3)
      .Node("s", "TensorArraySplitV3",
            {"ta", F32({3, 2}), Vec(i64, {1, 2}), "ta:1"})
      .RunError({"s"}, code,
                "TensorArray's size is not equal to the size of lengths (3 vs. "
                "2), and the TensorArray is not marked as dynamically "
                "resizeable");
  Array(c, "scalar_value", 1)
      .Node("v", "PlaceholderWithDefault", {F32({})},
            {{"shape", PartialShape()}})
      .Node("s", "TensorArraySplitV3", {"ta", "v", Vec(i64, {1}), "ta:1"})
      .RunError({"s"}, code,
                "Expected value to be at least a vector, but received shape");
  Array(c, "scalar_lengths", 1)
      .Node("n", "PlaceholderWithDefault", {Scalar(i64, 1)},
            {{"shape", PartialShape()}})
      .Node("s", "TensorArraySplitV3", {"ta", F32({1}), "n", "ta:1"})
      .RunError({"s"}, code, "Expected lengths to be a vector, received shape");
  Array(c, "grows", 0, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("s", "TensorArraySplitV3",
            {"ta", F32({3, 2}), Vec(i64, {1, 2}), "ta:1"})
      .Node("n", "TensorArraySizeV3", {"ta", "s"})
      .Run({"n"});
}

// Two gradients of one element add up; others are zeros of its shape.
void Gradients(CaseList& c) {
  const AttrMap source = {{"source", "gradients"}};
  for (DataType t : c.AllowedTypes("T")) {
    if (!IsFloating(t) && !IsComplex(t) && !IsInteger(t)) continue;
    Array(c, "sum", 3, t)
        .Node("w", "TensorArrayWriteV3",
              {"ta", Scalar(0), Rand(t, {2, 2}), "ta:1"})
        .Node("x", "TensorArrayWriteV3", {"ta", Scalar(1), Rand(t, {3}), "w"})
        .Node("g", "TensorArrayGradV3", {"ta", "x"}, source)
        .Node("a", "TensorArrayWriteV3", {"g", Scalar(0), Rand(t, {2, 2}), "x"})
        .Node("b", "TensorArrayWriteV3", {"g", Scalar(0), Rand(t, {2, 2}), "a"})
        .Node("d", "TensorArrayWriteV3", {"g", Scalar(0), Rand(t, {2, 2}), "b"})
        .Node("same", "TensorArrayGradV3", {"ta", "d"}, source)
        .Node("r", "TensorArrayReadV3", {"same", Scalar(0), "d"}, Dtype(t))
        .Node("q", "TensorArrayReadV3", {"same", Scalar(1), "d"}, Dtype(t))
        .Run({"r", "q"});
  }
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "sum_of_bools", 1, DataType::kBool)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), Bool({2}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "w"}, source)
      .Node("a", "TensorArrayWriteV3", {"g", Scalar(0), Bool({2}), "w"})
      .Node("b", "TensorArrayWriteV3", {"g", Scalar(0), Bool({2}), "a"})
      .RunError({"b"}, code,
                "tensor_array::AddToTensor type not supported: bool");
  Array(c, "other_shape", 1)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "w"}, source)
      .Node("a", "TensorArrayWriteV3", {"g", Scalar(0), F32({3}), "w"})
      .RunError({"a"}, code,
                "Could not aggregate to TensorArray index 0 because the "
                "existing shape is [2] but the new input shape is [3].");
  Array(c, "zeros", 2)
      .Node("s", "TensorArrayScatterV3",
            {"ta", Vec({1, 0}), F32({2, 3}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "s"}, source)
      .Node("z", "TensorArrayGatherV3", {"g", Vec({0, 1}), "s"}, Dtype(kFloat))
      .Run({"z"});
  Array(c, "never_written", 2)
      .Node("g", "TensorArrayGradV3", {"ta", "ta:1"}, source)
      .Node("r", "TensorArrayReadV3", {"g", Scalar(0), "ta:1"}, Dtype(kFloat))
      .RunError({"r"}, code, "Could not read from TensorArray index 0.");
  Array(c, "keeps_its_size", 1, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(2), F32({2}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "w"}, source)
      .Node("x", "TensorArrayWriteV3", {"ta", Scalar(3), F32({2}), "w"}, {},
            {"g"})
      .RunError({"x"}, code, "array is not resizeable and size is: 3");
  Array(c, "concat_of_split", 2)
      .Node("s", "TensorArraySplitV3",
            {"ta", F32({3, 2}), Vec(DataType::kInt64, {1, 2}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "s"}, source)
      .Node("a", "TensorArrayWriteV3", {"g", Scalar(1), F32({2, 2}), "s"})
      .Node("j", "TensorArrayConcatV3", {"g", "a"}, Dtype(kFloat))
      .Run({"j"});
}

}  // namespace

MR_CASES(TensorArrayV3)(CaseList& c) {
  for (DataType t : c.AllowedTypes("dtype")) {
    Array(c, "size", 3, t)
        .Node("n", "TensorArraySizeV3", {"ta", "ta:1"})
        .Run({"ta:1", "n"});
  }
  c.Sequence("size_negative")
      .NoShapeCheck()
      .Node("op", "TensorArrayV3", {Scalar(-1)}, Dtype(kFloat))
      .RunError({"op"}, StatusCode::kInvalidArgument, "Size should be >= 0.");
  c.Sequence("size_of_rank_1")
      .NoShapeCheck()
      .Node("n", "PlaceholderWithDefault", {Vec({2})},
            {{"shape", PartialShape()}})
      .Node("op", "TensorArrayV3", {"n"}, Dtype(kFloat))
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "TensorArray size must be scalar, but had shape: [1]");
}

MR_CASES(TensorArrayWriteV3)(CaseList& c) {
  c.EachType("T", WritesAndReads);
  GrowingWrites(c);
  FailingWrites(c);
  Gradients(c);
}
MR_CASES(TensorArrayReadV3)(CaseList& c) {
  c.EachType("dtype", WritesAndReads);
  OtherReads(c);
  FailingReads(c);
}
MR_CASES(TensorArrayScatterV3)(CaseList& c) {
  c.EachType("T", ScattersAndGathers);
  Array(c, "large", 300)
      .Node("i", "Range", {Scalar(0), Scalar(300), Scalar(1)})
      .Node("s", "TensorArrayScatterV3", {"ta", "i", F32({300, 64}), "ta:1"})
      .Node("g", "TensorArrayGatherV3", {"ta", "i", "s"}, Dtype(kFloat))
      .Run({"g"});
  FailingRows(c);
}
MR_CASES(TensorArrayGatherV3)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsWritten(t)) ScattersAndGathers(c, t);
    Nothing(c, t);
  });
  FailingGathers(c);
}
MR_CASES(TensorArraySplitV3)(CaseList& c) {
  c.EachType("T", SplitsAndConcats);
  FailingSplits(c);
}
MR_CASES(TensorArrayConcatV3)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsWritten(t)) SplitsAndConcats(c, t);
    Nothing(c, t);
  });
  FailingConcats(c);
}
MR_CASES(TensorArraySizeV3)(CaseList& c) {
  Array(c, "size", 5).Node("n", "TensorArraySizeV3", {"ta", "ta:1"}).Run({"n"});
}
MR_CASES(TensorArrayCloseV3)(CaseList& c) {
  Array(c, "close", 2)
      .Node("x", "TensorArrayCloseV3", {"ta"})
      .Node("n", "TensorArraySizeV3", {"ta", "ta:1"}, {}, {"x"})
      .RunError({"n"}, StatusCode::kInvalidArgument, "has already been closed");
}
MR_CASES(TensorArrayGradV3)(CaseList& c) {
  Array(c, "size", 2)
      .Node("g", "TensorArrayGradV3", {"ta", "ta:1"}, {{"source", "a"}})
      .Node("n", "TensorArraySizeV3", {"g", "ta:1"})
      .Run({"g:1", "n"});
  Array(c, "other_source", 1)
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(0), F32({2}), "ta:1"})
      .Node("g", "TensorArrayGradV3", {"ta", "w"}, {{"source", "a"}})
      .Node("a", "TensorArrayWriteV3", {"g", Scalar(0), F32({2}), "w"})
      .Node("h", "TensorArrayGradV3", {"ta", "a"}, {{"source", "b"}})
      .Node("r", "TensorArrayReadV3", {"h", Scalar(0), "a"}, Dtype(kFloat))
      .Run({"r"});
}
MR_CASES(TensorArrayGradWithShape)(CaseList& c) {
  Array(c, "prepended", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2})}})
      .Node("w", "TensorArrayWriteV3", {"ta", Scalar(1), F32({2}), "ta:1"})
      .Node("g", "TensorArrayGradWithShape", {"ta", "w", Vec({3, 1})},
            {{"source", "a"}})
      .Node("a", "TensorArrayWriteV3", {"g", Scalar(0), F32({3, 1, 2}), "w"})
      .Node("r", "TensorArrayReadV3", {"g", Scalar(0), "a"}, Dtype(kFloat))
      .Node("q", "TensorArrayReadV3", {"g", Scalar(1), "a"}, Dtype(kFloat))
      .Run({"g:1", "r", "q"});
}

}  // namespace millrace::cases
