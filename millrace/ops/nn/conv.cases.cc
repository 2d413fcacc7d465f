#include "tests/cases/case.h"

using namespace millrace::cases;

namespace {

constexpr char kNhwcOnly[] = "stock's kernel for this dtype takes less";

AttrMap Attrs(IntList strides, const char* padding) {
  return {{"strides", std::move(strides)}, {"padding", padding}};
}
AttrMap With(AttrMap attrs, AttrMap more) {
  for (const auto& [name, value] : more) attrs.Set(name, value);
  return attrs;
}

const AttrMap kSame = Attrs({1, 1, 1, 1}, "SAME");
const AttrMap kValid = Attrs({1, 1, 1, 1}, "VALID");
const AttrMap kStrided = Attrs({1, 2, 3, 1}, "SAME");
const AttrMap kDilated = With(kSame, {{"dilations", IntList{1, 2, 3, 1}}});
const AttrMap kExplicit =
    With(Attrs({1, 2, 2, 1}, "EXPLICIT"),
         {{"explicit_paddings", IntList{0, 0, 1, 0, 2, 1, 0, 0}}});
const AttrMap kFirst = With(kSame, {{"data_format", "NCHW"}});
const AttrMap kSame3 = Attrs({1, 1, 1, 1, 1}, "SAME");
const AttrMap kStrided3 = Attrs({1, 2, 1, 2, 1}, "VALID");
const AttrMap kFirst3 = With(kSame3, {{"data_format", "NCDHW"}});
const AttrMap kDilated3 = With(kSame3, {{"dilations", IntList{1, 1, 2, 2, 1}}});

// Small whole numbers keep half and bfloat16 exact enough to compare.
Value Small(DataType t, TensorShape shape) {
  return Rand(t, std::move(shape), -2, 3);
}
double SlackOf(DataType t) {
  return t == DataType::kBfloat16 || t == DataType::kHalf ? 5e-2 : 1e-4;
}
Value Sizes(std::initializer_list<double> sizes) { return Vec(sizes); }

}  // namespace

