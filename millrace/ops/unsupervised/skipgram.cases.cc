#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// 310 words, of which no two are as frequent: a 155 times, b 80, c 50, d 20, e
// 5.
std::string Text() {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 10; ++k) text += "a b a\tc a\n";
    text += " b  b a b\r\nb b d d d d b e\n";
  }
  return text;
}

struct Batches {
  std::string name;
  AttrMap attrs;
};

// The content is always the same, since other processes may run the same case.
Case& Text(CaseList& c, const Batches& b) {
  const std::string file = "/tmp/millrace_cases/Skipgram/" + b.name;
  AttrMap attrs = b.attrs;
  attrs.Set("filename", file);
  if (attrs.Find("batch_size") == nullptr) attrs.Set("batch_size", 8);
  return c.Sequence(b.name)
      .Node("write", "WriteFile", {StrScalar(file), StrScalar(Text())})
      .Node("op", "Skipgram", {}, attrs)
      .Run({"write"});
}

}  // namespace

MR_CASES(Skipgram)(CaseList& c) {
  Text(c, {"twice", {}}).Run({"op"}).Run({"op"});
  Text(c, {"many", {{"batch_size", 7000}}}).Run({"op"}).Run({"op"});
  Text(c, {"all words", {{"subsample", 0.0f}}}).Run({"op"});
  Text(c, {"frequent words", {{"min_count", 60}}}).Run({"op"});
  Text(c, {"window", {{"window_size", 2}, {"min_count", 0}}}).Run({"op"});
  Text(c, {"no window", {{"window_size", 0}}}).Run({"op"});
  Text(c, {"no batch", {{"batch_size", 0}}}).Run({"op"});
  const StatusCode invalid = StatusCode::kInvalidArgument;
  Text(c, {"little data", {{"window_size", 100}}})
      .RunError({"op"}, invalid, "contains too little data: ");
  Text(c, {"large batch", {{"batch_size", int64_t{1} << 33}}})
      .RunError({"op"}, invalid,
                "Attr batch_size has value 8589934592 out of range for an "
                "int32");
  Text(c, {"negative", {{"window_size", -3}}})
      .NoStock("ends its process")
      .RunError({"op"}, invalid, "must not be negative");
  c.Error({}, {{"filename", "/tmp/millrace_cases/none"}, {"batch_size", 4}},
          StatusCode::kNotFound,
          "/tmp/millrace_cases/none; No such file or directory");
}

}  // namespace millrace::cases
