#include "millrace/train/quantized/quantized_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "millrace/base/random.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/variable_scope.h"
#include "millrace/train/layers/conv2d.h"
#include "millrace/train/layers/dense.h"
#include "millrace/train/layers/flatten.h"
#include "millrace/train/layers/pooling.h"
#include "millrace/train/quantized/frozen_graph.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Tensor Uniform(TensorShape shape, float low, float high, uint64_t seed) {
  Tensor t = Tensor::New(DataType::kFloat, std::move(shape));
  Rng rng(seed);
  for (float& v : t.mutable_flat<float>()) {
    v = low + static_cast<float>(rng.Double()) * (high - low);
  }
  return t;
}

class QuantizedGraphTest : public testing::Test {
 protected:
  // Numbers of a network with the values of its variables.
  Session& session() {
    if (!session_) {
      EXPECT_TRUE(s_.ok()) << s_.status();
      session_ = std::make_unique<Session>(s_);
      const Status init =
          session_->RunTargets({ops::GlobalVariablesInitializer(s_)});
      EXPECT_TRUE(init.ok()) << init;
    }
    return *session_;
  }

  Output Placeholder(std::vector<int64_t> shape) {
    return ops::Placeholder(s_.WithOpName("x"), DataType::kFloat,
                            {.shape = PartialShape(std::move(shape))});
  }

  Output Constant(const char* name, Tensor value) {
    return ops::Const(s_.WithOpName(name), std::move(value));
  }

  // Quantizes the network for these examples and compares what it says of them
  // with what the network of floats says: on average it differs by at most
  // `part` of the largest number.
  void Check(const Output& x, const Output& output, const Tensor& examples,
             double part, const QuantizeGraphOptions& options = {}) {
    auto quantized =
        QuantizeGraph(session(), {output}, {{{x, examples}}}, options);
    ASSERT_TRUE(quantized.ok()) << quantized.status();
    made_ = *std::move(quantized);
    const Scope served = Scope::NewRoot();
    const Status imported = served.graph().Import(made_.graph);
    ASSERT_TRUE(imported.ok()) << imported;
    Session run(served);
    const auto floats = session().Run({{x, examples}}, {output});
    ASSERT_TRUE(floats.ok()) << floats.status();
    const Output fed = *served.graph().FindOutput(x.name());
    const Output fetched = *served.graph().FindOutput(output.name());
    for (int i = 0; i < 3; ++i) {  // kernels keep weights from the second on
      const auto bytes = run.Run({{fed, examples}}, {fetched});
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      ExpectNear((*bytes)[0], (*floats)[0], part);
    }
  }

  static void ExpectNear(const Tensor& found, const Tensor& wanted,
                         double part) {
    ASSERT_EQ(found.shape(), wanted.shape());
    double largest = 0, difference = 0;
    for (size_t i = 0; i < found.flat<float>().size(); ++i) {
      const double want = wanted.flat<float>()[i];
      largest = std::max(largest, std::abs(want));
      difference += std::abs(found.flat<float>()[i] - want);
    }
    difference /= static_cast<double>(found.num_elements());
    EXPECT_LT(difference, part * largest);
    EXPECT_GT(difference, 0) << "nothing was rounded";
  }

  // How many nodes of each op of 8 bits the graph has.
  std::map<std::string, int> Ops() const {
    std::map<std::string, int> counts;
    for (const NodeDef& node : made_.graph.nodes) {
      if (node.op.find("uantize") != std::string::npos) ++counts[node.op];
    }
    return counts;
  }

  std::string ErrorOf(const std::vector<Output>& outputs,
                      const std::vector<std::vector<Feed>>& calibration,
                      const QuantizeGraphOptions& options = {}) {
    const auto made = QuantizeGraph(session(), outputs, calibration, options);
    EXPECT_EQ(made.status().code(), StatusCode::kInvalidArgument);
    return std::string(made.status().message());
  }

  const Scope s_ = Scope::NewRoot();
  const VariableScope v_ = VariableScope(s_);
  std::unique_ptr<Session> session_;
  QuantizedGraph made_;
};

