#include "millrace/ops/tensor_array/array_sequences.cases.h"

namespace millrace::cases {
namespace {

void ScattersAndGathers(CaseList& c, DataType t) {
  Array(c, "rows", 4, t)
      .Node("s", Op(c, "Scatter"),
            {"ta", Vec({3, 0, 2}), Rand(t, {3, 2}), Flow(c)})
      .Node("g", Op(c, "Gather"), {"ta", Vec({2, 3, 0}), "s"}, Dtype(t))
      .Run({"s", "g"});
  Array(c, "scalars", 3, t)
      .Node("s", Op(c, "Scatter"),
            {"ta", Vec({0, 1, 2}), Rand(t, {3}), Flow(c)})
      .Node("g", Op(c, "Gather"), {"ta", Vec({1}), "s"}, Dtype(t))
      .Run({"g"});
}

void SplitsAndConcats(CaseList& c, DataType t) {
  Array(c, "lengths", 3, t)
      .Node("s", Op(c, "Split"),
            {"ta", Rand(t, {6, 2}), Vec(DataType::kInt64, {3, 0, 3}), Flow(c)})
      .Node("j", Op(c, "Concat"), {"ta", "s"}, Dtype(t))
      .Run({"s", "j"});
}

// Types that no array op writes: only empty results can be read.
void Nothing(CaseList& c, DataType t) {
  Array(c, "nothing", 0, t)
      .Node("g", Op(c, "Gather"), {"ta", Empty(DataType::kInt32, {0}), Flow(c)},
            {{"dtype", t}, {"element_shape", PartialShape({2, 3})}})
      .Node("j", Op(c, "Concat"), {"ta", Flow(c)},
            {{"dtype", t}, {"element_shape_except0", PartialShape({3})}})
      .Run({"g", "j"});
}

bool IsWritten(DataType t) { return !IsQuantized(t); }

void FailingRows(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "scatter_too_far", 2)
      .Node("s", Op(c, "Scatter"), {"ta", Vec({0, 2}), F32({2, 2}), Flow(c)})
      .RunError({"s"}, code, "Max scatter index must be < array size (2 vs. 2");
  Array(c, "scatter_negative", 2)
      .Node("s", Op(c, "Scatter"), {"ta", Vec({0, -1}), F32({2, 2}), Flow(c)})
      .RunError({"s"}, code, "Tried to write to index -1 but array is not");
  Array(c, "scatter_counts", 2)
      .Node("i", "PlaceholderWithDefault", {Vec({0, 1})},
            {{"shape", PartialShape()}})
      .Node("s", Op(c, "Scatter"), {"ta", "i", F32({3, 2}), Flow(c)})
      .RunError({"s"}, code,
                "Expected len(indices) == values.shape[0], but saw: 2 vs. 3");
  Array(c, "scatter_scalar", 2)
      .Node("v", "PlaceholderWithDefault", {F32({})},
            {{"shape", PartialShape()}})
      .Node("s", Op(c, "Scatter"), {"ta", Vec({0}), "v", Flow(c)})
      .RunError({"s"}, code,
                "Input value for unpack must be at least a vector but received "
                "shape: []");
  Array(c, "scatter_other_dtype", 2)
      .Node("s", Op(c, "Scatter"), {"ta", Vec({0, 1}), I32({2, 2}), Flow(c)})
      .RunError({"s"}, code,
                "TensorArray dtype is float but Op is trying to write dtype "
                "int32.");
}

void FailingGathers(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "empty_of_unknown_shape", 2)
      .Node("g", Op(c, "Gather"), {"ta", Empty(DataType::kInt32, {0}), Flow(c)},
            Dtype(kFloat))
      .RunError({"g"}, StatusCode::kUnimplemented,
                "TensorArray has size zero, but element shape <unknown> is not "
                "fully defined.");
  Array(c, "inconsistent", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("x", Op(c, "Write"), {"ta", Scalar(1), F32({3}), "w"})
      .Node("g", Op(c, "Gather"), {"ta", Vec({0, 1}), "x"}, Dtype(kFloat))
      .RunError({"g"}, code,
                "TensorArray has inconsistent shapes.  Index 0 has shape: [2] "
                "but index 1 has shape: [3]");
  Array(c, "other_element_shape", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("g", Op(c, "Gather"), {"ta", Vec({0}), "w"},
            {{"dtype", kFloat}, {"element_shape", PartialShape({3})}})
      .RunError({"g"}, code,
                "TensorArray was passed element_shape [3] which does not match "
                "the Tensor at index 0: [2]");
  Array(c, "merge_of_shapes", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2, -1})}})
      .Node("g", Op(c, "Gather"), {"ta", Vec({0}), Flow(c)},
            {{"dtype", kFloat}, {"element_shape", PartialShape({3, -1})}})
      .RunError({"g"}, code, "Incompatible shapes");
}

