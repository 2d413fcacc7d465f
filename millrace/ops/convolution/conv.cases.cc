#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr char kNhwcOnly[] = "stock's kernel for this dtype takes less";

AttrMap Attrs(IntList strides, const char* padding) {
  return {{"strides", std::move(strides)}, {"padding", padding}};
}
AttrMap With(AttrMap attrs, AttrMap more) {
  for (const auto& [name, value] : more) attrs.Set(name, value);
  return attrs;
}

AttrMap Same() { return Attrs({1, 1, 1, 1}, "SAME"); }
AttrMap Valid() { return Attrs({1, 1, 1, 1}, "VALID"); }
AttrMap Strided() { return Attrs({1, 2, 3, 1}, "SAME"); }
AttrMap Dilated() { return With(Same(), {{"dilations", IntList{1, 2, 3, 1}}}); }
AttrMap Explicit() {
  return With(Attrs({1, 2, 2, 1}, "EXPLICIT"),
              {{"explicit_paddings", IntList{0, 0, 1, 0, 2, 1, 0, 0}}});
}
AttrMap First() { return With(Same(), {{"data_format", "NCHW"}}); }
AttrMap Same3() { return Attrs({1, 1, 1, 1, 1}, "SAME"); }
AttrMap Strided3() { return Attrs({1, 2, 1, 2, 1}, "VALID"); }
AttrMap First3() { return With(Same3(), {{"data_format", "NCDHW"}}); }
AttrMap Dilated3() {
  return With(Same3(), {{"dilations", IntList{1, 1, 2, 2, 1}}});
}

// Small integers keep half and bfloat16 exact enough to compare.
Value Small(DataType t, TensorShape shape) {
  return Rand(t, std::move(shape), -2, 3);
}
double SumTolerance(DataType t) {
  return t == DataType::kBfloat16 || t == DataType::kHalf ? 5e-2 : 1e-4;
}
constexpr const char* kSums = "stock sums bfloat16 in bfloat16 without it";
Value Sizes(std::initializer_list<double> sizes) { return Vec(sizes); }

AttrMap Padded(IntList paddings) {
  return With(Attrs({1, 1, 1, 1}, "EXPLICIT"),
              {{"explicit_paddings", std::move(paddings)}});
}
// Returns numbers, one of which is `special`.
Value OneOf(TensorShape shape, double special) {
  Value v = F32(std::move(shape));
  v.tensor.mutable_flat<float>()[v.tensor.num_elements() / 2 + 5] =
      static_cast<float>(special);
  return v;
}
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

