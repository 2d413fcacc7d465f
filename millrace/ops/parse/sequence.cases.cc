#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kInt32 = DataType::kInt32;
constexpr DataType kInt64 = DataType::kInt64;
constexpr DataType kString = DataType::kString;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

Value NoStrings() { return Empty(kString, {0}); }

// Context: sparse s, dense d [2], ragged r. Lists: sparse ls, dense ld [2],
// ragged lr.
std::vector<std::string> Good() {
  return {
      Sequence({{"s", Ints({1, 2, 3})},
                {"d", Floats({1, 2})},
                {"r", Bytes({"a", "b"})}},
               {{"ls", Rows({Bytes({"x"}), Bytes({}), Bytes({"y", "z"})})},
                {"ld", Rows({Ints({1, 2}), Ints({3, 4})})},
                {"lr", Rows({Floats({1}), Floats({2, 3})})}}),
      Sequence(
          {{"other", Ints({1})}, {"s", Ints({}, false)}},
          {{"ld", Rows({Ints({5, 6}, false), Ints({7, 8}), Ints({9, 10})})},
           {"lr", Rows({Floats({}), ""})},
           {"ls", ""}}),
      Sequence({{"d", Floats({3, 4}, false)}, {"r", Bytes({""})}},
               {{"ld", ""}, {"ls", Rows({Bytes({"w"}), ""})}}),
  };
}

Value Text(const std::vector<std::string>& strings) {
  Tensor t =
      Tensor::New(kString, TensorShape({static_cast<int64_t>(strings.size())}));
  for (size_t i = 0; i < strings.size(); ++i) {
    t.mutable_flat<StringElement>()[i].Assign(strings[i]);
  }
  return t;
}

AttrMap Types() {
  return {{"Ncontext_sparse", 1},
          {"Nfeature_list_sparse", 1},
          {"Nfeature_list_dense", 1},
          {"context_sparse_types", TypeList{kInt64}},
          {"context_dense_shapes", ShapeList{PartialShape({2})}},
          {"feature_list_sparse_types", TypeList{kString}},
          {"feature_list_dense_types", TypeList{kInt64}},
          {"feature_list_dense_shapes", ShapeList{PartialShape({2})}}};
}

AttrMap V1Attrs(bool may_miss) {
  AttrMap attrs = Types();
  attrs.Set("Ncontext_dense", 1);
  attrs.Set("context_sparse_keys", StringList{"s"});
  attrs.Set("context_dense_keys", StringList{"d"});
  attrs.Set("feature_list_sparse_keys", StringList{"ls"});
  attrs.Set("feature_list_dense_keys", StringList{"ld"});
  attrs.Set("feature_list_dense_missing_assumed_empty",
            may_miss ? StringList{"ld"} : StringList{});
  return attrs;
}

AttrMap V2Attrs(DataType splits = kInt64) {
  AttrMap attrs = Types();
  attrs.Set("context_ragged_value_types", TypeList{kString});
  attrs.Set("context_ragged_split_types", TypeList{splits});
  attrs.Set("feature_list_ragged_value_types", TypeList{kFloat});
  attrs.Set("feature_list_ragged_split_types", TypeList{splits});
  return attrs;
}

std::vector<Value> V2Inputs(Value serialized, bool may_miss = true,
                            Value fallback = Full(kFloat, {2}, 0.5)) {
  return {std::move(serialized),
          NoStrings(),
          Str({"s"}),
          Str({"d"}),
          Str({"r"}),
          Str({"ls"}),
          Str({"ld"}),
          Str({"lr"}),
          Vec(DataType::kBool, {may_miss ? 1.0 : 0.0}),
          std::move(fallback)};
}

