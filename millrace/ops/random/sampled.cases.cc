#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kF32 = DataType::kFloat;
constexpr DataType kF64 = DataType::kDouble;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
constexpr DataType kIndexTypes[] = {DataType::kInt32, DataType::kInt64};

}  // namespace

MR_CASES(RandomGamma)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const DataType i : kIndexTypes) {
      c.Ok({Vec(i, {3, 5}), Of(t, {2, 2}, {0.25, 1, 3.5, 100})},
           {{"seed", 7}, {"seed2", 1}});
    }
    c.Ok({Vec({200}), Of(t, {3}, {0.5, 1, 2})}, {{"seed", 3}});
    c.Sequence("goes_on")
        .Node("op", "RandomGamma", {Vec({5}), Of(t, {}, {2})}, {{"seed", 9}})
        .Run({"op"})
        .Run({"op"});
  });
  c.Ok({Vec({0}), F32({2})}, {{"seed", 7}});
  c.Ok({Empty(DataType::kInt32, {0}), Of(kF32, {2}, {1, 2})}, {{"seed", 7}});
  c.Ok({Vec({2}), Of(kF32, {2}, {1, 2})}).Random();
  c.Error({Vec({-2}), F32({2})}, {{"seed", 7}}, kInvalid, "").NoShapeCheck();
}

MR_CASES(RandomGammaGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double slack = t == kF32 ? 1e-4 : 1e-8;
    c.Ok({Rand(t, {50}, 0.01, 3), Rand(t, {50}, 0.001, 4)}).Tolerance(slack);
    // Stock's floats underflow where numbers lie far from alpha.
    if (t == kF32) {
      c.Ok({Rand(t, {20}, 10, 30), Rand(t, {20}, 10, 30)}).Tolerance(slack);
    } else {
      c.Ok({Rand(t, {20}, 3, 60), Rand(t, {20}, 3, 70)}).Tolerance(slack);
    }
    c.Ok({Rand(t, {3, 1}, 1, 5), Rand(t, {4}, 1, 5)}).Tolerance(slack);
    c.Ok({Of(t, {4}, {1, 2, -1, 0}), Of(t, {4}, {0, -1, 2, 2})});
  });
  c.Ok({Empty(kF32, {0}), Empty(kF32, {0})});
  c.Error({F32({2}), F32({3})}, kInvalid, "").NoShapeCheck();
}

namespace {

void Poissons(CaseList& c, DataType out, DataType rate, bool v2) {
  AttrMap attrs = {{"seed", 7}, {"seed2", 1}};
  if (v2) attrs.Set("dtype", out);
  c.Ok({Vec({3, 5}), Of(rate, {2, 3}, {0, 1, 3, 9, 10, 100})}, attrs);
  c.Ok({Vec({200}), Of(rate, {2}, {2, 50})}, attrs);
}

}  // namespace

MR_CASES(RandomPoisson)(CaseList& c) {
  c.EachType("dtype",
             [](CaseList& c, DataType t) { Poissons(c, t, t, false); });
  c.Ok({Vec(DataType::kInt64, {4}), Of(kF64, {2}, {0.5, 12.5})}, {{"seed", 7}});
}

MR_CASES(RandomPoissonV2)(CaseList& c) {
  c.EachType("dtype",
             [](CaseList& c, DataType t) { Poissons(c, t, kF64, true); });
  c.EachType("R", [](CaseList& c, DataType t) { Poissons(c, kF64, t, true); });
  c.Ok({Vec(DataType::kInt64, {4}), Of(kF64, {2}, {0.5, 12.5})},
       {{"seed", 7}, {"dtype", DataType::kInt32}});
  c.Ok({Vec({0}), F64({2})}, {{"seed", 7}});
  c.Ok({Vec({3}), Of(kF32, {1}, {INFINITY})}, {{"seed", 7}, {"dtype", kF32}});
  c.Ok({Vec({3}), Of(kF32, {1}, {3})}, {{"dtype", kF32}}).Random();
  c.Ok({Vec({3}), Of(kF32, {1}, {NAN})}, {{"seed", 7}, {"dtype", kF32}})
      .NoStock("draws without end");
  c.Error({Vec({3}), Of(kF64, {1}, {NAN})},
          {{"seed", 7}, {"dtype", DataType::kInt32}}, kInvalid,
          "rate must be a number that the type int32 of the output holds")
      .NoStock("draws without end");
  c.Error({Vec({3}), Of(kF64, {1}, {1e6})},
          {{"seed", 7}, {"dtype", DataType::kHalf}}, kInvalid,
          "rate must be a number that the type half of the output holds")
      .NoStock("draws without end");
}

namespace {

void Multinomials(CaseList& c, bool stateless) {
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
  c.Ok(inputs(Of(kF32, {1, 4}, {-INFINITY, 1, NAN, 2}), 20, i64), seeds);
  c.Ok(inputs(F32({3, 5}), 0, i64), seeds);
  c.Ok(inputs(Empty(kF32, {0, 5}), 3, i64), seeds);
  c.Error(inputs(F32({5}), 3, i64), seeds, kInvalid,
          "logits should be a matrix, got shape [5]")
      .NoShapeCheck();
  c.Error(inputs(F32({2, 5}), -1, i64), seeds, kInvalid,
          "num_samples should be non-negative, got -1")
      .NoShapeCheck();
  c.Error(inputs(Empty(kF32, {2, 0}), 3, i64), seeds, kInvalid,
          "num_classes should be positive, got 0");
}

}  // namespace

MR_CASES(Multinomial)(CaseList& c) { Multinomials(c, false); }
MR_CASES(StatelessMultinomial)(CaseList& c) { Multinomials(c, true); }

}  // namespace millrace::cases
