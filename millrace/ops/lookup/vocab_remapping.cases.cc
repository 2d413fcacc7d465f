#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

struct Vocabularies {
  std::string name;
  std::string fresh, old;
  int offset, count, old_size = -1;
};

// The content is always the same, since other processes may run the same case.
Case& Remapped(CaseList& c, const Vocabularies& v) {
  const std::string folder =
      "/tmp/millrace_cases/GenerateVocabRemapping/" + v.name;
  return c.Sequence(v.name)
      .Node("new", "WriteFile",
            {StrScalar(folder + "/new"), StrScalar(v.fresh)})
      .Node("old", "WriteFile", {StrScalar(folder + "/old"), StrScalar(v.old)})
      .Node("op", "GenerateVocabRemapping",
            {StrScalar(folder + "/new"), StrScalar(folder + "/old")},
            {{"new_vocab_offset", v.offset},
             {"num_new_vocab", v.count},
             {"old_vocab_size", v.old_size}})
      .Run({"new", "old"});
}

}  // namespace

MR_CASES(GenerateVocabRemapping)(CaseList& c) {
  const std::string fresh = "d\nx\na\nb\ny\n";
  const std::string old = "a\nb\nc\nd\n";
  const auto ok = [&c](const Vocabularies& v) { Remapped(c, v).Run({"op"}); };
  ok({"all", fresh, old, 0, 5});
  ok({"some", fresh, old, 2, 2});
  ok({"old size", fresh, old, 0, 5, 2});
  ok({"none", fresh, old, 0, 0});
  ok({"none at the end", fresh, old, 5, 0});
  ok({"twice", "a\nb\na\n", old, 0, 3});
  ok({"other line ends", "a\r\nb", old, 0, 2});
  const auto error = [&c](const Vocabularies& v, const char* words,
                          StatusCode code = kInvalid) {
    Remapped(c, v).RunError({"op"}, code, words);
  };
  const char* const too_many =
      "lookup table size must be larger than last new vocab entry's line";
  error({"too many", fresh, old, 0, 9}, too_many);
  error({"too far", fresh, old, 9, 1}, too_many);
  error({"old size of 0", fresh, old, 0, 5, 0}, "Finished reading 0 of lines",
        StatusCode::kOutOfRange);
  error({"old size of 9", fresh, old, 0, 5, 9}, "expected 9 but got 4");
  error({"old line twice", fresh, "a\nb\na\n", 0, 5},
        "HashTable has different value for same key. Key a has 0 and trying "
        "to add value 2",
        StatusCode::kFailedPrecondition);
  error({"empty old line", fresh, "a\n\nb\n", 0, 5},
        "empty line found at position 3.");
  error({"empty new line", "a\n\nb\n", old, 0, 1},
        "empty line found at position 3.");
  error({"no new line", "", old, 0, 0}, "Read less bytes than requested",
        StatusCode::kOutOfRange);
  error({"no old line", fresh, "", 0, 1}, "Read less bytes than requested",
        StatusCode::kOutOfRange);
  const AttrMap attrs = {{"new_vocab_offset", 0}, {"num_new_vocab", 1}};
  c.Error({StrScalar("/tmp/millrace_cases/none"), StrScalar("x")}, attrs,
          StatusCode::kNotFound,
          "/tmp/millrace_cases/none; No such file or directory");
  c.Error({Str({"x"}), StrScalar("x")}, attrs, kInvalid,
          "new_vocab_file should be a single string, but got [1]")
      .NoShapeCheck();
  c.Error({StrScalar(""), StrScalar("x")}, attrs, kInvalid,
          "new vocab filename cannot be empty.");
  c.Error({StrScalar("x"), StrScalar("x")},
          {{"new_vocab_offset", 0}, {"num_new_vocab", int64_t{1} << 40}},
          kInvalid,
          "Attr num_new_vocab has value 1099511627776 out of range for an "
          "int32");
}

}  // namespace millrace::cases