void FailingConcats(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "scalar", 1)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({}), Flow(c)})
      .Node("j", Op(c, "Concat"), {"ta", "w"}, Dtype(kFloat))
      .RunError({"j"}, code,
                "Concat saw a scalar shape at index 0 but requires at least "
                "vectors.  Did you mean to call pack?");
  Array(c, "inconsistent", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2, 2}), Flow(c)})
      .Node("x", Op(c, "Write"), {"ta", Scalar(1), F32({1, 3}), "w"})
      .Node("j", Op(c, "Concat"), {"ta", "x"}, Dtype(kFloat))
      .RunError({"j"}, code,
                "Index 0 has (excepting dimension 0) shape: [2] but index 1 "
                "has (excepting dimension 0) shape: [3]");
  Array(c, "other_row_shape", 1)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2, 2}), Flow(c)})
      .Node("j", Op(c, "Concat"), {"ta", "w"},
            {{"dtype", kFloat}, {"element_shape_except0", PartialShape({3})}})
      .RunError({"j"}, code,
                "TensorArray was passed element_shape_except0 [3] but index 0 "
                "has (excepting dimension 0) shape: [2] which does not match.");
  Array(c, "empty_of_unknown_shape", 0)
      .Node("j", Op(c, "Concat"), {"ta", Flow(c)}, Dtype(kFloat))
      .RunError({"j"}, StatusCode::kUnimplemented,
                "TensorArray has size zero, but element_shape_except0");
}

void FailingSplits(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  const DataType i64 = DataType::kInt64;
  Array(c, "lengths", 2)
      .Node("s", Op(c, "Split"), {"ta", F32({3, 2}), Vec(i64, {1, 1}), Flow(c)})
      .RunError({"s"}, code,
                "Expected sum of lengths to be equal to values.shape[0], but "
                "sum of lengths is 2 and value's shape is: [3,2]");
  Array(c, "count", 3)
      .Node("s", Op(c, "Split"), {"ta", F32({3, 2}), Vec(i64, {1, 2}), Flow(c)})
      .RunError({"s"}, code,
                "TensorArray's size is not equal to the size of lengths (3 vs. "
                "2), and the TensorArray is not marked as dynamically "
                "resizeable");
  Array(c, "scalar_value", 1)
      .Node("v", "PlaceholderWithDefault", {F32({})},
            {{"shape", PartialShape()}})
      .Node("s", Op(c, "Split"), {"ta", "v", Vec(i64, {1}), Flow(c)})
      .RunError({"s"}, code,
                "Expected value to be at least a vector, but received shape");
  Array(c, "scalar_lengths", 1)
      .Node("n", "PlaceholderWithDefault", {Scalar(i64, 1)},
            {{"shape", PartialShape()}})
      .Node("s", Op(c, "Split"), {"ta", F32({1}), "n", Flow(c)})
      .RunError({"s"}, code, "Expected lengths to be a vector, received shape");
  Array(c, "grows", 0, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("s", Op(c, "Split"), {"ta", F32({3, 2}), Vec(i64, {1, 2}), Flow(c)})
      .Node("n", Op(c, "Size"), {"ta", "s"})
      .Run({"n"});
}

void UnpacksAndPacks(CaseList& c, DataType t) {
  Array(c, "all", 3, t)
      .Node("u", "TensorArrayUnpack", {"ta", Rand(t, {3, 2}), Flow(c)})
      .Node("p", "TensorArrayPack", {"ta", "u"}, Dtype(t))
      .Run({"u", "p"});
}

void FailingUnpacks(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  const AttrMap dynamic = {{"dtype", kFloat}, {"dynamic_size", true}};
  const auto unpack = [&c](const char* name, int size, AttrMap attrs,
                           Value rows) -> Case& {
    return Array(c, name, size, std::move(attrs))
        .Node("u", "TensorArrayUnpack", {"ta", std::move(rows), Flow(c)})
        .Node("n", "TensorArraySize", {"ta", "u"});
  };
  unpack("grows", 0, dynamic, F32({2})).Run({"n"});
  unpack("nothing", 0, Dtype(kFloat), Empty(kFloat, {0, 2})).Run({"n"});
  unpack("fewer", 3, Dtype(kFloat), F32({2}))
      .RunError({"n"}, code,
                "Input value must have first dimension equal to the array "
                "size (2 vs. 3)");
  unpack("more", 1, Dtype(kFloat), F32({2}))
      .RunError({"n"}, code, "equal to the array size (2 vs. 1)");
  unpack("fewer_of_dynamic", 4, dynamic, F32({2}))
      .RunError({"n"}, code, "equal to the array size (2 vs. 4)");
  unpack("scalar", 1, Dtype(kFloat), F32({}))
      .RunError({"n"}, code,
                "Input value for unpack must be at least a vector but received "
                "shape: []");
  unpack("other_dtype", 2, Dtype(kFloat), I32({2}))
      .RunError({"n"}, code,
                "TensorArray dtype is float but Op is trying to write dtype "
                "int32.");
}

void Scatters(CaseList& c) {
  c.EachType("T", ScattersAndGathers);
  Array(c, "large", 300)
      .Node("i", "Range", {Scalar(0), Scalar(300), Scalar(1)})
      .Node("s", Op(c, "Scatter"), {"ta", "i", F32({300, 64}), Flow(c)})
      .Node("g", Op(c, "Gather"), {"ta", "i", "s"}, Dtype(kFloat))
      .Run({"g"});
  FailingRows(c);
}

void Gathers(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsWritten(t)) ScattersAndGathers(c, t);
    Nothing(c, t);
  });
  FailingGathers(c);
}

