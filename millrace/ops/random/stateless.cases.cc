#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kU64 = DataType::kUint64;

Value Key() { return Values<uint64_t>({0x123456789abcdef0}); }
Value Counter() { return Values<uint64_t>({7, 0xfedcba9876543210}); }

void BySeed(CaseList& c, DataType t) {
  c.Ok({Vec({3, 7}), Vec(kInt64, {12, -5})}, {{"dtype", t}});
  c.Ok({Vec(kInt64, {1001}), Vec(kInt32, {-1, 77})}, {{"dtype", t}});
  c.Ok({Vec({0, 7}), Vec(kInt64, {1, 2})}, {{"dtype", t}});
}
void ByKey(CaseList& c, DataType t) {
  for (const int algorithm : {1, 3}) {
    c.Ok({Vec({3, 7}), Key(), Counter(), Scalar(algorithm)}, {{"dtype", t}});
  }
  c.Ok({Vec(kInt64, {1001}), Key(), Counter(), Scalar(1)}, {{"dtype", t}});
}

void SeedCases(CaseList& c) {
  c.EachType("dtype", BySeed);
  c.Error({Vec({3}), Vec({1, 2, 3})}, {{"dtype", c.AllowedTypes("dtype")[0]}},
          kInvalid, "seed must have shape [2], not [3]")
      .NoShapeCheck();
  c.Error({Scalar(3), Vec({1, 2})}, {{"dtype", c.AllowedTypes("dtype")[0]}},
          kInvalid, "shape must be a vector of {int32,int64}, got shape []")
      .NoShapeCheck();
  c.Error({Vec({-3}), Vec({1, 2})}, {{"dtype", c.AllowedTypes("dtype")[0]}},
          kInvalid, "")
      .NoShapeCheck();
}
void KeyCases(CaseList& c) {
  c.EachType("dtype", ByKey);
  const AttrMap attrs = {{"dtype", c.AllowedTypes("dtype")[0]}};
  // Stock misses a longer counter.
  c.Error({Vec({3}), Key(), Counter(), Scalar(9)}, attrs, kInvalid, "");
  c.Error({Vec({3}), Counter(), Counter(), Scalar(1)}, attrs, kInvalid,
          "key must have shape [1], not [2]")
      .NoShapeCheck();
  c.Error({Vec({3}), Key(), Key(), Scalar(1)}, attrs, kInvalid,
          "counter must be a vector with length at least 2")
      .NoStock("reads beyond the counter");
}

void KeyCounterCases(CaseList& c) {
  c.Ok({Vec(kInt64, {12, -5})});
  c.Ok({Vec(kInt32, {-12, 5})});
  c.Error({Vec(kInt64, {12})}, kInvalid, "seed must have shape [2], not [1]")
      .NoShapeCheck();
}

}  // namespace

MR_CASES(StatelessRandomUniform)(CaseList& c) { SeedCases(c); }
MR_CASES(StatelessRandomNormal)(CaseList& c) { SeedCases(c); }
MR_CASES(StatelessTruncatedNormal)(CaseList& c) { SeedCases(c); }
MR_CASES(StatelessRandomUniformV2)(CaseList& c) { KeyCases(c); }
MR_CASES(StatelessRandomNormalV2)(CaseList& c) { KeyCases(c); }
MR_CASES(StatelessTruncatedNormalV2)(CaseList& c) { KeyCases(c); }

MR_CASES(StatelessRandomUniformInt)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    for (const DataType i : {kInt32, kInt64}) {
      c.Ok({Vec(i, {3, 7}), Vec(i, {12, -5}), Scalar(t, -5), Scalar(t, 1000)});
    }
    c.Ok({Vec({0}), Vec({1, 2}), Scalar(t, 5), Scalar(t, 5)});
    c.Error({Vec({3}), Vec({1, 2}), Scalar(t, 5), Scalar(t, 5)}, kInvalid,
            "Need minval < maxval, got 5 >= 5");
    c.Error({Vec({3}), Vec({1, 2}), Vec(t, {5}), Scalar(t, 5)}, kInvalid,
            "minval must be 0-D, got shape [1]")
        .NoShapeCheck();
  });
}
MR_CASES(StatelessRandomUniformIntV2)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    for (const DataType i : {kInt32, kInt64}) {
      c.Ok({Vec(i, {101}), Key(), Counter(), Scalar(1), Scalar(t, -5),
            Scalar(t, 1000)});
    }
    c.Error({Vec({3}), Key(), Counter(), Scalar(1), Scalar(t, 5), Scalar(t, 5)},
            kInvalid, "Need minval < maxval, got 5 >= 5");
  });
}
MR_CASES(StatelessRandomUniformFullInt)(CaseList& c) {
  SeedCases(c);
  for (const DataType t : {DataType::kUint32, kU64}) {
    c.Ok({Vec({0}), Vec(t, {1, 2})}, {{"dtype", kU64}});
    c.Error({Vec({3}), Vec(t, {1, 2})}, {{"dtype", kU64}}, kInvalid,
            "Invalid seed type: ");
  }
}
MR_CASES(StatelessRandomUniformFullIntV2)(CaseList& c) { KeyCases(c); }
MR_CASES(StatelessRandomGetKeyCounter)(CaseList& c) { KeyCounterCases(c); }
MR_CASES(StatelessRandomGetKeyCounterAlg)(CaseList& c) { KeyCounterCases(c); }
MR_CASES(StatelessRandomGetAlg)(CaseList& c) { c.Ok({}); }

}  // namespace millrace::cases
