// Gradients of loops over several tasks, by the C++ client, in virtual time.
#include <gtest/gtest.h>

#include "millrace/client/gradients.h"
#include "millrace/client/session.h"
#include "millrace/client/while_loop.h"
#include "tests/support/loopback_cluster.h"

namespace millrace {
namespace {

using Outputs = std::vector<Output>;

constexpr char kOnlyPs[] = "/job:ps/task:0";
constexpr char kSecondWorker[] = "/job:worker/task:1";

// The body is on two tasks, the condition on a third; a branch and an inner
// loop lie in it.
TEST(LoopGradientsTest, OverThreeTasks) {
  TestOps();
  TestKernels();
  for (const uint64_t seed : {1, 2, 3}) {
    SimOptions options;
    options.seed = seed;
    const SimResult result = SimWorld(options).Run([] {
      LoopbackCluster cluster({{"ps", 1}, {"worker", 2}});
      cluster.StartAll();
      const Scope s = Scope::NewRoot(TestOps());
      const Output x = ops::Placeholder(s, DataType::kFloat);
      const Output w = ops::Const(s.WithDevice(kOnlyPs), 0.5f);
      const auto step = [&](const Scope& b, const Output& i, const Output& v) {
        const Scope ps = b.WithDevice(kOnlyPs);
        const Scope worker = b.WithDevice(kSecondWorker);
        const Output odd = ops::Equal(b, ops::FloorMod(b, i, 2), 1);
        const auto branch = ops::Switch(worker, v, odd);
        const Output merged =
            ops::Merge(worker, {ops::Square(ps, branch.output_false),
                                ops::Sin(worker, branch.output_true)})
                .output;
        const Outputs inner = ops::WhileLoop(
            ps, {0, merged},
            [&](const Scope& c, const Outputs& u) {
              return ops::Less(c, u[0], i);
            },
            [&](const Scope& bb, const Outputs& u) {
              return Outputs{ops::AddV2(bb, u[0], 1),
                             ops::Mul(bb.WithDevice(kSecondWorker), u[1],
                                      ops::Exp(bb, w))};
            });
        return ops::AddV2(ps, inner[1], ops::Mul(worker, v, w));
      };
      const Outputs last = ops::WhileLoop(
          s, {0, x},
          [](const Scope& c, const Outputs& v) {
            return ops::Less(c, v[0], 3);
          },
          [&](const Scope& b, const Outputs& v) {
            return Outputs{ops::AddV2(b, v[0], 1), step(b, v[0], v[1])};
          });
      Output plain = x;
      for (int i = 0; i < 3; ++i) plain = step(s, ops::Const(s, i), plain);
      auto of_loop = ops::Gradients(s, {last[1]}, {x, w});
      auto of_plain = ops::Gradients(s, {plain}, {x, w});
      ASSERT_TRUE(s.ok()) << s.status();
      Session session(
          s, {.target = absl::StrCat("grpc://", cluster.Address({"worker", 0})),
              .transport = cluster.network()});
      for (const float at : {0.3f, 1.1f}) {
        auto out =
            session.Run({{x, at}}, {of_loop[0].tensor, of_plain[0].tensor,
                                    of_loop[1].tensor, of_plain[1].tensor});
        ASSERT_TRUE(out.ok()) << out.status();
        for (const size_t i : {0, 2}) {
          const float want = (*out)[i + 1].scalar<float>();
          EXPECT_NEAR((*out)[i].scalar<float>(), want, 1e-5f * std::abs(want));
        }
      }
      EXPECT_TRUE(session.Close().ok());
    });
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace
