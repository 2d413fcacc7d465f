#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Multinomials(CaseList& c) {
  const bool stateless = c.op().inputs.size() > 2;
  const auto inputs = [&](Value logits, int samples, DataType seed) {
    std::vector<Value> list = {std::move(logits), Scalar(samples)};
    if (stateless) list.push_back(Vec(seed, {3, 8}));
    return list;
  };
  const AttrMap seeds =
      stateless ? AttrMap() : AttrMap({{"seed", 7}, {"seed2", 1}});
  for (const DataType i : kIndexTypes) {
    AttrMap attrs = seeds;
    attrs.Set("output_dtype", i);
    c.EachType("T", [&](CaseList& c, DataType t) {
      c.Ok(inputs(Rand(t, {2, 5}), 9, i), attrs);
    });
  }
  const DataType i64 = DataType::kInt64;
  c.Ok(inputs(Of(kFloat, {1, 4}, {-INFINITY, 1, NAN, 2}), 20, i64), seeds);
  c.Ok(inputs(F32({3, 5}), 0, i64), seeds);
  c.Ok(inputs(Empty(kFloat, {0, 5}), 3, i64), seeds);
  c.Error(inputs(F32({5}), 3, i64), seeds, kInvalid,
          "logits should be a matrix, got shape [5]")
      .NoShapeCheck();
  c.Error(inputs(F32({2, 5}), -1, i64), seeds, kInvalid,
          "num_samples should be non-negative, got -1")
      .NoShapeCheck();
  c.Error(inputs(Empty(kFloat, {2, 0}), 3, i64), seeds, kInvalid,
          "num_classes should be positive, got 0");
}

}  // namespace

MR_CASES(Multinomial)(CaseList& c) { Multinomials(c); }
MR_CASES(StatelessMultinomial)(CaseList& c) { Multinomials(c); }

}  // namespace millrace::cases
