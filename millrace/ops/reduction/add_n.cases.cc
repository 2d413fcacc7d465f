#include <vector>

#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(AddN)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}), Rand(t, {3, 7}), Rand(t, {3, 7})});
  });
  c.Ok({F32({})});
  c.Ok({F32({70000}), F32({70000})});
  c.Ok({F32({5}), F32({5}), F32({5}), F32({5}), F32({5}), F32({5}), F32({5}),
        F32({5}), F32({5}), F32({5})});
  // Roundings between the terms would leave the sum at 1024.
  for (const DataType t : {DataType::kBfloat16, DataType::kHalf}) {
    for (const int count : {65, 127, 128, 700}) {
      std::vector<Value> terms = {Full(t, {3}, 1024)};
      for (int i = 1; i < count; ++i) terms.push_back(Full(t, {3}, 0.0625));
      c.Ok(terms).Tolerance(1e-2).NoStock("stock rounds between terms");
    }
  }
  c.Ok({F64({3}), F64({3})}).Gradient();
  c.Ok({Empty(DataType::kFloat, {0}), Empty(DataType::kFloat, {0})});
  c.Error({F32({2}), F32({3})}, StatusCode::kInvalidArgument,
          "must have the same size and shape.  Input 0: [2] != input 1: [3]");
  c.Ok({F32({2, 3})});
  c.Ok({F32({})});
}

MR_CASES(AccumulateNV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}), Rand(t, {3, 7}), Rand(t, {3, 7})},
         {{"shape", PartialShape({3, 7})}})
        .NoStock("its kernel comes from a rewriter that is switched off");
  });
  c.Ok({F32({3, 7}), F32({3, 7})}, {{"shape", PartialShape({-1, 7})}})
      .NoStock("its kernel comes from a rewriter that is switched off");
  // Stock sums them; its shape function says that the result is [2].
  c.Error({F32({3}), F32({3})}, {{"shape", PartialShape({2})}},
          StatusCode::kInvalidArgument,
          "AccumulateNV2 sums tensors of the shape [2], but input 0 has shape "
          "[3]")
      .NoStock("its kernel comes from a rewriter that is switched off");
}

}  // namespace millrace::cases
