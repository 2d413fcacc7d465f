#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Print)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), F32({4}), Str({"a", "b"}), Bool({})},
         {{"message", "a message: "}});
  });
  c.Ok({F32({2})}, {{"first_n", 1}});
  c.Ok({F32({2, 3}), F32({4})}).Gradient({0});
}

MR_CASES(PrintV2)(CaseList& c) {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  for (const char* const stream :
       {"stderr", "log(info)", "log(warning)", "log(error)"}) {
    c.Ok({StrScalar("a text of a test")}, {{"output_stream", stream}});
  }
  c.Ok({StrScalar("")}, {{"end", ""}});
  c.Ok({StrScalar(std::string("a\0b", 3))}, {{"end", " .\n"}});
  c.Error({StrScalar("x")}, {{"output_stream", "tf.logging.info"}}, kInvalid,
          "Unknown output stream: tf.logging.info, Valid streams are: stdout "
          "stderr log(info) log(warning) log(error)")
      .NoShapeCheck();
  c.Error({StrScalar("x")},
          {{"output_stream", "file:///no folder of this name/x.txt"}},
          StatusCode::kNotFound, "/no folder of this name/x.txt");
  c.Error({Str({"a", "b"})}, kInvalid,
          "Input is expected to be scalar, but got [2]")
      .NoShapeCheck();
  c.BuildError({Str({"a", "b"})}, {},
               "input must be a scalar, but has rank: 1");
}

}  // namespace millrace::cases
