#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {

MR_CASES(QuantizedMatMul)(CaseList& c) {
  constexpr double kRanges[][4] = {{0, 255, 0, 255},   {-1, 1, -2, 3},
                                   {-6, 0, -0.5, 0.1}, {0, 6, -3, 3},
                                   {1, 5, -4, -2},     {-5, -4, 0.5, 8}};
  for (const auto& r : kRanges) {
    c.Ok({Bytes({7, 13}), Bytes({13, 5}), F(r[0]), F(r[1]), F(r[2]), F(r[3])});
  }
  const std::vector<Value> ranges = {F(-1), F(1), F(-2), F(3)};
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const AttrMap attrs = {{"transpose_a", ta}, {"transpose_b", tb}};
      const auto add = [&](int64_t m, int64_t k, int64_t n) {
        std::vector<Value> in = {
            Bytes(ta ? TensorShape({k, m}) : TensorShape({m, k})),
            Bytes(tb ? TensorShape({n, k}) : TensorShape({k, n}))};
        in.insert(in.end(), ranges.begin(), ranges.end());
        c.Ok(in, attrs);
      };
      add(1, 1, 1);
      add(3, 2, 4);
      add(49, 33, 65);
      add(100, 70, 300);
      add(5, 5001, 3);
      add(1, 64, 40);
    }
  }
  // The type of an activation that could be fused; it changes nothing.
  c.EachType("Tactivation", [](CaseList& c, DataType t) {
    c.Ok({Bytes({2, 3}), Bytes({3, 2}), F(-1), F(1), F(-2), F(3)},
         {{"Tactivation", t}});
  });
  // Sums wrap around where they are too large.
  c.Ok({Full(kU, {2, 40000}, 255), Full(kU, {40000, 2}, 255), F(0), F(1), F(0),
        F(1)});
  c.Ok({Empty(kU, {0, 3}), Bytes({3, 2}), F(0), F(1), F(0), F(1)});
  c.Ok({Bytes({2, 3}), Empty(kU, {3, 0}), F(0), F(1), F(0), F(1)});
  c.Ok({Empty(kU, {2, 0}), Empty(kU, {0, 2}), F(0), F(1), F(0), F(1)})
      .NoStock("stock leaves the output uninitialized");
  c.Ok({Empty(kU, {0, 0}), Empty(kU, {0, int64_t{1} << 40}), F(0), F(1), F(-1),
        F(1)})
      .NoStock("it packs columns without a number");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(1), F(1), F(0), F(1)}, kBad,
          "max_a must be larger than min_a.");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(0), F(1), F(2), F(1)}, kBad,
          "max_b must be larger than min_b.");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F32({1}), F(1), F(2), F(1)}, kBad,
          "min_a must be a scalar");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(0), F(1), F(0), Empty(kFloat, {0})},
          kBad, "max_b must be a scalar");
  c.Error({Bytes({3}), Bytes({3, 2}), F(0), F(1), F(0), F(1)}, kBad,
          "In[0] is not a matrix");
  c.Error({Bytes({2, 3}), Bytes({1, 3, 2}), F(0), F(1), F(0), F(1)}, kBad,
          "In[1] is not a matrix");
  c.Error({Bytes({2, 3}), Bytes({2, 3}), F(0), F(1), F(0), F(1)}, kBad,
          "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  c.BuildError({Bytes({2, 3}), Bytes({2, 3}), F(0), F(1), F(0), F(1)}, {},
               "Dimensions must be equal");
  c.BuildError({Bytes({2, 3}), Bytes({3, 3}), F(0), F(1), F(0), F32({1})}, {},
               "Shape must be rank 0");
}

}  // namespace millrace::cases
