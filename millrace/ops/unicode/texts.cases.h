// Texts for the cases of Unicode ops.
#pragma once

#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {

// Well-formed and malformed UTF-8, control characters, marks.
inline Value MixedTexts() {
  return Str({"hello", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "",
              "a\xff"
              "b\xc3",
              std::string("a\0b\x01\x7f\xc2\x85\n\r\t\x0b", 11),
              "\xed\xa0\x80x", "\xf4\x90\x80\x80", "\xe2\x82", "\xe2\x28\xa1",
              "\xc0\xaf", "\xef\xbf\xbd\xef\xbb\xbfq", "\xef\xbb\xbf",
              "\xf0\x9f\x98"});
}

inline Value WellFormedTexts() {
  return Str({2, 2}, {"hello", "", "\xc3\xa9\xe2\x82\xac",
                      "\xef\xbf\xbd\xf0\x9f\x98\x80"});
}

// All bytes from 0x80 on.
inline Value HighBytes() {
  std::string bytes;
  for (int b = 0x80; b < 0x100; ++b) bytes.push_back(static_cast<char>(b));
  return StrScalar(bytes);
}

}  // namespace millrace::cases