MR_CASES(Conv2D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Small(t, {3, 3, 3, 4})}, kSame)
        .Tolerance(SlackOf(t));
    c.Ok({Small(t, {2, 7, 6, 3}), Small(t, {2, 3, 3, 17})}, kStrided)
        .Tolerance(SlackOf(t));
    c.Ok({Small(t, {1, 7, 6, 2}), Small(t, {3, 2, 2, 3})}, kValid)
        .Tolerance(SlackOf(t));
    c.Ok({Empty(t, {0, 7, 6, 2}), Small(t, {3, 2, 2, 3})}, kValid)
        .Deviates("stock's oneDNN kernel gives the input's shape");
  });
  for (const AttrMap& attrs : {kSame, kStrided, kDilated, kExplicit}) {
    c.Ok({F32({2, 7, 8, 3}), F32({3, 2, 3, 5})}, attrs).Tolerance(1e-4);
    c.Ok({F64({1, 5, 6, 2}), F64({3, 2, 2, 2})}, attrs).Gradient();
    c.Ok({F32({2, 7, 8, 6}), F32({3, 2, 3, 4})}, attrs).Tolerance(1e-4);
  }
  c.Ok({F32({2, 3, 7, 8}), F32({3, 3, 3, 5})}, kFirst).Tolerance(1e-4);
  c.Ok({F32({2, 6, 7, 8}), F32({3, 3, 3, 4})}, kFirst).Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 4}), F64({2, 3, 2, 4})}, kFirst)
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Ok({F64({1, 4, 5, 4}), F64({2, 3, 2, 4})}, kSame)
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Ok({F32({2, 16, 16, 16}), F32({1, 1, 16, 32})}, kSame).Tolerance(1e-4);
  c.BuildError({F32({2, 5, 5, 3}), F32({3, 3, 2, 4})}, kSame,
               "Depth of input (3) is not a multiple of input depth of filter "
               "(2)");
  c.BuildError({F32({2, 1, 2, 3}), F32({3, 3, 3, 4})}, kValid,
               "Negative dimension size caused by subtracting 3 from 1");
  c.BuildError({F32({2, 2, 2}), F32({3, 3, 3, 4})}, kSame, "must be rank 4");
}
MR_CASES(Conv2DBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 5, 6, 3}), Small(t, {3, 3, 3, 4}), Small(t, {2, 5, 6, 4})},
         kSame)
        .Tolerance(SlackOf(t));
    c.Ok({Sizes({2, 7, 6, 3}), Small(t, {2, 3, 3, 4}), Small(t, {2, 4, 2, 4})},
         kStrided)
        .Tolerance(SlackOf(t));
  });
  c.Ok({Sizes({2, 7, 6, 3}), F32({3, 3, 3, 5}), F32({2, 7, 6, 5})}, kDilated)
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 6, 5, 3}), F32({3, 3, 3, 5}), F32({2, 3, 3, 5})}, kExplicit)
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 3, 6, 5}), F32({3, 3, 3, 5}), F32({2, 5, 6, 5})}, kFirst)
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 5, 6, 6}), F32({3, 3, 3, 4}), F32({2, 5, 6, 4})}, kSame)
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 4, 5, 2}), F64({2, 3, 2, 3}), F64({1, 4, 5, 3})}, kSame)
      .Gradient({1, 2});
  c.Ok({Sizes({5, 6}), F32({3, 3, 3, 5}), F32({2, 5, 6, 5})}, kSame)
      .Tolerance(1e-4);
  c.Error({Sizes({2, 5, 6, 3}), F64({3, 3, 3, 5}), F64({2, 5, 7, 5})}, kSame,
          StatusCode::kInvalidArgument,
          "Size of out_backprop doesn't match computed: actual = ");
}
MR_CASES(Conv2DBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Sizes({3, 3, 3, 4}), Small(t, {2, 5, 6, 4})},
         kSame)
        .Tolerance(SlackOf(t));
    c.Ok({Small(t, {2, 7, 6, 3}), Sizes({2, 3, 3, 4}), Small(t, {2, 4, 2, 4})},
         kStrided)
        .Tolerance(SlackOf(t));
  });
  c.Ok({F32({2, 7, 6, 3}), Sizes({3, 3, 3, 5}), F32({2, 7, 6, 5})}, kDilated)
      .Tolerance(1e-4);
  c.Ok({F32({2, 6, 5, 3}), Sizes({3, 3, 3, 5}), F32({2, 3, 3, 5})}, kExplicit)
      .Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 6}), Sizes({3, 3, 3, 5}), F32({2, 5, 5, 6})}, kFirst)
      .Tolerance(1e-4);
  c.Ok({F32({2, 5, 6, 6}), Sizes({3, 3, 3, 4}), F32({2, 5, 6, 4})}, kSame)
      .Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 2}), Sizes({2, 3, 2, 3}), F64({1, 4, 5, 3})}, kSame)
      .Gradient({0, 2});
  c.Ok({Empty(DataType::kFloat, {0, 5, 6, 3}), Sizes({3, 3, 3, 4}),
        Empty(DataType::kFloat, {0, 5, 6, 4})},
       kSame);
}

