// The numbers of CompareAndBitpack, which later versions of TensorFlow do not
// have: its cases compare it with itself alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::ops {
namespace {

TEST(CompareAndBitpackTest, TheFirstElementIsTheHighestBit) {
  const Scope s = Scope::NewRoot();
  const Output floats = CompareAndBitpack(
      s, Const(s, {3.0f, 2.0f, 1.0f, 2.5f, -9.0f, 0.0f, 2.0f, 9.0f}), 2.0f);
  const Output whole = CompareAndBitpack(
      s, Const(s, {{-1, 5, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0}}),
      Const(s, -1));
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const auto got = session.Run({}, {floats, whole});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)[0].flat<uint8_t>(), testing::ElementsAre(0b10010001));
  EXPECT_EQ((*got)[1].shape(), TensorShape({1, 2}));
  EXPECT_THAT((*got)[1].flat<uint8_t>(), testing::ElementsAre(64, 255));
}

}  // namespace
}  // namespace millrace::ops
