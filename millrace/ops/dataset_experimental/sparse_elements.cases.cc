#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kVariant = DataType::kVariant;

// Adds a data set "all" of vectors of two, three and one numbers.
Case& Ragged(CaseList& c, const char* name) {
  const auto one = [](int n) {
    return AttrMap{{"Toutput_types", TypeList{kInt64}},
                   {"output_shapes", ShapeList{PartialShape({n})}}};
  };
  return c.Sequence(name)
      .Node("two", "TensorDataset", {Vec(kInt64, {1, 2})}, one(2))
      .Node("three", "TensorDataset", {Vec(kInt64, {3, 4, 5})}, one(3))
      .Node("one", "TensorDataset", {Vec(kInt64, {6})}, one(1))
      .Node("some", "ConcatenateDataset", {"two", "three"}, Batches())
      .Node("all", "ConcatenateDataset", {"some", "one"}, Batches());
}

// A batch is three variants, but its data set's shape is that of dense batches.
AttrMap SparseBatches() { return ElementsOf({kVariant}, {PartialShape()}); }

Case& Sparse(CaseList& c, const char* name, double size,
             std::initializer_list<double> row) {
  return Ragged(c, name).Node("op", c.op().name,
                              {"all", Count(size), Vec(kInt64, row)},
                              SparseBatches());
}

Case& Parts(Case& c) {
  return WithIterator(c, "op", SparseBatches())
      .Node("parts", "DeserializeSparse", {"next"}, {{"dtype", kInt64}});
}

void SparseBatchCases(CaseList& c) {
  Parts(Sparse(c, "of_two", 2, {5}))
      .Run({"parts"})
      .Run({"parts"})
      .RunError({"parts"}, StatusCode::kOutOfRange, "End of sequence");
  Parts(Sparse(c, "as_large_as_needed", 2, {-1})).Run({"parts"}).Run({"parts"});
  Parts(Sparse(c, "too_large", 2, {2}))
      .RunError({"parts"}, StatusCode::kDataLoss,
                "Input element had shape ([3]) that is larger than the row "
                "shape ([2]).")
      .Run({"parts"});
  Parts(Sparse(c, "other_rank", 2, {3, 3}))
      .RunError({"parts"}, kInvalid,
                "Input element had shape ([2]) that is incompatible with the "
                "row shape ([3,3]).");
  Parts(WithRange(c, "scalars", 3)
            .Node("op", c.op().name, {"range", Count(2), Empty(kInt64, {0})},
                  SparseBatches()))
      .Run({"parts"})
      .Run({"parts"});
  Sparse(c, "its_shape", 2, {5})
      .Node("it", "IteratorV2", {},
            Named(ElementsOf({kVariant}, {PartialShape({3})})))
      .Node("make", "MakeIterator", {"op", "it"})
      .RunError({"make"}, kInvalid,
                "Incompatible shapes at component 0: expected [3] but got "
                "[?,5].");
  NoDataset(Sparse(c, "of_none", 0, {5}),
            "Batch size must be greater than zero.");
  NoDataset(Sparse(c, "negative_row", 2, {-2}), "Dimension -2 must be >= -1");
}

AttrMap SparseRows(DataType type, int rank) {
  return ElementsOf({kInt64, type, kInt64},
                    {PartialShape({-1, rank - 1}), PartialShape({-1}),
                     PartialShape({rank - 1})});
}

void NoSlices(CaseList& c, const char* name, Value indices, Value values,
              Value shape, std::string words) {
  NoDataset(c.Sequence(name).Node(
                "op", c.op().name,
                {std::move(indices), std::move(values), std::move(shape)}),
            std::move(words));
}

}  // namespace

MR_CASES(DenseToSparseBatchDataset)(CaseList& c) { SparseBatchCases(c); }
MR_CASES(ExperimentalDenseToSparseBatchDataset)(CaseList& c) {
  SparseBatchCases(c);
}
MR_CASES(SparseTensorSliceDataset)(CaseList& c) {
  const Value indices = Of(kInt64, {3, 2}, {0, 1, 0, 2, 2, 0});
  c.EachType("Tvalues", [&](CaseList& c, DataType type) {
    Elements(c.Sequence(absl::StrCat("of_", DataTypeName(type)))
                 .Node("op", "SparseTensorSliceDataset",
                       {indices, Rand(type, {3}), Vec(kInt64, {4, 3})}),
             "op", SparseRows(type, 2), 4);
  });
  Elements(c.Sequence("rank_three")
               .Node("op", "SparseTensorSliceDataset",
                     {Of(kInt64, {2, 3}, {0, 1, 1, 2, 0, 1}), F32({2}),
                      Vec(kInt64, {3, 3, 2})}),
           "op", SparseRows(DataType::kFloat, 3), 3);
  Elements(c.Sequence("rank_one")
               .Node("op", "SparseTensorSliceDataset",
                     {Of(kInt64, {2, 1}, {0, 2}), F32({2}), Vec(kInt64, {4})}),
           "op", SparseRows(DataType::kFloat, 1), 4);
  Elements(c.Sequence("no_rows").Node(
               "op", "SparseTensorSliceDataset",
               {Empty(kInt64, {0, 2}), F32({0}), Vec(kInt64, {0, 3})}),
           "op", SparseRows(DataType::kFloat, 2), 0);
  Elements(c.Sequence("outside").Node("op", "SparseTensorSliceDataset",
                                      {Of(kInt64, {2, 2}, {0, 5, 7, 1}),
                                       F32({2}), Vec(kInt64, {2, 3})}),
           "op", SparseRows(DataType::kFloat, 2), 2);
  c.Sequence("unordered")
      .Node("op", "SparseTensorSliceDataset",
            {Of(kInt64, {2, 2}, {2, 1, 0, 2}), F32({2}), Vec(kInt64, {4, 3})})
      .Node("size", "DatasetCardinality", {"op"})
      .RunError({"size"}, StatusCode::kUnimplemented,
                "The SparseTensor must be ordered in the batch dimension;");
  NoSlices(c, "values", indices, F32({2}), Vec(kInt64, {4, 3}),
           "Number of values must match first dimension of indices. Got 2 "
           "values, indices shape: [3,2]");
  NoSlices(c, "shape", indices, F32({3}), Vec(kInt64, {4, 3, 2}),
           "Number of dimensions must match second dimension of indices. Got 3 "
           "dimensions, indices shape: [3,2]");
  NoSlices(c, "indices_vector", Vec(kInt64, {0, 1}), F32({2}),
           Vec(kInt64, {4, 3}), "Input indices must be a matrix. Got: [2]");
  NoSlices(c, "values_matrix", indices, F32({3, 1}), Vec(kInt64, {4, 3}),
           "Input values must be a vector. Got: [3,1]");
  NoSlices(c, "shape_scalar", indices, F32({3}), Count(4),
           "Input shape must be a vector. Got: []");
  NoSlices(c, "negative", indices, F32({3}), Vec(kInt64, {4, -3}),
           "Expected shape dimensions to be non-negative, got -3");
  NoSlices(c, "too_large", indices, F32({3}),
           Vec(kInt64, {1099511627776.0, 1099511627776.0}),
           "Encountered overflow when multiplying 1099511627776 with "
           "1099511627776");
}

}  // namespace millrace::cases
