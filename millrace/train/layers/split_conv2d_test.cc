#include "millrace/train/layers/split_conv2d.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/gradients.h"
#include "millrace/train/layers/conv2d.h"
#include "millrace/train/layers/split_pooling.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;

constexpr double kConvRounding = 1e-3;

Initializer Filters() {
  return SlicesOfWhole(RandomNormal({.stddev = 1, .seed = 5}));
}
Initializer Biases() {
  return SlicesOfWhole(RandomNormal({.stddev = 1, .seed = 6}));
}

struct ConvForm {
  Conv2DCut cut;
  int devices;
  Padding padding;
  std::array<int64_t, 2> kernel;
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
};

std::vector<ConvForm> ConvForms() {
  std::vector<ConvForm> forms;
  for (const Conv2DCut cut :
       {Conv2DCut::kFilters, Conv2DCut::kChannels, Conv2DCut::kRows}) {
    for (const Padding padding : {Padding::kSame, Padding::kValid}) {
      forms.push_back({cut, 2, padding, {3, 3}});
      forms.push_back({cut, 3, padding, {1, 1}});
      forms.push_back({cut, 2, padding, {3, 2}, {2, 1}});
      forms.push_back({cut, 3, padding, {4, 3}, {2, 3}});
      forms.push_back({cut, 2, padding, {2, 3}, {1, 1}, {2, 2}});
    }
  }
  return forms;
}

class SplitConv2DForms : public testing::TestWithParam<ConvForm> {};
INSTANTIATE_TEST_SUITE_P(All, SplitConv2DForms, testing::ValuesIn(ConvForms()));

TEST_P(SplitConv2DForms, HaveTheValuesAndGradientsOfTheWholeLayer) {
  const ConvForm& form = GetParam();
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const Output x = Waves(s, {2, 11, 7, 3});
  const Output y = Conv2D(v, x, 4, form.kernel,
                          {.strides = form.strides,
                           .dilations = form.dilations,
                           .padding = form.padding,
                           .activation = ops::Tanh,
                           .kernel_initializer = Filters(),
                           .bias_initializer = Biases()});
  const SplitTensor split =
      SplitConv2D(v, x, 4, form.kernel, Cpus(form.devices),
                  {.cut = form.cut,
                   .strides = form.strides,
                   .dilations = form.dilations,
                   .padding = form.padding,
                   .activation = ops::Tanh,
                   .kernel_initializer = Filters(),
                   .bias_initializer = Biases(),
                   .name = "split"});
  ASSERT_TRUE(split) << s.status();
  EXPECT_EQ(ShapeOfWhole(split), y.shape());
  const Output joined = Join(s, split);
  const VariableScope again = v.WithReuse(Reuse::kYes);
  const TensorShape shape({form.kernel[0], form.kernel[1], 3, 4});
  const ops::Variable kernel = again.Sub("conv2d").GetVariable("kernel", shape);
  std::vector<ops::Variable> parts;
  int axis = 0;
  if (form.cut == Conv2DCut::kRows) {
    parts = {again.Sub("split").GetVariable("kernel", shape)};
  } else {
    const auto cut = again.Sub("split").GetPartitioned("kernel", shape);
    parts = cut.parts();
    axis = cut.axis();
  }
  const std::vector<Gradient> expected = ops::Gradients(
      s, {UnevenSum(s, y)}, {x, kernel.handle()}, {.colocate_with_ops = true});
  std::vector<Output> xs = {x};
  for (const ops::Variable& part : parts) xs.push_back(part.handle());
  const std::vector<Gradient> got = ops::Gradients(
      s, {UnevenSum(s, joined)}, xs, {.colocate_with_ops = true});
  ASSERT_TRUE(s.ok()) << s.status();
  std::vector<Output> of_kernel;
  for (size_t i = 1; i < got.size(); ++i) of_kernel.push_back(got[i].tensor);
  ValuesOnCpus values(s, form.devices);
  const std::vector<Tensor> all = values.Of(
      {y, joined, expected[0].tensor, got[0].tensor, expected[1].tensor,
       of_kernel.size() == 1 ? of_kernel[0]
                             : ops::ConcatV2(s, of_kernel, axis)});
  EXPECT_LT(Difference(all[0], all[1]), kConvRounding);
  EXPECT_LT(Difference(all[2], all[3]), kConvRounding);
  EXPECT_LT(Difference(all[4], all[5]), kConvRounding);
  RunMetadata metadata;
  values.Of({joined}, &metadata);
  for (int i = 0; i < form.devices; ++i) {
    EXPECT_EQ(RunsOf(metadata, "Conv2D", i), 1) << "on CPU " << i;
  }
}

