#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Patches(IntList sizes, IntList strides, IntList rates,
                const char* padding) {
  AttrMap attrs = {{"ksizes", std::move(sizes)},
                   {"strides", std::move(strides)},
                   {"padding", padding}};
  if (!rates.empty()) attrs.Set("rates", std::move(rates));
  return attrs;
}
AttrMap SamePatches() {
  return Patches({1, 3, 2, 1}, {1, 2, 1, 1}, {1, 1, 2, 1}, "SAME");
}
AttrMap ValidPatches() {
  return Patches({1, 2, 2, 1}, {1, 1, 3, 1}, {1, 2, 1, 1}, "VALID");
}
AttrMap Volumes() {
  return Patches({1, 2, 2, 3, 1}, {1, 1, 2, 2, 1}, {}, "SAME");
}

}  // namespace

MR_CASES(ExtractImagePatches)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 6, 3})}, SamePatches());
    c.Ok({Rand(t, {2, 5, 6, 3})}, ValidPatches());
  });
  c.Ok({F64({2, 4, 4, 2})}, SamePatches()).Gradient();
  c.Ok({Empty(DataType::kFloat, {0, 5, 6, 3})}, SamePatches());
}
MR_CASES(ExtractVolumePatches)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 5, 6, 2})}, Volumes());
  });
  c.Ok({F64({1, 2, 3, 4, 2})}, Volumes()).Gradient();
}

}  // namespace millrace::cases