TEST_F(QuantizedGraphTest, LayersPassBytesToEachOther) {
  const Output x = Placeholder({-1, 40});
  Output y = Dense(v_, x, 64, {.activation = ops::Relu});
  y = Dense(v_, y, 96, {.activation = ops::Relu});
  y = Dense(v_, y, 10);
  Check(x, y, Uniform(TensorShape({50, 40}), 0, 1, 1), 0.02);
  EXPECT_THAT(Ops(),
              UnorderedElementsAre(
                  Pair("QuantizeV2", 1),
                  Pair("QuantizedMatMulWithBiasAndReluAndRequantize", 2),
                  Pair("QuantizedMatMulWithBias", 1), Pair("Dequantize", 1)));
  const QuantizationReport& report = made_.report;
  ASSERT_EQ(report.quantized.size(), 3u);
  EXPECT_EQ(report.quantized[0].ops, "MatMul+BiasAdd+Relu");
  EXPECT_EQ(report.quantized[2].ops, "MatMul+BiasAdd");
  EXPECT_EQ(report.quantized[1].bytes_before, 64 * 96 * 4);
  EXPECT_EQ(report.quantized[1].bytes_after, 64 * 96 + 8);
  EXPECT_THAT(report.left, IsEmpty());
  EXPECT_LT(report.bytes_after, 0.3 * static_cast<double>(report.bytes_before));
  EXPECT_THAT(report.Text(), HasSubstr("dense_1/MatMul: MatMul+BiasAdd+Relu, "
                                       "24576 to 6152 bytes\n"));
}

TEST_F(QuantizedGraphTest, InputsBelowZeroMoveIntoTheBias) {
  const Output x = Placeholder({-1, 40});
  Output y = Dense(v_, x, 64, {.activation = ops::Relu});
  y = Dense(v_, y, 10);
  Check(x, y, Uniform(TensorShape({50, 40}), -1, 3, 1), 0.02);
}

TEST_F(QuantizedGraphTest, OtherOpsStayInFloat) {
  const Output x = Placeholder({-1, 40});
  Output y = Dense(v_, x, 64, {.activation = ops::Tanh});
  y = ops::Softmax(s_, Dense(v_, y, 10));
  Check(x, y, Uniform(TensorShape({50, 40}), -1, 1, 1), 0.02);
  EXPECT_THAT(Ops(), UnorderedElementsAre(Pair("QuantizeV2", 2),
                                          Pair("QuantizedMatMulWithBias", 2),
                                          Pair("Dequantize", 2)));
}

TEST_F(QuantizedGraphTest, AResultThatFloatsTakeTooIsConverted) {
  const Output x = Placeholder({-1, 40});
  const Output hidden = Dense(v_, x, 64, {.activation = ops::Relu});
  const Output y = ops::Add(s_, Dense(v_, hidden, 1),
                            ops::Mean(s_, hidden, {1}, {.keep_dims = true}));
  Check(x, y, Uniform(TensorShape({50, 40}), 0, 1, 1), 0.03);
  EXPECT_EQ(Ops()["Dequantize"], 2);
}

TEST_F(QuantizedGraphTest, ImagesPassAsBytes) {
  const Output x = Placeholder({-1, 12, 12, 3});
  Output y = Conv2D(v_, x, 8, {3, 3},
                    {.padding = Padding::kSame, .activation = ops::Relu});
  y = MaxPooling2D(s_, y, {2, 2}, {2, 2});
  y = Conv2D(v_, y, 16, {3, 3}, {.activation = ops::Relu});
  y = Flatten(s_, y);
  y = Dense(v_, y, 10);
  Check(x, y, Uniform(TensorShape({9, 12, 12, 3}), 0, 1, 1), 0.03);
  EXPECT_THAT(Ops(),
              UnorderedElementsAre(
                  Pair("QuantizeV2", 1),
                  Pair("QuantizedConv2DWithBiasAndReluAndRequantize", 2),
                  Pair("QuantizedMaxPool", 1),
                  Pair("QuantizedMatMulWithBias", 1), Pair("Dequantize", 1)));
}

