#include "millrace/ops/parse/sequence_samples.cases.h"

namespace millrace::cases {
namespace {

// Whether the dense list ld may be missing.
enum class MayMiss { kNo, kYes };

AttrMap V1Attrs(MayMiss may_miss) {
  AttrMap attrs = SequenceTypes();
  attrs.Set("Ncontext_dense", 1);
  attrs.Set("context_sparse_keys", StringList{"s"});
  attrs.Set("context_dense_keys", StringList{"d"});
  attrs.Set("feature_list_sparse_keys", StringList{"ls"});
  attrs.Set("feature_list_dense_keys", StringList{"ld"});
  attrs.Set("feature_list_dense_missing_assumed_empty",
            may_miss == MayMiss::kYes ? StringList{"ld"} : StringList{});
  return attrs;
}

AttrMap V2Attrs(DataType splits = kInt64) {
  AttrMap attrs = SequenceTypes();
  attrs.Set("context_ragged_value_types", TypeList{kString});
  attrs.Set("context_ragged_split_types", TypeList{splits});
  attrs.Set("feature_list_ragged_value_types", TypeList{kFloat});
  attrs.Set("feature_list_ragged_split_types", TypeList{splits});
  return attrs;
}

std::vector<Value> V2Inputs(Value serialized, MayMiss may_miss = MayMiss::kYes,
                            Value fallback = Full(kFloat, {2}, 0.5)) {
  return {std::move(serialized),
          NoStrings(),
          Str({"s"}),
          Str({"d"}),
          Str({"r"}),
          Str({"ls"}),
          Str({"ld"}),
          Str({"lr"}),
          Vec(DataType::kBool, {may_miss == MayMiss::kYes ? 1.0 : 0.0}),
          std::move(fallback)};
}

// The contents and the message of an error.
struct Wrong {
  std::string message, words;
};
std::vector<Wrong> Errors() {
  return {
      {"?bad", "Invalid protocol message input, example id: <unknown>"},
      {Sequence({{"s", Bytes({"a"})}}, {}),
       "Name: <unknown>, Context feature: s.  Data types don't match. Expected "
       "type: int64"},
      {Sequence({{"d", Floats({1, 2, 3})}}, {}),
       "Inconsistent max number of elements for feature d: expected 2, but "
       "found 3"},
      {Sequence({{"d", Floats({1})}}, {}),
       "Unexpected number of elements in example <unknown>"},
      {Sequence({}, {{"ls", Rows({Bytes({"a"}), Ints({1})})}}),
       "Name: <unknown>, Feature list: ls, Index: 1.  Data types don't match. "
       "Expected type: string"},
      {Sequence({}, {{"ld", Rows({Ints({1, 2}), Ints({1})})}}),
       "Feature list 'ld' has an unexpected number of values.  Total values "
       "size: 3 is not consistent with output shape: [?,2]"},
      {Sequence({}, {{"ld", Rows({Ints({1, 2, 3}), Ints({1})})}}),
       "Name: <unknown>, Key: ld, Index: 0.  Number of values != expected.  "
       "values size: 3 but output shape: [2]"},
      {Sequence({}, {{"ls", "?"}}), ""},
  };
}

}  // namespace

MR_CASES(ParseSequenceExample)(CaseList& c) {
  const Value fallback = Full(kFloat, {2}, 0.5);
  c.Ok({Text(SequenceSamples()), NoStrings(), fallback},
       V1Attrs(MayMiss::kYes));
  c.Ok({Text(SequenceSamples()), Str({"a", "b", "c"}), fallback},
       V1Attrs(MayMiss::kNo));
  c.Ok({Text({}), NoStrings(), fallback}, V1Attrs(MayMiss::kYes));
  c.Ok({Text({"", ""}), NoStrings(), fallback}, V1Attrs(MayMiss::kYes));
  for (const Wrong& wrong : Errors()) {
    c.Error({Text({wrong.message}), NoStrings(), fallback},
            V1Attrs(MayMiss::kYes), kInvalid, wrong.words);
  }
  c.Error({Text({""}), Str({"n"}), fallback}, V1Attrs(MayMiss::kNo), kInvalid,
          "Name: n, Feature list 'ld' is required but could not be found.");
  c.Error({Text(SequenceSamples()), NoStrings(), Empty(kFloat, {0})},
          V1Attrs(MayMiss::kYes), kInvalid,
          "Feature: d (data type: float) is required but could not be found.");
  c.Error({Text(SequenceSamples()), Str({"a"}), fallback},
          V1Attrs(MayMiss::kYes), kInvalid,
          "example_names must be empty or have the correct number of "
          "elements");
  c.Error({Text({""}), NoStrings(), Full(kFloat, {3}, 1)},
          V1Attrs(MayMiss::kYes), kInvalid,
          "default_value[0].shape() == [3] != context_dense_shapes[0] == [2]");
}

MR_CASES(ParseSequenceExampleV2)(CaseList& c) {
  for (const DataType splits : {kInt32, kInt64}) {
    c.Ok(V2Inputs(Text(SequenceSamples())), V2Attrs(splits));
    c.Ok(V2Inputs(Text({"", ""})), V2Attrs(splits));
  }
  c.Ok(V2Inputs(Text({})), V2Attrs());
  // One message: stock leaves the splits of the context and the outer ones
  // undefined.
  for (const std::string& message : SequenceSamples()) {
    c.Ok(V2Inputs(StrScalar(message)), V2Attrs())
        .IgnoreOutputs({5, 12})
        .NoShapeCheck();
  }
  for (const Wrong& wrong : Errors()) {
    c.Error(V2Inputs(Text({wrong.message})), V2Attrs(), kInvalid, wrong.words);
  }
  c.Error(V2Inputs(Text({Sequence({{"r", Ints({1})}}, {})})), V2Attrs(),
          kInvalid, "Context feature: r.  Data types don't match");
  c.Error(V2Inputs(Text({Sequence({}, {{"lr", Rows({Ints({1})})}})})),
          V2Attrs(), kInvalid,
          "Feature list: lr, Index: 0.  Data types don't match");
  c.Error(V2Inputs(Text({""}), MayMiss::kNo), V2Attrs(), kInvalid,
          "Feature list 'ld' is required but could not be found.");
  std::vector<Value> more = V2Inputs(Text({""}));
  more[2] = Str({"s", "t"});
  c.Error(more, V2Attrs(), kInvalid,
          "Expected len(context_sparse_keys) to match Ncontext_sparse");
  std::vector<Value> both = V2Inputs(Text({""}));
  both[4] = Str({"s"});
  c.Error(both, V2Attrs(), kInvalid,
          "Context feature s cannot be both ragged and sparse");
}

}  // namespace millrace::cases
