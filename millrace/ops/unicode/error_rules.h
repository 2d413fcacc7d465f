// ErrorRules: what Unicode ops do with malformed bytes, with code points that
// are none, and with control characters.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/utf8.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/unicode/text_decoder.h"

namespace millrace::ops {

struct ErrorRules {
  enum class Mode { kStrict, kReplace, kIgnore };

  Mode mode = Mode::kReplace;
  char32_t replacement = kReplacementCharacter;
  bool control_too = false;  // control characters count as malformed

  // Reads the attributes errors, replacement_char and, if the op has it,
  // replace_control_characters. Returns INVALID_ARGUMENT if the replacement is
  // no code point.
  static StatusOr<ErrorRules> Read(const KernelInit& init) {
    ErrorRules rules;
    MR_ASSIGN_OR_RETURN(const std::string errors,
                        init.Attr<std::string>("errors"));
    rules.mode = errors == "strict"   ? Mode::kStrict
                 : errors == "ignore" ? Mode::kIgnore
                                      : Mode::kReplace;
    MR_ASSIGN_OR_RETURN(const int64_t replacement,
                        init.Attr<int64_t>("replacement_char"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("replacement_char", replacement));
    if (replacement < 0 || replacement > 0x10ffff) {
      return InvalidArgument("replacement_char out of unicode codepoint range");
    }
    rules.replacement = static_cast<char32_t>(replacement);
    if (init.HasAttr("replace_control_characters")) {
      MR_ASSIGN_OR_RETURN(rules.control_too,
                          init.Attr<bool>("replace_control_characters"));
    }
    return rules;
  }

  bool Forbids(const TextCharacter& c) const {
    return c.malformed && mode == Mode::kStrict;
  }
  // Replaces a character where the rules say so. Returns false if it is
  // dropped. Requires: they do not forbid it.
  bool Apply(TextCharacter* c) const {
    if (!c->malformed && !(control_too && c->code <= 0x1f)) return true;
    c->code = replacement;
    return mode != Mode::kIgnore;
  }
};

}  // namespace millrace::ops
