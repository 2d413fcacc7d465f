#include "millrace/ops/parse/sequence_samples.cases.h"

namespace millrace::cases {
MR_CASES(ParseSingleSequenceExample)(CaseList& c) {
  AttrMap attrs = SequenceTypes();
  attrs.Set("Ncontext_dense", 1);
  const auto inputs = [](const std::string& message, Value may_miss,
                         Value fallback) {
    return std::vector<Value>{StrScalar(message),  std::move(may_miss),
                              StrScalar("s"),      StrScalar("d"),
                              StrScalar("ls"),     StrScalar("ld"),
                              std::move(fallback), StrScalar("n")};
  };
  const Value fallback = Full(kFloat, {2}, 0.5), may_miss = Str({"ld"});
  for (const std::string& message : SequenceSamples()) {
    c.Ok(inputs(message, may_miss, fallback), attrs);
  }
  c.Ok(inputs("", may_miss, fallback), attrs);
  const auto fails = [&](const std::string& message, const std::string& words) {
    c.Error(inputs(message, may_miss, fallback), attrs, kInvalid, words);
  };
  fails("bad", "Could not parse example input, value: 'bad");
  fails(Sequence({{"s", Floats({1})}}, {}),
        "Name: n, Context feature: s.  Data types don't match. Expected type: "
        "int64");
  fails(Sequence({{"d", Ints({1})}}, {}),
        "Name: n, Context feature: d.  Data types don't match. Expected type: "
        "float");
  fails(Sequence({{"d", Floats({1})}}, {}),
        "Name: n, Key: d, Index: 0.  Number of float values != expected.  "
        "values size: 1 but output shape: [2]");
  fails(Sequence({}, {{"ld", Rows({Ints({1, 2}), Ints({1})})}}),
        "Name: n, Key: ld, Index: 1.  Number of int64 values != expected.  "
        "values size: 1 but output shape: [2]");
  fails(Sequence({}, {{"ld", Rows({Floats({1, 2})})}}),
        "Name: n, Feature list: ld, Index: 0.  Data types don't match. "
        "Expected type: int64");
  fails(Sequence({}, {{"ls", Rows({Floats({1, 2})})}}),
        "Name: n, Feature List: ls, Index: 0.  Data types don't match. "
        "Expected type: string");
  c.Error(inputs("", NoStrings(), fallback), attrs, kInvalid,
          "Name: n, Feature list 'ld' is required but could not be found.");
  c.Error(inputs("", may_miss, Empty(kFloat, {0})), attrs, kInvalid,
          "Name: n, Context feature 'd' is required but could not be found.");
  std::vector<Value> vector = inputs("", may_miss, fallback);
  vector[2] = Str({"s"});
  c.Error(vector, attrs, kInvalid,
          "Expected context_sparse_keys[0] to be a scalar, got shape: [1]");
}

}  // namespace millrace::cases