MR_CASES(Conv2D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Small(t, {3, 3, 3, 4})}, Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Small(t, {2, 7, 6, 3}), Small(t, {2, 3, 3, 17})}, Strided())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Small(t, {1, 7, 6, 2}), Small(t, {3, 2, 2, 3})}, Valid())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Empty(t, {0, 7, 6, 2}), Small(t, {3, 2, 2, 3})}, Valid())
        .Deviates("stock's oneDNN kernel gives the input's shape");
  });
  for (const AttrMap& attrs : {Same(), Strided(), Dilated(), Explicit()}) {
    c.Ok({F32({2, 7, 8, 3}), F32({3, 2, 3, 5})}, attrs).Tolerance(1e-4);
    c.Ok({F64({1, 5, 6, 2}), F64({3, 2, 2, 2})}, attrs).Gradient();
    c.Ok({F32({2, 7, 8, 6}), F32({3, 2, 3, 4})}, attrs).Tolerance(1e-4);
  }
  c.Ok({F32({2, 3, 7, 8}), F32({3, 3, 3, 5})}, First()).Tolerance(1e-4);
  c.Ok({F32({2, 6, 7, 8}), F32({3, 3, 3, 4})}, First()).Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 4}), F64({2, 3, 2, 4})}, First())
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Ok({F64({1, 4, 5, 4}), F64({2, 3, 2, 4})}, Same())
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Ok({F32({2, 16, 16, 16}), F32({1, 1, 16, 32})}, Same()).Tolerance(1e-4);
  // Large enough for Winograd's algorithm (conv_winograd.h), which leaves
  // infinity and NaN to the others.
  for (const AttrMap& attrs :
       {Same(), Valid(), Padded({0, 0, 2, 1, 0, 2, 0, 0})}) {
    c.Ok({F32({2, 17, 20, 32}), F32({3, 3, 32, 48})}, attrs).Tolerance(1e-4);
    c.Ok({F32({1, 32, 33, 33}), F32({3, 3, 33, 21})}, attrs).Tolerance(1e-4);
  }
  // So large that patches of double are multiplied in parts, which end within
  // images.
  c.Ok({F64({3, 30, 30, 32}), F64({3, 3, 32, 5})}, Same());
  for (const double special : {kInfinity, -kInfinity, kNan}) {
    c.Ok({OneOf({1, 24, 24, 32}, special), F32({3, 3, 32, 32})}, Valid())
        .Tolerance(1e-4);
    c.Ok({F32({1, 24, 24, 32}), OneOf({3, 3, 32, 32}, special)}, Valid())
        .Tolerance(1e-4);
  }
  c.BuildError({F32({2, 5, 5, 3}), F32({3, 3, 2, 4})}, Same(),
               "Depth of input (3) is not a multiple of input depth of filter "
               "(2)");
  c.BuildError({F32({2, 1, 2, 3}), F32({3, 3, 3, 4})}, Valid(),
               "Negative dimension size caused by subtracting 3 from 1");
  c.BuildError({F32({2, 2, 2}), F32({3, 3, 3, 4})}, Same(), "must be rank 4");
  // Without output channels the result is empty; without anything else in the
  // filter there is none.
  c.Ok({F64({2, 5, 6, 3}), Empty(DataType::kDouble, {3, 3, 3, 0})}, Same());
  c.Ok({F64({2, 5, 6, 3}), Empty(DataType::kDouble, {3, 3, 3, 0})}, Valid());
  c.Error({F64({2, 5, 6, 3}), Empty(DataType::kDouble, {0, 3, 3, 4})}, Same(),
          StatusCode::kInvalidArgument, "filter must not have zero elements")
      .NoShapeCheck();
  c.Error({Empty(DataType::kDouble, {2, 5, 6, 0}),
           Empty(DataType::kDouble, {3, 3, 0, 4})},
          Same(), StatusCode::kInvalidArgument,
          "filter depth must be stricly positive, got 0")
      .NoShapeCheck();
}
MR_CASES(Conv2DBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 5, 6, 3}), Small(t, {3, 3, 3, 4}), Small(t, {2, 5, 6, 4})},
         Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Sizes({2, 7, 6, 3}), Small(t, {2, 3, 3, 4}), Small(t, {2, 4, 2, 4})},
         Strided())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({Sizes({2, 7, 6, 3}), F32({3, 3, 3, 5}), F32({2, 7, 6, 5})}, Dilated())
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 6, 5, 3}), F32({3, 3, 3, 5}), F32({2, 3, 3, 5})}, Explicit())
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 3, 6, 5}), F32({3, 3, 3, 5}), F32({2, 5, 6, 5})}, First())
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 5, 6, 6}), F32({3, 3, 3, 4}), F32({2, 5, 6, 4})}, Same())
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 4, 5, 2}), F64({2, 3, 2, 3}), F64({1, 4, 5, 3})}, Same())
      .Gradient({1, 2});
  // By Winograd's algorithm, as above.
  c.Ok({Sizes({2, 17, 20, 48}), F32({3, 3, 48, 32}), F32({2, 17, 20, 32})},
       Same())
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 23, 20, 21}), F32({3, 3, 21, 33}), F32({2, 21, 18, 33})},
       Valid())
      .Tolerance(1e-4);
  c.Ok({Sizes({2, 20, 20, 32}), F32({3, 3, 32, 32}), F32({2, 21, 20, 32})},
       Padded({0, 0, 2, 1, 0, 2, 0, 0}))
      .Tolerance(1e-4);
  c.Ok({Sizes({3, 30, 30, 35}), F64({3, 3, 35, 5}), F64({3, 30, 30, 5})},
       Same());
  for (const double special : {kInfinity, kNan}) {
    c.Ok({Sizes({1, 26, 26, 32}), F32({3, 3, 32, 32}),
          OneOf({1, 24, 24, 32}, special)},
         Valid())
        .Tolerance(1e-4);
  }
  c.Ok({Sizes({5, 6}), F32({3, 3, 3, 5}), F32({2, 5, 6, 5})}, Same())
      .Tolerance(1e-4);
  c.Error({Sizes({2, 5, 6, 3}), F64({3, 3, 3, 5}), F64({2, 5, 7, 5})}, Same(),
          StatusCode::kInvalidArgument,
          "Size of out_backprop doesn't match computed: actual = ");
  c.Ok({Sizes({2, 5, 6, 3}), Empty(DataType::kDouble, {3, 3, 3, 0}),
        Empty(DataType::kDouble, {2, 5, 6, 0})},
       Same());
}
MR_CASES(Conv2DBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Sizes({3, 3, 3, 4}), Small(t, {2, 5, 6, 4})},
         Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Small(t, {2, 7, 6, 3}), Sizes({2, 3, 3, 4}), Small(t, {2, 4, 2, 4})},
         Strided())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({F32({2, 7, 6, 3}), Sizes({3, 3, 3, 5}), F32({2, 7, 6, 5})}, Dilated())
      .Tolerance(1e-4);
  c.Ok({F32({2, 6, 5, 3}), Sizes({3, 3, 3, 5}), F32({2, 3, 3, 5})}, Explicit())
      .Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 6}), Sizes({3, 3, 3, 5}), F32({2, 5, 5, 6})}, First())
      .Tolerance(1e-4);
  c.Ok({F32({2, 5, 6, 6}), Sizes({3, 3, 3, 4}), F32({2, 5, 6, 4})}, Same())
      .Tolerance(1e-4);
  // By Winograd's algorithm, as above.
  c.Ok({F32({4, 37, 40, 32}), Sizes({3, 3, 32, 48}), F32({4, 37, 40, 48})},
       Same())
      .Tolerance(1e-3);
  c.Ok({F32({4, 41, 34, 67}), Sizes({3, 3, 67, 33}), F32({4, 39, 32, 33})},
       Valid())
      .Tolerance(1e-3);
  c.Ok({F64({3, 30, 30, 32}), Sizes({3, 3, 32, 5}), F64({3, 30, 30, 5})},
       Same());
  c.Ok({F64({1, 4, 5, 2}), Sizes({2, 3, 2, 3}), F64({1, 4, 5, 3})}, Same())
      .Gradient({0, 2});
  c.Ok({Empty(DataType::kFloat, {0, 5, 6, 3}), Sizes({3, 3, 3, 4}),
        Empty(DataType::kFloat, {0, 5, 6, 4})},
       Same());
  c.Ok({F64({2, 5, 6, 3}), Sizes({3, 3, 3, 0}),
        Empty(DataType::kDouble, {2, 5, 6, 0})},
       Same());
}

