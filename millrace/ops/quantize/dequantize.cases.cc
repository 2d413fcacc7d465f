#include <limits>

#include "millrace/ops/quantize/modes.cases.h"

namespace millrace::cases {
namespace {

// Returns values of all of a type, the ends among them.
Value All(DataType t, TensorShape shape) {
  const double ends[] = {-128,  127, 0,     255,    -32768,
                         32767, 0,   65535, -2.1e9, 2.1e9};
  const int at = t == DataType::kQint8     ? 0
                 : t == DataType::kQuint8  ? 2
                 : t == DataType::kQint16  ? 4
                 : t == DataType::kQuint16 ? 6
                                           : 8;
  return Rand(t, std::move(shape), ends[at], ends[at + 1] + 1);
}

}  // namespace

MR_CASES(Dequantize)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* mode : kModes) {
      for (const auto& r : kRanges) {
        c.Ok({All(t, {3, 21}), F(r[0]), F(r[1])}, {{"mode", mode}});
      }
      c.Ok({All(t, {6000}), F(-2), F(2.5)}, {{"mode", mode}});
      c.Ok({All(t, {2, 1, 3, 2, 1}), F(-2), F(2.5)}, {{"mode", mode}});
      c.Ok({All(t, {}), Vec(kFloat, {-2}), Vec(kFloat, {2.5})},
           {{"mode", mode}})
          .NoShapeCheck();
      c.Ok({Empty(t, {0, 3}), F(-2), F(2.5)}, {{"mode", mode}});
      Case& mixed = c.Ok({Mixed(t, {9}), F(-2), F(2.5)}, {{"mode", mode}});
      if (t == DataType::kQint32 && mode[0] == 'S') {
        mixed.Deviates(
            "stock rounds to float and back, where the largest number wraps "
            "around");
      }
    }
    c.Ok({All(t, {3, 21}), F(-2), F(2.5)},
         {{"mode", "SCALED"}, {"narrow_range", true}});
    c.Ok({All(t, {3, 21}), F(-2), F(2.5)}, {{"dtype", DataType::kBfloat16}});
    c.Ok({All(t, {3000}), F(-2), F(2.5)}, {{"dtype", DataType::kBfloat16}});
    for (const char* mode : {"MIN_COMBINED", "SCALED"}) {
      for (const int64_t axis : {0, 1, 2}) {
        const int64_t n = axis == 0 ? 3 : axis == 1 ? 4 : 5;
        c.Ok({All(t, {3, 4, 5}), Rand(kFloat, {n}, -3, 0),
              Rand(kFloat, {n}, 0, 3)},
             {{"mode", mode}, {"axis", axis}})
            .KnownShapes();
      }
    }
  });
  const DataType u = DataType::kQuint8;
  c.Ok({All(u, {3, 5, 40}), Rand(kFloat, {5}, -3, 0), Rand(kFloat, {5}, 0, 3)},
       {{"axis", int64_t{1}}})
      .KnownShapes();
  c.Ok({All(u, {4000, 3}), Rand(kFloat, {3}, -3, 0), Rand(kFloat, {3}, 0, 3)},
       {{"axis", int64_t{1}}, {"dtype", DataType::kBfloat16}})
      .KnownShapes();
  c.Ok({Empty(u, {0, 3, 0}), Rand(kFloat, {3}, -3, 0), Rand(kFloat, {3}, 0, 3)},
       {{"axis", int64_t{1}}})
      .KnownShapes();
  c.Ok({All(u, {2, 3}), Rand(kFloat, {3}, -3, 0), Rand(kFloat, {3}, 0, 3)},
       {{"axis", int64_t{1}}, {"dtype", DataType::kBfloat16}})
      .KnownShapes();
  for (const char* mode : kModes) {
    c.Ok({All(u, {9}), Exactly(-kInfinity), Exactly(kInfinity)},
         {{"mode", mode}});
    c.Ok({All(u, {9}), F(0), Exactly(kNaN)}, {{"mode", mode}});
    c.Ok({All(u, {9}), F(3), F(-1)}, {{"mode", mode}});
  }
  constexpr char kShapes[] =
      "stock wants to know the shapes where it has an axis";
  c.Error({All(u, {3}), F32({3}), F32({3})}, {{"axis", int64_t{1}}}, kBad,
          "Axis must be less than input dimension(1), got 1")
      .NoStock(kShapes);
  c.BuildError({All(u, {3}), F32({3}), F32({3})}, {{"axis", int64_t{1}}},
               "Shape must be at least rank 2 but is rank 1");
  c.Error({All(u, {3}), F32({2}), F(1)}, kBad,
          "input_min_tensor must have as many elements as input on the "
          "dequantization axis (-1), got 2, expected 1");
  c.Error({All(u, {3}), F32({3}), F32({2})}, {{"axis", int64_t{0}}}, kBad,
          "input_max_tensor must have as many elements as input on the "
          "dequantization axis (0), got 2, expected 3")
      .NoStock(kShapes);
  c.BuildError({All(u, {3}), F32({3}), F32({2})}, {{"axis", int64_t{0}}},
               "Dimensions must be equal, but are 2 and 3");
  c.Error({All(u, {3}), F32({3}), F32({3})},
          {{"axis", int64_t{0}}, {"mode", "MIN_FIRST"}},
          StatusCode::kUnimplemented,
          "MIN_FIRST mode is not implemented for Dequantize with axis != -1.")
      .KnownShapes();
  c.Error({All(u, {3}), F(-1), F(1)},
          {{"dtype", DataType::kBfloat16}, {"mode", "SCALED"}}, kBad,
          "When output type is bfloat16, Mode string must be 'MIN_COMBINED', "
          "is 'SCALED'");
  c.BuildError({All(u, {3}), F(-1), F(1)}, {{"axis", int64_t{-2}}},
               "axis should be at least -1, got -2");
  c.BuildError({All(u, {3}), F32({1}), F(1)}, {}, "Shape must be rank 0");
}

}  // namespace millrace::cases
