#include "millrace/ops/unicode/texts.cases.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap FromTo(const char* from, const char* to) {
  return {{"input_encoding", from}, {"output_encoding", to}};
}

}  // namespace

MR_CASES(UnicodeTranscode)(CaseList& c) {
  for (const char* const to : {"UTF-8", "UTF-16-BE", "UTF-32-BE"}) {
    c.Ok({MixedTexts()}, FromTo("UTF-8", to));
    c.Ok({HighBytes()}, FromTo("latin1", to));
    c.Ok({HighBytes()}, FromTo("windows-1252", to));
    c.Ok({Empty(DataType::kString, {0, 2})}, FromTo("UTF-8", to));
    for (const char* const errors : {"replace", "ignore"}) {
      AttrMap attrs = FromTo("UTF-8", to);
      attrs.Set("errors", errors);
      attrs.Set("replacement_char", 0x1f600);
      attrs.Set("replace_control_characters", true);
      c.Ok({MixedTexts()}, attrs);
    }
    AttrMap strict = FromTo("UTF-8", to);
    strict.Set("errors", "strict");
    c.Ok({WellFormedTexts()}, strict);
    c.Error({MixedTexts()}, strict, kInvalid,
            "Invalid formatting on input string");
  }
  c.Error({StrScalar("a")}, FromTo("nope", "UTF-8"), kInvalid,
          "Could not create converter for input encoding: nope")
      .NoShapeCheck();
  AttrMap attrs = FromTo("UTF-8", "UTF-8");
  attrs.Set("replacement_char", 0x110000);
  c.Error({StrScalar("a")}, attrs, kInvalid,
          "replacement_char out of unicode codepoint range")
      .NoShapeCheck();
}

}  // namespace millrace::cases
