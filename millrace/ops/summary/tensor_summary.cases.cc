#include "tests/cases/case.h"

namespace millrace::cases {
// The message holds the node's name, which is another one on stock;
// TensorSummaryV2's cases compare the rest of it.
MR_CASES(TensorSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}).Random();
    c.Ok({Rand(t, {})}).Random();
  });
  c.Ok({Empty(kFloat, {0, 2})}).Random();
}

MR_CASES(TensorSummaryV2)(CaseList& c) {
  // A plug-in called "p".
  const auto metadata = [] {
    return StrScalar(std::string("\x0a\x03\x0a\x01p", 5));
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({StrScalar("x"), Rand(t, {2, 3}), metadata()});
    c.Ok({StrScalar("x"), Rand(t, {}), StrScalar("")});
  });
  c.Ok({StrScalar(""), Empty(kFloat, {0, 2}), metadata()});
  c.Error({Str({"x"}), F32({2}), metadata()}, kInvalid, "tag must be scalar");
  c.Error({StrScalar("x"), F32({2}), Str({"a"})}, kInvalid,
          "serialized_summary_metadata must be scalar");
  c.Error({StrScalar("x"), F32({2}), StrScalar("\x0a\x09")}, kInvalid,
          "serialized_summary_metadata is no message")
      .NoStock("leaves it out");
}

}  // namespace millrace::cases
