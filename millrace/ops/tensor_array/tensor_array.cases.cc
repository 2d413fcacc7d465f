#include "millrace/ops/tensor_array/array_sequences.cases.h"

namespace millrace::cases {
namespace {

void WritesAndReads(CaseList& c, DataType t) {
  Array(c, "order", 2, t)
      .Node("w1", Op(c, "Write"), {"ta", Scalar(1), Rand(t, {2, 3}), Flow(c)})
      .Node("w0", Op(c, "Write"), {"ta", Scalar(0), Rand(t, {}), "w1"})
      .Node("r0", Op(c, "Read"), {"ta", Scalar(0), "w0"}, Dtype(t))
      .Node("r1", Op(c, "Read"), {"ta", Scalar(1), "w0"}, Dtype(t))
      .Run({"w0", "r0", "r1"});
}

void FailingWrites(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "index_too_large", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(2), F32({2}), Flow(c)})
      .RunError({"w"}, code,
                "Tried to write to index 2 but array is not resizeable and "
                "size is: 2");
  Array(c, "index_negative", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(-1), F32({2}), Flow(c)})
      .RunError({"w"}, code, "Tried to write to index -1 but array");
  Array(c, "index_of_rank_1", 2)
      .Node("i", "Identity", {Vec({0})})
      .Node("w", Op(c, "Write"), {"ta", "i", F32({2}), Flow(c)})
      .RunError({"w"}, code,
                "TensorArray index must be scalar, but had shape: [1]");
  Array(c, "twice", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("x", Op(c, "Write"), {"ta", Scalar(0), F32({2}), "w"})
      .RunError({"x"}, code,
                "Could not write to TensorArray index 0 because it has already "
                "been written to.");
  Array(c, "after_read", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("r", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("x", Op(c, "Write"), {"ta", Scalar(0), F32({2}), "w"}, {}, {"r"})
      .RunError({"x"}, code,
                "Could not write to TensorArray index 0 because it has already "
                "been read.");
  Array(c, "other_dtype", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), I32({2}), Flow(c)})
      .RunError({"w"}, code,
                "TensorArray dtype is float but Op is trying to write dtype "
                "int32.");
  Array(c, "other_shape", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({3})}})
      .Node("i", "PlaceholderWithDefault", {F32({2})},
            {{"shape", PartialShape()}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), "i", Flow(c)})
      .RunError({"w"}, code,
                "because the value shape is [2] which is incompatible with the "
                "TensorArray's inferred element shape: [3] (consider setting "
                "infer_shape=False).");
  if (!IsThird(c)) return;
  Array(c, "not_identical", 2,
        {{"dtype", kFloat}, {"identical_element_shapes", true}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("x", Op(c, "Write"), {"ta", Scalar(1), F32({3}), "w"})
      .RunError({"x"}, code, "incompatible with the TensorArray's inferred");
}

void GrowingWrites(CaseList& c) {
  Array(c, "grows", 0, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(4), F32({2}), Flow(c)})
      .Node("n", Op(c, "Size"), {"ta", "w"})
      .Node("r", Op(c, "Read"), {"ta", Scalar(4), "w"}, Dtype(kFloat))
      .Run({"n", "r"});
  Array(c, "different_shapes", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("x", Op(c, "Write"), {"ta", Scalar(1), F32({0, 3}), "w"})
      .Node("r", Op(c, "Read"), {"ta", Scalar(0), "x"}, Dtype(kFloat))
      .Node("q", Op(c, "Read"), {"ta", Scalar(1), "x"}, Dtype(kFloat))
      .Run({"r", "q"});
}

void FailingReads(CaseList& c) {
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "out_of_range", 2)
      .Node("r", Op(c, "Read"), {"ta", Scalar(2), Flow(c)}, Dtype(kFloat))
      .RunError({"r"}, code, "Tried to read from index 2 but array size is: 2");
  Array(c, "never_written", 2)
      .Node("r", Op(c, "Read"), {"ta", Scalar(1), Flow(c)}, Dtype(kFloat))
      .RunError({"r"}, code, "Could not read from TensorArray index 1.");
  Array(c, "twice", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("r", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("q", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(kFloat), {"r"})
      .RunError({"q"}, code,
                "twice because it was cleared after a previous read (perhaps "
                "try setting clear_after_read = false?).");
  Array(c, "other_dtype", 2)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("r", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(DataType::kInt32))
      .RunError({"r"}, code,
                "TensorArray dtype is float but Op requested dtype int32.");
  Array(c, "index_of_rank_1", 2)
      .Node("i", "Identity", {Vec({0})})
      .Node("r", Op(c, "Read"), {"ta", "i", Flow(c)}, Dtype(kFloat))
      .RunError({"r"}, code, "TensorArray index must be scalar, but had shape");
}

void OtherReads(CaseList& c) {
  Array(c, "read_twice", 1, {{"dtype", kFloat}, {"clear_after_read", false}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("r", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(kFloat))
      .Node("q", Op(c, "Read"), {"ta", Scalar(0), "w"}, Dtype(kFloat), {"r"})
      .Run({"r", "q"});
  Array(c, "zeros_of_known_shape", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2})}})
      .Node("r", Op(c, "Read"), {"ta", Scalar(1), Flow(c)}, Dtype(kFloat))
      .Run({"r"});
}

