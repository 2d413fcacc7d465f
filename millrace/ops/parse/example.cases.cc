#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {
namespace {

std::vector<std::string> Good() {
  return {
      Example({{"s", Ints({1, -2, 3})},
               {"f", Floats({0.5f, -1, 2, 3})},
               {"b", Bytes({"x", "", "yy", "z"})},
               {"i", Ints({7}, Packing::kLoose)},
               {"r", Floats({1.5f}, Packing::kLoose)},
               {"other", Bytes({"ignored"})}}),
      Example({{"f", Floats({1, 2, 3, 4}, Packing::kLoose)}, {"b", Bytes({})}}),
      "",
      Example({{"i", Ints({-9})},
               {"s", Ints({})},
               {"r", Floats({2, 3})},
               {"b", Bytes({"p", "q"})},
               {"f", Floats({9, 9, 9, 9})}}),
      // Two concatenated messages: the last value of a key counts.
      Example({{"s", Ints({1, 2})}, {"i", Ints({1})}}) +
          Example({{"s", Ints({5})}, {"f", Floats({4, 3, 2, 1})}}),
      // An unknown field, and empty features.
      Field(9, "new") + Example({{"s", ""}, {"i", ""}, {"b", ""}}),
  };
}

// Sparse s, dense f [2, 2], i [], b [?, 2] and ragged r.
AttrMap Attrs() {
  return {{"num_sparse", 1},
          {"sparse_types", TypeList{kInt64}},
          {"ragged_value_types", TypeList{kFloat}},
          {"ragged_split_types", TypeList{kInt32}},
          {"dense_shapes", ShapeList{PartialShape({2, 2}), PartialShape({}),
                                     PartialShape({kUnknownDim, 2})}}};
}

Case& Parse(CaseList& c, Value serialized, Value names = NoStrings(),
            AttrMap attrs = Attrs()) {
  return c.Ok({std::move(serialized), std::move(names), Str({"s"}),
               Str({"f", "i", "b"}), Str({"r"}), Full(kFloat, {2, 2}, 0.25),
               Scalar(kInt64, -1), StrScalar("pad")},
              std::move(attrs));
}

Case& Fails(CaseList& c, std::vector<std::string> messages,
            const std::string& words, Value names = NoStrings()) {
  return c.Error(
      {Text(messages), std::move(names), Str({"s"}), Str({"f", "i", "b"}),
       Str({"r"}), Empty(kFloat, {0, 2}), Scalar(kInt64, -1), StrScalar("pad")},
      Attrs(), kInvalid, words);
}

const char kF[] = "Key: f, Index: 1.  ";

}  // namespace

