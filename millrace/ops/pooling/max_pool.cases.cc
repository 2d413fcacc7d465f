#include "millrace/ops/pooling/pool_windows.cases.h"

namespace millrace::cases {
namespace {

AttrMap Explicit() {
  return With(Pool({1, 3, 3, 1}, {1, 2, 2, 1}, "EXPLICIT"),
              {{"explicit_paddings", IntList{0, 0, 1, 0, 2, 1, 0, 0}}});
}
AttrMap Depth() { return Pool({1, 1, 1, 3}, {1, 1, 1, 3}, "VALID"); }

// Adds the result of MaxPool as its gradient's input.
Case& GradCase(CaseList& c, const char* forward, Value x, Value grad,
               AttrMap attrs) {
  // The only op whose schema has these types.
  const DataType t = x.tensor.dtype();
  if (t == DataType::kUint32 || t == DataType::kUint64) {
    forward = "MaxPoolWithArgmax";
  }
  return c.Sequence("")
      .Node("max", forward, {x}, attrs)
      .Node("op", c.op().name, {x, "max", std::move(grad)}, attrs)
      .Run({"op"});
}

}  // namespace

MR_CASES(MaxPool)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 7, 3})}, Same());
    c.Ok({Rand(t, {2, 5, 7, 17})}, Valid());
    c.Ok({Empty(t, {0, 5, 7, 3})}, Same());
    // Windows that cover nothing.
    c.Ok({Empty(t, {1, 0, 5, 3})},
         With(Pool({1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT"),
              {{"explicit_paddings", IntList{0, 0, 1, 1, 1, 1, 0, 0}}}));
  });
  // The maximum starts at the lowest number and takes what is larger, in order;
  // NaN never is.
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const AttrMap two = Pool({1, 1, 2, 1}, {1, 1, 2, 1}, "VALID");
  for (const DataType t :
       {DataType::kHalf, DataType::kFloat, DataType::kDouble}) {
    c.Ok({Of(t, {1, 1, 14, 1},
             {kNan, kNan, kNan, 1, 1, kNan, -kInf, -kInf, kNan, -kInf, -kInf,
              -3, kInf, kNan})},
         two);
  }
  c.Ok({F64({1, 4, 5, 2})}, Overlap()).Gradient();
  c.Ok({F32({2, 3, 5, 7})}, First());
  c.Ok({F64({1, 2, 4, 5})}, First()).NoStock(kNhwcOnly).Gradient();
  c.Ok({F32({2, 5, 7, 3})}, Explicit());
  c.Ok({F64({2, 3, 2, 6})}, Depth()).Gradient();
  c.BuildError({F32({2, 2, 2, 3})}, Valid(), "Negative dimension size");
  c.BuildError({F32({2, 2, 2})}, Same(), "must be rank 4");
}
MR_CASES(MaxPoolV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 7, 3}), Vec({1, 2, 3, 1}), Vec({1, 2, 2, 1})},
         {{"padding", "SAME"}});
  });
  c.Ok({F64({1, 4, 5, 2}), Vec({1, 2, 3, 1}), Vec({1, 1, 2, 1})},
       {{"padding", "VALID"}})
      .Gradient({0});
}
MR_CASES(MaxPoolGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(t, {1, 2, 2, 3}), Full(t, {1, 1, 1, 3}, 1),
          Rand(t, {1, 1, 1, 3})},
         Pool({1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"))
        .NoStock("its maximum is not that of the input");
    GradCase(c, "MaxPool", Distinct(t, {2, 5, 7, 3}), Rand(t, {2, 3, 4, 3}),
             Same())
        .Tolerance(3e-2);
  });
  GradCase(c, "MaxPool", F32({2, 5, 7, 3}), F32({2, 5, 7, 3}), Overlap());
  GradCase(c, "MaxPool", F32({2, 3, 5, 7}), F32({2, 3, 3, 4}), First());
  GradCase(c, "MaxPool", F32({2, 5, 7, 6}), F32({2, 5, 7, 2}), Depth())
      .NoStock("stock's gradient does not pool over channels");
  GradCase(c, "MaxPool", F32({2, 5, 7, 3}), F32({2, 2, 4, 3}), Explicit());
  // Windows with more pixels than a byte can count, and than the image has.
  GradCase(c, "MaxPool", F32({1, 20, 21, 2}), F32({1, 20, 21, 2}),
           Pool({1, 19, 40, 1}, {1, 1, 1, 1}, "SAME"));
  // Blocks of channels and their remainder; windows that overlap.
  GradCase(c, "MaxPool", F32({2, 5, 7, 43}), F32({2, 3, 4, 43}), Same());
  GradCase(c, "MaxPool", F32({1, 4, 5, 43}), F32({1, 4, 5, 43}), Overlap());
  // Equal elements: the first one.
  GradCase(c, "MaxPool", Full(DataType::kFloat, {1, 4, 4, 1}, 1),
           F32({1, 2, 2, 1}), Same());
}
MR_CASES(MaxPoolGradV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value x = Distinct(t, {2, 5, 7, 3});
    c.Sequence("")
        .Node("max", "MaxPoolWithArgmax", {x}, Same())
        .Node("op", "MaxPoolGradV2",
              {x, "max", Rand(t, {2, 3, 4, 3}), Vec({1, 2, 3, 1}),
               Vec({1, 2, 2, 1})},
              {{"padding", "SAME"}})
        .Run({"op"})
        .Tolerance(3e-2);
  });
}
MR_CASES(MaxPoolGradGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    GradCase(c, "MaxPool", Distinct(t, {2, 5, 7, 3}), Rand(t, {2, 5, 7, 3}),
             Same());
  });
}
MR_CASES(MaxPoolGradGradV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value x = Distinct(t, {2, 5, 7, 3});
    c.Sequence("")
        .Node("max", "MaxPoolWithArgmax", {x}, Same())
        .Node("op", "MaxPoolGradGradV2",
              {x, "max", Rand(t, {2, 5, 7, 3}), Vec({1, 2, 3, 1}),
               Vec({1, 2, 2, 1})},
              {{"padding", "SAME"}})
        .Run({"op"});
  });
}
MR_CASES(MaxPoolWithArgmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(t, {2, 4, 5, 2})}, Same());
    c.Ok({Distinct(t, {2, 4, 5, 2})},
         With(Same(), {{"Targmax", DataType::kInt32}}));
  });
  c.Ok({F32({2, 4, 5, 3})}, With(Valid(), {{"include_batch_in_index", true}}));
  c.Ok({F32({2, 4, 5, 43})}, Same());
  // The first element stays until a larger one comes, even if it is NaN.
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const AttrMap two = Pool({1, 1, 2, 1}, {1, 1, 2, 1}, "VALID");
  c.Ok({Of(DataType::kFloat, {1, 1, 2, 1}, {kNan, kNan})}, two);
  c.Ok({Of(DataType::kFloat, {1, 1, 2, 1}, {kNan, 1})}, two);
  c.Ok({Of(DataType::kFloat, {1, 1, 2, 1}, {1, kNan})}, two);
  c.Ok({F64({2, 4, 5, 3})}, Valid()).Gradient({0});
}
MR_CASES(MaxPoolGradWithArgmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value x = Distinct(t, {2, 4, 4, 2});
    const AttrMap attrs = Pool({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
    c.Sequence("")
        .Node("max", "MaxPoolWithArgmax", {x}, attrs)
        .Node("op", "MaxPoolGradWithArgmax",
              {x, Rand(t, {2, 2, 2, 2}), "max:1"}, attrs)
        .Run({"op"});
  });
}
MR_CASES(MaxPool3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, Same3());
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, Valid3());
  });
  c.Ok({F32({2, 3, 4, 5, 7})}, First3());
  c.Ok({F32({1, 2, 3, 3, 2})}, Same3()).Gradient();
}
MR_CASES(MaxPool3DGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    GradCase(c, "MaxPool3D", Distinct(t, {1, 3, 5, 7, 2}),
             Rand(t, {1, 3, 3, 4, 2}), Same3())
        .Tolerance(3e-2);
  });
}
MR_CASES(MaxPool3DGradGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    GradCase(c, "MaxPool3D", Distinct(t, {1, 3, 5, 7, 2}),
             Rand(t, {1, 3, 5, 7, 2}), Same3());
  });
}

}  // namespace millrace::cases
