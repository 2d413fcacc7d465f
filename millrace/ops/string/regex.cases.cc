#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(StaticRegexFullMatch)(CaseList& c) {
  c.Ok({Str({"s3://bucket/a", "/tmp/a", ""})}, {{"pattern", "^s3://.*"}});
  c.Ok({StrScalar("aaa")}, {{"pattern", "a{2,3}"}});
}

MR_CASES(RegexFullMatch)(CaseList& c) {
  c.Ok({Str({"abc", "abd"}), StrScalar("ab[c]")});
  c.Error({Str({"abc"}), StrScalar("a[")}, kInvalid, "Invalid pattern");
  c.Error({Str({"abc"}), Str({"a"})}, kInvalid,
          "Pattern must be scalar, but received")
      .NoShapeCheck();
}

MR_CASES(StaticRegexReplace)(CaseList& c) {
  const Value text = Str({2, 2}, {"a.b.c", "", "abcabc", "no"});
  c.Ok({text}, {{"pattern", "[ac]"}, {"rewrite", "<\\0>"}});
  c.Ok({text}, {{"pattern", "a(.)b?"}, {"rewrite", "\\1\\1"}});
  c.Ok({text},
       {{"pattern", "\\."}, {"rewrite", ""}, {"replace_global", false}});
  c.Ok({text}, {{"pattern", "x*"}, {"rewrite", "-"}});
  c.Ok({StrScalar("\xc3\xa9t\xc3\xa9")},
       {{"pattern", "(?i)\xc3\x89"}, {"rewrite", "e"}});
  // The last four: a surrogate, two texts longer than their character needs,
  // and one beyond the last character.
  const Value odd =
      Str({12}, {"", "a", "aa", "baaac", "\xc3\xa9t\xc3",
                 "\xe2\x82\xac\xf0\x9f\x98\x80", "\xff\x80x",
                 std::string(300, 'a'), "\xed\xa0\x80\xed", "\xe0\x80\x80",
                 "\xf0\x80\x80\x80", "\xf4\x90\x80\x80"});
  for (const char* pattern : {"", "a*", "a*?", "b*", "(a|b)", "$", "^", "\\b",
                              "a|a.*b", "\\C", ".", "x*$"}) {
    for (const char* rewrite :
         {"-", "", "<\\0>", "\\\\", "\\1", "\\q", "a\\q"}) {
      for (const bool everywhere : {true, false}) {
        c.Ok({odd}, {{"pattern", pattern},
                     {"rewrite", rewrite},
                     {"replace_global", everywhere}});
      }
    }
  }
  // Patterns of single characters.
  const Value words = Str(
      {6}, {"", "The cat, 99 dogs -\t\n", "]]^[\\[a-c]", "na\xc3\xafve x\xff",
            std::string("a\0b", 3), "  two  words  "});
  for (const char* pattern :
       {"[aeiou]", "[^a-z ]", "\\s+", "[^\\w]+", "\\.", "x", "[a-c\\-]+", "\\W",
        "[]a]", "[^]a]", "[[:alpha:]]", "[\\]\\\\]", "[a^-]", " +",
        "[\xc3\xaf]", "a{1}"}) {
    for (const char* rewrite : {"", "<\\0>", "\\1", "a\\q"}) {
      for (const bool everywhere : {true, false}) {
        c.Ok({words}, {{"pattern", pattern},
                       {"rewrite", rewrite},
                       {"replace_global", everywhere}});
      }
    }
  }
  // Many groups, mistakes behind a valid part, and a backslash at the end.
  for (const char* rewrite :
       {"\\9\\8\\0\\1", "\\0\\\\\\0", "<\\0\\q>", "<\\"}) {
    for (const bool everywhere : {true, false}) {
      c.Ok({Str({"abcdefghi", "abcdefghiabcdefghij", "abc"})},
           {{"pattern", "(a)(b)(c)(d)(e)(f)(g)(h)(i)"},
            {"rewrite", rewrite},
            {"replace_global", everywhere}});
    }
  }
  // A group that the pattern does not have: nothing is replaced.
  c.Ok({text}, {{"pattern", "a"}, {"rewrite", "\\2"}});
  c.Ok({Empty(DataType::kString, {0})}, {{"pattern", "a"}, {"rewrite", "b"}});
  c.Error({text}, {{"pattern", "("}, {"rewrite", "b"}}, kInvalid,
          "Invalid pattern: (");
}

MR_CASES(RegexReplace)(CaseList& c) {
  const Value text = Str({"aaa bbb", "", "ab ab"});
  c.Ok({text, StrScalar("(a)(b)"), StrScalar("\\2\\1")});
  c.Ok({text, StrScalar("b+"), StrScalar("[\\0]")},
       {{"replace_global", false}});
  c.Ok({StrScalar("x"), StrScalar("^"), StrScalar(">")});
  for (const char* rewrite : {"[\\0]", "\\1", "\\q"}) {
    c.Ok({Rand(DataType::kString, {70}), StrScalar("[a-m]"),
          StrScalar(rewrite)});
  }
  c.Error({text, StrScalar("a**("), StrScalar("")}, kInvalid,
          "Invalid pattern: a**(");
  c.Error({text, Str({"a"}), StrScalar("")}, kInvalid,
          "Pattern must be scalar, but received [1]")
      .NoShapeCheck();
  c.Error({text, StrScalar("a"), Str({""})}, kInvalid,
          "Rewrite must be scalar, but received [1]")
      .NoShapeCheck();
}

}  // namespace millrace::cases