MR_CASES(DepthwiseConv2dNative)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Small(t, {3, 3, 3, 2})}, kSame)
        .Tolerance(SlackOf(t));
    c.Ok({Small(t, {2, 5, 6, 17}), Small(t, {3, 2, 17, 1})}, kValid)
        .Tolerance(SlackOf(t));
  });
  c.Ok({F32({2, 5, 6, 3}), F32({3, 3, 3, 2})}, kDilated).Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 6}), F32({3, 3, 3, 2})}, kFirst).Tolerance(1e-4);
  c.Ok({F32({2, 5, 6, 3}), F32({3, 3, 3, 2})}, kExplicit).Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 3}), F64({2, 3, 3, 2})}, kSame).Gradient();
  c.Ok({F64({1, 3, 4, 5}), F64({2, 3, 3, 2})}, kFirst)
      .NoStock(kNhwcOnly)
      .Gradient();
  c.BuildError({F32({2, 5, 5, 3}), F32({3, 3, 2, 4})}, kSame,
               "Dimensions must be equal, but are 3 and 2");
}
MR_CASES(DepthwiseConv2dNativeBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 5, 6, 3}), Small(t, {3, 3, 3, 2}), Small(t, {2, 5, 6, 6})},
         kSame)
        .Tolerance(SlackOf(t));
  });
  c.Ok({Sizes({2, 3, 5, 6}), F32({3, 3, 3, 2}), F32({2, 6, 5, 6})}, kFirst)
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 4, 5, 3}), F64({2, 3, 3, 2}), F64({1, 4, 5, 6})}, kSame)
      .Gradient({1, 2});
}
MR_CASES(DepthwiseConv2dNativeBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Sizes({3, 3, 3, 2}), Small(t, {2, 5, 6, 6})},
         kSame)
        .Tolerance(SlackOf(t));
  });
  c.Ok({F32({2, 3, 5, 6}), Sizes({3, 3, 3, 2}), F32({2, 6, 5, 6})}, kFirst)
      .Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 3}), Sizes({2, 3, 3, 2}), F64({1, 4, 5, 6})}, kSame)
      .Gradient({0, 2});
}

MR_CASES(Conv3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4})}, kSame3)
        .Tolerance(SlackOf(t));
    c.Ok({Small(t, {1, 5, 5, 4, 2}), Small(t, {2, 3, 1, 2, 4})}, kStrided3)
        .Tolerance(SlackOf(t));
  });
  c.Ok({F32({2, 3, 5, 4, 3}), F32({2, 3, 3, 3, 4})}, kDilated3).Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 4, 3}), F32({2, 3, 3, 3, 4})}, kFirst3).Tolerance(1e-4);
  c.Ok({F64({1, 3, 3, 4, 2}), F64({2, 2, 3, 2, 2})}, kSame3).Gradient();
  c.Ok({F64({1, 2, 3, 3, 4}), F64({2, 2, 3, 2, 2})}, kFirst3)
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Error({F64({2, 3, 5, 4, 6}), F64({2, 3, 3, 3, 4})}, kSame3,
          StatusCode::kInvalidArgument, "");
}
MR_CASES(Conv3DBackpropInputV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         kSame3)
        .Tolerance(SlackOf(t));
  });
  c.Ok({Vec(DataType::kInt64, {2, 3, 3, 5, 4}), F32({2, 3, 3, 3, 4}),
        F32({2, 4, 3, 5, 4})},
       kFirst3)
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 3, 3, 4, 2}), F64({2, 2, 3, 2, 2}), F64({1, 3, 3, 4, 2})},
       kSame3)
      .Gradient({1, 2});
}
MR_CASES(Conv3DBackpropFilterV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Sizes({2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         kSame3)
        .Tolerance(SlackOf(t));
  });
  c.Ok({F32({2, 3, 3, 5, 4}), Sizes({2, 3, 3, 3, 4}), F32({2, 4, 3, 5, 4})},
       kFirst3)
      .Tolerance(1e-4);
  c.Ok({F64({1, 3, 3, 4, 2}), Sizes({2, 2, 3, 2, 2}), F64({1, 3, 3, 4, 2})},
       kSame3)
      .Gradient({0, 2});
}
MR_CASES(Conv3DBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         kSame3)
        .Tolerance(SlackOf(t));
  });
}
MR_CASES(Conv3DBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         kSame3)
        .Tolerance(SlackOf(t));
  });
}
