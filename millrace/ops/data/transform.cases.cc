#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kInt64 = DataType::kInt64;
constexpr DataType kString = DataType::kString;

void Counted(CaseList& c, double count, int elements) {
  Elements(WithRange(c, absl::StrCat("count_", count), 3)
               .Node("op", c.op().name, {"range", Count(count)}, Numbers()),
           "op", Numbers(), elements);
}

void Same(CaseList& c, std::vector<Value> more, AttrMap attrs) {
  std::vector<Value> inputs{"range"};
  for (Value& v : more) inputs.push_back(std::move(v));
  Elements(WithRange(c, "same", 3)
               .Node("op", c.op().name, std::move(inputs), std::move(attrs)),
           "op", Numbers(), 3);
}

AttrMap With(AttrMap attrs, const char* name, AttrValue value) {
  attrs.Set(name, std::move(value));
  return attrs;
}

AttrMap Batches() { return ElementsOf({kInt64}, {PartialShape({-1})}); }

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

std::vector<Value> PaddedInputs(const CaseList& c, double size, double width,
                                bool drop) {
  std::vector<Value> inputs{"abc", Count(size), Vec(kInt64, {width}),
                            StrScalar("-")};
  if (c.op().name.ends_with("V2")) inputs.push_back(Tensor::Scalar<bool>(drop));
  return inputs;
}

void PaddedCases(CaseList& c) {
  const AttrMap any = ElementsOf({kString}, {PartialShape({-1, -1})});
  Elements(Ragged(c, "to_the_longest")
               .Node("op", c.op().name, PaddedInputs(c, 2, -1, false),
                     Padded(PartialShape({-1, -1}))),
           "op", any, 2);
  Elements(Ragged(c, "to_five")
               .Node("op", c.op().name, PaddedInputs(c, 3, 5, true),
                     Padded(PartialShape({-1, 5}))),
           "op", any, 1);
  WithIterator(Ragged(c, "too_long")
                   .Node("op", c.op().name, PaddedInputs(c, 3, 2, false),
                         Padded(PartialShape({-1, 2}))),
               "op", any)
      .RunError({"next"}, StatusCode::kDataLoss,
                "Attempted to pad to a smaller size than the input element.");
  NoDataset(Ragged(c, "no_size")
                .Node("op", c.op().name, PaddedInputs(c, 0, 2, false),
                      Padded(PartialShape({-1, 2}))),
            "Batch size must be greater than zero.");
}

}  // namespace

