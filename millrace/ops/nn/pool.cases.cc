#include "tests/cases/case.h"

using namespace millrace::cases;

namespace {

constexpr char kNhwcOnly[] = "stock's kernel for this dtype takes NHWC only";

AttrMap Pool(IntList ksize, IntList strides, const char* padding) {
  return {{"ksize", std::move(ksize)},
          {"strides", std::move(strides)},
          {"padding", padding}};
}
AttrMap With(AttrMap attrs, AttrMap more) {
  for (const auto& [name, value] : more) attrs.Set(name, value);
  return attrs;
}

const AttrMap kSame = Pool({1, 2, 3, 1}, {1, 2, 2, 1}, "SAME");
const AttrMap kValid = Pool({1, 3, 2, 1}, {1, 1, 3, 1}, "VALID");
const AttrMap kOverlap = Pool({1, 3, 3, 1}, {1, 1, 1, 1}, "SAME");
const AttrMap kFirst =
    With(Pool({1, 1, 2, 3}, {1, 1, 2, 2}, "SAME"), {{"data_format", "NCHW"}});
const AttrMap kExplicit =
    With(Pool({1, 3, 3, 1}, {1, 2, 2, 1}, "EXPLICIT"),
         {{"explicit_paddings", IntList{0, 0, 1, 0, 2, 1, 0, 0}}});
const AttrMap kDepth = Pool({1, 1, 1, 3}, {1, 1, 1, 3}, "VALID");
const AttrMap kSame3 = Pool({1, 2, 2, 3, 1}, {1, 1, 2, 2, 1}, "SAME");
const AttrMap kValid3 = Pool({1, 2, 1, 2, 1}, {1, 1, 2, 1, 1}, "VALID");
const AttrMap kFirst3 = With(Pool({1, 1, 2, 2, 3}, {1, 1, 1, 2, 2}, "SAME"),
                             {{"data_format", "NCDHW"}});

// What MaxPool gives, as its gradient's input.
Case& GradCase(CaseList& c, const char* forward, Value x, Value grad,
               AttrMap attrs) {
  // The only one whose schema has them.
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
    c.Ok({Rand(t, {2, 5, 7, 3})}, kSame);
    c.Ok({Rand(t, {2, 5, 7, 17})}, kValid);
    c.Ok({Empty(t, {0, 5, 7, 3})}, kSame);
  });
  c.Ok({F64({1, 4, 5, 2})}, kOverlap).Gradient();
  c.Ok({F32({2, 3, 5, 7})}, kFirst);
  c.Ok({F64({1, 2, 4, 5})}, kFirst).NoStock(kNhwcOnly).Gradient();
  c.Ok({F32({2, 5, 7, 3})}, kExplicit);
  c.Ok({F64({2, 3, 2, 6})}, kDepth).Gradient();
  c.BuildError({F32({2, 2, 2, 3})}, kValid, "Negative dimension size");
  c.BuildError({F32({2, 2, 2})}, kSame, "must be rank 4");
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
             kSame)
        .Tolerance(3e-2);
  });
  GradCase(c, "MaxPool", F32({2, 5, 7, 3}), F32({2, 5, 7, 3}), kOverlap);
  GradCase(c, "MaxPool", F32({2, 3, 5, 7}), F32({2, 3, 3, 4}), kFirst);
  GradCase(c, "MaxPool", F32({2, 5, 7, 6}), F32({2, 5, 7, 2}), kDepth)
      .NoStock("stock's gradient does not pool over channels");
  GradCase(c, "MaxPool", F32({2, 5, 7, 3}), F32({2, 2, 4, 3}), kExplicit);
  // Equal elements: the first one.
  GradCase(c, "MaxPool", Full(DataType::kFloat, {1, 4, 4, 1}, 1),
           F32({1, 2, 2, 1}), kSame);
}
MR_CASES(MaxPoolGradV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value x = Distinct(t, {2, 5, 7, 3});
    c.Sequence("")
        .Node("max", "MaxPoolWithArgmax", {x}, kSame)
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
             kSame);
  });
}
MR_CASES(MaxPoolGradGradV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const Value x = Distinct(t, {2, 5, 7, 3});
    c.Sequence("")
        .Node("max", "MaxPoolWithArgmax", {x}, kSame)
        .Node("op", "MaxPoolGradGradV2",
              {x, "max", Rand(t, {2, 5, 7, 3}), Vec({1, 2, 3, 1}),
               Vec({1, 2, 2, 1})},
              {{"padding", "SAME"}})
        .Run({"op"});
  });
}
MR_CASES(MaxPoolWithArgmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(t, {2, 4, 5, 2})}, kSame);
    c.Ok({Distinct(t, {2, 4, 5, 2})},
         With(kSame, {{"Targmax", DataType::kInt32}}));
  });
  c.Ok({F32({2, 4, 5, 3})}, With(kValid, {{"include_batch_in_index", true}}));
  c.Ok({F64({2, 4, 5, 3})}, kValid).Gradient({0});
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

MR_CASES(AvgPool)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 7, 3})}, kSame);
    c.Ok({Rand(t, {2, 5, 7, 17})}, kValid);
    c.Ok({Empty(t, {0, 5, 7, 3})}, kSame);
  });
  c.Ok({F64({1, 4, 5, 2})}, kOverlap).Gradient();
  c.Ok({F32({2, 3, 5, 7})}, kFirst);
  c.Ok({F64({1, 2, 4, 5})}, kFirst).NoStock(kNhwcOnly).Gradient();
}
MR_CASES(AvgPoolGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 5, 7, 3}), Rand(t, {2, 3, 4, 3})}, kSame);
  });
  c.Ok({Vec({1, 4, 5, 2}), F64({1, 4, 5, 2})}, kOverlap).Gradient({1});
  c.Ok({Vec({2, 3, 5, 7}), F32({2, 3, 3, 4})}, kFirst);
}
MR_CASES(AvgPool3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, kSame3);
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, kValid3);
  });
  c.Ok({F32({2, 3, 4, 5, 7})}, kFirst3);
  c.Ok({F32({1, 2, 3, 3, 2})}, kSame3).Gradient();
}
MR_CASES(AvgPool3DGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 3, 5, 7, 3}), Rand(t, {2, 3, 3, 4, 3})}, kSame3);
  });
  c.Ok({Vec({2, 3, 3, 5, 7}), F32({2, 3, 3, 3, 4})}, kFirst3);
}
MR_CASES(MaxPool3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, kSame3);
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, kValid3);
  });
  c.Ok({F32({2, 3, 4, 5, 7})}, kFirst3);
  c.Ok({F32({1, 2, 3, 3, 2})}, kSame3).Gradient();
}
MR_CASES(MaxPool3DGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    GradCase(c, "MaxPool3D", Distinct(t, {1, 3, 5, 7, 2}),
             Rand(t, {1, 3, 3, 4, 2}), kSame3)
        .Tolerance(3e-2);
  });
}
MR_CASES(MaxPool3DGradGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    GradCase(c, "MaxPool3D", Distinct(t, {1, 3, 5, 7, 2}),
             Rand(t, {1, 3, 5, 7, 2}), kSame3);
  });
}
