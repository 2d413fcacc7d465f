#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(AsString)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Mixed(t, {2, 5})});
    c.Ok({Empty(t, {0, 3})});
    if (t == kString) return;
    c.Ok({Rand(t, {7}, -100, 100)}, {{"width", 8}});
    c.Ok({Rand(t, {7}, -100, 100)}, {{"width", 6}, {"fill", "0"}});
    c.Ok({Rand(t, {})}, {{"width", 6}, {"fill", "-"}});
    if (IsFloating(t) || IsComplex(t)) {
      c.Ok({Mixed(t, {9})}, {{"precision", 2}});
      c.Ok({Mixed(t, {9})}, {{"scientific", true}});
      c.Ok({Mixed(t, {9})}, {{"shortest", true}});
      // Ties, carries, and numbers too large for a quick way.
      const Value odd =
          Of(t, {20}, {0.5,  1.5,  2.5,   -2.5,  0.125,     0.375,     1.25,
                       9.5,  99.5, 0.996, 9.996, -0.0,      -1e-4,     1e-30,
                       1e15, 1e17, 65504, 1e30,  123456.75, 4097.03125});
      for (const int precision : {0, 1, 2, 3, 6, 12, 15, 16, 30}) {
        c.Ok({odd}, {{"precision", precision}}).Exact();
        c.Ok({odd}, {{"precision", precision}, {"shortest", true}}).Exact();
        c.Ok({odd}, {{"precision", precision}, {"scientific", true}}).Exact();
        c.Ok({Rand(t, {64}, -1000, 1000)}, {{"precision", precision}}).Exact();
      }
      c.Ok({Rand(t, {3000})}).Exact();
      c.Ok({Rand(t, {5})},
           {{"scientific", true}, {"precision", 0}, {"width", 12}});
      c.Ok({Rand(t, {5})}, {{"fill", "+"}, {"width", 10}, {"precision", 3}});
    } else {
      c.Error({Rand(t, {2})}, {{"precision", 2}}, kInvalid,
              "precision not supported for datatype");
      c.Error({Rand(t, {2})}, {{"scientific", true}}, kInvalid,
              "scientific and shortest format not supported for datatype");
    }
  });
  c.Ok({Str({"a", ""})}, {{"width", 5}});
  c.Ok({Str({"a", ""})}, {{"width", 5}, {"fill", "-"}});
  c.Ok({I32({3})}, {{"width", 5}, {"fill", " "}});
  c.Error({F32({2})}, {{"fill", "00"}}, kInvalid,
          "Fill string must be one or fewer characters");
  c.Error({F32({2})}, {{"fill", "x"}, {"width", 4}}, kInvalid,
          "Fill argument not supported: \"x\"");
  c.Error({F32({2})}, {{"scientific", true}, {"shortest", true}}, kInvalid,
          "Cannot select both scientific and shortest notation");
}

MR_CASES(StringToNumber)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    const AttrMap type = {{"out_type", t}};
    c.Ok({Str({2, 2}, {"1", " 20 ", "0", "007"})}, type);
    c.Ok({StrScalar("+5")}, type);
    c.Ok({Empty(kString, {0})}, type);
    for (const char* const text :
         {"", "a", "1 2", "--1", "1x", "0x", "-", ".", "-."}) {
      c.Error({Str({"1", text})}, type, kInvalid,
              std::string("StringToNumberOp could not correctly convert "
                          "string: ") +
                  text);
    }
    if (IsFloating(t)) {
      c.Ok({Str({"1.5",
                 "-2e3",
                 ".5",
                 "1.",
                 "inf",
                 "-inf",
                 "nan",
                 "1e400",
                 "1e-400",
                 "0.1",
                 "INF",
                 "infinity",
                 "3.14159265358979323846264338327950288",
                 "-0",
                 "-.25",
                 "123456789012345",
                 "1234567890.12345",
                 "0.123456789012345",
                 "16777217",
                 "16777217.000000",
                 "16777219",
                 "0.000000000000001",
                 "33554433.0",
                 "-123456.789",
                 "9007199254740993"})},
           type)
          .Exact();
    } else {
      c.Error({StrScalar("1.5")}, type, kInvalid, "string: 1.5");
      c.Error({StrScalar("99999999999999999999")}, type, kInvalid,
              "string: 99999999999999999999");
    }
    if (t == DataType::kInt32 || t == DataType::kInt64) {
      c.Ok({Str({"-12", "-2147483648", "2147483647"})}, type);
    }
    if (t == DataType::kUint32 || t == DataType::kUint64) {
      c.Ok({Str({"4294967295"})}, type);
      c.Error({StrScalar("-1")}, type, kInvalid, "string: -1");
    }
  });
}

MR_CASES(StringFormat)(CaseList& c) {
  const Value ten = Iota(DataType::kInt32, {10});
  c.Ok({ten});
  c.Ok({Iota(kFloat, {3, 4}, 0.5, 0.25), Str({"a", "b\""})},
       {{"template", "x=%s, y=%s!"}});
  c.Ok({Iota(DataType::kInt64, {2, 9, 2}), Bool({})},
       {{"template", "{}{}"}, {"placeholder", "{}"}, {"summarize", 2}});
  c.Ok({ten}, {{"summarize", -1}});
  for (const DataType t :
       {DataType::kHalf, DataType::kBfloat16, kFloat, kDouble}) {
    c.Ok({Mixed(t, {20})}, {{"summarize", -1}});
    c.Ok({Rand(t, {20}, -1e-3, 1e-3)}, {{"summarize", -1}});
    c.Ok({Rand(t, {20}, -1e6, 1e6)}, {{"summarize", -1}});
    c.Ok({Of(t, {3}, {0.1, 100, 1e10})}, {{"summarize", -1}});
  }
  for (const DataType t : {DataType::kComplex64, DataType::kComplex128}) {
    c.Ok({Mixed(t, {20})}, {{"summarize", -1}})
        .Deviates("stock shows a question mark for each complex number");
  }
  c.Ok({ten}, {{"template", "<>"}, {"placeholder", "<>"}, {"summarize", 1}});
  c.Ok({StrScalar("\xc3\xa9")}, {{"template", "\xc3\xa9%s"}});
  c.Ok({Empty(kFloat, {0})});
  c.Ok({Empty(kFloat, {2, 0})})
      .Deviates("stock shows dots for what has no elements");
  c.Ok({}, {{"template", "nothing"}, {"T", TypeList{}}});
  c.BuildError({ten}, {{"template", "none"}},
               "num placeholders in template and num inputs must match: 0 vs. "
               "1");
}

}  // namespace millrace::cases
