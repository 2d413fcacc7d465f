#include "millrace/protocol/method.h"

#include <set>

#include "gtest/gtest.h"

namespace millrace {
namespace {

TEST(Method, FoundByBothPaths) {
  std::set<absl::string_view> paths;
  for (const Method& m : AllMethods()) {
    EXPECT_TRUE(paths.insert(m.path).second) << m.path;
    EXPECT_EQ(FindMethod(m.path), &m);
    EXPECT_EQ(&GetMethod(m.id), &m);
    EXPECT_TRUE(m.path.substr(m.path.rfind('/') + 1) == m.name);
  }
  EXPECT_EQ(FindMethod("/tensorflow.grpc.MasterService/RunStep"),
            &GetMethod(MethodId::kRunStep));
  EXPECT_EQ(FindMethod("/tensorflow.grpc.WorkerService/RunGraph"),
            &GetMethod(MethodId::kRunGraph));
  for (const char* path : {"", "RunStep", "/tensorflow.MasterService/RunGraph",
                           "/tensorflow.grpc.", "/tensorflow.grpc.Peer/Hello",
                           "/millrace.Peer/Goodbye"}) {
    EXPECT_EQ(FindMethod(path), nullptr) << path;
  }
}

TEST(Method, WhatIsRetried) {
  std::set<absl::string_view> retried;
  for (const Method& m : AllMethods()) {
    if (m.retried) retried.insert(m.name);
  }
  EXPECT_EQ(retried, (std::set<absl::string_view>{
                         "GetStatus", "CreateWorkerSession",
                         "DeleteWorkerSession", "DeregisterGraph",
                         "CleanupGraph", "CleanupAll", "ListDevices"}));
}

TEST(Method, RetryDelays) {
  EXPECT_EQ(RetryDelayMillis(1), 20);
  EXPECT_EQ(RetryDelayMillis(2), 40);
  EXPECT_EQ(RetryDelayMillis(8), 2000);
  EXPECT_EQ(RetryDelayMillis(1'000'000), 2000);
}

TEST(Method, ClientsNeverSeeUnavailable) {
  EXPECT_EQ(StatusForClient(Unavailable("x")), Aborted("x"));
  EXPECT_EQ(StatusForClient(NotFound("x")), NotFound("x"));
  EXPECT_TRUE(IsDerived(StatusForClient(MarkDerived(Unavailable("x")))));
}

TEST(Method, LongMessagesAreCutAtACharacter) {
  EXPECT_EQ(CutMessage(Internal("short")), Internal("short"));
  std::string text;
  while (text.size() < 5000) text += "\xc3\xa4";  // two bytes each
  const Status cut = CutMessage(MarkDerived(Internal(text)));
  EXPECT_LE(cut.message().size(), kMaxRpcMessageBytes);
  EXPECT_GT(cut.message().size(), kMaxRpcMessageBytes - 10);
  EXPECT_TRUE(IsDerived(cut));
  const absl::string_view kept =
      cut.message().substr(0, cut.message().find(' '));
  EXPECT_EQ(kept.size() % 2, 0u);
}

}  // namespace
}  // namespace millrace