// QuantizedMaxPool has neither paddings of its own nor pools of channels.
TEST_F(QuantizedGraphTest, PoolsThatBytesHaveNotStayInFloat) {
  const Output x = Placeholder({-1, 6, 6, 2});
  const Output images = Conv2D(v_, x, 8, {3, 3}, {.activation = ops::Relu});
  const auto check = [&](const Output& pooled) {
    const Output y = Dense(v_, Flatten(s_, pooled), 5);
    session_.reset();  // the variables are new
    Check(x, y, Uniform(TensorShape({9, 6, 6, 2}), 0, 1, 1), 0.03);
    EXPECT_EQ(Ops()["QuantizedMaxPool"], 0);
    EXPECT_EQ(Ops()["QuantizedConv2DWithBiasAndRelu"], 1);
  };
  check(ops::MaxPool(s_, images, {1, 2, 2, 1}, {1, 2, 2, 1}, "EXPLICIT",
                     {.explicit_paddings = {0, 0, 1, 1, 1, 1, 0, 0}}));
  check(ops::MaxPool(s_, images, {1, 1, 1, 2}, {1, 1, 1, 2}, "VALID"));
}

TEST_F(QuantizedGraphTest, ImagesBelowZeroAreSigned) {
  const Output x = Placeholder({-1, 8, 8, 4});
  const Output y = Conv2D(v_, x, 6, {3, 3},
                          {.padding = Padding::kSame, .activation = ops::Relu});
  Check(x, y, Uniform(TensorShape({5, 8, 8, 4}), -1, 1, 1), 0.02);
  EXPECT_EQ(Ops()["QuantizedConv2DWithBiasAndRelu"], 1);
}

TEST_F(QuantizedGraphTest, Relu6EndsAtSix) {
  const Output x = Placeholder({-1, 20});
  Output y = Dense(v_, x, 30, {.activation = ops::Relu6});
  y = Dense(v_, y, 10, {.activation = ops::Relu6});
  Check(x, y, Uniform(TensorShape({50, 20}), 0, 20, 1), 0.03);
  EXPECT_EQ(Ops()["QuantizedMatMulWithBiasAndReluAndRequantize"], 1);
  EXPECT_EQ(Ops()["QuantizedMatMulWithBias"], 1);
}

TEST_F(QuantizedGraphTest, WeightsMayBeTransposedAndShared) {
  const Output x = Placeholder({-1, 24});
  const Output w = Constant("w", Uniform(TensorShape({24, 24}), -1, 1, 2));
  const Output hidden =
      ops::Relu(s_, ops::MatMul(s_, x, w, {.transpose_b = true}));
  const Output y = ops::MatMul(s_, hidden, w, {.transpose_b = true});
  Check(x, y, Uniform(TensorShape({30, 24}), 0, 1, 1), 0.03);
  // The weights once, and the ranges: weights, input, results.
  int64_t bytes = 0;
  for (const NodeDef& node : made_.graph.nodes) {
    if (node.name.starts_with("w/")) {
      bytes += static_cast<int64_t>(
          GetAttr<Tensor>(node.attrs, "value")->size_bytes());
    }
  }
  EXPECT_EQ(bytes, 24 * 24 + 8);
}

TEST_F(QuantizedGraphTest, VariablesOfBothKindsAreFrozen) {
  const Output x = Placeholder({-1, 16});
  const ops::Variable w(s_.WithOpName("w"),
                        Uniform(TensorShape({16, 8}), -1, 1, 2),
                        {.use_resource = true});
  const ops::Variable b(s_.WithOpName("b"),
                        Uniform(TensorShape({8}), -1, 1, 3));
  const Output y = ops::BiasAdd(s_, ops::MatMul(s_, x, w), b);
  ASSERT_TRUE(session().RunTargets({w.initializer(), b.initializer()}).ok());
  Check(x, y, Uniform(TensorShape({30, 16}), 0, 1, 1), 0.02);
  for (const NodeDef& node : made_.graph.nodes) {
    EXPECT_NE(node.op, "VarHandleOp");
    EXPECT_NE(node.op, "VariableV2");
  }
}