MR_CASES(DepthwiseConv2dNative)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Small(t, {3, 3, 3, 2})}, Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Small(t, {2, 5, 6, 17}), Small(t, {3, 2, 17, 1})}, Valid())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({F32({2, 5, 6, 3}), F32({3, 3, 3, 2})}, Dilated()).Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 6}), F32({3, 3, 3, 2})}, First()).Tolerance(1e-4);
  c.Ok({F32({2, 5, 6, 3}), F32({3, 3, 3, 2})}, Explicit()).Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 3}), F64({2, 3, 3, 2})}, Same()).Gradient();
  c.Ok({F64({1, 3, 4, 5}), F64({2, 3, 3, 2})}, First())
      .NoStock(kNhwcOnly)
      .Gradient();
  c.BuildError({F32({2, 5, 5, 3}), F32({3, 3, 2, 4})}, Same(),
               "Dimensions must be equal, but are 3 and 2");
  c.Ok({F64({2, 5, 6, 3}), Empty(DataType::kDouble, {3, 3, 3, 0})}, Same());
}
MR_CASES(DepthwiseConv2dNativeBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 5, 6, 3}), Small(t, {3, 3, 3, 2}), Small(t, {2, 5, 6, 6})},
         Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({Sizes({2, 3, 5, 6}), F32({3, 3, 3, 2}), F32({2, 6, 5, 6})}, First())
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 4, 5, 3}), F64({2, 3, 3, 2}), F64({1, 4, 5, 6})}, Same())
      .Gradient({1, 2});
}
MR_CASES(DepthwiseConv2dNativeBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 5, 6, 3}), Sizes({3, 3, 3, 2}), Small(t, {2, 5, 6, 6})},
         Same())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({F32({2, 3, 5, 6}), Sizes({3, 3, 3, 2}), F32({2, 6, 5, 6})}, First())
      .Tolerance(1e-4);
  c.Ok({F64({1, 4, 5, 3}), Sizes({2, 3, 3, 2}), F64({1, 4, 5, 6})}, Same())
      .Gradient({0, 2});
}

