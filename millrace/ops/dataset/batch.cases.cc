#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

void NotOnStock(CaseList& c) {
  for (const auto& one : c.cases()) {
    one->NoStock("stock writes it anew with the inputs of its version 2");
  }
}

void Batch(CaseList& c, const char* name, double size, std::vector<Value> more,
           int elements) {
  std::vector<Value> inputs{"range", Count(size)};
  for (Value& v : more) inputs.push_back(std::move(v));
  Elements(WithRange(c, name, 7)
               .Node("op", c.op().name, std::move(inputs), Batches()),
           "op", Batches(), elements);
}

// Elements of one, two and three strings.
Case& Ragged(CaseList& c, const char* name) {
  const AttrMap one = {{"Toutput_types", TypeList{kString}},
                       {"output_shapes", ShapeList{PartialShape({-1})}}};
  const AttrMap any = ElementsOf({kString}, {PartialShape({-1})});
  return c.Sequence(name)
      .Node("a", "TensorDataset", {Str({"a"})}, one)
      .Node("b", "TensorDataset", {Str({"b", "bb"})}, one)
      .Node("c", "TensorDataset", {Str({"c", "cc", "ccc"})}, one)
      .Node("ab", "ConcatenateDataset", {"a", "b"}, any)
      .Node("abc", "ConcatenateDataset", {"ab", "c"}, any);
}

AttrMap Padded(PartialShape shape) {
  return {{"Toutput_types", TypeList{kString}},
          {"output_shapes", ShapeList{std::move(shape)}},
          {"N", 1}};
}

// The treatment of a last batch that is not full.
enum class Rest { kKept, kDropped };

std::vector<Value> PaddedInputs(const CaseList& c, double size, double width,
                                Rest rest) {
  std::vector<Value> inputs{"abc", Count(size), Vec(kInt64, {width}),
                            StrScalar("-")};
  if (c.op().name.ends_with("V2"))
    inputs.push_back(Tensor::Scalar<bool>(rest == Rest::kDropped));
  return inputs;
}

void PaddedCases(CaseList& c) {
  const AttrMap any = ElementsOf({kString}, {PartialShape({-1, -1})});
  Elements(Ragged(c, "to_the_longest")
               .Node("op", c.op().name, PaddedInputs(c, 2, -1, Rest::kKept),
                     Padded(PartialShape({-1, -1}))),
           "op", any, 2);
  Elements(Ragged(c, "to_five")
               .Node("op", c.op().name, PaddedInputs(c, 3, 5, Rest::kDropped),
                     Padded(PartialShape({-1, 5}))),
           "op", any, 1);
  WithIterator(Ragged(c, "too_long")
                   .Node("op", c.op().name, PaddedInputs(c, 3, 2, Rest::kKept),
                         Padded(PartialShape({-1, 2}))),
               "op", any)
      .RunError({"next"}, StatusCode::kDataLoss,
                "Attempted to pad to a smaller size than the input element.");
  NoDataset(Ragged(c, "no_size")
                .Node("op", c.op().name, PaddedInputs(c, 0, 2, Rest::kKept),
                      Padded(PartialShape({-1, 2}))),
            "Batch size must be greater than zero.");
}

void UnbatchCases(CaseList& c) {
  Elements(
      WithRange(c, "rows", 5)
          .Node("batches", "BatchDatasetV2",
                {"range", Count(2), Tensor::Scalar<bool>(false)}, Batches())
          .Node("op", c.op().name, {"batches"}, Numbers()),
      "op", Numbers(), 5);
}

}  // namespace

MR_CASES(BatchDataset)(CaseList& c) {
  Batch(c, "of_three", 3, {}, 3);
  NotOnStock(c);
}
MR_CASES(BatchDatasetV2)(CaseList& c) {
  Batch(c, "of_three", 3, {Tensor::Scalar<bool>(false)}, 3);
  Batch(c, "of_three_full", 3, {Tensor::Scalar<bool>(true)}, 2);
  Batch(c, "larger", 9, {Tensor::Scalar<bool>(false)}, 1);
  NoDataset(
      WithRange(c, "of_none", 7)
          .Node("op", "BatchDatasetV2",
                {"range", Count(0), Tensor::Scalar<bool>(false)}, Batches()),
      "Batch size must be greater than zero.");
}
MR_CASES(ParallelBatchDataset)(CaseList& c) {
  Batch(c, "of_three", 3, {Count(2), Tensor::Scalar<bool>(true)}, 2);
}
MR_CASES(PaddedBatchDataset)(CaseList& c) {
  PaddedCases(c);
  NotOnStock(c);
}
MR_CASES(PaddedBatchDatasetV2)(CaseList& c) { PaddedCases(c); }
MR_CASES(UnbatchDataset)(CaseList& c) { UnbatchCases(c); }
MR_CASES(ExperimentalUnbatchDataset)(CaseList& c) { UnbatchCases(c); }

}  // namespace millrace::cases
