#include "millrace/ops/ragged/ragged.cases.h"

namespace millrace::cases {
namespace {

using namespace ragged;

constexpr char kSplits[] = "ROW_SPLITS";
constexpr char kRowids[] = "VALUE_ROWIDS";
constexpr char kRows[] = "FIRST_DIM_SIZE";

AttrMap Partitions(StringList types) {
  return {{"row_partition_types", std::move(types)}};
}

Value Shape(std::initializer_list<double> sizes, DataType t = kI) {
  return Vec(t, sizes);
}

void AddErrors(CaseList& c) {
  const Value splits = Splits({0, 2, 2, 5});
  const auto error = [&](Value shape, Value values, Value default_value,
                         const char* words) {
    c.Error(
        {std::move(shape), std::move(values), std::move(default_value), splits},
        Partitions({kSplits}), kInvalid, words);
  };
  error(Shape({-1, -1, 3}), F32({5, 2}), F32({}),
        "rt_input.shape and shape=[?,?,3] are incompatible: rt_input.shape[2] "
        "= 2 but shape[2] = 3");
  error(Shape({-1, -1}), F32({5, 2}), F32({}),
        "rt_input.shape and shape=[?,?] are incompatible: rt_input.rank = 3 "
        "but shape.rank = 2");
  error(Shape({-1, -1, 2}), F32({5, 2}), F32({1, 2}),
        "default_value.shape=[1,2] and rt_input.flat_values.shape=[5,2] are "
        "incompatible: default_value.rank = 2  must be less than "
        "rt_input.flat_values.rank = 2");
  error(Shape({-1, -1, 2}), F32({5, 2}), F32({3}),
        "default_value.shape=[3] and rt_input.flat_values.shape=[5,2] are "
        "incompatible: default_value.shape[-1] = 3 but "
        "rt_input.flat_values.shape[-1] = 2");
  error(Shape({-1, -1}), F32({}), F32({}),
        "default_value.shape=[] and rt_input.flat_values.shape=[] are "
        "incompatible");
  error(Scalar(kI, 3), F32({5}), F32({}),
        "The only valid scalar shape tensor is the fully unknown shape "
        "specified as -1.");
  error(Shape({-2, -1}), F32({5}), F32({}), "Dimension -2 must be >= -1");
  const auto partition_error = [&](StringList types, std::vector<Value> tensors,
                                   const char* words) {
    std::vector<Value> in = {Shape({-1, -1}), F32({5}), F32({})};
    in.insert(in.end(), tensors.begin(), tensors.end());
    return &c.Error(std::move(in), Partitions(std::move(types)), kInvalid,
                    words);
  };
  partition_error({kSplits}, {Splits({0, 2, 1, 5})}, "Invalid row split size.");
  partition_error({kSplits}, {Splits({1, 2, 2, 5})}, "Invalid row split size.");
  partition_error({kSplits}, {Empty(kI, {0})},
                  "Invalid first partition input. Tensor requires at least one "
                  "element.");
  partition_error({kSplits}, {Splits({0, 2, 2, 7})}, "but there are 5")
      ->NoStock("stock reads behind the values");
  partition_error({kRows, kRowids}, {Scalar(kI, 2), Vec(kI, {0, 0, 2, 2, 2})},
                  "Got next_value_rowid=2 which is not less than 2");
  partition_error({kRows, kRowids}, {Scalar(kI, -1), Vec(kI, {0, 0, 2, 2, 2})},
                  "Dimension -1 must be >= 0");
  partition_error({kRows, kRowids}, {Scalar(kI, 3), Vec(kI, {3, 3, 3, 3, 3})},
                  "Got current_value_rowid=3 which is not less than 3");
  const auto build_error = [&](StringList types, std::vector<Value> tensors,
                               const char* words) {
    std::vector<Value> in = {Shape({-1, -1}), F32({5}), F32({})};
    in.insert(in.end(), tensors.begin(), tensors.end());
    c.BuildError(std::move(in), Partitions(std::move(types)), words);
  };
  build_error({kRowids}, {splits}, "VALUE_ROWIDS cannot be first");
  build_error({"ROW_LENGTHS"}, {splits},
              "Unsupported partition type: ROW_LENGTHS");
  build_error({"X"}, {splits}, "Unknown string for partition info type: X");
  build_error({}, {splits}, "Partition info types should not be empty");
  build_error({kSplits}, {splits, splits},
              "Number of row partition tensors (2) does not equal the number "
              "of row partition types(1).");
  build_error({kRows}, {Scalar(kI, 3)},
              "FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
  build_error({kSplits, kRows}, {splits, Scalar(kI, 3)},
              "FIRST_DIM_SIZE must be first");
  c.BuildError({Shape({-1, -1, -1}), F32({5}), F32({}), splits},
               Partitions({kSplits}), "rt_input.rank = 2 but shape.rank = 3");
  c.BuildError({Shape({-1, -1}), F32({5}), F32({2}), splits},
               Partitions({kSplits}), "default_value.rank = 1  must be less");
}

}  // namespace

MR_CASES(RaggedTensorToTensor)(CaseList& c) {
  const Value splits = Splits({0, 2, 2, 5});
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Shape({-1, -1}), Rand(t, {5}), Rand(t, {}), splits},
         Partitions({kSplits}));
    c.Ok({Shape({4, 2, -1}), Rand(t, {5, 2}), Rand(t, {2}), splits},
         Partitions({kSplits}));
  });
  for (const DataType t : {DataType::kInt32, kI}) {
    for (const DataType s : {DataType::kInt32, kI}) {
      c.Ok({Shape({-1, 2}, s), F32({5}), F32({}), Splits({0, 2, 2, 5}, t)},
           Partitions({kSplits}));
    }
  }
  const auto shaped = [&](Value shape) {
    return &c.Ok({std::move(shape), F32({5}), F32({}), splits},
                 Partitions({kSplits}));
  };
  // Refused where its value is not known, though its rank is.
  shaped(Scalar(kI, -1))->NoShapeCheck();
  for (const double rows : {-1, 0, 2, 4}) {
    for (const double width : {-1, 0, 1, 4}) shaped(Shape({rows, width}));
  }
  const auto partitioned = [&](StringList types, std::vector<Value> tensors,
                               bool nested = false) {
    for (const double size : {-1.0, 2.0}) {
      std::vector<Value> in = {
          nested ? Shape({size, size, size}) : Shape({size, size}), F32({5}),
          F32({})};
      in.insert(in.end(), tensors.begin(), tensors.end());
      c.Ok(std::move(in), Partitions(types));
    }
  };
  const Value rowids = Vec(kI, {0, 0, 2, 2, 2});
  partitioned({kRows, kRowids}, {Scalar(kI, 3), rowids});
  partitioned({kRows, kRowids}, {Scalar(kI, 5), rowids});
  partitioned({kSplits, kSplits}, {Splits({0, 2, 3}), splits}, true);
  partitioned({kSplits, kRowids}, {Splits({0, 2, 3}), rowids}, true);
  partitioned({kRows, kRowids, kRowids},
              {Scalar(kI, 2), Vec(kI, {0, 0, 1}), rowids}, true);
  partitioned({kRows, kRowids, kSplits},
              {Scalar(kI, 2), Vec(kI, {0, 0, 1}), splits}, true);
  // Fewer values than there are, and more rows than are described further.
  partitioned({kSplits}, {Splits({0, 2, 2, 4})});
  partitioned({kSplits, kSplits}, {Splits({0, 2, 5}), splits}, true);
  c.Ok({Shape({-1, -1, 2, 3}), F32({5, 2, 3}), F32({2, 1}), splits},
       Partitions({kSplits}));
  c.Ok({Shape({-1, -1}), Empty(kFloat, {0}), F32({}), Splits({0})},
       Partitions({kSplits}));
  c.Ok({Shape({-1, 2}), Empty(kFloat, {0}), F32({}), Splits({0, 0, 0})},
       Partitions({kSplits}));
  c.Ok({Shape({-1, 2}), Empty(kFloat, {0}), F32({}), Scalar(kI, 2),
        Empty(kI, {0})},
       Partitions({kRows, kRowids}));
  for (const double width : {-1, 2}) {
    c.Ok({Shape({-1, width}), F64({5}), F64({}), splits}, Partitions({kSplits}))
        .Gradient({1, 2});
    c.Ok({Shape({-1, width, -1}), F64({5, 2}), F64({2}), Scalar(kI, 4), rowids},
         Partitions({kRows, kRowids}))
        .Gradient({1, 2});
  }
  AddErrors(c);
}

}  // namespace millrace::cases
