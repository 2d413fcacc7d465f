#include <limits>

#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

constexpr const char* kNoVectors =
    "stock's kernel wants scalars, its shape function vectors, so that no "
    "range "
    "can be given along an axis";

struct Kind {
  bool is_signed;
  int64_t num_bits;
};
constexpr Kind kKinds[] = {{true, 8},   {false, 8}, {true, 1},
                           {true, 2},   {false, 1}, {true, 16},
                           {false, 16}, {true, 31}, {false, 32}};

constexpr double kRoundTripRanges[][2] = {{-2, 2}, {-1.3, 2.7}, {0, 1.5},
                                          {-2, 0}, {0.5, 1.5},  {-3, -1},
                                          {0, 0},  {-1e-3, 1}};

enum class RangeFrom { kInputs, kValues };

AttrMap RoundTripAttrs(Kind k, RangeFrom from) {
  return {{"signed_input", k.is_signed},
          {"num_bits", k.num_bits},
          {"range_given", from == RangeFrom::kInputs}};
}

// V2 and V4.
void RoundTrip(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value none = Scalar(t, 0);
    for (const Kind k : kKinds) {
      c.Ok({Rand(t, {3, 17}, -3, 3), none, none},
           RoundTripAttrs(k, RangeFrom::kValues));
      c.Ok({Rand(t, {3, 17}, -3, 3), Scalar(t, -2), Scalar(t, 1.7)},
           RoundTripAttrs(k, RangeFrom::kInputs));
    }
    for (const auto& r : kRoundTripRanges) {
      for (const bool is_signed : {true, false}) {
        c.Ok({Rand(t, {3, 17}, -3, 3), Scalar(t, r[0]), Scalar(t, r[1])},
             RoundTripAttrs({is_signed, 8}, RangeFrom::kInputs));
        c.Ok({Rand(t, {40}, r[0] - 1e-9, r[1] + 1e-9), none, none},
             RoundTripAttrs({is_signed, 8}, RangeFrom::kValues));
      }
    }
    for (const char* round : {"HALF_TO_EVEN", "HALF_UP"}) {
      for (const bool narrow : {false, true}) {
        c.Ok({Iota(t, {41}, -10, 0.5), Scalar(t, -128), Scalar(t, 127)},
             {{"range_given", true},
              {"round_mode", round},
              {"narrow_range", narrow}});
        c.Ok({Rand(t, {3, 17}, -3, 3), none, none},
             {{"round_mode", round}, {"narrow_range", narrow}});
      }
    }
    for (const int64_t axis : {0, 1, 2}) {
      const int64_t n = axis == 0 ? 3 : axis == 1 ? 4 : 5;
      for (const bool given : {false, true}) {
        Case& k = c.Ok({Rand(t, {3, 4, 5}, -3, 3), Rand(t, {n}, -3, 0),
                        Rand(t, {n}, 0, 3)},
                       {{"axis", axis}, {"range_given", given}});
        if (given) k.Deviates(kNoVectors);
      }
    }
    c.Ok({Rand(t, {}, -3, 3), none, none});
    c.Ok({Rand(t, {2, 1, 2, 1, 3}, -3, 3), none, none});
    c.Ok({Rand(t, {300000}, -3, 3), none, none});
    c.Ok({Rand(t, {70, 3, 1000}, -3, 3), Rand(t, {3}), Rand(t, {3})},
         {{"axis", int64_t{1}}});
    c.Ok({Rand(t, {4000, 33}, -3, 3), Rand(t, {33}), Rand(t, {33})},
         {{"axis", int64_t{1}}});
    c.Ok({Empty(t, {0, 3}), none, none});
    c.Ok({Mixed(t, {24}), Scalar(t, -2), Scalar(t, 2)},
         {{"range_given", true}});
  });
  const DataType f = DataType::kFloat;
  c.Ok({Rand(f, {3, 5}, -3, 3), Vec(f, {2, 1, 0}), Vec(f, {-1, 1, 0})},
       {{"axis", int64_t{0}}, {"range_given", true}})
      .Name("ranges upside down")
      .Deviates(kNoVectors);
  c.Error({F32({3}), F32({}), F32({})}, {{"num_bits", int64_t{0}}}, kBad,
          "num_bits is out of range: 0 with signed_input_ 1");
  c.Error({F32({3}), F32({}), F32({})}, {{"num_bits", int64_t{62}}}, kBad,
          "num_bits is out of range: 62 with signed_input_ 1");
  c.Error({F32({3}), F32({}), F32({})},
          {{"num_bits", int64_t{63}}, {"signed_input", false}}, kBad,
          "num_bits is out of range: 63 with signed_input_ 0");
  c.Error({F32({3}), Scalar(f, 1), Scalar(f, -1)}, {{"range_given", true}},
          kBad, "Invalid range: input_min 1 > input_max -1");
  c.Error(
      {F32({3}), Values<float>({}, {std::numeric_limits<float>::quiet_NaN()}),
       Scalar(f, 1)},
      {{"range_given", true}}, kBad, "Invalid range: input_min nan");
  c.Error({F32({3}), F32({1}), F32({})}, {{"range_given", true}}, kBad,
          "input_min must be a scalar.");
  c.Error({F32({3}), F32({}), F32({1})}, {{"range_given", true}}, kBad,
          "input_max must be a scalar.");
  c.Error({F32({3}), F32({3}), F32({3})},
          {{"axis", int64_t{1}}, {"range_given", true}}, kBad,
          "Shape must be at least rank 2 but is rank 1");
  c.Error({F32({3}), F32({}), F32({3})},
          {{"axis", int64_t{0}}, {"range_given", true}}, kBad,
          "Shape must be rank 1 for input_min_tensor when the axis is "
          "specified")
      .Deviates(kNoVectors);
  c.Error({F32({3}), F32({3}), F32({2})},
          {{"axis", int64_t{0}}, {"range_given", true}}, kBad,
          "input_max_tensor has incorrect size, was 2 expected 3 to match dim "
          "0 of the input")
      .Deviates(kNoVectors);
  c.BuildError({F32({3}), F32({3}), F32({2})}, {{"axis", int64_t{0}}}, "");
  c.BuildError({F32({3}), F32({1}), F32({})}, {}, "Shape must be rank 0");
}

}  // namespace

