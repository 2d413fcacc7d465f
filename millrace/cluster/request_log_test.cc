#include "millrace/cluster/request_log.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

struct LoggedRequest : RefCounted {};

TEST(RequestLog, OneCallPerId) {
  RequestLog<LoggedRequest> log(2);
  const auto a = MakeRef<LoggedRequest>(), b = MakeRef<LoggedRequest>();
  EXPECT_EQ(*log.Begin(1, a), nullptr);
  EXPECT_EQ(*log.Begin(1, b), a);
  EXPECT_EQ(*log.Begin(0, a), nullptr);
  EXPECT_EQ(*log.Begin(0, b), nullptr);
  log.End(1);
  log.End(0);
  EXPECT_TRUE(a->IsUnique());
  EXPECT_EQ(log.Begin(1, b).status().code(), StatusCode::kAborted);
  for (int64_t id : {2, 3}) {
    EXPECT_EQ(*log.Begin(id, a), nullptr);
    log.End(id);
  }
  EXPECT_EQ(*log.Begin(1, b), nullptr) << "only the last two are remembered";
}

TEST(RequestLog, ACallThatRunsIsNeverForgotten) {
  RequestLog<LoggedRequest> log(1);
  const auto a = MakeRef<LoggedRequest>(), b = MakeRef<LoggedRequest>();
  EXPECT_EQ(*log.Begin(1, a), nullptr);
  for (int64_t id = 2; id < 10; ++id) {
    EXPECT_EQ(*log.Begin(id, b), nullptr);
    log.End(id);
    log.End(id);  // has ended already
  }
  EXPECT_EQ(*log.Begin(1, b), a);
  EXPECT_EQ(log.Begin(9, b).status().code(), StatusCode::kAborted);
  EXPECT_EQ(*log.Begin(8, b), nullptr);
}

}  // namespace
}  // namespace millrace
