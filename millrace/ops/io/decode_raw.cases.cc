#include "tests/cases/case.h"

namespace millrace::cases {
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

}  // namespace millrace::cases
