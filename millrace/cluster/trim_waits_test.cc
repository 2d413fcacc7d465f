#include "millrace/cluster/trim_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;

// Returns waits of one kind, the oldest first.
std::vector<ServerWait> Waits(const char* kind, int count) {
  std::vector<ServerWait> waits;
  for (int i = 0; i < count; ++i) {
    waits.push_back({.kind = kind,
                     .text = absl::StrCat(i),
                     .waiting_ms = 100 - i,
                     .step_id = i});
  }
  return waits;
}

std::vector<std::string> Words(const std::vector<ServerWait>& waits) {
  std::vector<std::string> words;
  for (const ServerWait& w : waits) {
    words.push_back(absl::StrCat(w.kind, " ", w.text));
  }
  return words;
}

TEST(TrimWaitsTest, AllWhereThereIsRoom) {
  EXPECT_THAT(Words(TrimWaits({Waits("a", 1), {}, Waits("b", 2)}, 3)),
              ElementsAre("a 0", "b 0", "b 1"));
}

TEST(TrimWaitsTest, ManyOfOneKindHideNoOther) {
  const std::vector<ServerWait> shown =
      TrimWaits({Waits("step", 1), Waits("run", 50), Waits("thread", 30)}, 6);
  EXPECT_THAT(Words(shown),
              ElementsAre("step 0", "run 0", "run 1", "thread 0", "thread 1",
                          "more 76 waits that are not shown"));
  EXPECT_EQ(shown.back().waiting_ms, 98);
}

TEST(TrimWaitsTest, OnePlace) {
  EXPECT_THAT(Words(TrimWaits({Waits("a", 2)}, 1)),
              ElementsAre("more 2 waits that are not shown"));
}

}  // namespace
}  // namespace millrace
