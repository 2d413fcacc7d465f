#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kB = DataType::kBfloat16;

AttrMap Transposes(const char* a, const char* b, bool ta, bool tb) {
  return AttrMap({{a, ta}, {b, tb}});
}

}  // namespace

MR_CASES(MatMul)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (bool ta : {false, true}) {
      for (bool tb : {false, true}) {
        c.Ok({ta ? Rand(t, {5, 3}) : Rand(t, {3, 5}),
              tb ? Rand(t, {4, 5}) : Rand(t, {5, 4})},
             Transposes("transpose_a", "transpose_b", ta, tb));
      }
    }
    c.Ok({Rand(t, {70, 65}, -1, 2), Rand(t, {65, 130}, -1, 2)})
        .Tolerance(t == DataType::kBfloat16                     ? 3e-2
                   : t == DataType::kHalf                       ? 4e-3
                   : t == kDouble || t == DataType::kComplex128 ? 1e-11
                                                                : 1e-4);
  });
  c.Ok({Rand(kFloat, {200, 300}, -1, 1), Rand(kFloat, {300, 100}, -1, 1)})
      .Tolerance(1e-4);
  c.Ok({Rand(kDouble, {200, 300}, -1, 1), Rand(kDouble, {300, 270}, -1, 1)})
      .Tolerance(1e-11);
  // Shared by threads.
  c.Ok({Rand(kFloat, {130, 512}, -1, 1), Rand(kFloat, {250, 512}, -1, 1)},
       Transposes("transpose_a", "transpose_b", false, true))
      .Tolerance(1e-4);
  // Columns that the threads cannot share evenly.
  for (const int64_t n : {65, 97, 257}) {
    c.Ok({Rand(kFloat, {512, 128}, -1, 1), Rand(kFloat, {n, 128}, -1, 1)},
         Transposes("transpose_a", "transpose_b", false, true))
        .Tolerance(1e-4);
  }
  // Enough rows for packing the second factor first.
  c.Ok({Rand(kB, {1056, 288}, -1, 1), Rand(kB, {288, 320}, -1, 1)})
      .Tolerance(3e-2);
  c.Ok({F32({1, 7}), F32({7, 1})});
  c.Ok({F32({1, 700}), F32({700, 50})}).Tolerance(1e-4);
  c.Ok({F32({50, 700}), F32({700, 1})}).Tolerance(1e-4);
  c.Ok({Empty(kFloat, {2, 0}), Empty(kFloat, {0, 3})});
  c.Ok({Empty(kFloat, {0, 2}), F32({2, 3})});
  c.Ok({F32({2, 3}), F32({3, 2})}, {{"grad_a", true}, {"grad_b", true}});
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      c.Ok({ta ? F64({3, 2}) : F64({2, 3}), tb ? F64({4, 3}) : F64({3, 4})},
           Transposes("transpose_a", "transpose_b", ta, tb))
          .Gradient();
    }
  }
  c.Error({F32({2, 3}), F32({2, 3})}, StatusCode::kInvalidArgument,
          "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  c.Error({F32({2, 3}), F32({2})}, StatusCode::kInvalidArgument,
          "In[0] and In[1] has different ndims: [2,3] vs. [2]")
      .NoStock("stock's words are those of its oneDNN op");
}

namespace {

void Batch(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (bool ax : {false, true}) {
      for (bool ay : {false, true}) {
        c.Ok({ax ? Rand(t, {2, 3, 5, 3}) : Rand(t, {2, 3, 3, 5}),
              ay ? Rand(t, {2, 3, 4, 5}) : Rand(t, {2, 3, 5, 4})},
             Transposes("adj_x", "adj_y", ax, ay));
      }
    }
  });
  c.Ok({F32({40, 8, 9}), F32({40, 9, 7})});
  c.Ok({Rand(kFloat, {2, 100, 120}, -1, 1), Rand(kFloat, {2, 120, 110}, -1, 1)})
      .Tolerance(1e-4);
  c.Ok({Empty(kFloat, {0, 2, 3}), Empty(kFloat, {0, 3, 2})});
  c.Ok({Empty(kFloat, {2, 2, 0}), Empty(kFloat, {2, 0, 2})});
  c.Ok({F64({2, 2, 3}), F64({2, 3, 2})}).Gradient();
  c.Error({F32({2, 2, 3}), F32({2, 2, 2})}, StatusCode::kInvalidArgument,
          "Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,2,2]");
}

}  // namespace

MR_CASES(BatchMatMul)(CaseList& c) {
  Batch(c);
  c.Error({F32({2, 2, 3}), F32({3, 3, 2})}, StatusCode::kInvalidArgument,
          "In[0].dim(0) and In[1].dim(0) must be the same: [2,2,3] vs [3,3,2]");
  c.Error({F32({2, 3}), F32({2, 3, 2})}, StatusCode::kInvalidArgument,
          "In[0] and In[1] has different ndims: [2,3] vs. [2,3,2]");
}
MR_CASES(BatchMatMulV2)(CaseList& c) {
  for (const int64_t factors : {1, 2}) {
    c.Ok({Rand(kB, {2, 1024, 256}, -1, 1),
          Rand(kB, {factors, 256, 256}, -1, 1)})
        .Tolerance(3e-2);
  }
  Batch(c);
  c.Ok({F32({2, 3}), F32({3, 2})});
  c.Ok({F32({4, 2, 3}), F32({3, 2})});
  c.Ok({F32({2, 3}), F32({4, 3, 2})});
  c.Ok({F32({4, 1, 2, 3}), F32({1, 5, 3, 2})});
  c.Ok({C64({4, 1, 3, 2}), C64({5, 2, 3})},
       Transposes("adj_x", "adj_y", true, true));
  c.Ok({F64({2, 1, 2, 3}), F64({3, 3, 2})}).Gradient();
  c.Error({F32({2, 2, 3}), F32({3, 3, 2})}, StatusCode::kInvalidArgument,
          "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. "
          "[3,3,2]");
  c.Error({F32({2}), F32({2, 2, 2})}, StatusCode::kInvalidArgument,
          "In[0] ndims must be >= 2: 1");
}

}  // namespace millrace::cases
