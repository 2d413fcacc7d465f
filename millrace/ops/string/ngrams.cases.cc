#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap NGrams(IntList widths, int pad_width, bool keep_short = false,
               const char* separator = " ") {
  return {{"separator", separator}, {"ngram_widths", std::move(widths)},
          {"left_pad", "L"},        {"right_pad", "R"},
          {"pad_width", pad_width}, {"preserve_short_sequences", keep_short}};
}

}  // namespace

MR_CASES(StringNGrams)(CaseList& c) {
  const Value data = Str({"a", "b", "c", "d", "e", "f"});
  c.EachType("Tsplits", [&](CaseList& c, DataType t) {
    const Value splits = Vec(t, {0, 4, 4, 6});
    for (const int pad : {-2, -1, 0, 1, 5}) {
      c.Ok({data, splits}, NGrams({2, 3}, pad));
      c.Ok({data, splits}, NGrams({5, 1, 4}, pad, true));
      c.Ok({data, splits}, NGrams({7}, pad, true, ""));
      c.Ok({data, splits}, NGrams({5, 9}, pad));
    }
    c.Ok({data, splits}, NGrams({2, 2, 1}, -1));
    c.Ok({data, splits}, NGrams(IntList{}, -1));
    c.Ok({data, splits}, NGrams({2000000000}, 1, true));
    c.Ok({data, splits}, NGrams(IntList{}, 1, true));
    c.Error({data, splits}, NGrams(IntList{}, -1, true), kInvalid,
            "Pad width should be >= 0 when preserve_short_sequences is True "
            "and ngram_widths are not provided, got -1");
    c.Ok({data, Empty(t, {0})}, NGrams({2}, -1));
    c.Ok({Empty(DataType::kString, {0}), Vec(t, {0, 0, 0})}, NGrams({2}, -1));
    c.Ok({Empty(DataType::kString, {0}), Vec(t, {0})}, NGrams({2}, -1));
    c.Error({data, Vec(t, {1, 6})}, NGrams({2}, 0), kInvalid,
            "First split value must be 0, got 1");
    c.Error({data, Vec(t, {-1, 6})}, NGrams({2}, 0), kInvalid,
            "First split value must be 0, got -1");
    c.Error({data, Vec(t, {0, 7})}, NGrams({2}, 0), kInvalid,
            "Invalid split value 7, must be in [0, 6]");
    c.Error({data, Vec(t, {0, 3, 2, 6})}, NGrams({2}, 0), kInvalid,
            "Invalid split value 2, must be in [3, 6]");
    c.Error({data, Vec(t, {0, 5})}, NGrams({2}, 0), kInvalid,
            "Last split value must be data size. Expected 6, got 5");
    c.Error({data, Vec(t, {0})}, NGrams({2}, 0), kInvalid,
            "Last split value must be data size. Expected 6, got 0");
  });
  const Value splits = Vec(DataType::kInt64, {0, 4, 4, 6});
  c.Error({data, splits}, NGrams({0}, 0), kInvalid,
          "ngram_widths must contain positive values");
  c.Error({data, splits}, NGrams({-1, 2}, 0), kInvalid,
          "ngram_widths must contain positive values");
  c.Error(
      {data, splits}, NGrams({int64_t{1} << 40}, 0), kInvalid,
      "Attr ngram_widths has value 1099511627776 out of range for an int32");
  c.BuildError({Str({1, 2}, {"a", "b"}), splits}, NGrams({2}, 0),
               "Shape must be rank 1 but is rank 2");
  c.BuildError({data, Scalar(DataType::kInt64, 0)}, NGrams({2}, 0),
               "Shape must be rank 1 but is rank 0");
}

}  // namespace millrace::cases
