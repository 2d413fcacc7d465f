#include "millrace/ops/parse/sequence_samples.cases.h"

namespace millrace::cases {
std::vector<std::string> SequenceSamples() {
  return {
      Sequence({{"s", Ints({1, 2, 3})},
                {"d", Floats({1, 2})},
                {"r", Bytes({"a", "b"})}},
               {{"ls", Rows({Bytes({"x"}), Bytes({}), Bytes({"y", "z"})})},
                {"ld", Rows({Ints({1, 2}), Ints({3, 4})})},
                {"lr", Rows({Floats({1}), Floats({2, 3})})}}),
      Sequence({{"other", Ints({1})}, {"s", Ints({}, Packing::kLoose)}},
               {{"ld", Rows({Ints({5, 6}, Packing::kLoose), Ints({7, 8}),
                             Ints({9, 10})})},
                {"lr", Rows({Floats({}), ""})},
                {"ls", ""}}),
      Sequence({{"d", Floats({3, 4}, Packing::kLoose)}, {"r", Bytes({""})}},
               {{"ld", ""}, {"ls", Rows({Bytes({"w"}), ""})}}),
  };
}

AttrMap SequenceTypes() {
  return {{"Ncontext_sparse", 1},
          {"Nfeature_list_sparse", 1},
          {"Nfeature_list_dense", 1},
          {"context_sparse_types", TypeList{kInt64}},
          {"context_dense_shapes", ShapeList{PartialShape({2})}},
          {"feature_list_sparse_types", TypeList{kString}},
          {"feature_list_dense_types", TypeList{kInt64}},
          {"feature_list_dense_shapes", ShapeList{PartialShape({2})}}};
}

}  // namespace millrace::cases