// Two gradients of one element add up; others are zeros of its shape.
void Gradients(CaseList& c) {
  const AttrMap source = {{"source", "gradients"}};
  for (DataType t : c.AllowedTypes("T")) {
    if (!IsFloating(t) && !IsComplex(t) && !IsInteger(t)) continue;
    Array(c, "sum", 3, t)
        .Node("w", Op(c, "Write"), {"ta", Scalar(0), Rand(t, {2, 2}), Flow(c)})
        .Node("x", Op(c, "Write"), {"ta", Scalar(1), Rand(t, {3}), "w"})
        .Node("g", Op(c, "Grad"), {"ta", "x"}, source)
        .Node("a", Op(c, "Write"), {"g", Scalar(0), Rand(t, {2, 2}), "x"})
        .Node("b", Op(c, "Write"), {"g", Scalar(0), Rand(t, {2, 2}), "a"})
        .Node("d", Op(c, "Write"), {"g", Scalar(0), Rand(t, {2, 2}), "b"})
        .Node("same", Op(c, "Grad"), {"ta", "d"}, source)
        .Node("r", Op(c, "Read"), {"same", Scalar(0), "d"}, Dtype(t))
        .Node("q", Op(c, "Read"), {"same", Scalar(1), "d"}, Dtype(t))
        .Run({"r", "q"});
  }
  const auto code = StatusCode::kInvalidArgument;
  Array(c, "sum_of_bools", 1, DataType::kBool)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), Bool({2}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "w"}, source)
      .Node("a", Op(c, "Write"), {"g", Scalar(0), Bool({2}), "w"})
      .Node("b", Op(c, "Write"), {"g", Scalar(0), Bool({2}), "a"})
      .RunError({"b"}, code,
                "tensor_array::AddToTensor type not supported: bool");
  Array(c, "other_shape", 1)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "w"}, source)
      .Node("a", Op(c, "Write"), {"g", Scalar(0), F32({3}), "w"})
      .RunError({"a"}, code,
                "Could not aggregate to TensorArray index 0 because the "
                "existing shape is [2] but the new input shape is [3].");
  Array(c, "zeros", 2)
      .Node("s", Op(c, "Scatter"), {"ta", Vec({1, 0}), F32({2, 3}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "s"}, source)
      .Node("z", Op(c, "Gather"), {"g", Vec({0, 1}), "s"}, Dtype(kFloat))
      .Run({"z"});
  Array(c, "never_written", 2)
      .Node("g", Op(c, "Grad"), {"ta", Flow(c)}, source)
      .Node("r", Op(c, "Read"), {"g", Scalar(0), Flow(c)}, Dtype(kFloat))
      .RunError({"r"}, code, "Could not read from TensorArray index 0.");
  Array(c, "keeps_its_size", 1, {{"dtype", kFloat}, {"dynamic_size", true}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(2), F32({2}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "w"}, source)
      .Node("x", Op(c, "Write"), {"ta", Scalar(3), F32({2}), "w"}, {}, {"g"})
      .RunError({"x"}, code, "array is not resizeable and size is: 3");
  Array(c, "concat_of_split", 2)
      .Node("s", Op(c, "Split"),
            {"ta", F32({3, 2}), Vec(DataType::kInt64, {1, 2}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "s"}, source)
      .Node("a", Op(c, "Write"), {"g", Scalar(1), F32({2, 2}), "s"})
      .Node("j", Op(c, "Concat"), {"g", "a"}, Dtype(kFloat))
      .Run({"j"});
}

void Makes(CaseList& c) {
  const std::string op = c.op().name;
  for (DataType t : c.AllowedTypes("dtype")) {
    Array(c, "size", 3, t).Node("n", Op(c, "Size"), {"ta", Flow(c)}).Run({"n"});
  }
  c.Sequence("size_negative")
      .NoShapeCheck()
      .Node("op", op, {Scalar(-1)}, Dtype(kFloat))
      .RunError({"op"}, StatusCode::kInvalidArgument, "Size should be >= 0.");
  c.Sequence("size_of_rank_1")
      .NoShapeCheck()
      .Node("n", "PlaceholderWithDefault", {Vec({2})},
            {{"shape", PartialShape()}})
      .Node("op", op, {"n"}, Dtype(kFloat))
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "TensorArray size must be scalar, but had shape: [1]");
}

void Writes(CaseList& c) {
  c.EachType("T", WritesAndReads);
  GrowingWrites(c);
  FailingWrites(c);
  Gradients(c);
}

void Reads(CaseList& c) {
  c.EachType("dtype", WritesAndReads);
  OtherReads(c);
  FailingReads(c);
}

void Sizes(CaseList& c) {
  Array(c, "size", 5).Node("n", Op(c, "Size"), {"ta", Flow(c)}).Run({"n"});
}

void Closes(CaseList& c) {
  Array(c, "close", 2)
      .Node("x", Op(c, "Close"), {"ta"})
      .Node("n", Op(c, "Size"), {"ta", Flow(c)}, {}, {"x"})
      .RunError({"n"}, StatusCode::kInvalidArgument, "has already been closed");
}

void MakesGradients(CaseList& c) {
  Array(c, "size", 2)
      .Node("g", Op(c, "Grad"), {"ta", Flow(c)}, {{"source", "a"}})
      .Node("n", Op(c, "Size"), {"g", Flow(c)})
      .Run({"n"});
  Array(c, "other_source", 1)
      .Node("w", Op(c, "Write"), {"ta", Scalar(0), F32({2}), Flow(c)})
      .Node("g", Op(c, "Grad"), {"ta", "w"}, {{"source", "a"}})
      .Node("a", Op(c, "Write"), {"g", Scalar(0), F32({2}), "w"})
      .Node("h", Op(c, "Grad"), {"ta", "a"}, {{"source", "b"}})
      .Node("r", Op(c, "Read"), {"h", Scalar(0), "a"}, Dtype(kFloat))
      .Run({"r"});
}

// Handles that name nothing, or are not two strings.
void ForeignStrings(CaseList& c) {
  const auto size = [&c](const char* name, Value handle) -> Case& {
    return c.Sequence(name)
        .Node("h", "PlaceholderWithDefault", {std::move(handle)},
              {{"shape", PartialShape()}})
        .Node("n", "TensorArraySizeV2", {"h", Scalar(kFloat, 0)});
  };
  size("unknown", Str({"_tensor_arrays", "x"}))
      .RunError({"n"}, StatusCode::kNotFound, "does not exist.");
  size("three", Str({"a", "b", "c"}))
      .RunError({"n"}, StatusCode::kInvalidArgument,
                "Tensor array handle must be 2-element vector, but had shape: "
                "[3]");
  size("scalar", StrScalar("a"))
      .RunError({"n"}, StatusCode::kInvalidArgument,
                "Tensor array handle must be 2-element vector, but had shape: "
                "[]");
}

void GradientsOfGradients(CaseList& c) {
  Array(c, "of_gradients", 1)
      .Node("g", Op(c, "Grad"), {"ta", Flow(c)}, {{"source", "a"}})
      .Node("h", Op(c, "Grad"), {"g", Flow(c)}, {{"source", "b"}})
      .RunError({"h"}, StatusCode::kInvalidArgument,
                "Input container should be '_tensor_arrays',  but received "
                "'_tensor_array_grads'");
}

}  // namespace

