#include "millrace/kernel/session_tensors.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(SessionTensors, KeepsWhatItGets) {
  SessionTensors tensors;
  const std::string a = tensors.Add("h", "/device:CPU:0", Tensor::Scalar(1.f));
  const std::string b = tensors.Add("h", "/device:CPU:0", Tensor::Scalar(2.f));
  EXPECT_EQ(a, "h;0;/device:CPU:0");
  EXPECT_EQ(b, "h;1;/device:CPU:0");
  const auto found = tensors.Find(b);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->scalar<float>(), 2);
}

TEST(SessionTensors, ADeletedOneIsGone) {
  SessionTensors tensors;
  const std::string handle = tensors.Add("h", "d", Tensor::Scalar(1.f));
  EXPECT_TRUE(tensors.Delete(handle).ok());
  EXPECT_EQ(tensors.Find(handle).status(),
            InvalidArgument(
                "The tensor with handle 'h;0;d' is not in the session store."));
  EXPECT_EQ(tensors.Delete(handle),
            InvalidArgument("Failed to delete a tensor with handle 'h;0;d' in "
                            "the session store."));
}

TEST(SessionTensors, ClearFreesAll) {
  SessionTensors tensors;
  const std::string handle = tensors.Add("h", "d", Tensor::Scalar(1.f));
  tensors.Clear();
  EXPECT_FALSE(tensors.Find(handle).ok());
  EXPECT_EQ(tensors.Add("h", "d", Tensor::Scalar(1.f)), "h;1;d");
}

}  // namespace
}  // namespace millrace
