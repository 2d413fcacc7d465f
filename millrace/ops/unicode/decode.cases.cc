#include "millrace/ops/unicode/texts.cases.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap From(const char* encoding) { return {{"input_encoding", encoding}}; }

void DecodedTexts(CaseList& c) {
  for (const DataType t : {DataType::kInt32, DataType::kInt64}) {
    for (const Value& texts :
         {MixedTexts(), Empty(DataType::kString, {2, 0})}) {
      Case& one = c.Ok({texts}, {{"input_encoding", "UTF-8"}, {"Tsplits", t}});
      if (t == DataType::kInt32 && c.op().outputs.size() > 2) {
        one.NoStock("it ends the process");
      }
    }
  }
  for (const char* const errors : {"replace", "ignore"}) {
    c.Ok({MixedTexts()}, {{"input_encoding", "utf8"},
                          {"errors", errors},
                          {"replacement_char", 63},
                          {"replace_control_characters", true}});
  }
  c.Ok({WellFormedTexts()},
       {{"input_encoding", "UTF-8"}, {"errors", "strict"}});
  c.Ok({StrScalar(std::string("\0\x1f\x20", 3))},
       {{"input_encoding", "UTF-8"},
        {"errors", "strict"},
        {"replace_control_characters", true}});
  c.Ok({StrScalar("abc")}, From("UTF-8"));
  const Value wide =
      Str({std::string("\xfe\xff\0a\0b", 6), std::string("a\0", 2),
           std::string("\xff\xfe"
                       "a\0b\0",
                       6),
           std::string("\xd8\x00\x00"
                       "a\xdc\x00\xd8\x00\xd8\x00\xdc\x00"
                       "a",
                       13),
           std::string("\xd8\x00\xdc", 3), "\xd8", "a"});
  for (const char* const name : {"UTF-16", "UTF-16-BE", "utf-16le"}) {
    c.Ok({wide}, From(name));
  }
  c.Ok({Str({std::string("\xff\xfe"
                         "a\0b\0",
                         6),
             std::string("a\0", 2), std::string("\xfe\xff\0a", 4)})},
       From("UTF-16"));
  c.Ok({Str({std::string("\0a", 2), std::string("\xff\xfe"
                                                "a\0b\0",
                                                6)})},
       From("UTF-16"));
  c.Ok({Str({"\xff\xfe", std::string("a\0", 2), "", "a"})}, From("UTF-16"));
  // An order stays, unless a text ends in a malformed character.
  for (const char* const end : {"", "\xdc"}) {
    c.Ok({Str({std::string("\0a\0b", 4) + end, std::string("\xff\xfe"
                                                           "a\0b\0",
                                                           6)})},
         From("UTF-16"));
  }
  const Value wider =
      Str({std::string("\xff\xfe\0\0a\0\0\0", 8), std::string("a\0\0\0", 4),
           std::string("\0\0\xd8\0\0\x11\0\0\0\0\xff\xff\x80\0\0\0\0\0", 18),
           std::string("\0\0\xfe\xff\0\0\0a", 8), "a"});
  for (const char* const name : {"UTF-32", "UTF-32-BE", "UTF-32LE"}) {
    c.Ok({wider}, From(name));
  }
  for (const char* const name :
       {"US-ASCII",     "latin1",       "ISO-8859-2",   "ISO-8859-3",
        "ISO-8859-5",   "iso-8859-15",  "windows-1250", "windows-1251",
        "cp1252",       "windows-1254", "KOI8-R",       "cp437",
        "cp852",        "cp866",        "ibm-1047",     "windows-1253",
        "windows-1255", "windows-1258", "TIS-620",      "macintosh"}) {
    c.Ok({HighBytes()}, From(name));
    c.Ok({StrScalar("\x1a\x1b\x1c\x7f")}, From(name));
  }
  c.Ok({Str({"\x82\xa0"
             "b\x8b\xd8",
             "a"})},
       From("Shift_JIS"));
  c.Ok({Str({"\xa4\xa2"
             "b\xb0\xa1",
             "\xe9"
             "c"})},
       From("EUC-JP"));
  c.Ok({Str({"\x1b$B0!\x1b(Bb"})}, From("ISO-2022-JP"));
  c.Ok({StrScalar("a+AOk-b")}, From("UTF-7"));
  c.Ok({Str({"\xc4\xe3"
             "b\x81\x30\x84\x36"})},
       From("GB18030"));
  c.Ok({Str({"\xa7\x41"
             "b"})},
       From("Big5"));
  c.Ok({Str({"\xb0\xa1"
             "b"})},
       From("EUC-KR"));
  c.Error({MixedTexts()}, {{"input_encoding", "UTF-8"}, {"errors", "strict"}},
          kInvalid, "Invalid formatting on input string");
  for (const char* const name : {"nope", "", "UTF-8//TRANSLIT"}) {
    c.Error({StrScalar("a")}, From(name), kInvalid,
            "Could not create converter for input encoding: ")
        .NoShapeCheck();
  }
  for (const int code : {0, 0xd800, 0x10ffff}) {
    c.Ok({StrScalar("a\xff")},
         {{"input_encoding", "UTF-8"}, {"replacement_char", code}});
  }
  for (const int code : {-1, 0x110000}) {
    c.Error({StrScalar("a")},
            {{"input_encoding", "UTF-8"}, {"replacement_char", code}}, kInvalid,
            "replacement_char out of unicode codepoint range")
        .NoShapeCheck();
  }
  c.Error({StrScalar("a")},
          {{"input_encoding", "UTF-8"}, {"replacement_char", int64_t{1} << 40}},
          kInvalid,
          "Attr replacement_char has value 1099511627776 out of range for an "
          "int32")
      .NoShapeCheck();
}

}  // namespace

MR_CASES(UnicodeDecode)(CaseList& c) { DecodedTexts(c); }

MR_CASES(UnicodeDecodeWithOffsets)(CaseList& c) { DecodedTexts(c); }

}  // namespace millrace::cases