MR_CASES(QuantizeAndDequantize)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const Kind k : kKinds) {
      c.Ok({Rand(t, {3, 17}, -3, 3)}, RoundTripAttrs(k, RangeFrom::kValues));
      AttrMap attrs = RoundTripAttrs(k, RangeFrom::kInputs);
      attrs.Set("input_min", -2.f);
      attrs.Set("input_max", 1.7f);
      c.Ok({Rand(t, {3, 17}, -3, 3)}, attrs);
    }
    c.Ok({Empty(t, {0})});
    c.Ok({Rand(t, {}, -3, 3)});
  });
  c.Error({F32({3})}, {{"num_bits", int64_t{-1}}}, kBad,
          "num_bits is out of range: -1 with signed_input_ 1");
  c.Error({F32({3})},
          {{"range_given", true}, {"input_min", 2.f}, {"input_max", 1.f}}, kBad,
          "Invalid range: input_min 2 > input_max 1");
}
MR_CASES(QuantizeAndDequantizeV2)(CaseList& c) { RoundTrip(c); }
MR_CASES(QuantizeAndDequantizeV4)(CaseList& c) { RoundTrip(c); }
MR_CASES(QuantizeAndDequantizeV3)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const Kind k : kKinds) {
      for (const bool narrow : {false, true}) {
        for (const bool given : {false, true}) {
          c.Ok({Rand(t, {3, 17}, -3, 3), Scalar(t, -2), Scalar(t, 1.7),
                Scalar(static_cast<int>(k.num_bits))},
               {{"signed_input", k.is_signed},
                {"narrow_range", narrow},
                {"range_given", given}});
        }
      }
    }
    for (const int64_t axis : {0, 1, 2}) {
      const int64_t n = axis == 0 ? 3 : axis == 1 ? 4 : 5;
      c.Ok({Rand(t, {3, 4, 5}, -3, 3), Rand(t, {n}, -3, 0), Rand(t, {n}, 0, 3),
            Scalar(8)},
           {{"axis", axis}});
    }
    c.Ok({Empty(t, {0}), Scalar(t, -1), Scalar(t, 1), Scalar(8)});
  });
  c.Error({F32({3}), F32({}), F32({}), Scalar(0)}, {{"range_given", false}},
          kBad, "num_bits is out of range: 0 with `signed_input_` 1");
  c.Error({F32({3}), F32({}), F32({}), Vec({8, 8})}, {{"range_given", false}},
          kBad,
          "Invalid shape. The `num_bits` tensor should be a scalar. Got "
          "dimensions: 1");
  c.BuildError({F32({3}), F32({}), F32({}), Vec({8})}, {},
               "Shape must be rank 0");
}
MR_CASES(QuantizeAndDequantizeV4Grad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 17}), Rand(t, {3, 17}, -3, 3), Scalar(t, -2),
          Scalar(t, 1.7)});
    c.Ok({Rand(t, {5}), Vec(t, {-2, -1, 0, 1, 1.5}), Scalar(t, -1),
          Scalar(t, 1)});
    for (const int64_t axis : {0, 1, 2}) {
      const int64_t n = axis == 0 ? 3 : axis == 1 ? 4 : 5;
      c.Ok({Rand(t, {3, 4, 5}), Rand(t, {3, 4, 5}, -3, 3), Rand(t, {n}, -3, 0),
            Rand(t, {n}, 0, 3)},
           {{"axis", axis}});
    }
    c.Ok({Empty(t, {0}), Empty(t, {0}), Scalar(t, -1), Scalar(t, 1)});
    c.Ok({Rand(t, {24}), Mixed(t, {24}), Scalar(t, -2), Scalar(t, 2)});
  });
  c.Error({F32({3}), F32({4}), F32({}), F32({})}, kBad,
          "gradient and input must be the same size");
  c.Error({F32({3}), F32({3}), F32({2}), F32({3})}, {{"axis", int64_t{0}}},
          kBad, "min has incorrect size, expected 3 was 2");
  c.BuildError({F32({3}), F32({4}), F32({}), F32({})}, {}, "");
}

}  // namespace millrace::cases
