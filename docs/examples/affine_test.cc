// The numbers of Affine, which TensorFlow does not have: its cases compare it
// with itself alone.
#include <gtest/gtest.h>

#include "millrace/client/gradients.h"
#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

TEST(AffineTest, KnownNumbersAndGradient) {
  const Scope scope = Scope::NewRoot();
  const Output x = ops::Placeholder(scope, DataType::kFloat);
  // In the repository: ops::Affine(scope, x, {.scale = 3, .offset = 1}).
  OpBuilder affine(scope, "Affine");
  affine.In(x).Attr("scale", 3.0f).Attr("offset", 1.0f).Finish();
  const Output y = affine.Out(0);
  const auto gradients = ops::Gradients(scope, {y}, {x});
  ASSERT_TRUE(scope.ok()) << scope.status();

  Session session(scope);
  const auto got = session.Run({{x, {1.0f, 2.0f}}}, {y, gradients[0].tensor});
  ASSERT_TRUE(got.ok()) << got.status();
  for (const Tensor& t : *got) ASSERT_EQ(t.shape(), TensorShape({2}));
  EXPECT_EQ((*got)[0].flat<float>()[0], 4.0f);
  EXPECT_EQ((*got)[0].flat<float>()[1], 7.0f);
  EXPECT_EQ((*got)[1].flat<float>()[0], 3.0f);
  EXPECT_EQ((*got)[1].flat<float>()[1], 3.0f);
}

}  // namespace
}  // namespace millrace