// Chunks of a whole network, from layer to layer.
TEST(SplitConv2D, ChunksOfANetwork) {
  for (const Padding padding : {Padding::kSame, Padding::kValid}) {
    const Scope s = Scope::NewRoot();
    const VariableScope v(s);
    const Output x = Waves(s, {2, 21, 13, 2});
    Output y = Conv2D(v, x, 3, {3, 3},
                      {.padding = padding, .kernel_initializer = Filters()});
    y = MaxPooling2D(s, y, {3, 3}, {2, 2}, {.padding = padding});
    y = Conv2D(v, y, 2, {2, 2},
               {.padding = padding, .kernel_initializer = Filters()});
    y = AveragePooling2D(s, y, {3, 2}, {1, 2}, {.padding = padding});
    const VariableScope w = v.Sub("split");
    SplitTensor z = SplitConv2D(w, x, 3, {3, 3}, Cpus(3),
                                {.cut = Conv2DCut::kRows,
                                 .padding = padding,
                                 .kernel_initializer = Filters()});
    z = SplitMaxPooling2D(s, z, {3, 3}, {2, 2}, {.padding = padding});
    z = SplitConv2D(w, z, 2, {2, 2}, Cpus(3),
                    {.cut = Conv2DCut::kRows,
                     .padding = padding,
                     .kernel_initializer = Filters()});
    z = SplitAveragePooling2D(s, z, {3, 2}, {1, 2}, {.padding = padding});
    ASSERT_TRUE(z) << s.status();
    EXPECT_EQ(z.parts.size(), 3u);
    const Output joined = Join(s, z);
    EXPECT_EQ(joined.shape(), y.shape());
    const auto gradient = [&](const Output& of) {
      return ops::Gradients(s, {UnevenSum(s, of)}, {x},
                            {.colocate_with_ops = true})[0]
          .tensor;
    };
    const std::vector<Output> outputs = {y, joined, gradient(y),
                                         gradient(joined)};
    const std::vector<Tensor> all = ValuesOnCpus(s, 3).Of(outputs);
    EXPECT_LT(Difference(all[0], all[1]), kConvRounding);
    EXPECT_LT(Difference(all[2], all[3]), kConvRounding);
  }
}

TEST(SplitConv2D, ChannelsArePooledWhereTheyAre) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const Output x = Waves(s, {1, 6, 6, 2});
  const SplitTensor y = SplitMaxPooling2D(
      s, SplitConv2D(v, x, 4, {3, 3}, Cpus(2)), {2, 2}, {2, 2});
  const SplitTensor z =
      SplitConv2D(v, y, 2, {2, 2}, Cpus(2), {.cut = Conv2DCut::kChannels});
  ASSERT_TRUE(z) << s.status();
  EXPECT_EQ(z.parts[0].shape(), PartialShape({1, 1, 1, 2}));
  RunMetadata metadata;
  ValuesOnCpus(s, 2).Of({z.parts[0]}, &metadata);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RunsOf(metadata, "Conv2D", i), 2);
    EXPECT_EQ(RunsOf(metadata, "MaxPool", i), 1);
    EXPECT_EQ(RunsOf(metadata, "Concat", i), 0);
  }
}

std::string ConvErrorOf(const PartialShape& shape, int devices,
                        const SplitConv2DOptions& options) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat, {.shape = shape});
  EXPECT_FALSE(
      SplitConv2D(VariableScope(s), x, 2, {3, 3}, Cpus(devices), options));
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
  return std::string(s.status().message());
}

TEST(SplitConv2D, WhatIsRefused) {
  const PartialShape known({1, 6, 6, 3});
  EXPECT_THAT(ConvErrorOf(known, 0, {}), HasSubstr("at least one device"));
  EXPECT_THAT(ConvErrorOf(known, 3, {}),
              HasSubstr("2 filters cannot be cut for 3 devices"));
  EXPECT_THAT(ConvErrorOf(known, 4, {.cut = Conv2DCut::kChannels}),
              HasSubstr("3 channels cannot be cut for 4 devices"));
  EXPECT_THAT(ConvErrorOf(known, 5, {.cut = Conv2DCut::kRows}),
              HasSubstr("4 rows of the output cannot be cut for 5 devices"));
  EXPECT_THAT(ConvErrorOf({1, -1, 6, 3}, 2, {.cut = Conv2DCut::kRows}),
              HasSubstr("found inputs [1,?,6,3]"));
  EXPECT_THAT(ConvErrorOf({1, 6, -1, 3}, 2,
                          {.cut = Conv2DCut::kRows, .padding = Padding::kSame}),
              HasSubstr("with padding SAME their width"));
  EXPECT_THAT(ConvErrorOf({1, 6, 6, -1}, 2, {}),
              HasSubstr("should be defined"));
  EXPECT_THAT(ConvErrorOf(known, 2, {.strides = {0, 1}}),
              HasSubstr("strides 0x1"));
}

TEST(SplitPooling, WhatIsRefused) {
  const auto error = [](int axis, std::array<int64_t, 2> size) {
    const Scope s = Scope::NewRoot();
    const Output x = Waves(s, {2, 4, 4, 2});
    const SplitTensor slices = SlicesOf(s, x, axis, {1, 1});
    EXPECT_FALSE(SplitMaxPooling2D(s, slices, size, {1, 1}));
    return std::string(s.status().message());
  };
  EXPECT_THAT(error(0, {2, 2}), HasSubstr("found slices along axis 0"));
  const Scope s = Scope::NewRoot();
  const SplitTensor slices = SlicesOf(s, Waves(s, {1, 4, 4, 1}), 1, {2, 1, 1});
  EXPECT_FALSE(SplitAveragePooling2D(s, slices, {3, 3}, {1, 1}));
  EXPECT_THAT(s.status().message(), HasSubstr("2 rows of the output"));
}

}  // namespace
}  // namespace millrace::train
