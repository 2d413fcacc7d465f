#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(EncodeBase64)(CaseList& c) {
  const Value bytes =
      Str({2, 3}, {"", "a", "ab", "abc", "\xff\xfe\xfd\xfb", "many bytes\n"});
  c.Ok({bytes});
  c.Ok({bytes}, {{"pad", true}});
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  c.Ok({Str({all, all.substr(1), all.substr(2)})});
  c.Ok({StrScalar(std::string("\0\0", 2))});
  c.Ok({Empty(DataType::kString, {0})});
}

MR_CASES(DecodeBase64)(CaseList& c) {
  c.Ok({Str({"", "YQ", "YQ==", "YWI", "YWI=", "YWJj", "__79-w", "YWJjZA"})});
  c.Ok({StrScalar("AAA")});
  c.Ok(
      {StrScalar("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                 "0123456789-_")});
  // Bits that no byte needs.
  c.Ok({Str({"YR", "YWK"})});
  for (const char* const text : {"Y", "YWJjZ", "YWJjYWJjY"}) {
    c.Error({StrScalar(text)}, StatusCode::kInvalidArgument,
            "Base64 string length cannot be 1 modulo 4");
  }
  for (const char* const text : {"a+b/", "YQ\n=", "Y Q=", "YQ=a", "====", "=",
                                 "YWJj\xff\x80zz", "YWJjYW+"}) {
    c.Error({StrScalar(text)}, StatusCode::kInvalidArgument, "ase64");
  }
}

}  // namespace millrace::cases