MR_CASES(ParseExampleV2)(CaseList& c) {
  const std::vector<std::string> good = Good();
  Parse(c, Text(good)).Name("batch");
  Parse(c, Text(good), Str({"a", "b", "c", "d", "e", "f"}));
  Parse(c, Text({}));
  Parse(c, Text({"", ""}));
  for (const std::string& message : good) Parse(c, StrScalar(message));
  AttrMap wide = Attrs();
  wide.Set("ragged_split_types", TypeList{kInt64});
  Parse(c, Text(good), NoStrings(), wide);
  Parse(c, StrScalar(good[0]), NoStrings(), wide);
  // Every type in every form.
  const std::vector<std::string> types = {
      Example({{"a", Bytes({"x", "y"})}, {"b", Floats({1, 2})}}),
      Example({{"c", Ints({1, 2})}}),
      Example({{"b", Floats({})}, {"a", Bytes({"z"})}, {"c", Ints({3})}})};
  for (const auto& [type, key] :
       {std::pair(kString, "a"), {kFloat, "b"}, {kInt64, "c"}}) {
    c.Ok({Text(types), NoStrings(), Str({key}), NoStrings(), NoStrings()},
         {{"num_sparse", 1},
          {"sparse_types", TypeList{type}},
          {"Tdense", TypeList{}},
          {"dense_shapes", ShapeList{}},
          {"ragged_value_types", TypeList{}},
          {"ragged_split_types", TypeList{}}});
    c.Ok({Text(types), NoStrings(), NoStrings(), Str({key}), NoStrings(),
          type == kString ? StrScalar("-") : Scalar(type, -1)},
         {{"num_sparse", 0},
          {"sparse_types", TypeList{}},
          {"dense_shapes", ShapeList{PartialShape({kUnknownDim})}},
          {"ragged_value_types", TypeList{}},
          {"ragged_split_types", TypeList{}}});
    c.Ok({Text(types), NoStrings(), NoStrings(), NoStrings(), Str({key})},
         {{"num_sparse", 0},
          {"sparse_types", TypeList{}},
          {"Tdense", TypeList{}},
          {"dense_shapes", ShapeList{}},
          {"ragged_value_types", TypeList{type}},
          {"ragged_split_types", TypeList{kInt64}}});
  }
  const std::string f = Example({{"f", Floats({1, 2, 3, 4})}});
  Fails(c, {"?bad"}, "Could not parse example input, value: '?bad");
  Fails(c, {"bad"}, "Could not parse example input, value: 'bad")
      .Deviates("stock skips an unknown field that goes on behind the end");
  Fails(c, {f, Example({{"f", Floats({1, 2})}})},
        std::string(kF) +
            "Number of float values != expected.  Values size: 2 but output "
            "shape: [2,2]");
  Fails(c, {f, Example({{"f", Ints({1, 2, 3, 4})}})},
        std::string(kF) +
            "Data types don't match. Data type: int64 but expected type: "
            "float");
  Fails(c, {f, Example({{"f", Floats({1, 2, 3, 4})}, {"b", Bytes({"1"})}})},
        "Key: b, Index: 1.  Number of bytes values is not a multiple of stride "
        "length. Saw 1 values but output shape is: [?,2]")
      .Name("uneven");
  Fails(c, {f, Example({{"f", Floats({1, 2, 3, 4})}, {"s", Floats({1})}})},
        "Key: s, Index: 1.  Data types don't match. Expected type: int64, "
        "Actual type: float");
  Fails(c, {f, ""},
        "Name: <unknown>, Feature: f (data type: float) is required but could "
        "not be found.");
  Fails(c, {f, ""}, "Name: two, Feature: f (data type: float)",
        Str({"one", "two"}));
  Fails(c, {f, Example({{"f", Field(2, Field(1, "abc"))}})},
        std::string(kF) + "Can't parse serialized Example.")
      .Deviates("stock sees no values in a list that is cut off");
  Fails(c, {f, Example({{"f", Field(4, "")}})}, "Unsupported datatype.");
  Fails(c, {f, f, f},
        "Expected names have the same shape as serialized: name.shape=[2], "
        "serialized.shape=[3]",
        Str({"a", "b"}))
      .NoShapeCheck();
  c.Error(
      {Text({f}), NoStrings(), Str({"s", "t"}), Str({"f", "i", "b"}),
       Str({"r"}), Full(kFloat, {2, 2}, 1), Scalar(kInt64, 1), StrScalar("")},
      Attrs(), kInvalid,
      "Expected len(sparse_keys) == num_sparse but got: 2 vs. 1");
  c.Error({Text({f}), NoStrings(), Str({"s"}), Str({"f", "i", "b"}), Str({"r"}),
           Full(kFloat, {4}, 1), Scalar(kInt64, 1), StrScalar("")},
          Attrs(), kInvalid,
          "def_value[0].shape() == [4] is not compatible with "
          "dense_shapes_[0] == [2,2]");
  c.Error({Text({f}), NoStrings(), Str({"s"}), Str({"f", "i", "b"}), Str({"r"}),
           Full(kFloat, {2, 2}, 1), Scalar(kInt64, 1), Str({"", ""})},
          Attrs(), kInvalid,
          "dense_shape[2] is a variable length shape: [?,2], therefore "
          "def_value[2] must contain a single element");
  c.Error(
       {Str({1, 1}, {f}), NoStrings(), Str({"s"}), Str({"f", "i", "b"}),
        Str({"r"}), Full(kFloat, {2, 2}, 1), Scalar(kInt64, 1), StrScalar("")},
       Attrs(), kInvalid,
       "Expected serialized to be a scalar or vector, got shape: [1,1]")
      .NoShapeCheck();
  // One message.
  const auto fails = [&](const std::string& message, const std::string& words) {
    c.Error({StrScalar(message), NoStrings(), Str({"s"}), Str({"f", "i", "b"}),
             Str({"r"}), Empty(kFloat, {0, 2}), Scalar(kInt64, -1),
             StrScalar("pad")},
            Attrs(), kInvalid, words);
  };
  fails("?bad", "Could not parse example input, value: '?bad");
  fails("", "Feature: f (data type: float) is required but could not be found");
  fails(Example({{"f", Floats({1})}}),
        "Key: f.  Can't parse serialized Example: Some float_list slice was "
        "not parsed.");
  fails(Example({{"f", Ints({1})}}),
        "Key: f.  Data types don't match. Data type: int64 but expected type: "
        "float");
  fails(Example({{"f", Floats({1, 2, 3, 4})}, {"b", Bytes({"1"})}}),
        "Error while parsing feature with key b: number of elements should be "
        "divisible by 2, found 1 instead");
  fails(Example({{"f", Floats({1, 2, 3, 4})}, {"r", Ints({1})}}),
        "Key: r.  Data types don't match. Expected type: float, Actual type: "
        "int64");
}

