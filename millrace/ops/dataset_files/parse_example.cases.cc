#include "millrace/ops/data/elements.cases.h"
#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kVariant = DataType::kVariant;

// Three messages: a number of numbers, a number and strings.
Value Messages() {
  return Text(
      {Example(
           {{"a", Ints({1, 2})}, {"b", Floats({1.5f})}, {"c", Bytes({"x"})}}),
       Example({{"a", Ints({3})}, {"b", Floats({2.5f})}}),
       Example({{"a", Ints({5, 6, 7})},
                {"b", Floats({3.5f})},
                {"c", Bytes({"y", "z"})}})});
}

// The features of a node.
struct Features {
  StringList sparse_keys = {};
  TypeList sparse_types = {};
  StringList dense_keys = {};
  std::vector<Value> defaults = {};
  ShapeList dense_shapes = {};
};

Case& Parsed(CaseList& c, std::string name, Value messages, const Features& f,
             AttrMap elements, int calls = 2) {
  const AttrMap text = ElementsOf({kString}, {PartialShape({-1})});
  elements.Set("sparse_keys", f.sparse_keys);
  elements.Set("sparse_types", f.sparse_types);
  elements.Set("dense_keys", f.dense_keys);
  elements.Set("dense_shapes", f.dense_shapes);
  std::vector<Value> inputs{"batches", Count(calls)};
  inputs.insert(inputs.end(), f.defaults.begin(), f.defaults.end());
  return c.Sequence(std::move(name))
      .Node("all", "TensorSliceDataset", {std::move(messages)},
            {{"Toutput_types", TypeList{kString}},
             {"output_shapes", ShapeList{PartialShape({})}}})
      .Node("batches", "BatchDatasetV2",
            {"all", Count(2), Tensor::Scalar<bool>(false)}, text)
      .Node("op", c.op().name, std::move(inputs), std::move(elements));
}

void ParsedCases(CaseList& c) {
  const Features number = {.dense_keys = {"b"},
                           .defaults = {Empty(kFloat, {0})},
                           .dense_shapes = {PartialShape({})}};
  const AttrMap floats = ElementsOf({kFloat}, {PartialShape({-1})});
  Elements(Parsed(c, "dense", Messages(), number, floats), "op", floats, 2);
  Elements(Parsed(c, "automatic_calls", Messages(), number, floats, -1), "op",
           floats, 2);
  NoDataset(Parsed(c, "no_calls", Messages(), number, floats, 0),
            "num_parallel_calls must be greater than zero.");
  const AttrMap ints = ElementsOf({kInt64}, {PartialShape({-1, -1})});
  Elements(Parsed(c, "variable", Messages(),
                  {.dense_keys = {"a"},
                   .defaults = {Count(-1)},
                   .dense_shapes = {PartialShape({-1})}},
                  ints),
           "op", ints, 2);
  Elements(Parsed(c, "default", Messages(),
                  {.dense_keys = {"other"},
                   .defaults = {Scalar(kFloat, 7)},
                   .dense_shapes = {PartialShape({})}},
                  floats),
           "op", floats, 2);
  const AttrMap three =
      ElementsOf({kVariant, kFloat, kVariant},
                 {PartialShape({3}), PartialShape({-1}), PartialShape({3})});
  WithIterator(Parsed(c, "by_key", Messages(),
                      {.sparse_keys = {"c", "a"},
                       .sparse_types = {kString, kInt64},
                       .dense_keys = {"b"},
                       .defaults = {Empty(kFloat, {0})},
                       .dense_shapes = {PartialShape({})}},
                      three),
               "op", three)
      .Node("ints", "DeserializeSparse", {"next"}, {{"dtype", kInt64}})
      .Node("texts", "DeserializeSparse", {"next:2"}, {{"dtype", kString}})
      .Run({"ints", "next:1", "texts"})
      .Run({"ints", "next:1", "texts"})
      .RunError({"texts"}, StatusCode::kOutOfRange, "End of sequence");
  WithIterator(Parsed(c, "missing", Messages(),
                      {.dense_keys = {"c"},
                       .defaults = {Empty(kString, {0})},
                       .dense_shapes = {PartialShape({})}},
                      ElementsOf({kString}, {PartialShape({-1})})),
               "op", ElementsOf({kString}, {PartialShape({-1})}))
      .RunError({"next"}, kInvalid,
                "Feature: c (data type: string) is required but could not be "
                "found.")
      .RunError({"next"}, kInvalid, "Can't parse serialized Example.");
  WithIterator(
      Parsed(c, "no_message", Text({std::string("\x01\x02")}), number, floats),
      "op", floats)
      .RunError({"next"}, kInvalid, "Could not parse example input");
  NoDataset(Parsed(c, "same_key", Messages(),
                   {.sparse_keys = {"b"},
                    .sparse_types = {kFloat},
                    .dense_keys = {"b"},
                    .defaults = {Empty(kFloat, {0})},
                    .dense_shapes = {PartialShape({})}},
                   ElementsOf({kFloat, kVariant},
                              {PartialShape({-1}), PartialShape({3})})),
            "Duplicate key not allowed: b");
  NoDataset(Parsed(c, "default_shape", Messages(),
                   {.dense_keys = {"b"},
                    .defaults = {F32({3})},
                    .dense_shapes = {PartialShape({2})}},
                   floats),
            "def_value[0].shape() == [3] is not compatible with "
            "dense_shapes_[0] == [2]");
}

}  // namespace

MR_CASES(ParseExampleDataset)(CaseList& c) { ParsedCases(c); }
MR_CASES(ParseExampleDatasetV2)(CaseList& c) { ParsedCases(c); }
MR_CASES(ExperimentalParseExampleDataset)(CaseList& c) { ParsedCases(c); }

}  // namespace millrace::cases
