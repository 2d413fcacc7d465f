#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(DecodeCSV)(CaseList& c) {
  const Value f = Vec(kFloat, {1.5}), i = Vec(kInt32, {7}), s = Str({"none"});
  const Value must = Empty(kInt32, {0});
  c.Ok({Str({"1.5,2,a", ",,", " 3 , -4 , b ", "1e3,+5,\"x,\"\"y\"\"\""}), f, i,
        s})
      .Name("columns");
  c.Ok({StrScalar("1,2,"), f, i, s});
  c.Ok({Str({1, 2}, {"0.25,12,\"\"", "inf,0,\"a\nb\""}), f, i, s});
  c.Ok({Str({"9007199254740993|0.1"}), Vec(DataType::kInt64, {0}),
        Vec(DataType::kDouble, {0})},
       {{"field_delim", "|"}});
  c.Ok({Str({"NA,NA,NA", "1,2,3"}), f, i, s}, {{"na_value", "NA"}});
  c.Ok({Str({"\"a\",b\"c"}), s, s}, {{"use_quote_delim", false}});
  c.Ok({Str({"a,1,b,2,c", "d,3,e,4,\"f"}), i, i},
       {{"select_cols", IntList{1, 3}}});
  c.Ok({Str({"a,b,", "a,b,c"}), s}, {{"select_cols", IntList{2}}});
  c.Ok({Str({"\r\n3,4"}), i, i});
  c.Ok({Empty(kString, {0}), i, i});
  c.Ok({Str({"5"}), Scalar(kInt32, 3)});
  c.Ok({Str({"-0.0,16777217", ".5,5.", "1e-45,4.9e-324", "+1.5,+1.5", "0.1,0.1",
             "1E5,1e+05", "nan,-inf", "33554435,9007199254740993",
             "0.1234567890123456789,0.1234567890123456789",
             "3.4028235e38,1.7976931348623157e308", " 7 , 7 "}),
        f, Vec(DataType::kDouble, {0})})
      .Name("numbers");
  for (const char* no_number : {"1e", "1_0", "0x", "--1", "1.5.5", "e5", "."}) {
    c.Error(
        {Str({no_number}), f}, kInvalid,
        absl::StrCat("Field 0 in record 0 is not a valid float: ", no_number));
  }
  c.Error({Str({"1,2", "1"}), i, i}, kInvalid,
          "Expect 2 fields but have 1 in record 1");
  c.Error({Str({""}), i}, kInvalid, "Expect 1 fields but have 0 in record 0");
  c.Error({Str({"1,2,3"}), i, i}, kInvalid,
          "Expect 2 fields but have 3 in record 0");
  c.Error({Str({"1,"}), i, must}, kInvalid,
          "Field 1 is required but missing in record 0!");
  c.Error({Str({"x"}), i}, kInvalid,
          "Field 0 in record 0 is not a valid int32: x");
  c.Error({Str({"3000000000"}), i}, kInvalid,
          "Field 0 in record 0 is not a valid int32: 3000000000");
  c.Error({Str({"x"}), f}, kInvalid,
          "Field 0 in record 0 is not a valid float: x");
  c.Error({Str({"a\"b"}), s}, kInvalid,
          "Unquoted fields cannot have quotes/CRLFs inside");
  c.Error({Str({"1\n"}), i}, kInvalid,
          "Unquoted fields cannot have quotes/CRLFs inside");
  c.Error({Str({"\"a\"b"}), s}, kInvalid,
          "Quote inside a string has to be escaped by another quote");
  c.Error({Str({"\"ab"}), s}, kInvalid,
          "Quoted field has to end with quote followed by delim or end");
  c.Error({Str({"1,2"}), i, i}, {{"field_delim", ",,"}}, kInvalid,
          "field_delim should be only 1 char");
  c.Error({Str({"1,2"}), i, i}, {{"select_cols", IntList{1, 0}}}, kInvalid,
          "select_cols should be strictly increasing indices");
  c.Error({Str({"1,2"}), i, i}, {{"select_cols", IntList{1}}}, kInvalid,
          "select_cols should match output size");
  c.Error({Str({"1,2"}), i}, {{"select_cols", IntList{-1}}}, kInvalid,
          "select_cols should be non-negative indices");
}

}  // namespace millrace::cases
