// Sequences of nodes that make an array and use it.
#pragma once

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/cases/case.h"

namespace millrace::cases {

inline AttrMap Dtype(DataType t) { return {{"dtype", t}}; }

// Three generations of ops have the same cases.
inline bool IsThird(const CaseList& c) {
  return absl::EndsWith(c.op().name, "V3") ||
         absl::EndsWith(c.op().name, "WithShape");
}

// Returns an op of the generation whose cases these are.
inline std::string Op(const CaseList& c, const char* name) {
  const bool is_second = absl::EndsWith(c.op().name, "V2");
  return absl::StrCat("TensorArray", name,
                      IsThird(c) ? "V3" : (is_second ? "V2" : ""));
}

// Returns the flow of the array "ta", which only the third generation makes.
inline Value Flow(const CaseList& c) {
  return IsThird(c) ? Value("ta:1") : Scalar(DataType::kFloat, 0);
}

// An array "ta" of `size` elements.
inline Case& Array(CaseList& c, const char* name, int size, AttrMap attrs) {
  Case& array =
      c.Sequence(name).Node("ta", Op(c, ""), {Scalar(size)}, std::move(attrs));
  // Stock's shape functions treat the handle, a scalar, as the vector of two
  // that it was; therefore static shapes are not compared.
  return IsThird(c) ? array.NoShapeCheck() : array;
}
inline Case& Array(CaseList& c, const char* name, int size,
                   DataType t = DataType::kFloat) {
  return Array(c, name, size, Dtype(t));
}

}  // namespace millrace::cases
