#include "millrace/ops/dataset/file_cache.h"

#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"

namespace millrace::ops {
namespace {

TEST(CacheFileTest, WhatIsLeftUnfinishedLocksNobodyOut) {
  MemoryFiles files(1);
  const std::vector<DataType> types = {DataType::kFloat};
  {
    CacheFile left(&files, "/cache", types);
    ASSERT_TRUE(left.Open().ok());
    ASSERT_TRUE(left.Add({Tensor::Scalar(1.0f)}).ok());
    CacheFile other(&files, "/cache", types);
    EXPECT_EQ(other.Open().code(), StatusCode::kAlreadyExists);
  }
  CacheFile next(&files, "/cache", types);
  const Status opened = next.Open();
  EXPECT_TRUE(opened.ok()) << opened;
  EXPECT_FALSE(next.is_reading());
}

}  // namespace
}  // namespace millrace::ops
