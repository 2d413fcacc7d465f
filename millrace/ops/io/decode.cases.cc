#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kInt32 = DataType::kInt32;
constexpr DataType kString = DataType::kString;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

}  // namespace

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

MR_CASES(DecodeRaw)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    const std::string bytes =
        t == DataType::kBool
            ? std::string("\0\1\1\0\0\1\1\1\0\1\0\1\0\0\0\1", 16)
            : "0123456789@bcdef";
    c.Ok({Str({bytes, bytes})}, {{"out_type", t}}).Exact();
    c.Ok({StrScalar(bytes)}, {{"out_type", t}, {"little_endian", false}})
        .Exact();
    c.Ok({Str({2, 1}, {"", ""})}, {{"out_type", t}});
    c.Ok({Empty(kString, {0})}, {{"out_type", t}});
  });
  c.Error({Str({"ab", "abc"})}, {{"out_type", DataType::kUint8}}, kInvalid,
          "DecodeRaw requires input strings to all be the same size, but "
          "element 1 has size 2 != 3");
  c.Error({Str({"abc"})}, {{"out_type", kInt32}}, kInvalid,
          "Input to DecodeRaw has length 3 that is not a multiple of 4, the "
          "size of int32");
}

MR_CASES(DecodePaddedRaw)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    c.Ok({Str({"0123456789@bcdefgh", "01"}), Scalar(16)}, {{"out_type", t}})
        .Exact();
  });
  c.Error({Str({"abc"}), Scalar(0)}, {{"out_type", kInt32}}, kInvalid,
          "fixed_length (0) must be greater than zero.")
      .NoShapeCheck();
  c.Error({Str({"abc"}), Scalar(3)}, {{"out_type", kInt32}}, kInvalid,
          "fixed_length (3) must be a multiple of the size of out_type (4)")
      .NoShapeCheck();
}

MR_CASES(DecodeCompressed)(CaseList& c) {
  c.Ok({Str({"as it is", ""})});
  const std::string zlib("\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15",
                         13);
  c.Ok({Str({zlib})}, {{"compression_type", "ZLIB"}});
  c.Error({Str({"a"})}, {{"compression_type", "LZ"}}, kInvalid, "Only ZLIB");
}

// Files of a folder that every machine may write.
MR_CASES(WriteFile)(CaseList& c) {
  c.Sequence("and read")
      .Node("write", "WriteFile",
            {StrScalar("/tmp/millrace_cases/deep/a.txt"), StrScalar("text")})
      .Node("again", "WriteFile",
            {StrScalar("/tmp/millrace_cases/deep/b.txt"), StrScalar("")})
      .Node("read", "ReadFile", {StrScalar("/tmp/millrace_cases/deep/a.txt")})
      .Node("match", "MatchingFiles",
            {Str({"/tmp/millrace_cases/deep/b*",
                  "/tmp/millrace_cases/deep/?.txt"})})
      .Run({"write"})
      .Run({"again"})
      .Run({"read"})
      .Run({"match"});
  c.Error({Str({"/tmp/millrace_cases/x", "y"}), StrScalar("")}, kInvalid,
          "Input filename tensor must be scalar, but had shape: [2]")
      .NoShapeCheck();
}
MR_CASES(ReadFile)(CaseList& c) {
  c.Error({StrScalar("/tmp/millrace_cases/none")}, StatusCode::kNotFound,
          "/tmp/millrace_cases/none; No such file or directory");
}
MR_CASES(MatchingFiles)(CaseList& c) {
  c.Ok({StrScalar("/tmp/millrace_cases/deeper/*")});
  c.Ok({Empty(kString, {0})});
}

}  // namespace millrace::cases
