#include "millrace/device/cuda/driver.h"

#include <gtest/gtest.h>

namespace millrace::cuda {
namespace {

// By the numbers of the driver's header, which says of each error whether the
// process can go on with its context.
TEST(StickyErrors, AreThoseAfterWhichAContextIsLost) {
  for (const int code : {4, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715,
                         716, 717, 718, 719, 721, 999}) {
    EXPECT_TRUE(IsSticky(static_cast<Result>(code))) << code;
  }
  // A launch that asks for too much, peers, a context that is there, too many
  // peers, memory that is registered or not, a launch of too many blocks.
  for (const int code :
       {0,   1,   2,   3,   46,  100, 200, 209, 218, 400, 500,
        600, 701, 703, 704, 705, 708, 711, 712, 713, 720, 801}) {
    EXPECT_FALSE(IsSticky(static_cast<Result>(code))) << code;
  }
}

}  // namespace
}  // namespace millrace::cuda
