#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Fused(std::initializer_list<std::string> ops) {
  AttrMap attrs;
  attrs.Set("fused_ops", StringList(ops));
  return attrs;
}
AttrMap FusedConv(std::initializer_list<std::string> ops, int64_t args,
                  int64_t stride = 1) {
  AttrMap attrs = Fused(ops);
  attrs.Set("num_args", args);
  attrs.Set("num_host_args", int64_t{0});
  attrs.Set("strides", IntList({1, stride, stride, 1}));
  attrs.Set("padding", "SAME");
  return attrs;
}
// Returns why stock may lack a type on some machines.
const char* NoStockFor(DataType t) {
  return t == DataType::kHalf
             ? "stock computes half on CPUs with AVX512_FP16 alone"
             : "";
}
constexpr const char* kBfloat16 = "stock has no bfloat16 without it";
double ToleranceOf(DataType t) {
  return t == DataType::kBfloat16 ? 5e-2
         : t == DataType::kHalf   ? 8e-3
         : t == DataType::kDouble ? 1e-11
                                  : 2e-5;
}

constexpr const char* kActivations[] = {
    "Relu", "Relu6",   "Elu",       "LeakyRelu",
    "Tanh", "Sigmoid", "GeluExact", "GeluApproximate"};

}  // namespace

MR_CASES(_FusedMatMul)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 5}), Rand(t, {5, 4}), Rand(t, {4})}, Fused({"BiasAdd"}))
        .Tolerance(ToleranceOf(t));
    c.Ok({Rand(t, {3, 5}), Rand(t, {5, 4}), Rand(t, {4})},
         Fused({"BiasAdd", "Relu"}))
        .Tolerance(ToleranceOf(t));
  });
  for (const char* activation : kActivations) {
    c.Ok({F32({7, 20}), F32({20, 30}), F32({30})},
         Fused({"BiasAdd", activation}))
        .Tolerance(1e-4);
  }
  // NaN stays.
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string activation : kActivations) {
    Case& made =
        c.Ok({Of(kFloat, {3, 2}, {1, 2, kNan, 1, 0, -1}),
              Of(kFloat, {2, 2}, {1, 2, -3, 4}), Of(kFloat, {2}, {0.5, -0.5})},
             Fused({"BiasAdd", activation}))
            .Tolerance(1e-4);
    if (activation == "Relu" || activation == "Relu6") {
      made.Deviates(
          "TensorFlow's is 0 for NaN here, and NaN where the ops are not "
          "fused");
    }
  }
  AttrMap transposed = Fused({"BiasAdd", "Relu"});
  transposed.Set("transpose_a", true);
  transposed.Set("transpose_b", true);
  c.Ok({F32({5, 3}), F32({4, 5}), F32({4})}, transposed);
  AttrMap alpha = Fused({"BiasAdd", "LeakyRelu"});
  alpha.Set("leakyrelu_alpha", 0.5f);
  c.Ok({F32({3, 5}), F32({5, 4}), F32({4})}, alpha);
  c.Ok({Rand(kFloat, {3, 5}), Rand(kFloat, {5, 2000}), Rand(kFloat, {2000})},
       Fused({"BiasAdd", "Tanh"}));
  c.Ok({F32({3, 5}), F32({5, 4}), F32({4}), F32({3, 4})},
       Fused({"BiasAdd", "Add", "Relu"}))
      .NoStock("stock has it in the form of its oneDNN op alone");
  c.Ok({Empty(kFloat, {0, 5}), F32({5, 4}), F32({4})}, Fused({"BiasAdd"}));
  c.Ok({Empty(kFloat, {2, 0}), Empty(kFloat, {0, 4}), F32({4})},
       Fused({"BiasAdd", "Relu"}))
      .NoStock("stock leaves the bias out where there is nothing to add up");
  c.Error({F32({3, 5}), F32({4, 4}), F32({4})}, Fused({"BiasAdd"}), kInvalid,
          "Matrix size-incompatible: In[0]: [3,5], In[1]: [4,4]");
  c.Error({F32({3, 5}), F32({5, 4}), F32({4})}, Fused({"Foo"}),
          StatusCode::kUnimplemented, "Fusion is not implemented: [Foo]")
      .NoStock("stock's words are those of its oneDNN op");
}

MR_CASES(_FusedConv2D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 5, 3}), Rand(t, {3, 3, 3, 4}), Rand(t, {4})},
         FusedConv({"BiasAdd", "Relu"}, 1))
        .Tolerance(ToleranceOf(t) * 4)
        .NoStock(NoStockFor(t));
  });
  for (const char* activation :
       {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"}) {
    const absl::string_view name = activation;
    const char* no_stock = name == "Tanh" || name == "Sigmoid"
                               ? "stock fuses it on GPUs alone"
                               : "";
    c.Ok({F32({2, 6, 5, 3}), F32({3, 3, 3, 4}), F32({4})},
         FusedConv({"BiasAdd", activation}, 1, 2))
        .Tolerance(1e-4)
        .NoStock(no_stock);
    c.Ok({F32({2, 6, 5, 3}), F32({3, 3, 3, 4}), F32({4}), F32({4}), F32({4}),
          Rand(kFloat, {4}, 1, 2)},
         FusedConv({"FusedBatchNorm", activation}, 4))
        .Tolerance(1e-4)
        .NoStock(no_stock);
  }
  c.Ok({F32({2, 6, 5, 3}), F32({3, 3, 3, 4}), F32({4})},
       FusedConv({"BiasAdd"}, 1))
      .Tolerance(1e-4);
  c.Ok({F32({2, 17, 20, 32}), F32({3, 3, 32, 48}), F32({48})},
       FusedConv({"BiasAdd", "Relu"}, 1))
      .Tolerance(1e-4);
  c.Ok({F32({2, 6, 5, 3}), F32({1, 1, 3, 4}), F32({4}), F32({2, 6, 5, 4})},
       FusedConv({"BiasAdd", "Add", "Relu"}, 2))
      .NoStock("stock has it in the form of its oneDNN op alone");
  c.Ok({Empty(kFloat, {0, 6, 5, 3}), F32({3, 3, 3, 4}), F32({4})},
       FusedConv({"BiasAdd"}, 1))
      .NoStock("stock gives the input's shape for an empty batch");
}

MR_CASES(_FusedDepthwiseConv2dNative)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    AttrMap attrs = Fused({"BiasAdd", "Relu6"});
    attrs.Set("strides", IntList({1, 2, 2, 1}));
    attrs.Set("padding", "VALID");
    c.Ok({Rand(t, {2, 5, 5, 3}), Rand(t, {3, 3, 3, 2}), Rand(t, {6})}, attrs)
        .Tolerance(ToleranceOf(t) * 4)
        .NoStock(NoStockFor(t))
        .StockNeeds(FlagForBfloat16(t), kBfloat16);
  });
}
MR_CASES(_FusedConv3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    AttrMap attrs = Fused({"BiasAdd", "Relu"});
    attrs.Set("strides", IntList({1, 1, 1, 1, 1}));
    attrs.Set("padding", "SAME");
    c.Ok({Rand(t, {2, 3, 4, 4, 2}), Rand(t, {2, 2, 2, 2, 3}), Rand(t, {3})},
         attrs)
        .Tolerance(ToleranceOf(t) * 4)
        .NoStock(NoStockFor(t))
        .StockNeeds(FlagForBfloat16(t), kBfloat16);
  });
}

}  // namespace millrace::cases
