// Shorthands with which cases of data sets check elements.
#pragma once

#include <string>
#include <utility>

#include "tests/cases/case.h"

namespace millrace::cases {

inline AttrMap ElementsOf(TypeList types, ShapeList shapes) {
  return {{"output_types", std::move(types)},
          {"output_shapes", std::move(shapes)}};
}
// Returns the attributes for elements of a range: int64 scalars.
inline AttrMap Numbers() {
  return ElementsOf({DataType::kInt64}, {PartialShape({})});
}
// Returns the attributes for batches of such elements.
inline AttrMap Batches() {
  return ElementsOf({DataType::kInt64}, {PartialShape({-1})});
}
inline AttrMap With(AttrMap attrs, const char* name, AttrValue value) {
  attrs.Set(name, std::move(value));
  return attrs;
}
// Returns the attributes that a node of an iterator needs in addition.
inline AttrMap Named(AttrMap attrs, const char* shared_name = "") {
  attrs.Set("shared_name", shared_name);
  attrs.Set("container", "");
  return attrs;
}
inline Value Count(double n) { return Scalar(DataType::kInt64, n); }

// Adds a case with a node "range" of the numbers below `n`.
inline Case& WithRange(CaseList& c, std::string name, double n) {
  return c.Sequence(std::move(name))
      .Node("range", "RangeDataset", {Count(0), Count(n), Count(1)}, Numbers());
}

// Adds nodes that start an iterator over the data set of node `dataset`.
inline Case& WithIterator(Case& c, const std::string& dataset,
                          const AttrMap& elements) {
  return c.Node("it", "IteratorV2", {}, Named(elements))
      .Node("make", "MakeIterator", {dataset, "it"})
      .Node("next", "IteratorGetNext", {"it"}, elements)
      .Run({"make"});
}

// Runs through all `count` elements and the end.
inline Case& Elements(Case& c, const std::string& dataset,
                      const AttrMap& elements, int count) {
  WithIterator(c, dataset, elements);
  for (int i = 0; i < count; ++i) c.Run({"next"});
  return c.RunError({"next"}, StatusCode::kOutOfRange, "End of sequence");
}

// Iterates twice over the six numbers of node "op".
inline Case& TwiceInARow(Case& c) {
  return Elements(c.Node("twice", "RepeatDataset", {"op", Count(2)}, Numbers()),
                  "twice", Numbers(), 12);
}

// Expects that making the data set fails.
inline Case& NoDataset(Case& c, std::string words) {
  return c.Node("size", "DatasetCardinality", {"op"})
      .RunError({"size"}, StatusCode::kInvalidArgument, std::move(words));
}

}  // namespace millrace::cases
