#include <limits>
#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Positive(TensorShape shape) {
  return Rand(DataType::kFloat, std::move(shape), 0.5, 2);
}
Value NoFloats() { return Empty(DataType::kFloat, {0}); }

// Adds the cases of a version. `ignored` are outputs that only a gradient op
// uses; in inference stock leaves some more unset.
void Cases(CaseList& c, std::vector<int> ignored) {
  std::vector<int> in_inference = ignored;
  in_inference.insert(in_inference.end(), {3, 4});
  const std::vector<DataType> types =
      ignored.size() < 2 && c.op().name == "FusedBatchNorm"
          ? std::vector<DataType>{DataType::kFloat}
          : c.AllowedTypes("T");
  for (const DataType t : types) {
    const double slack = t == DataType::kFloat ? 1e-4 : 2e-2;
    c.Ok({Rand(t, {2, 5, 7, 3}), Positive({3}), F32({3}), NoFloats(),
          NoFloats()})
        .Tolerance(slack)
        .IgnoreOutputs(ignored);
    c.Ok({Rand(t, {2, 5, 7, 17}), Positive({17}), F32({17}), F32({17}),
          Positive({17})},
         {{"is_training", false}})
        .Tolerance(slack)
        .IgnoreOutputs(in_inference);
    c.Ok({Rand(t, {2, 3, 5, 7}), Positive({3}), F32({3}), F32({3}),
          Positive({3})},
         {{"is_training", false}, {"data_format", "NCHW"}})
        .Tolerance(slack)
        .IgnoreOutputs(in_inference);
  }
  c.Ok({F32({2, 5, 7, 3}), Positive({3}), F32({3}), F32({3}), Positive({3})},
       {{"exponential_avg_factor", 0.25f}, {"epsilon", 0.01f}})
      .Tolerance(1e-4)
      .IgnoreOutputs(ignored);
  c.Ok({F32({2, 3, 5, 7}), Positive({3}), F32({3}), NoFloats(), NoFloats()},
       {{"data_format", "NCHW"}})
      .Tolerance(1e-4)
      .IgnoreOutputs(ignored);
  c.Ok({F32({2, 2, 2, 3}), Positive({3}), F32({3}), F32({3}), Positive({3})},
       {{"is_training", false}})
      .Tolerance(1e-4)
      .IgnoreOutputs(ignored)
      .Gradient({0, 1, 2})
      .GradientTolerance(2e-2);
}

void GradCases(CaseList& c) {
  const bool third = c.op().inputs.size() > 5;  // version
  const auto add = [&](DataType t, TensorShape shape, int64_t n,
                       AttrMap attrs) -> Case& {
    std::vector<Value> inputs = {Rand(t, shape), Rand(t, shape), Positive({n}),
                                 Rand(DataType::kFloat, {n}, -0.2, 0.2),
                                 Positive({n})};
    if (third) inputs.push_back(F32({0}));
    return c.Ok(inputs, std::move(attrs))
        .Tolerance(t == DataType::kFloat ? 1e-4 : 5e-2)
        .IgnoreOutputs({3, 4});
  };
  for (const DataType t :
       third ? c.AllowedTypes("T") : std::vector<DataType>{DataType::kFloat}) {
    add(t, {2, 5, 7, 3}, 3, {});
    add(t, {2, 5, 7, 3}, 3, {{"is_training", false}});
  }
  add(DataType::kFloat, {2, 3, 5, 7}, 3, {{"data_format", "NCHW"}});
  add(DataType::kFloat, {2, 3, 5, 7}, 3,
      {{"data_format", "NCHW"}, {"is_training", false}});
  // In training the statistics move with x: batch_norm_gradients_test.cc.
  for (const char* format : {"NHWC", "NCHW"}) {
    add(DataType::kFloat, {2, 3, 2, 3}, 3,
        {{"data_format", format}, {"is_training", false}})
        .Gradient({0, 1, 2})
        .GradientTolerance(2e-2);
  }
}

}  // namespace