MR_CASES(TakeDataset)(CaseList& c) {
  Counted(c, 2, 2);
  Counted(c, 0, 0);
  Counted(c, -1, 3);
  Counted(c, 9, 3);
}
MR_CASES(SkipDataset)(CaseList& c) {
  Counted(c, 2, 1);
  Counted(c, 0, 3);
  Counted(c, -1, 0);
  Counted(c, 9, 0);
}
MR_CASES(RepeatDataset)(CaseList& c) {
  Counted(c, 2, 6);
  Counted(c, 0, 0);
  WithIterator(WithRange(c, "forever", 2)
                   .Node("op", c.op().name, {"range", Count(-1)}, Numbers()),
               "op", Numbers())
      .Run({"next"})
      .Run({"next"})
      .Run({"next"});
}
MR_CASES(ZipDataset)(CaseList& c) {
  const AttrMap pairs =
      ElementsOf({kInt64, kInt64}, {PartialShape({}), PartialShape({})});
  Elements(
      WithRange(c, "pairs", 5)
          .Node("short", "TakeDataset", {"range", Count(2)}, Numbers())
          .Node("op", "ZipDataset", {"range", "short"}, With(pairs, "N", 2)),
      "op", pairs, 2);
}
MR_CASES(ConcatenateDataset)(CaseList& c) {
  Elements(WithRange(c, "twice", 2)
               .Node("op", "ConcatenateDataset", {"range", "range"}, Numbers()),
           "op", Numbers(), 4);
  NoDataset(WithRange(c, "types", 2)
                .Node("text", "TensorDataset", {StrScalar("a")},
                      {{"Toutput_types", TypeList{kString}},
                       {"output_shapes", ShapeList{PartialShape({})}}})
                .Node("op", "ConcatenateDataset", {"range", "text"}, Numbers()),
            "have different output_types");
}
MR_CASES(ShardDataset)(CaseList& c) {
  Elements(
      WithRange(c, "second_of_three", 8)
          .Node("op", "ShardDataset", {"range", Count(3), Count(1)}, Numbers()),
      "op", Numbers(), 3);
  NoDataset(
      WithRange(c, "none", 8)
          .Node("op", "ShardDataset", {"range", Count(0), Count(0)}, Numbers()),
      "Number of shards must be greater than zero");
  NoDataset(
      WithRange(c, "index", 8)
          .Node("op", "ShardDataset", {"range", Count(3), Count(3)}, Numbers()),
      "Index must be between 0 and 2 (currently index = 3).");
  // Each shard must have one; who sees that there are too few says so.
  const AttrMap all = With(Numbers(), "require_non_empty", true);
  for (const int index : {0, 1, 3}) {
    Case& few = WithIterator(
        WithRange(c, absl::StrCat("few_", index), 2)
            .Node("op", "ShardDataset", {"range", Count(4), Count(index)}, all),
        "op", Numbers());
    if (index < 2) {
      few.RunError({"next"}, StatusCode::kInvalidArgument,
                   "Could not apply FILE based sharding: the dataset only has");
    } else {
      few.RunError({"next"}, StatusCode::kOutOfRange, "End of sequence");
    }
  }
  Elements(WithRange(c, "enough", 9)
               .Node("op", "ShardDataset", {"range", Count(4), Count(1)}, all),
           "op", Numbers(), 2);
}
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
MR_CASES(UnbatchDataset)(CaseList& c) {
  Elements(
      WithRange(c, "rows", 5)
          .Node("batches", "BatchDatasetV2",
                {"range", Count(2), Tensor::Scalar<bool>(false)}, Batches())
          .Node("op", "UnbatchDataset", {"batches"}, Numbers()),
      "op", Numbers(), 5);
}
MR_CASES(WindowDataset)(CaseList& c) {
  const AttrMap windows = ElementsOf({DataType::kVariant}, {PartialShape({})});
  for (const bool drop : {false, true}) {
    WithRange(c, absl::StrCat("windows_", drop), 9)
        .Node(
            "op", "WindowDataset",
            {"range", Count(3), Count(2), Count(1), Tensor::Scalar<bool>(drop)},
            windows)
        .Node("size", "DatasetCardinality", {"op"})
        .Run({"size"});
  }
  NoDataset(WithRange(c, "of_none", 9)
                .Node("op", "WindowDataset",
                      {"range", Count(0), Count(2), Count(1),
                       Tensor::Scalar<bool>(false)},
                      windows),
            "Window size must be greater than zero.");
}
MR_CASES(OptionsDataset)(CaseList& c) {
  Same(c, {}, With(Numbers(), "serialized_options", ""));
}
MR_CASES(RewriteDataset)(CaseList& c) {
  Same(c, {StrScalar("replicate_on_split")}, Numbers());
}
MR_CASES(ModelDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(FinalizeDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(MaxIntraOpParallelismDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(PrivateThreadPoolDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(PrefetchDataset)(CaseList& c) {
  for (const int size : {0, 1, 5, -1}) {
    Elements(
        WithRange(c, absl::StrCat("size_", size), 3)
            .Node("op", "PrefetchDataset", {"range", Count(size)}, Numbers()),
        "op", Numbers(), 3);
  }
  NoDataset(WithRange(c, "negative", 3)
                .Node("op", "PrefetchDataset", {"range", Count(-2)}, Numbers()),
            "buffer_size must be >= 0 or set buffer_size to be");
}
MR_CASES(DatasetCardinality)(CaseList& c) {
  WithRange(c, "of_many", 9)
      .Node("forever", "RepeatDataset", {"range", Count(-1)}, Numbers())
      .Node("few", "TakeDataset", {"forever", Count(5)}, Numbers())
      .Node("twice", "RepeatDataset", {"few", Count(2)}, Numbers())
      .Node("shard", "ShardDataset", {"twice", Count(3), Count(0)}, Numbers())
      .Node("batch", "BatchDataset", {"twice", Count(4)}, Batches())
      .Node("rows", "UnbatchDataset", {"batch"}, Numbers())
      .Node("op", "DatasetCardinality", {"range"})
      .Node("n_forever", "DatasetCardinality", {"forever"})
      .Node("n_few", "DatasetCardinality", {"few"})
      .Node("n_twice", "DatasetCardinality", {"twice"})
      .Node("n_shard", "DatasetCardinality", {"shard"})
      .Node("n_batch", "DatasetCardinality", {"batch"})
      .Run({"op", "n_forever", "n_few", "n_twice", "n_shard", "n_batch"});
}

}  // namespace millrace::cases
