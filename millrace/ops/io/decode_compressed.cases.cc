#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(DecodeCompressed)(CaseList& c) {
  c.Ok({Str({"as it is", ""})});
  const std::string zlib("\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15",
                         13);
  c.Ok({Str({zlib})}, {{"compression_type", "ZLIB"}});
  c.Error({Str({"a"})}, {{"compression_type", "LZ"}}, kInvalid, "Only ZLIB");
}

}  // namespace millrace::cases
