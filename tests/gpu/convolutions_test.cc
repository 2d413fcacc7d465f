// Convolutions on a GPU of the stand-in by the library of convolutions, which
// does not do what it says, or whose results differ from run to run.
#include <cstdlib>

#include "tests/gpu/both_devices.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace {
namespace {

using cuda::Control;
using cuda::DnnControl;
using IntList = AttrValue::IntList;

class ConvolutionsTest : public BothDevicesTest {
 protected:
  static constexpr const char* kVariables[] = {"TF_CUDNN_DETERMINISTIC",
                                               "TF_DETERMINISTIC_OPS"};

  void SetUp() override {
    Clear();
    for (const char* variable : kVariables) unsetenv(variable);
  }
  void TearDown() override { SetUp(); }
  static void Clear() {
    Control().Reset();
    DnnControl().Reset();
  }

  static AttrMap Same() {
    return {{"T", DataType::kFloat},
            {"strides", IntList({1, 1, 1, 1})},
            {"padding", "SAME"}};
  }
  // A convolution and its two gradients.
  void ExpectAllAlike() {
    const Tensor x = Floats({2, 6, 5, 3}), filter = Floats({3, 3, 3, 4});
    const Tensor dy = Floats({2, 6, 5, 4});
    ExpectAlike("Conv2D", {x, filter}, Same());
    ExpectAlike("Conv2DBackpropInput",
                {Tensor::Vector<int32_t>({2, 6, 5, 3}), filter, dy}, Same());
    ExpectAlike("Conv2DBackpropFilter",
                {x, Tensor::Vector<int32_t>({3, 3, 3, 4}), dy}, Same());
  }
};

TEST_F(ConvolutionsTest, AnotherAlgorithmRunsWhereOneFails) {
  Start();
  for (const char* code : {"4000", "5000", "8", "999"}) {
    Clear();
    for (const char* symbol :
         {"cudnnConvolutionForward", "cudnnConvolutionBackwardData",
          "cudnnConvolutionBackwardFilter"}) {
      DnnControl().Fail((std::string(symbol) + ":1=" + code).c_str());
    }
    ExpectAllAlike();
    EXPECT_EQ(DnnControl().Calls("cudnnConvolutionForward"), 2u);
  }
}

TEST_F(ConvolutionsTest, OurOwnFunctionRunsWhereAllFail) {
  for (const char* failures :
       {"cudnnConvolutionForward:1-=5000;cudnnConvolutionBackwardData:1-=5000;"
        "cudnnConvolutionBackwardFilter:1-=5000",
        "cudnnGetConvolutionForwardAlgorithm_v7:1-=4000;"
        "cudnnGetConvolutionBackwardDataAlgorithm_v7:1-=4000;"
        "cudnnGetConvolutionBackwardFilterAlgorithm_v7:1-=4000"}) {
    Clear();
    Start();
    DnnControl().Fail(failures);
    ExpectAllAlike();
    EXPECT_GT(Control().Calls("blocks of Product"), 0u) << failures;
  }
}

// The error of a kernel that came before is the step's.
TEST_F(ConvolutionsTest, AFailedCardEndsTheStep) {
  Start();
  const Tensor x = Floats({2, 6, 5, 3}), filter = Floats({3, 3, 3, 4});
  Control().Fail("kernel:1-=700");
  DnnControl().Fail("cudnnConvolutionForward:1-=5000");
  const auto got = Run(kGpu, "Conv2D", {x, filter}, Same());
  EXPECT_EQ(got.status().code(), StatusCode::kInternal) << got.status();
}

TEST_F(ConvolutionsTest, WithoutMemoryForCopiesOurOwnFunctionRuns) {
  // Input and output have room in the first part of the card's memory that the
  // pool takes, of 2 MiB; an input with a row and a column more does not.
  const Tensor x = Floats({1, 240, 240, 4}), filter = Floats({2, 2, 4, 4});
  Start({.allow_growth = true});
  Control().Fail("cuMemAlloc_v2:2-=2");
  ExpectAlike("Conv2D", {x, filter}, Same());
  EXPECT_GT(Control().Calls("cuMemAlloc_v2"), 1u);
  EXPECT_GT(Control().Calls("blocks of Product"), 0u);
}

TEST_F(ConvolutionsTest, VariablesAskForTheSameBits) {
  const Tensor x = Floats({2, 6, 5, 3}), dy = Floats({2, 6, 5, 4});
  const std::vector<Tensor> inputs = {x, Tensor::Vector<int32_t>({3, 3, 3, 4}),
                                      dy};
  Start();
  ExpectAlike("Conv2DBackpropFilter", inputs, Same());
  EXPECT_GT(DnnControl().Calls("any order"), 0u) << "the fastest";
  for (const char* variable : kVariables) {
    for (const char* value : {"1", "true", "0", ""}) {
      SetUp();
      setenv(variable, value, 1);
      Start();
      ExpectAlike("Conv2DBackpropFilter", inputs, Same());
      const bool asks = *value == '1' || *value == 't';
      EXPECT_EQ(DnnControl().Calls("any order") == 0, asks)
          << variable << " " << value;
    }
  }
}

}  // namespace
}  // namespace millrace