void Splits(CaseList& c) {
  c.EachType("T", SplitsAndConcats);
  FailingSplits(c);
}

void Concats(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsWritten(t)) SplitsAndConcats(c, t);
    Nothing(c, t);
  });
  FailingConcats(c);
}

void Packs(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsWritten(t)) UnpacksAndPacks(c, t);
    Array(c, "nothing", 0, t)
        .Node("p", "TensorArrayPack", {"ta", Flow(c)},
              {{"dtype", t}, {"element_shape", PartialShape({2, 3})}})
        .Run({"p"});
  });
  Array(c, "gradients", 2)
      .Node("u", "TensorArrayUnpack", {"ta", F32({2, 3}), Flow(c)})
      .Node("g", "TensorArrayGrad", {"ta", "u"}, {{"source", "a"}})
      .Node("p", "TensorArrayPack", {"g", "u"}, Dtype(kFloat))
      .Run({"p"});
  Array(c, "never_written", 2)
      .Node("p", "TensorArrayPack", {"ta", Flow(c)}, Dtype(kFloat))
      .RunError({"p"}, StatusCode::kInvalidArgument,
                "Could not read from TensorArray index 0.");
  Array(c, "empty_of_unknown_shape", 0)
      .Node("p", "TensorArrayPack", {"ta", Flow(c)}, Dtype(kFloat))
      .RunError({"p"}, StatusCode::kUnimplemented,
                "TensorArray has size zero, but element shape");
}

}  // namespace

MR_CASES(TensorArrayScatterV3)(CaseList& c) { Scatters(c); }
MR_CASES(TensorArrayScatterV2)(CaseList& c) { Scatters(c); }
MR_CASES(TensorArrayScatter)(CaseList& c) { Scatters(c); }
MR_CASES(TensorArrayGatherV3)(CaseList& c) { Gathers(c); }
MR_CASES(TensorArrayGatherV2)(CaseList& c) { Gathers(c); }
MR_CASES(TensorArrayGather)(CaseList& c) { Gathers(c); }
MR_CASES(TensorArraySplitV3)(CaseList& c) { Splits(c); }
MR_CASES(TensorArraySplitV2)(CaseList& c) { Splits(c); }
MR_CASES(TensorArraySplit)(CaseList& c) { Splits(c); }
MR_CASES(TensorArrayConcatV3)(CaseList& c) { Concats(c); }
MR_CASES(TensorArrayConcatV2)(CaseList& c) { Concats(c); }
MR_CASES(TensorArrayConcat)(CaseList& c) { Concats(c); }
MR_CASES(TensorArrayUnpack)(CaseList& c) {
  c.EachType("T", UnpacksAndPacks);
  FailingUnpacks(c);
}
MR_CASES(TensorArrayPack)(CaseList& c) { Packs(c); }

}  // namespace millrace::cases
