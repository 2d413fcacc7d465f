#include <gtest/gtest.h>

#include "millrace/millrace.h"

namespace millrace::train {
namespace {

// As many examples as the batch has, of pixels from 0 to 1.
Tensor Pixels(int64_t batch, uint64_t seed) {
  Tensor t = Tensor::New(DataType::kFloat, TensorShape({batch, 784}));
  Rng rng(seed);
  for (float& v : t.mutable_flat<float>()) {
    v = static_cast<float>(rng.Double());
  }
  return t;
}

TEST(QuantizedNetwork, AnswersAsBefore) {
  const Scope s = Scope::NewRoot();
  s.graph().SetRandomSeed(1);
  const VariableScope v(s);
  const Output x = ops::Placeholder(s.WithOpName("pixels"), DataType::kFloat,
                                    {.shape = PartialShape({-1, 784})});
  const Output hidden = Dense(v, x, 256, {.activation = ops::Relu});
  const Output logits = Dense(v, hidden, 10, {.name = "logits"});
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  // ... training ...

  const auto quantized =
      QuantizeGraph(session, {logits}, {{{x, Pixels(50, 1)}}});
  ASSERT_TRUE(quantized.ok()) << quantized.status();
  EXPECT_LT(quantized->report.bytes_after, quantized->report.bytes_before / 3);

  const Scope served = Scope::NewRoot();
  ASSERT_TRUE(served.graph().Import(quantized->graph).ok());
  Session answers(served);
  const auto callable =
      answers.Prepare({*served.graph().FindOutput("pixels")},
                      {*served.graph().FindOutput(logits.name())});
  ASSERT_TRUE(callable.ok()) << callable.status();
  const Tensor query = Pixels(64, 2);
  const auto bytes = callable->Run({query});
  const auto floats = session.Run({{x, query}}, {logits});
  ASSERT_TRUE(bytes.ok() && floats.ok());
  for (size_t i = 0; i < 64 * 10; ++i) {
    EXPECT_NEAR((*bytes)[0].flat<float>()[i], (*floats)[0].flat<float>()[i],
                0.05);
  }
}

}  // namespace
}  // namespace millrace::train
