#include "millrace/protocol/method.h"

#include <set>

#include "gtest/gtest.h"

namespace millrace {
namespace {

TEST(Method, HasPathsOfItsOwn) {
  std::set<std::string> paths;
  for (const Method& m : AllMethods()) {
    EXPECT_EQ(&GetMethod(m.id), &m);
    EXPECT_EQ(m.path.substr(m.path.rfind('/') + 1), m.name);
    for (const std::string& path : PathsOf(m)) {
      EXPECT_TRUE(paths.insert(path).second) << path;
    }
  }
  for (const char* path :
       {"/tensorflow.MasterService/RunStep", "/millrace.Peer/Hello",
        "/tensorflow.grpc.MasterService/RunStep",
        "/tensorflow.WorkerService/RunGraph",
        "/tensorflow.grpc.WorkerService/RunGraph"}) {
    EXPECT_EQ(paths.count(path), 1u) << path;
  }
  for (const char* path :
       {"/tensorflow.MasterService/RunGraph", "/tensorflow.grpc.Peer/Hello",
        "/millrace.grpc.Peer/Hello"}) {
    EXPECT_EQ(paths.count(path), 0u) << path;
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
