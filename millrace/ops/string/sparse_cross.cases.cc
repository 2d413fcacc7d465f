#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kI = DataType::kInt64;
constexpr DataType kS = DataType::kString;

// A sparse matrix of features.
struct Features {
  Value indices, values, shape;
};

struct CrossAttrs {
  DataType out = kS, internal = kS;
  bool hashed = false;
  int64_t buckets = 0, key = 956888297470;
};

AttrMap AttrsOf(const std::vector<Features>& sparse,
                const std::vector<Value>& dense, const CrossAttrs& attrs) {
  TypeList sparse_types, dense_types;
  for (const Features& f : sparse) {
    sparse_types.push_back(f.values.tensor.dtype());
  }
  for (const Value& v : dense) dense_types.push_back(v.tensor.dtype());
  return {{"N", static_cast<int64_t>(sparse.size())},
          {"hashed_output", attrs.hashed},
          {"num_buckets", attrs.buckets},
          {"hash_key", attrs.key},
          {"sparse_types", sparse_types},
          {"dense_types", dense_types},
          {"out_type", attrs.out},
          {"internal_type", attrs.internal}};
}

std::vector<Value> InputsOf(const std::vector<Features>& sparse,
                            const std::vector<Value>& dense) {
  std::vector<Value> in;
  for (const Features& f : sparse) in.push_back(f.indices);
  for (const Features& f : sparse) in.push_back(f.values);
  for (const Features& f : sparse) in.push_back(f.shape);
  in.insert(in.end(), dense.begin(), dense.end());
  return in;
}

Features Texts() {
  return {Of(kI, {3, 2}, {0, 0, 0, 1, 1, 0}), Str({"a", "", "c"}),
          Vec(kI, {2, 2})};
}
Features OtherTexts() {
  return {Of(kI, {3, 2}, {0, 0, 1, 0, 1, 1}), Str({"x", "yy", "z"}),
          Vec(kI, {2, 2})};
}
Features Numbers() {
  return {Of(kI, {3, 2}, {0, 0, 1, 0, 1, 1}), Vec(kI, {7, 8, -9}),
          Vec(kI, {2, 2})};
}
Features Single(Value indices, Value values, Value shape) {
  return {std::move(indices), std::move(values), std::move(shape)};
}

void AddErrors(CaseList& c) {
  const auto error = [&c](const Features& second, const char* words,
                          const std::vector<Value>& dense = {}) {
    const std::vector<Features> sparse = {Texts(), second};
    c.Error(InputsOf(sparse, dense), AttrsOf(sparse, dense, {}), kInvalid,
            words);
  };
  const Value one = Of(kI, {1, 2}, {0, 0}), shape = Vec(kI, {2, 2});
  error(Numbers(), "Input values should be of internal type 7 but received 9");
  error(Single(one, Str({"q"}), Vec(kI, {3, 2})),
        "Expected batch size 2 got 3 at position 1");
  error(Single(Of(kI, {1, 3}, {0, 0, 0}), Str({"q"}), shape),
        "Expected D2 of index to be 2 got 3 at position 1");
  error(Single(one, Str({"q", "r"}), shape),
        "Expected size of values to be 1 got 2 at position 1");
  error(Single(Vec(kI, {0}), Str({"q"}), shape),
        "Input indices should be a matrix but received shape [1] at position "
        "1");
  error(Single(one, Str({1, 1}, {"q"}), shape),
        "Input values should be a vector but received shape [1,1] at position "
        "1");
  error(Single(one, Str({"q"}), Of(kI, {1, 2}, {2, 2})),
        "Input shapes should be a vector but received shape [1,2] at position "
        "1");
  error(Single(one, Str({"q"}), Vec(kI, {2})),
        "shape should imply a 2D tensor, but got [1] at position 1");
  error(OtherTexts(),
        "Dense inputs should be a matrix but received shape [2] at position 0",
        {Str({"d", "e"})});
  error(OtherTexts(), "Expected batch size 2 got 3 at dense tensor 0",
        {Str({3, 1}, {"d", "e", "f"})});
  error(OtherTexts(),
        "Dense inputs should be of internal type 7 but received 9",
        {Of(kI, {2, 1}, {1, 2})});
}

}  // namespace

MR_CASES(SparseCross)(CaseList& c) {
  const auto ok = [&c](const std::vector<Features>& sparse,
                       const std::vector<Value>& dense,
                       const CrossAttrs& attrs = {}) {
    c.Ok(InputsOf(sparse, dense), AttrsOf(sparse, dense, attrs));
  };
  const Value letters = Str({2, 2}, {"d", "f", "e", "g"});
  const Value numbers = Of(kI, {2, 3}, {1, 2, 3, 4, -5, 6});
  for (const DataType out : {kS, kI}) {
    for (const bool hashed : {false, true}) {
      const CrossAttrs texts{.out = out, .hashed = hashed};
      const CrossAttrs any{.out = out, .internal = kI, .hashed = hashed};
      ok({Texts(), OtherTexts()}, {}, texts);
      ok({Texts()}, {}, texts);
      ok({Texts(), OtherTexts()}, {letters}, texts);
      ok({}, {letters, letters}, texts);
      ok({}, {}, texts);
      ok({Texts(), Numbers()}, {}, any);
      ok({Numbers(), Numbers(), Texts()}, {numbers, letters}, any);
      ok({}, {numbers}, any);
    }
  }
  for (const int64_t buckets : {1, 10, 1000}) {
    ok({Texts(), Numbers()}, {numbers},
       {.out = kI, .internal = kI, .hashed = true, .buckets = buckets});
  }
  ok({Texts(), OtherTexts()}, {},
     {.out = kI, .hashed = true, .buckets = 1000, .key = -3});
  // Rows without features, far away, out of order, and behind the end.
  const Value shape = Vec(kI, {2, 2});
  const auto with = [&](std::initializer_list<double> indices, Value values) {
    ok({Texts(),
        Single(Of(kI, {static_cast<int64_t>(indices.size()) / 2, 2}, indices),
               std::move(values), shape)},
       {});
  };
  with({}, Empty(kS, {0}));
  with({0, 0}, Str({"q"}));
  with({1, 0}, Str({"q"}));
  with({5, 0}, Str({"q"}));
  with({-1, 0}, Str({"q"}));
  with({1, 0, 0, 0}, Str({"q", "r"}));
  with({0, 5, 0, 1}, Str({"q", "r"}));
  const auto far = [&](std::initializer_list<double> indices) {
    return Single(Of(kI, {3, 2}, indices), Str({"q", "r", "s"}),
                  Vec(kI, {1000, 2}));
  };
  ok({far({1, 0, 500, 0, 999, 0}), far({2, 0, 500, 0, 998, 0})}, {});
  ok({far({1, 0, 998, 0, 999, 0}), far({0, 0, 2, 0, 999, 0})}, {});
  const std::vector<Features> many = {
      Single(Empty(kI, {0, 2}), Empty(kS, {0}), Vec(kI, {1e15, 2}))};
  c.Ok(InputsOf(many, {}), AttrsOf(many, {}, {}))
      .NoStock("stock looks at each row");
  ok({Texts()}, {Empty(kS, {2, 0})});
  AddErrors(c);
}

}  // namespace millrace::cases
