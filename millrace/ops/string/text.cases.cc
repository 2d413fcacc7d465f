#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// 3 characters of 2, 3 and 4 bytes between letters.
constexpr char kMixed[] =
    "a\xc3\xa9"
    "b\xe2\x82\xac"
    "c\xf0\x9f\x98\x80";

}  // namespace

MR_CASES(Substr)(CaseList& c) {
  const Value text = Str({2, 2}, {"hello", "abc", "123456", "wxyz"});
  const Value greek = Str({"\xce\xb1\xce\xb2\xce\xb3", kMixed, "abcd"});
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({text, Scalar(t, 1), Scalar(t, 2)});
    c.Ok({text, Scalar(t, -3), Scalar(t, 2)});
    c.Ok({text, Scalar(t, 2), Scalar(t, 100)});
    c.Ok({text, Scalar(t, 1), Scalar(t, -1)});
    c.Ok({text, Scalar(t, 3), Scalar(t, 0)});
    c.Ok({text, Of(t, {2, 2}, {0, 1, 2, -1}), Of(t, {2, 2}, {1, 2, 3, 4})});
    c.Ok({text, Vec(t, {0, 1}), Vec(t, {2, 2})});
    c.Ok({text, Of(t, {2, 1}, {0, -2}), Of(t, {2, 1}, {1, 2})});
    c.Ok({StrScalar("abcdef"), Vec(t, {0, 2, -1}), Vec(t, {3, 1, 1})});
    c.Ok({Str({"one"}), Vec(t, {0, 1, 2}), Vec(t, {1, 1, 1})});
    c.Ok({Str({"ab", "cd"}), Of(t, {3, 1}, {0, 1, 2}),
          Of(t, {3, 1}, {2, 2, 2})});
    c.Ok({Empty(kString, {0}), Scalar(t, 7), Scalar(t, 2)});
    for (const int pos : {0, 1, 2, -1, -2, -3}) {
      c.Ok({greek, Scalar(t, pos), Scalar(t, 2)}, {{"unit", "UTF8_CHAR"}});
    }
    c.Ok({greek, Vec(t, {-3, -5, 4}), Vec(t, {9, 3, 1})},
         {{"unit", "UTF8_CHAR"}});
    c.Ok({greek, Scalar(t, 1), Scalar(t, -4)}, {{"unit", "UTF8_CHAR"}});
    c.Error({text, Scalar(t, 4), Scalar(t, 1)}, kInvalid,
            "pos 4 out of range for string b'abc' at index 1");
    c.Error({Str({"ab"}), Scalar(t, -3), Scalar(t, 1)}, kInvalid,
            "pos -3 out of range for string b'ab' at index 0");
    c.Error({text, Of(t, {2, 1}, {0, 6}), Of(t, {2, 1}, {1, 1})}, kInvalid,
            "pos 6 out of range for string b'wxyz' at index (1, 1)");
    c.Error({greek, Scalar(t, 5), Scalar(t, 1)}, {{"unit", "UTF8_CHAR"}},
            kInvalid, "pos 5 out of range for string at index 0");
    c.Error({greek, Scalar(t, -4), Scalar(t, 1)}, {{"unit", "UTF8_CHAR"}},
            kInvalid, "pos -4 out of range for string at index 0");
  });
  c.Error({text, Vec({1, 2}), Vec({1})}, kInvalid,
          "pos and len should have the same shape, got: [2] vs. [1]")
      .NoShapeCheck();
  c.Error({text, Vec({1, 2, 1}), Vec({1, 1, 1})}, kInvalid,
          "Incompatible shapes: [2,2] vs. [3]")
      .NoShapeCheck();
  c.Error({Str({2, 2, 1}, {"a", "b", "c", "d"}), Vec({0, 0}), Vec({1, 1})},
          StatusCode::kUnimplemented,
          "Substr broadcast not implemented for 3 dimensions");
  c.Error({text, Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0})},
          kInvalid, "Incompatible shapes: [2,2] vs. [0]")
      .NoShapeCheck();
  c.Ok({Str({"ab"}), Empty(DataType::kInt32, {0}),
        Empty(DataType::kInt32, {0})});
}

MR_CASES(StringLength)(CaseList& c) {
  const Value text = Str({kMixed, "", std::string("a\0b", 3), "\x80\x80"});
  c.Ok({text});
  c.Ok({text}, {{"unit", "UTF8_CHAR"}});
  c.Ok({StrScalar("abc")});
  c.Ok({Empty(kString, {2, 0})});
}

MR_CASES(StringLower)(CaseList& c) {
  c.Ok({Str({2, 2}, {"ABC def", "", "\xc3\x89", std::string("A\0B", 3)})});
  c.Ok({Str({"ABC def", "\xc3\x89\xc3\x96\xc5\xbb", kMixed, "\xc4\xb0Z"})},
       {{"encoding", "utf-8"}});
  // A sigma at the end of a word, inside one, and alone.
  c.Ok({Str({"\xce\x91\xce\xa3", "\xce\x91\xce\xa3\xce\x91", "\xce\xa3",
             "\xce\x91\xce\xa3. \xce\x91", "\xce\x91\xce\xa3.\xce\x91"})},
       {{"encoding", "utf-8"}});
  c.Ok({Str({"A\xff"
             "B",
             "A\xc3",
             "\xe2\x82"
             "A",
             "\xed\xa0\x80"
             "A",
             std::string("A\0B", 3)})},
       {{"encoding", "utf-8"}});
  c.Error({Str({"A"})}, {{"encoding", "utf-16"}}, kInvalid,
          "only utf-8 or '' (no encoding) is supported, received utf-16");
}

MR_CASES(StringUpper)(CaseList& c) {
  c.Ok({Str({2, 2}, {"ABC def", "", "\xc3\xa9", std::string("a\0b", 3)})});
  c.Ok({Str({"abc DEF",
             "stra\xc3\x9f"
             "e",
             "\xc3\xbf\xce\xb1\xd1\x8f", "\xef\xac\x83",
             "\xe1\xbe\x80\xe1\xbe\x99\xe1\xbe\xb3", "\xce\x90\xc7\xb0",
             "\xc7\x86\xc7\x85"})},
       {{"encoding", "utf-8"}});
  c.Error({Str({"A"})}, {{"encoding", "ascii"}}, kInvalid,
          "only utf-8 or '' (no encoding) is supported, received ascii");
}

MR_CASES(StringStrip)(CaseList& c) {
  c.Ok({Str({" a b ", "\t\n\v\f\r", "", "x", "\xc2\xa0y", " \xff "})});
  c.Ok({StrScalar("a  ")});
}

}  // namespace millrace::cases
