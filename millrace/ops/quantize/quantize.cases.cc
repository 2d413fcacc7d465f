#include <limits>

#include "millrace/ops/quantize/modes.cases.h"

namespace millrace::cases {
namespace {

AttrMap Attrs(DataType t, const char* mode) {
  return {{"T", t}, {"mode", mode}};
}

}  // namespace

MR_CASES(QuantizeV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* mode : kModes) {
      for (const auto& r : kRanges) {
        c.Ok({Rand(kFloat, {4, 33}, r[0] * 1.2 - 0.1, r[1] * 1.2 + 0.1),
              F(r[0]), F(r[1])},
             Attrs(t, mode));
      }
      c.Ok({Rand(kFloat, {6000}, -3, 3), F(-2), F(2.5)}, Attrs(t, mode));
      c.Ok({Rand(kFloat, {2, 3, 2, 1, 2}, -3, 3), F(-2), F(2.5)},
           Attrs(t, mode));
      c.Ok({F32({}), Vec(kFloat, {-2}), Vec(kFloat, {2.5})}, Attrs(t, mode))
          .NoShapeCheck();
      c.Ok({Empty(kFloat, {0, 3}), F(-1), F(1)}, Attrs(t, mode));
      Case& mixed = c.Ok({Mixed(kFloat, {40}), F(-2), F(2.5)}, Attrs(t, mode));
      if (t == DataType::kQint8 || t == DataType::kQint16) {
        mixed.Deviates(
            "NaN becomes 0, or where stock computes with vectors the lowest");
      }
      // Halves.
      c.Ok({Iota(kFloat, {41}, -10, 0.5), F(-10), F(10)}, Attrs(t, mode));
    }
    for (const bool narrow : {false, true}) {
      for (const char* round : {"HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"}) {
        const AttrMap attrs = {{"T", t},
                               {"mode", "SCALED"},
                               {"round_mode", round},
                               {"narrow_range", narrow}};
        c.Ok({Rand(kFloat, {5, 17}, -3, 3), F(-2), F(2.5)}, attrs);
        c.Ok({Rand(kFloat, {5, 17}, -3, 3), F(-2.5), F(2)}, attrs);
        c.Ok({Iota(kFloat, {41}, -10, 0.5), F(-128), F(127)}, attrs);
      }
    }
    for (const char* mode : {"MIN_COMBINED", "SCALED"}) {
      for (const int64_t axis : {0, 1, 2}) {
        const int64_t n = axis == 0 ? 3 : axis == 1 ? 4 : 5;
        c.Ok({Rand(kFloat, {3, 4, 5}, -3, 3), Rand(kFloat, {n}, -3, 0),
              Rand(kFloat, {n}, 0, 3)},
             {{"T", t}, {"mode", mode}, {"axis", axis}});
      }
    }
  });
  const DataType u = DataType::kQuint8;
  // One slice.
  c.Ok({F32({3, 1}), Vec(kFloat, {-2}), Vec(kFloat, {2})},
       {{"T", u}, {"axis", int64_t{1}}})
      .NoShapeCheck();
  c.Ok({F32({3, 1}), Vec(kFloat, {-2}), Vec(kFloat, {2})},
       {{"T", u}, {"axis", int64_t{1}}, {"mode", "MIN_FIRST"}})
      .NoShapeCheck();
  c.Ok({Empty(kFloat, {3, 0}), Empty(kFloat, {0}), Empty(kFloat, {0})},
       {{"T", u}, {"axis", int64_t{1}}});
  c.Ok({Empty(kFloat, {0, 3, 0}), Vec(kFloat, {-1, -1, -1}),
        Vec(kFloat, {1, 1, 1})},
       {{"T", u}, {"axis", int64_t{1}}})
      .Name("slices without elements");
  c.Ok({Rand(kFloat, {3, 5, 40}, -3, 3), Rand(kFloat, {5}, -3, 0),
        Rand(kFloat, {5}, 0, 3)},
       {{"T", u}, {"axis", int64_t{1}}});
  c.Ok({Rand(kFloat, {300, 3}, -3, 3), Rand(kFloat, {3}, -3, 0),
        Rand(kFloat, {3}, 0, 3)},
       {{"T", u}, {"axis", int64_t{1}}, {"mode", "SCALED"}});
  for (const float least : {0.f, 0.5f, 2.f}) {
    c.Ok({F32({9}), F(-0.01), F(0.01)},
         {{"T", u}, {"ensure_minimum_range", least}});
  }
  for (const char* mode : kModes) {
    c.Ok({F32({9}), Exactly(-kInfinity), Exactly(kInfinity)}, Attrs(u, mode));
    c.Ok({F32({9}), F(-1), Exactly(kInfinity)}, Attrs(u, mode));
    c.Ok({F32({9}), Exactly(kNaN), F(1)}, Attrs(u, mode));
    c.Ok({F32({9}), F(-1), Exactly(kNaN)}, Attrs(u, mode));
  }
  c.Error({F32({3}), F(1), F(-1)}, {{"T", u}}, kBad,
          "input_max_range must be larger than input_min_range.");
  c.Error({F32({2, 2}), Vec(kFloat, {-1, 2}), Vec(kFloat, {1, 1})},
          {{"T", u}, {"axis", int64_t{0}}}, kBad,
          "input_max_range must be larger than input_min_range.");
  c.Error({F32({3}), F32({2}), F(1)}, {{"T", u}}, kBad,
          "If axis is not specified, min_range must contain a single float "
          "element, but it contains 2 elements");
  c.Error({F32({3}), F(1), Empty(kFloat, {0})}, {{"T", u}}, kBad,
          "If axis is not specified, max_range must contain a single float "
          "element, but it contains 0 elements");
  c.Error({F32({3}), F32({3}), F32({3})}, {{"T", u}, {"axis", int64_t{1}}},
          kBad, "Axis is on a zero-based index");
  c.Error({F32({3}), F(1), F32({3})}, {{"T", u}, {"axis", int64_t{0}}}, kBad,
          "If axis is specified, min_range must be a 1-D tensor whose size "
          "matches the axis dimension of the input and output tensors, but "
          "min_range dims are 0");
  c.Error({F32({3}), F32({3}), F32({2})}, {{"T", u}, {"axis", int64_t{0}}},
          kBad,
          "but max_range is a 1-D tensor of size 2 and input's axis dimension "
          "is of size 3");
  c.Error({F32({3}), Vec(kFloat, {-1, -1, -1}), Vec(kFloat, {1, 1, 1})},
          {{"T", u}, {"axis", int64_t{0}}, {"mode", "MIN_FIRST"}},
          StatusCode::kUnimplemented,
          "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
  c.Error({F32({3}), F(-1), F(1)}, {{"T", u}, {"round_mode", "HALF_TO_EVEN"}},
          kBad, "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'");
  c.BuildError({F32({3}), F(-1), F(1)}, {{"T", u}, {"axis", int64_t{-2}}},
               "axis should be at least -1, got -2");
  c.BuildError({F32({3}), F32({3}), F32({3})}, {{"T", u}, {"axis", int64_t{1}}},
               "Shape must be at least rank 2 but is rank 1");
  c.BuildError({F32({3}), F32({3}), F32({2})}, {{"T", u}, {"axis", int64_t{0}}},
               "Dimensions must be equal, but are 2 and 3");
  c.BuildError({F32({3}), F32({1}), F(1)}, {{"T", u}}, "Shape must be rank 0");
}

}  // namespace millrace::cases
