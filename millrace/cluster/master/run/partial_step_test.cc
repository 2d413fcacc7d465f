#include "millrace/cluster/master/run/partial_step.h"

#include <gtest/gtest.h>

#include "millrace/cluster/testing/master_suite.h"

namespace millrace {
namespace {

// x, and y after it on a ps.
std::string CreateSession(Master& master) {
  return *master.Create({Placeholder("x", ""), Placeholder("z", ""),
                         Const("a", ""), Neg("y", "x", "/job:ps/task:0"),
                         Neg("w", "z", "/job:ps/task:0")});
}

StatusOr<std::string> SetUpPartial(Master& master, const std::string& session,
                                   std::vector<std::string> feeds,
                                   std::vector<std::string> fetches) {
  PartialRunSetupRequest request;
  request.session_handle = session;
  request.feeds = std::move(feeds);
  request.fetches = std::move(fetches);
  PartialRunSetupReply reply;
  MR_RETURN_IF_ERROR(master.Call(&MasterApi::PartialRunSetup, request, &reply));
  return reply.partial_run_handle;
}

RunStepRequest Part(const std::string& session, const std::string& run,
                    std::vector<std::string> feeds,
                    std::vector<std::string> fetches) {
  RunStepRequest request = Fetch(session, std::move(fetches));
  request.partial_run_handle = run;
  for (std::string& feed : feeds) {
    request.feeds.push_back({std::move(feed), Tensor::Scalar(2.0f)});
  }
  return request;
}

TEST(PartialStepTest, TheLastCallIsTheOneAfterWhichAllIsThere) {
  Simulate([] {
    Master master;
    const std::string session = CreateSession(master);
    const std::string run =
        *SetUpPartial(master, session, {"x:0", "z:0"}, {"y:0", "w:0"});
    int64_t step_id = 0;
    for (int i = 0; i < 2; ++i) {
      Step call(master, i == 0 ? Part(session, run, {"x:0"}, {"y:0"})
                               : Part(session, run, {"z:0"}, {"w:0"}));
      FakeWorker::Run ps = master.ps(0).TakeRun();
      EXPECT_TRUE(ps.request->is_partial);
      EXPECT_EQ(ps.request->is_last_partial_run, i == 1);
      ASSERT_EQ(ps.request->send.size(), 1u);
      ASSERT_EQ(ps.request->recv_key.size(), 1u);
      if (i == 1) {
        EXPECT_EQ(ps.request->step_id, step_id);
      }
      step_id = ps.request->step_id;
      ps.reply->recv.push_back(
          {ps.request->recv_key[0], Tensor::Scalar(float(i))});
      std::move(ps.done)(OkStatus());
      ASSERT_TRUE(call.Wait().ok());
      EXPECT_EQ(call.reply.tensors.at(0).tensor.scalar<float>(), float(i));
    }
    master.ps(0).WaitForCall("CleanupGraph");
    EXPECT_EQ(Step(master, Part(session, run, {}, {"y:0"})).Wait().code(),
              StatusCode::kInvalidArgument);
  });
}

TEST(PartialStepTest, AFetchThatNoFeedReachesIsRefusedAtOnce) {
  Simulate([] {
    Master master;
    const std::string session = CreateSession(master);
    const Status status =
        SetUpPartial(master, session, {"z:0"}, {"y:0"}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(
                  "You must feed a value for placeholder tensor 'x'"),
              absl::string_view::npos)
        << status;
    // A fetch may need no feed, and a feed no fetch.
    EXPECT_TRUE(SetUpPartial(master, session, {"z:0"}, {"a:0"}).ok());
  });
}

TEST(PartialStepTest, ACallThatIsRefusedChangesNothing) {
  Simulate([] {
    Master master;
    master.RunThemselves();
    const std::string session = CreateSession(master);
    const std::string run =
        *SetUpPartial(master, session, {"x:0", "z:0"}, {"y:0", "w:0"});
    const auto refused = [&](RunStepRequest request, const char* words) {
      const Status status = Step(master, std::move(request)).Wait();
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find(words), absl::string_view::npos)
          << status;
    };
    refused(Part(session, run, {"x:0", "q:0"}, {"y:0"}), "not specified");
    refused(Part(session, run, {"x:0"}, {"a:0"}), "not specified");
    refused(Part(session, run, {"x:0"}, {"w:0"}), "can't be computed");
    RunStepRequest typed = Part(session, run, {"x:0"}, {"y:0"});
    typed.feeds[0].tensor = Tensor::Scalar<int32_t>(1);
    refused(std::move(typed), "has type int32");
    RunStepRequest targets = Part(session, run, {"x:0"}, {"y:0"});
    targets.targets = {"y"};
    refused(std::move(targets), "partial_run_setup");
    EXPECT_EQ(master.ps(0).Count("RunGraph"), 0);
    EXPECT_TRUE(Step(master, Part(session, run, {"x:0"}, {"y:0"})).Wait().ok());
    refused(Part(session, run, {"x:0"}, {}), "already been fed");
  });
}

TEST(PartialStepTest, ACallInProgressIsNamedAmongTheWaits) {
  Simulate([] {
    Master master;
    const std::string session = CreateSession(master);
    const std::string run =
        *SetUpPartial(master, session, {"x:0", "z:0"}, {"y:0", "w:0"});
    EXPECT_TRUE(master.service->waits(10).empty());
    Step call(master, Part(session, run, {"x:0"}, {"y:0"}));
    FakeWorker::Run ps = master.ps(0).TakeRun();
    SleepUntil(Deadline::AfterMillis(700));
    const std::vector<ServerWait> waits = master.service->waits(10);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_GE(waits[0].waiting_ms, 700);
    EXPECT_EQ(waits[0].step_id, ps.request->step_id);
    EXPECT_NE(waits[0].text.find("partial run " + run), std::string::npos);
    call.cancel.Cancel(Cancelled("enough"));
    EXPECT_EQ(call.Wait().code(), StatusCode::kCancelled);
    EXPECT_TRUE(master.service->waits(10).empty());
    master.ps(0).WaitForCall("CleanupGraph");
  });
}

TEST(PartialStepTest, TimeAndTheSessionEndItsCalls) {
  Simulate([] {
    Master master;
    const std::string session = CreateSession(master);
    RunStepRequest request =
        Part(session, *SetUpPartial(master, session, {"x:0"}, {"y:0"}), {"x:0"},
             {"y:0"});
    request.options.timeout_ms = 300;
    const int64_t start = Millis();
    EXPECT_EQ(Step(master, std::move(request)).Wait().code(),
              StatusCode::kDeadlineExceeded);
    EXPECT_LT(Millis() - start, 400);
    Step call(master,
              Part(session, *SetUpPartial(master, session, {"x:0"}, {"y:0"}),
                   {"x:0"}, {"y:0"}));
    CloseSessionRequest close;
    close.session_handle = session;
    CloseSessionReply closed;
    EXPECT_TRUE(master.Call(&MasterApi::CloseSession, close, &closed).ok());
    EXPECT_FALSE(call.Wait().ok());
  });
}

TEST(PartialStepTest, ASessionHasSoManyAndNoMore) {
  Simulate([] {
    Master master;
    const std::string session = CreateSession(master);
    for (size_t i = 0; i < PartialStep::kMaxPerSession; ++i) {
      ASSERT_TRUE(SetUpPartial(master, session, {"x:0"}, {"y:0"}).ok());
    }
    EXPECT_EQ(SetUpPartial(master, session, {"x:0"}, {"y:0"}).status().code(),
              StatusCode::kResourceExhausted);
  });
}

}  // namespace
}  // namespace millrace
