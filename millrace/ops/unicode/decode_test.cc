// Decoded texts with splits of int32 and offsets, of which stock TensorFlow has
// no numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;

TEST(UnicodeDecodeTest, SplitsOfInt32) {
  const Scope s = Scope::NewRoot();
  const auto decoded =
      UnicodeDecodeWithOffsets(s, Const(s, {"a\xc3\xa9z", "", "\xe2\x82\xac"}),
                               "UTF-8", {.Tsplits = DataType::kInt32});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const auto got = session.Run({}, {decoded.row_splits, decoded.char_values,
                                    decoded.char_to_byte_starts});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)[0].flat<int32_t>(), ElementsAre(0, 3, 3, 4));
  EXPECT_THAT((*got)[1].flat<int32_t>(), ElementsAre('a', 0xe9, 'z', 0x20ac));
  EXPECT_THAT((*got)[2].flat<int64_t>(), ElementsAre(0, 1, 3, 0));
}

}  // namespace
}  // namespace millrace::ops
