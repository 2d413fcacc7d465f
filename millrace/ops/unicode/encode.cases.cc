#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap To(const char* encoding, const char* errors = "replace",
           int replacement = 65533) {
  return {{"output_encoding", encoding},
          {"errors", errors},
          {"replacement_char", replacement}};
}

}  // namespace

MR_CASES(UnicodeEncode)(CaseList& c) {
  const Value fine = Vec({72, 0x20ac, 0x1f600, 0, 0xfffe, 0xffff, 0x10ffff});
  const Value bad = Vec({72, 0xd800, 0xdfff, 0x110000, -1, 65});
  c.EachType("Tsplits", [&](CaseList& c, DataType t) {
    for (const char* const to : {"UTF-8", "UTF-16-BE", "UTF-32-BE"}) {
      c.Ok({fine, Vec(t, {0, 3, 3, 7})}, To(to, "strict"));
      c.Ok({bad, Vec(t, {0, 6})}, To(to));
      c.Ok({bad, Vec(t, {0, 2, 6})}, To(to, "replace", 65));
      c.Ok({bad, Vec(t, {0, 6})}, To(to, "ignore"));
      c.Error({bad, Vec(t, {0, 6})}, To(to, "strict"), kInvalid,
              "Code point is out of range for Unicode, or is a surrogate.");
    }
    c.Ok({Empty(DataType::kInt32, {0}), Vec(t, {0})}, To("UTF-8"));
    c.Ok({Empty(DataType::kInt32, {0}), Vec(t, {0, 0})}, To("UTF-8"));
    const Value three = Vec({72, 73, 74});
    c.Error({three, Vec(t, {1, 3})}, To("UTF-8"), kInvalid,
            "First value in input_splits must be zero.");
    c.Error({three, Vec(t, {0, 2})}, To("UTF-8"), kInvalid,
            "Last value in input_splits must be equal to length of "
            "input_tensor.");
    c.Error({three, Vec(t, {0, 3, 2})}, To("UTF-8"), kInvalid,
            "Last value in input_splits must be equal to length of "
            "input_tensor.");
    c.Error({three, Vec(t, {0, -1, 3})}, To("UTF-8"), kInvalid,
            "Values in input_splits must be equal or in ascending order.");
    c.Error({three, Vec(t, {0, 2, 1, 3})}, To("UTF-8"), kInvalid,
            "Values in input_splits must be equal or in ascending order.");
    c.Error({three, Vec(t, {0, 4, 3})}, To("UTF-8"), kInvalid,
            "Values in input_splits must be less than or equal to "
            "input_tensor length.");
    c.Error({three, Empty(t, {0})}, To("UTF-8"), kInvalid,
            "Input_splits should contain elements, but given input_values has "
            "0 elements")
        .NoShapeCheck();
    c.Error({Of(DataType::kInt32, {1, 1}, {72}), Vec(t, {0, 1})}, To("UTF-8"),
            kInvalid,
            "Both the input_tensor and input_splits should be of rank 1. ")
        .NoShapeCheck();
    c.BuildError({three, Empty(t, {0})}, To("UTF-8"),
                 "Negative dimension size caused by subtracting 1 from 0");
    c.BuildError({Scalar(72), Vec(t, {0, 1})}, To("UTF-8"),
                 "Shape must be rank 1 but is rank 0");
  });
  c.Error({Vec({72}), Vec(DataType::kInt64, {0, 1})},
          To("UTF-8", "replace", -1), kInvalid,
          "replacement_char out of unicode codepoint range")
      .NoShapeCheck();
}

}  // namespace millrace::cases
