// Rounds over ops with mistakes: each is found, and the round goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/shape_context.h"
#include "millrace/kernel/kernel_decl.h"
#include "tests/fuzz/ops/child.h"
#include "tests/fuzz/ops/round.h"

namespace millrace::fuzz {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr OpFields kOfOneFloat = {
    .inputs = "x: float", .outputs = "y: float", .shape = &shapes::Unchanged};

Status PassOn(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

Status AbortAtNoElements(KernelContext& ctx) {
  MR_CHECK(ctx.input(0).num_elements() > 0, "planted");
  return PassOn(ctx);
}

Status HangAtRankTwo(KernelContext& ctx) {
  while (ctx.input(0).rank() == 2) SleepUntil(Deadline::AfterMillis(1));
  return PassOn(ctx);
}

// Reads what is not known before it runs, so that the loop stays.
Status SpinAtRankTwo(KernelContext& ctx) {
  std::atomic<int> turns = 0;
  while (ctx.input(0).rank() == 2) ++turns;
  return PassOn(ctx);
}

Status GiveOtherType(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Zeros(DataType::kInt32, ctx.input(0).shape()));
  return OkStatus();
}

Status GiveOtherShape(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Zeros(DataType::kFloat, {5, 7}));
  return OkStatus();
}

Status GiveNothing(KernelContext&) { return OkStatus(); }

Status ThrowAtRankOne(KernelContext& ctx) {
  std::vector<char> bytes;
  if (ctx.input(0).rank() == 1) bytes.reserve(~size_t{0});
  return PassOn(ctx);
}

Status ReadBehindTheEnd(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.num_elements() < 20) return PassOn(ctx);
  const std::vector<float> copy(x.flat<float>().begin(), x.flat<float>().end());
  const volatile float* const values = copy.data();
  return values[copy.size()] == 1 ? PassOn(ctx)
                                  : InvalidArgument("no one behind the end");
}

// Waits for what does not come, until it is cancelled.
struct Waits {
  void RunAsync(KernelContext& ctx, Done done) const {
    (void)ctx.step().cancel->Register([done = std::move(done)]() mutable {
      std::move(done)(InvalidArgument("nothing came"));
    });
  }
};

Status AbortAtUnknownRank(ShapeContext& c) {
  MR_CHECK(c.input(0).known_rank(), "planted");
  return shapes::Unchanged(c);
}

struct Planted {
  const char* name;
  OpFields fields;
  KernelMaker make;
};

const Planted kPlanted[] = {
    {"PlantedRight", kOfOneFloat, MakeFunctionKernel<PassOn>},
    {"PlantedWaits", kOfOneFloat, MakeKernel<Waits>},
    {"PlantedAborts", kOfOneFloat, MakeFunctionKernel<AbortAtNoElements>},
    {"PlantedHangs", kOfOneFloat, MakeFunctionKernel<HangAtRankTwo>},
    {"PlantedSpins", kOfOneFloat, MakeFunctionKernel<SpinAtRankTwo>},
    {"PlantedOtherType", kOfOneFloat, MakeFunctionKernel<GiveOtherType>},
    {"PlantedOtherShape", kOfOneFloat, MakeFunctionKernel<GiveOtherShape>},
    {"PlantedNothing", kOfOneFloat, MakeFunctionKernel<GiveNothing>},
    {"PlantedThrows", kOfOneFloat, MakeFunctionKernel<ThrowAtRankOne>},
    {"PlantedReads", kOfOneFloat, MakeFunctionKernel<ReadBehindTheEnd>},
    {"PlantedShape",
     {.inputs = "x: float", .outputs = "y: float", .shape = AbortAtUnknownRank},
     MakeFunctionKernel<PassOn>},
};

// All schemas, and kernels of the planted ones.
class PlantedOps : public ::testing::Test {
 protected:
  PlantedOps() {
    for (const Planted& p : kPlanted) {
      op_decls_.push_back({p.name, p.fields});
      kernel_decls_.push_back({p.name, "CPU", KernelEntries{{.make = p.make}}});
    }
    std::vector<const OpDecl*> ops(AllOps().begin(), AllOps().end());
    for (const OpDecl& decl : op_decls_) ops.push_back(&decl);
    std::vector<const KernelDecl*> kernels;
    for (const KernelDecl& decl : kernel_decls_) kernels.push_back(&decl);
    suite_.ops = OpRegistry::Build(ops).value();
    suite_.kernels = KernelTable::Build(kernels).value();
    material_ = Gather(suite_);
  }

  RoundResult Run(const std::vector<std::string>& names,
                  RoundOptions options) const {
    const auto ops = Select(material_, names);
    MR_CHECK(ops.ok(), ops.status().ToString());
    options.jobs = 2;
    return RunRound(material_, *ops, options, Deadline::Infinite());
  }

  std::vector<OpDecl> op_decls_;
  std::vector<KernelDecl> kernel_decls_;
  cases::Suite suite_;
  Material material_;
};

// Of a case. A crash of another op is told in less.
constexpr int64_t kLimitMs = 800;

TEST_F(PlantedOps, AreFound) {
  const RoundResult result =
      Run({}, {.seed = 1, .cases = 60, .limit_ms = kLimitMs});
  std::map<std::string, std::vector<std::string>> texts;
  for (const Finding& f : result.findings) texts[f.op].push_back(f.Text());
  const auto found = [&](const char* op, const char* stage,
                         const std::string& problem) {
    EXPECT_THAT(texts[op],
                Contains(AllOf(HasSubstr(stage), HasSubstr(problem),
                               HasSubstr(std::string("./dev fuzz ops --only ") +
                                         op + " --seed 1 --case "))));
  };
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(texts.count("PlantedRight"), 0u);
  EXPECT_EQ(texts.count("PlantedWaits"), 0u);
  EXPECT_GE(result.cases, 120);
  found("PlantedAborts", "kernel", "planted");
  found("PlantedHangs", "kernel",
        absl::StrCat("has not ended after ", Child::kWaitsFactor * kLimitMs,
                     " ms"));
  found("PlantedSpins", "kernel",
        absl::StrCat("takes more than ", kLimitMs, " ms of processor time"));
  found("PlantedOtherType", "kernel", "is int32, not float");
  found("PlantedOtherShape", "shape function", "has shape [5,7]");
  found("PlantedNothing", "kernel", "was not set");
  found("PlantedThrows", "kernel", "exception: ");
  found("PlantedShape", "shape function", "planted");
#if defined(__SANITIZE_ADDRESS__)
  found("PlantedReads", "kernel", "heap-buffer-overflow");
#endif
}

TEST_F(PlantedOps, AreFoundAgainByTheirNumber) {
  const RoundResult result = Run({"PlantedAborts"}, {.seed = 7, .cases = 150});
  ASSERT_FALSE(result.findings.empty());
  const Finding& first = result.findings[0];
  const RoundResult again =
      Run({"PlantedAborts"},
          {.seed = first.seed, .first_case = first.number, .cases = 1});
  ASSERT_EQ(again.findings.size(), 1u);
  EXPECT_EQ(again.findings[0].the_case, first.the_case);
  EXPECT_NE(first.the_case, "");
}

TEST_F(PlantedOps, EndAtTheDeadline) {
  const auto ops = Select(material_, {"PlantedRight"});
  ASSERT_TRUE(ops.ok());
  RoundOptions options;
  options.cases = 1'000'000'000;
  const RoundResult result =
      RunRound(material_, *ops, options, Deadline::AfterMillis(100));
  EXPECT_FALSE(result.complete);
}

}  // namespace
}  // namespace millrace::fuzz