TEST_F(QuantizedGraphTest, SaysWhatStaysInFloatAndWhy) {
  const Output x = Placeholder({-1, 16});
  const Output w = Constant("w", Uniform(TensorShape({16, 16}), -1, 1, 2));
  Output y = ops::MatMul(s_.WithOpName("first"), x, w);
  y = ops::MatMul(s_.WithOpName("second"), y, w);
  y = ops::MatMul(s_.WithOpName("squares"), y, y, {.transpose_b = true});
  Check(x, y, Uniform(TensorShape({30, 16}), 0, 1, 1), 0.05,
        {.skip = {"second"}});
  EXPECT_THAT(made_.report.left,
              ElementsAre(Pair("second", "it is to be skipped"),
                          Pair("squares", "its weights are not a constant")));
  EXPECT_THAT(made_.report.Text(),
              HasSubstr("second stays in float: it is to be skipped\n"));
}

TEST_F(QuantizedGraphTest, AnOutputWithinALayerIsNotJoined) {
  const Output x = Placeholder({-1, 16});
  const Output w = Constant("w", Uniform(TensorShape({16, 16}), -1, 1, 2));
  const Output sums = ops::MatMul(s_.WithOpName("sums"), x, w);
  const Output y = ops::Relu(s_.WithOpName("y"), sums);
  const Tensor examples = Uniform(TensorShape({30, 16}), 0, 1, 1);
  const auto made = QuantizeGraph(session(), {y, sums}, {{{x, examples}}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->report.quantized[0].ops, "MatMul");
}

TEST_F(QuantizedGraphTest, PercentilesLeaveOutWhatIsFarFromAllOthers) {
  const Output x = Placeholder({-1, 1});
  const Output w = Constant("w", Tensor::Of<float>(TensorShape({1, 1}), {1}));
  const Output y = ops::MatMul(s_.WithOpName("y"), x, w);
  Tensor examples = Tensor::New(DataType::kFloat, TensorShape({1001, 1}));
  for (int i = 0; i < 1000; ++i) {
    examples.mutable_flat<float>()[i] = static_cast<float>(i) / 1000;
  }
  examples.mutable_flat<float>()[1000] = 1e6;
  const auto largest = [&](double percentile) {
    const auto made = QuantizeGraph(session(), {y}, {{{x, examples}}},
                                    {.percentile = percentile});
    EXPECT_TRUE(made.ok()) << made.status();
    for (const NodeDef& node : made->graph.nodes) {
      if (node.name == "x/quantized/bytes/max") {
        return GetAttr<Tensor>(node.attrs, "value")->scalar<float>();
      }
    }
    return -1.0f;
  };
  EXPECT_EQ(largest(100), 1e6f);
  EXPECT_EQ(largest(99.9), 0.999f);
}

TEST_F(QuantizedGraphTest, DevicesAreKeptOnRequest) {
  const Scope s = s_.WithDevice("/device:CPU:0");
  const Output x = Placeholder({-1, 16});
  const Output w = Constant("w", Uniform(TensorShape({16, 16}), -1, 1, 2));
  const Output y = ops::MatMul(s.WithOpName("y"), x, w);
  const Tensor examples = Uniform(TensorShape({30, 16}), 0, 1, 1);
  for (const bool keeps : {false, true}) {
    const auto made = QuantizeGraph(session(), {y}, {{{x, examples}}},
                                    {.keep_devices = keeps});
    ASSERT_TRUE(made.ok()) << made.status();
    for (const NodeDef& node : made->graph.nodes) {
      if (node.op == "QuantizedMatMulWithBias") {
        EXPECT_EQ(node.device, keeps ? "/device:CPU:0" : "");
      }
    }
  }
}

TEST_F(QuantizedGraphTest, WrongArgumentsAreNamed) {
  const Output x = Placeholder({-1, 4});
  const Output w = Constant("w", Uniform(TensorShape({4, 4}), -1, 1, 2));
  const Output y = ops::MatMul(s_.WithOpName("y"), x, w);
  Tensor bad = Uniform(TensorShape({4, 4}), -1, 1, 2);
  bad.mutable_flat<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  const Output bad_w = Constant("bad", bad);
  const Output z = ops::MatMul(s_.WithOpName("z"), x, bad_w);
  const Output sum = ops::AddN(s_, {x, x});
  const std::vector<std::vector<Feed>> one = {
      {{x, Uniform(TensorShape({2, 4}), 0, 1, 1)}}};
  EXPECT_THAT(ErrorOf({}, one), HasSubstr("no output"));
  EXPECT_THAT(ErrorOf({Output()}, one),
              HasSubstr("output 0 is not an element of the session's graph"));
  EXPECT_THAT(ErrorOf({y}, {}), HasSubstr("calibration has no batch"));
  EXPECT_THAT(
      ErrorOf({y}, {{{x, Tensor::New(DataType::kFloat, TensorShape({0, 4}))}}}),
      HasSubstr("calibration has no example: x had no number"));
  EXPECT_THAT(
      ErrorOf({y}, {{{x, bad}}}),
      HasSubstr("x has NaN or infinite numbers in calibration batch 0"));
  EXPECT_THAT(ErrorOf({z}, one),
              HasSubstr("the weights bad have NaN or infinite numbers"));
  EXPECT_THAT(ErrorOf({sum}, one),
              HasSubstr("there is nothing to quantize: the graph has neither"));
  EXPECT_THAT(ErrorOf({y}, one, {.skip = {"y"}}),
              HasSubstr("nothing to quantize: y: it is to be skipped"));
  EXPECT_THAT(ErrorOf({y}, one, {.skip = {"z"}}), HasSubstr("skip names z"));
  EXPECT_THAT(ErrorOf({y}, one, {.percentile = 50}),
              HasSubstr("percentile is 50"));
}

TEST_F(QuantizedGraphTest, AVariableThatIsUpdatedOnTheWayIsRefused) {
  const Output x = Placeholder({-1, 4});
  const ops::Variable w(s_.WithOpName("w"),
                        Uniform(TensorShape({4, 4}), -1, 1, 2),
                        {.use_resource = true});
  const Output y = ops::MatMul(
      s_, x, w.AssignAdd(s_, Uniform(TensorShape({4, 4}), 0, 1, 3)));
  const auto frozen = FreezeGraph(session(), {y});
  EXPECT_EQ(frozen.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(frozen.status().message()),
              HasSubstr("uses the variable w"));
}

TEST_F(QuantizedGraphTest, AReferenceToAVariableIsRefused) {
  const Output x = Placeholder({-1, 4});
  const ops::Variable w(s_.WithOpName("w"),
                        Uniform(TensorShape({4, 4}), -1, 1, 2));
  const Tensor more = Uniform(TensorShape({4, 4}), 0, 1, 3);
  const Output updated =
      ops::AssignAdd(s_.WithOpName("more"), w.handle(), more);
  const Output rows = ops::ScatterAdd(s_.WithOpName("rows"), w.handle(), {1},
                                      Uniform(TensorShape({1, 4}), 0, 1, 3));
  const auto error = [&](const Output& output) {
    const auto frozen = FreezeGraph(session(), {output});
    EXPECT_EQ(frozen.status().code(), StatusCode::kInvalidArgument);
    return std::string(frozen.status().message());
  };
  EXPECT_THAT(error(ops::MatMul(s_, x, updated)),
              HasSubstr("node more (AssignAdd) takes a reference to the "
                        "variable w"));
  EXPECT_THAT(error(ops::MatMul(s_, x, rows)),
              HasSubstr("node rows (ScatterAdd)"));
  EXPECT_THAT(error(ops::MatMul(s_.WithControlDependencies({updated}), x, w)),
              HasSubstr("node more (AssignAdd)"));
  EXPECT_THAT(error(ops::MatMul(s_, x, ops::RefIdentity(s_, w.handle()))),
              HasSubstr("(RefIdentity)"));
  const auto frozen = FreezeGraph(session(), {ops::MatMul(s_, x, w)});
  EXPECT_TRUE(frozen.ok()) << frozen.status();
}

}  // namespace
}  // namespace millrace::train
