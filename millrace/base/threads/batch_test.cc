#include "millrace/base/threads/batch.h"

#include <gtest/gtest.h>

#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/thread_pool.h"

namespace millrace {
namespace {

class Counted final : public Flushable {
 public:
  void Flush() override { ++flushes; }
  std::atomic<int> flushes{0};
};

TEST(BatchTest, WritersWaitForItsEnd) {
  const auto writer = MakeRef<Counted>();
  EXPECT_FALSE(Batch::Defer(writer.get()));
  {
    const Batch batch;
    EXPECT_TRUE(Batch::Defer(writer.get()));
    {
      const Batch inner;
      EXPECT_TRUE(Batch::Defer(writer.get()));
    }
    EXPECT_EQ(writer->flushes, 0);
  }
  EXPECT_EQ(writer->flushes, 2);
  EXPECT_FALSE(Batch::Defer(writer.get()));
}

TEST(BatchTest, OrGoBeforeSomethingLong) {
  const auto writer = MakeRef<Counted>();
  Batch::FlushAll();
  const Batch batch;
  EXPECT_TRUE(Batch::Defer(writer.get()));
  Batch::FlushAll();
  EXPECT_EQ(writer->flushes, 1);
  EXPECT_TRUE(Batch::Defer(writer.get()));
  EXPECT_EQ(writer->flushes, 1);
}

TEST(BatchTest, ATaskOfAPoolIsOne) {
  const auto writer = MakeRef<Counted>();
  std::atomic<int> during{-1};
  {
    ThreadPool pool("pool", 1);
    pool.Schedule([&] {
      EXPECT_TRUE(Batch::Defer(writer.get()));
      during = writer->flushes.load();
    });
  }
  EXPECT_EQ(during, 0);
  EXPECT_EQ(writer->flushes, 1);
}

}  // namespace
}  // namespace millrace
