#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// A string of each length up to 140, where every form of the functions begins
// and ends, and some longer ones.
Value Lengths() {
  Tensor t = Tensor::New(DataType::kString, TensorShape({150}));
  std::string text;
  for (int i = 0; i < 150; ++i) {
    t.mutable_flat<StringElement>()[static_cast<size_t>(i)].Assign(text);
    for (int k = 0; k < (i < 140 ? 1 : 17); ++k) {
      text.push_back(static_cast<char>(37 * static_cast<int>(text.size()) + i));
    }
  }
  return t;
}

void Buckets(CaseList& c, AttrMap attrs) {
  for (const int64_t n : {int64_t{1}, int64_t{10}, int64_t{1} << 62}) {
    AttrMap with = attrs;
    with.Set("num_buckets", n);
    c.Ok({Lengths()}, with);
    c.Ok({StrScalar("a")}, with);
    c.Ok({Empty(DataType::kString, {2, 0})}, with);
  }
  attrs.Set("num_buckets", 0);
  c.BuildError({StrScalar("a")}, attrs, "num_buckets");
}

}  // namespace

MR_CASES(StringToHashBucket)(CaseList& c) { Buckets(c, {}); }
MR_CASES(StringToHashBucketFast)(CaseList& c) { Buckets(c, {}); }
MR_CASES(StringToHashBucketStrong)(CaseList& c) {
  Buckets(c, {{"key", IntList{0, 0}}});
  Buckets(c, {{"key", IntList{-123456789012345, 987654321098765}}});
  c.Error({StrScalar("a")}, {{"num_buckets", 2}, {"key", IntList{1}}},
          StatusCode::kInvalidArgument, "Key must have 2 elements");
}

}  // namespace millrace::cases
