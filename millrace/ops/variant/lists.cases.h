// How cases of tensor lists begin: lists with rows, with unset elements, and
// without elements.
//
// Stock builds no graph in which a shape that is the scalar -1 is not a
// constant; therefore cases with such a shape have no static shapes.
#pragma once

#include <utility>

#include "tests/cases/case.h"

namespace millrace::cases::lists {

inline AttrMap Element(DataType t) { return {{"element_dtype", t}}; }

// Adds "rows": the list of three rows of a tensor.
inline Case& Rows(CaseList& c, const char* name, DataType t = kFloat) {
  return c.Sequence(name).Node("rows", "TensorListFromTensor",
                               {Rand(t, {3, 2}), Vec({2})});
}
// Adds "list": a list of elements that are not set.
inline Case& Reserved(CaseList& c, const char* name, int size, Value shape,
                      DataType t = kFloat) {
  return c.Sequence(name).Node("list", "TensorListReserve",
                               {std::move(shape), Scalar(size)}, Element(t));
}
inline Case& Empty(CaseList& c, const char* name, Value shape,
                   DataType t = kFloat, int most = -1) {
  return c.Sequence(name).Node("list", "EmptyTensorList",
                               {std::move(shape), Scalar(most)}, Element(t));
}
// Adds a value whose static shape is unknown.
inline Case& WithUnknownShape(Case& c, const char* name, Value v) {
  // g++ 12 gives a wrong warning for a temporary here.
  const PartialShape unknown;
  return c.Node(name, "PlaceholderWithDefault", {std::move(v)},
                {{"shape", unknown}});
}

}  // namespace millrace::cases::lists