MR_CASES(Conv3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4})}, Same3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
    c.Ok({Small(t, {1, 5, 5, 4, 2}), Small(t, {2, 3, 1, 2, 4})}, Strided3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({F32({2, 3, 5, 4, 3}), F32({2, 3, 3, 3, 4})}, Dilated3())
      .Tolerance(1e-4);
  c.Ok({F32({2, 3, 5, 4, 3}), F32({2, 3, 3, 3, 4})}, First3()).Tolerance(1e-4);
  c.Ok({F64({1, 3, 3, 4, 2}), F64({2, 2, 3, 2, 2})}, Same3()).Gradient();
  c.Ok({F64({1, 2, 3, 3, 4}), F64({2, 2, 3, 2, 2})}, First3())
      .NoStock(kNhwcOnly)
      .Gradient();
  c.Error({F64({2, 3, 5, 4, 6}), F64({2, 3, 3, 3, 4})}, Same3(),
          StatusCode::kInvalidArgument, "");
  c.Error({F64({1, 4, 4, 4, 2}), Empty(DataType::kDouble, {2, 2, 2, 2, 0})},
          Same3(), StatusCode::kInvalidArgument,
          "filter must not have zero elements");
}
MR_CASES(Conv3DBackpropInputV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Sizes({2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         Same3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({Vec(DataType::kInt64, {2, 3, 3, 5, 4}), F32({2, 3, 3, 3, 4}),
        F32({2, 4, 3, 5, 4})},
       First3())
      .Tolerance(1e-4);
  c.Ok({Sizes({1, 3, 3, 4, 2}), F64({2, 2, 3, 2, 2}), F64({1, 3, 3, 4, 2})},
       Same3())
      .Gradient({1, 2});
  c.Ok({Sizes({1, 4, 4, 4, 2}), Empty(DataType::kDouble, {2, 2, 2, 2, 0}),
        Empty(DataType::kDouble, {1, 4, 4, 4, 0})},
       Same3())
      .IgnoreOutputs({0});  // stock leaves it as allocated
}
MR_CASES(Conv3DBackpropFilterV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Sizes({2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         Same3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
  c.Ok({F32({2, 3, 3, 5, 4}), Sizes({2, 3, 3, 3, 4}), F32({2, 4, 3, 5, 4})},
       First3())
      .Tolerance(1e-4);
  c.Ok({F64({1, 3, 3, 4, 2}), Sizes({2, 2, 3, 2, 2}), F64({1, 3, 3, 4, 2})},
       Same3())
      .Gradient({0, 2});
  c.Ok({F64({1, 4, 4, 4, 2}), Sizes({2, 2, 2, 2, 0}),
        Empty(DataType::kDouble, {1, 4, 4, 4, 0})},
       Same3());
}
MR_CASES(Conv3DBackpropInput)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         Same3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
}
MR_CASES(Conv3DBackpropFilter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Small(t, {2, 3, 5, 4, 3}), Small(t, {2, 3, 3, 3, 4}),
          Small(t, {2, 3, 5, 4, 4})},
         Same3())
        .Tolerance(SumTolerance(t))
        .StockNeeds(FlagForBfloat16(t), kSums);
  });
}

}  // namespace millrace::cases