MR_CASES(TensorArrayV3)(CaseList& c) { Makes(c); }
MR_CASES(TensorArrayV2)(CaseList& c) { Makes(c); }
MR_CASES(TensorArray)(CaseList& c) { Makes(c); }
MR_CASES(TensorArrayWriteV3)(CaseList& c) { Writes(c); }
MR_CASES(TensorArrayWriteV2)(CaseList& c) { Writes(c); }
MR_CASES(TensorArrayWrite)(CaseList& c) { Writes(c); }
MR_CASES(TensorArrayReadV3)(CaseList& c) { Reads(c); }
MR_CASES(TensorArrayReadV2)(CaseList& c) { Reads(c); }
MR_CASES(TensorArrayRead)(CaseList& c) { Reads(c); }
MR_CASES(TensorArraySizeV3)(CaseList& c) { Sizes(c); }
MR_CASES(TensorArraySizeV2)(CaseList& c) {
  Sizes(c);
  ForeignStrings(c);
}
MR_CASES(TensorArraySize)(CaseList& c) { Sizes(c); }
MR_CASES(TensorArrayCloseV3)(CaseList& c) { Closes(c); }
MR_CASES(TensorArrayCloseV2)(CaseList& c) { Closes(c); }
MR_CASES(TensorArrayClose)(CaseList& c) { Closes(c); }
MR_CASES(TensorArrayGradV3)(CaseList& c) { MakesGradients(c); }
MR_CASES(TensorArrayGradV2)(CaseList& c) {
  MakesGradients(c);
  GradientsOfGradients(c);
}
MR_CASES(TensorArrayGrad)(CaseList& c) {
  MakesGradients(c);
  GradientsOfGradients(c);
}
MR_CASES(TensorArrayGradWithShape)(CaseList& c) {
  Array(c, "prepended", 2,
        {{"dtype", kFloat}, {"element_shape", PartialShape({2})}})
      .Node("w", Op(c, "Write"), {"ta", Scalar(1), F32({2}), Flow(c)})
      .Node("g", "TensorArrayGradWithShape", {"ta", "w", Vec({3, 1})},
            {{"source", "a"}})
      .Node("a", Op(c, "Write"), {"g", Scalar(0), F32({3, 1, 2}), "w"})
      .Node("r", Op(c, "Read"), {"g", Scalar(0), "a"}, Dtype(kFloat))
      .Node("q", Op(c, "Read"), {"g", Scalar(1), "a"}, Dtype(kFloat))
      .Run({"g:1", "r", "q"});
}

}  // namespace millrace::cases