MR_CASES(ParseExample)(CaseList& c) {
  const AttrMap attrs = {
      {"Nsparse", 2},
      {"Ndense", 2},
      {"sparse_types", TypeList{kInt64, kFloat}},
      {"dense_shapes",
       ShapeList{PartialShape({2, 2}), PartialShape({kUnknownDim})}}};
  const auto inputs = [](Value serialized, Value names) {
    return std::vector<Value>{std::move(serialized), std::move(names),
                              StrScalar("s"),        StrScalar("r"),
                              StrScalar("f"),        StrScalar("b"),
                              F32({2, 2}),           StrScalar("-")};
  };
  c.Ok(inputs(Text(Good()), NoStrings()), attrs);
  c.Ok(inputs(Text({}), NoStrings()), attrs);
  c.Error(inputs(Text({"?"}), Str({"name"})), attrs, kInvalid,
          "Could not parse example input, value: '?'");
  c.Error(inputs(Text({Example({{"r", Bytes({"a"})}})}), Str({"name"})), attrs,
          kInvalid,
          "Name: name, Key: r, Index: 0.  Data types don't match. Expected "
          "type: float, Actual type: string");
  c.Error(inputs(StrScalar(""), NoStrings()), attrs, kInvalid,
          "Expected serialized to be a vector, got shape: []")
      .NoShapeCheck();
  AttrMap unknown = attrs;
  unknown.Set("dense_shapes",
              ShapeList{PartialShape(), PartialShape({kUnknownDim})});
  c.BuildError(inputs(Text({}), NoStrings()), unknown,
               "dense_shapes[0] has unknown rank or unknown inner dimensions: "
               "<unknown>");
}

MR_CASES(ParseSingleExample)(CaseList& c) {
  const AttrMap attrs = {
      {"num_sparse", 1},
      {"sparse_keys", StringList{"s"}},
      {"dense_keys", StringList{"f", "b"}},
      {"sparse_types", TypeList{kInt64}},
      {"dense_shapes",
       ShapeList{PartialShape({4}), PartialShape({kUnknownDim, 2})}}};
  for (const std::string& message : Good()) {
    c.Ok({StrScalar(message), F32({4}), StrScalar("")}, attrs);
  }
  c.Error({StrScalar(""), Empty(kFloat, {0}), StrScalar("")}, attrs, kInvalid,
          "Feature: f (data type: float) is required but could not be found.");
  c.Error({StrScalar("\x0a"), F32({4}), StrScalar("")}, attrs, kInvalid,
          "Could not parse example input, value: '");
  c.Error({Str({""}), F32({4}), StrScalar("")}, attrs, kInvalid,
          "Expected serialized to be a scalar, got shape: [1]")
      .NoShapeCheck();
  AttrMap few = attrs;
  few.Set("dense_keys", StringList{"f"});
  c.BuildError({StrScalar(""), F32({4}), StrScalar("")}, few,
               "len(dense_keys) != len(dense_types)");
}

}  // namespace millrace::cases