MR_CASES(FusedBatchNorm)(CaseList& c) { Cases(c, {}); }
MR_CASES(FusedBatchNormV2)(CaseList& c) { Cases(c, {}); }
MR_CASES(FusedBatchNormV3)(CaseList& c) {
  Cases(c, {5});
  c.Ok({F32({2, 3, 2, 4, 3}), Positive({3}), F32({3}), NoFloats(), NoFloats()},
       {{"data_format", "NDHWC"}})
      .Tolerance(1e-4)
      .IgnoreOutputs({5});
  // Several pieces of rows, far from 0; infinite elements have a mean.
  for (const char* format : {"NHWC", "NCHW"}) {
    const bool first = std::string(format) == "NCHW";
    c.Ok({Rand(
              DataType::kFloat,
              first ? TensorShape({3, 7, 80, 41}) : TensorShape({3, 80, 41, 7}),
              10, 11),
          Positive({7}), F32({7}), NoFloats(), NoFloats()},
         {{"data_format", format}})
        .Tolerance(1e-3)
        .IgnoreOutputs({5});
  }
  c.Ok({Of(DataType::kFloat, {1, 2, 2, 2},
           {1, 2, std::numeric_limits<float>::infinity(), 4, 5, 6, 7, 8}),
        Positive({2}), F32({2}), NoFloats(), NoFloats()},
       {})
      .IgnoreOutputs({5});
}
MR_CASES(FusedBatchNormGrad)(CaseList& c) { GradCases(c); }
MR_CASES(FusedBatchNormGradV2)(CaseList& c) {
  GradCases(c);
  for (const DataType t : c.AllowedTypes("T")) {
    c.Ok({Rand(t, {2, 5, 7, 3}), Rand(t, {2, 5, 7, 3}), Positive({3}),
          Rand(DataType::kFloat, {3}, -0.2, 0.2), Positive({3})})
        .Tolerance(5e-2)
        .IgnoreOutputs({3, 4});
  }
}
MR_CASES(FusedBatchNormGradV3)(CaseList& c) { GradCases(c); }

namespace {

constexpr const char* kBfloat16 = "stock has no bfloat16 without it";

enum class Statistics { kGiven, kOfBatch };

AttrMap BatchNorm(const char* mode, Statistics statistics) {
  return AttrMap({{"activation_mode", mode},
                  {"is_training", statistics == Statistics::kOfBatch},
                  {"epsilon", 1e-3f}});
}

}  // namespace

MR_CASES(_FusedBatchNormEx)(CaseList& c) {
  constexpr char kReluAlone[] = "stock's kernel for CPUs has Relu alone";
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const char* mode : {"Identity", "Relu"}) {
      const char* no_stock = mode[0] == 'R' ? "" : kReluAlone;
      c.Ok({Rand(t, {2, 3, 4, 8}), F32({8}), F32({8}), F32({8}),
            Rand(kFloat, {8}, 1, 2)},
           BatchNorm(mode, Statistics::kGiven))
          .Tolerance(t == kFloat ? 1e-4 : 4e-2)
          .IgnoreOutputs({5})
          .NoStock(no_stock)
          .StockNeeds(FlagForBfloat16(t), kBfloat16);
      c.Ok({Rand(t, {2, 3, 4, 8}), F32({8}), F32({8}), Empty(kFloat, {0}),
            Empty(kFloat, {0})},
           BatchNorm(mode, Statistics::kOfBatch))
          .Tolerance(t == kFloat ? 1e-4 : 4e-2)
          .IgnoreOutputs({5})
          .NoStock(no_stock)
          .StockNeeds(FlagForBfloat16(t), kBfloat16);
    }
    c.Ok({Rand(t, {2, 3, 4, 8}), F32({8}), F32({8}), F32({8}),
          Rand(kFloat, {8}, 1, 2), Rand(t, {2, 3, 4, 8})},
         BatchNorm("Relu", Statistics::kGiven))
        .Tolerance(t == kFloat ? 1e-4 : 4e-2)
        .IgnoreOutputs({5})
        .NoStock(kReluAlone);
  });
  AttrMap first = BatchNorm("Relu", Statistics::kGiven);
  first.Set("data_format", "NCHW");
  c.Ok({F32({2, 5, 3, 4}), F32({5}), F32({5}), F32({5}),
        Rand(kFloat, {5}, 1, 2), F32({2, 5, 3, 4})},
       first)
      .Tolerance(1e-4)
      .IgnoreOutputs({5})
      .NoStock("stock has no such kernel for channels first on the CPU");
  c.Error({F32({2, 3, 4, 5}), F32({5}), F32({5}), F32({5}), F32({5}),
           F32({2, 3, 4, 5})},
          BatchNorm("Identity", Statistics::kGiven), kInvalid,
          "Identity activation is not supported with non-empty side input")
      .NoStock(kReluAlone);
}

}  // namespace millrace::cases