// Contents and words of an error.
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
  c.Ok({Text(Good()), NoStrings(), fallback}, V1Attrs(true));
  c.Ok({Text(Good()), Str({"a", "b", "c"}), fallback}, V1Attrs(false));
  c.Ok({Text({}), NoStrings(), fallback}, V1Attrs(true));
  c.Ok({Text({"", ""}), NoStrings(), fallback}, V1Attrs(true));
  for (const Wrong& wrong : Errors()) {
    c.Error({Text({wrong.message}), NoStrings(), fallback}, V1Attrs(true),
            kInvalid, wrong.words);
  }
  c.Error({Text({""}), Str({"n"}), fallback}, V1Attrs(false), kInvalid,
          "Name: n, Feature list 'ld' is required but could not be found.");
  c.Error({Text(Good()), NoStrings(), Empty(kFloat, {0})}, V1Attrs(true),
          kInvalid,
          "Feature: d (data type: float) is required but could not be found.");
  c.Error({Text(Good()), Str({"a"}), fallback}, V1Attrs(true), kInvalid,
          "example_names must be empty or have the correct number of "
          "elements");
  c.Error({Text({""}), NoStrings(), Full(kFloat, {3}, 1)}, V1Attrs(true),
          kInvalid,
          "default_value[0].shape() == [3] != context_dense_shapes[0] == [2]");
}

MR_CASES(ParseSequenceExampleV2)(CaseList& c) {
  for (const DataType splits : {kInt32, kInt64}) {
    c.Ok(V2Inputs(Text(Good())), V2Attrs(splits));
    c.Ok(V2Inputs(Text({"", ""})), V2Attrs(splits));
  }
  c.Ok(V2Inputs(Text({})), V2Attrs());
  // One message: stock leaves the splits of the context and the outer ones
  // undefined.
  for (const std::string& message : Good()) {
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
  c.Error(V2Inputs(Text({""}), false), V2Attrs(), kInvalid,
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

MR_CASES(ParseSingleSequenceExample)(CaseList& c) {
  AttrMap attrs = Types();
  attrs.Set("Ncontext_dense", 1);
  const auto inputs = [](const std::string& message, Value may_miss,
                         Value fallback) {
    return std::vector<Value>{StrScalar(message),  std::move(may_miss),
                              StrScalar("s"),      StrScalar("d"),
                              StrScalar("ls"),     StrScalar("ld"),
                              std::move(fallback), StrScalar("n")};
  };
  const Value fallback = Full(kFloat, {2}, 0.5), may_miss = Str({"ld"});
  for (const std::string& message : Good()) {
    c.Ok(inputs(message, may_miss, fallback), attrs);
  }
  c.Ok(inputs("", may_miss, fallback), attrs);
  const auto fails = [&](const std::string& message, const std::string& words) {
    c.Error(inputs(message, may_miss, fallback), attrs, kInvalid, words);
  };
  fails("bad", "Could not parse example input, value: 'bad");
  fails(Sequence({{"s", Floats({1})}}, {}),
        "Name: n, Context feature: s.  Data types don't match. Expected type: "
        "int64");
  fails(Sequence({{"d", Ints({1})}}, {}),
        "Name: n, Context feature: d.  Data types don't match. Expected type: "
        "float");
  fails(Sequence({{"d", Floats({1})}}, {}),
        "Name: n, Key: d, Index: 0.  Number of float values != expected.  "
        "values size: 1 but output shape: [2]");
  fails(Sequence({}, {{"ld", Rows({Ints({1, 2}), Ints({1})})}}),
        "Name: n, Key: ld, Index: 1.  Number of int64 values != expected.  "
        "values size: 1 but output shape: [2]");
  fails(Sequence({}, {{"ld", Rows({Floats({1, 2})})}}),
        "Name: n, Feature list: ld, Index: 0.  Data types don't match. "
        "Expected type: int64");
  fails(Sequence({}, {{"ls", Rows({Floats({1, 2})})}}),
        "Name: n, Feature List: ls, Index: 0.  Data types don't match. "
        "Expected type: string");
  c.Error(inputs("", NoStrings(), fallback), attrs, kInvalid,
          "Name: n, Feature list 'ld' is required but could not be found.");
  c.Error(inputs("", may_miss, Empty(kFloat, {0})), attrs, kInvalid,
          "Name: n, Context feature 'd' is required but could not be found.");
  std::vector<Value> vector = inputs("", may_miss, fallback);
  vector[2] = Str({"s"});
  c.Error(vector, attrs, kInvalid,
          "Expected context_sparse_keys[0] to be a scalar, got shape: [1]");
}

}  // namespace millrace::cases
