#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kF64 = DataType::kDouble;

void Poissons(CaseList& c, DataType rate, AttrMap attrs) {
  attrs.Set("seed", 7);
  attrs.Set("seed2", 1);
  c.Ok({Vec({3, 5}), Of(rate, {2, 3}, {0, 1, 3, 9, 10, 100})}, attrs);
  c.Ok({Vec({200}), Of(rate, {2}, {2, 50})}, attrs);
}

}  // namespace

MR_CASES(RandomPoisson)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) { Poissons(c, t, {}); });
  c.Ok({Vec(DataType::kInt64, {4}), Of(kF64, {2}, {0.5, 12.5})}, {{"seed", 7}});
}

MR_CASES(RandomPoissonV2)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    Poissons(c, kF64, {{"dtype", t}});
  });
  c.EachType("R", [](CaseList& c, DataType t) {
    Poissons(c, t, {{"dtype", kF64}});
  });
  c.Ok({Vec(DataType::kInt64, {4}), Of(kF64, {2}, {0.5, 12.5})},
       {{"seed", 7}, {"dtype", DataType::kInt32}});
  c.Ok({Vec({0}), F64({2})}, {{"seed", 7}});
  c.Ok({Vec({3}), Of(kFloat, {1}, {INFINITY})},
       {{"seed", 7}, {"dtype", kFloat}});
  c.Ok({Vec({3}), Of(kFloat, {1}, {3})}, {{"dtype", kFloat}}).Random();
  c.Ok({Vec({3}), Of(kFloat, {1}, {NAN})}, {{"seed", 7}, {"dtype", kFloat}})
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

}  // namespace millrace::cases
