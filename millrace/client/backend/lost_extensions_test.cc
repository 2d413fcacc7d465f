// Tests extensions of a session's graph whose replies are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "millrace/base/sim/sim.h"
#include "millrace/client/testing/remote_suite.h"
#include "millrace/rpc/fault/fault_network.h"

namespace millrace {
namespace {

using testing::ElementsAre;

constexpr int kAlways = 1'000'000;

// A session whose extensions get no replies while these are being lost. It has
// run once.
struct Unanswered {
  explicit Unanswered(int64_t operation_timeout_ms = 0)
      : faults(cluster.network, {}) {
    SessionOptions options = cluster.Options();
    options.transport = faults.Endpoint("client");
    options.config.operation_timeout_ms = operation_timeout_ms;
    session.emplace(m.s, options);
    EXPECT_TRUE(session->Run({m.y}).ok());
    cluster.master.TakeLog();
  }
  void LoseAnswers() {
    faults.set_options({.reply_lost = kAlways,
                        .max_loss_nanos = 1'000'000,
                        .methods = {MethodId::kExtendSession}});
  }
  Cluster cluster;
  FaultNetwork faults;
  Model m;
  std::optional<Session> session;
};

TEST(LostExtensions, AnExtensionWithoutAnAnswerGoesAgain) {
  Unanswered u;
  u.LoseAnswers();
  u.cluster.master.on_extend = [&] { u.faults.set_options({}); };
  ops::Neg(u.m.s, u.m.y);
  const auto out = u.session->Run({u.m.y});
  EXPECT_TRUE(out.ok()) << out.status();
  ops::Neg(u.m.s, u.m.y);
  EXPECT_TRUE(u.session->Run({u.m.y}).ok());
  const std::string run = "run 0 y:0  0";
  EXPECT_THAT(
      u.cluster.master.TakeLog(),
      ElementsAre("extend 1 at 0", "extend 1 at 0", run, "extend 1 at 1", run));
}

// Retries, but not forever, and not past the time limit. The next run begins
// with the same extension, whatever has been added since: that is how the
// master recognizes it.
TEST(LostExtensions, AnExtensionThatNobodyAnswered) {
  for (const int64_t limit_ms : {0, 300}) {
    const SimResult result = SimWorld({.seed = 1}).Run([&] {
      Unanswered u(limit_ms);
      u.LoseAnswers();
      ops::Neg(u.m.s, u.m.y);
      const int64_t begin = NowNanos();
      const Status lost = u.session->Run({u.m.y}).status();
      EXPECT_EQ(lost.code(), StatusCode::kUnavailable) << lost;
      EXPECT_LE(NowNanos() - begin,
                (limit_ms > 0 ? limit_ms : 2'500) * 1'000'000);
      EXPECT_GT(u.cluster.master.TakeLog().size(), 2u);
      u.faults.set_options({});
      ops::Neg(u.m.s, u.m.y);
      ops::Neg(u.m.s, u.m.y);
      const auto out = u.session->Run({u.m.y});
      EXPECT_TRUE(out.ok()) << out.status();
      EXPECT_THAT(u.cluster.master.TakeLog(),
                  ElementsAre("extend 1 at 0", "extend 2 at 1",
                              absl::StrCat("run 0 y:0  ", limit_ms)));
    });
    EXPECT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace
