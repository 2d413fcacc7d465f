// The cases of all ops that have kernels for GPUs: a test FAMILY.Gpu/OP runs
// them in a session on a GPU of the stand-in, against the values of the CPU's
// kernels.
//
//   gpu_cases_tests --gtest_filter='*/MatMul'   an op
//   gpu_cases_tests --missing                   kernels of stock's that we lack
//
// With MILLRACE_GPU_CASES=sample only cases of one combination of types are run
// of each op, since every combination is compiled: which one differs by op.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "millrace/base/environment.h"
#include "tests/cases/case_text.h"
#include "tests/cases/compare.h"
#include "tests/cases/suite.h"
#include "tests/gpu/cases/case_session.h"
#include "tests/gpu/cases/differences.h"
#include "tests/gpu/cases/stock_kernels.h"

namespace millrace::cases {
namespace {

// Owned by main, for the tests that it registers.
const Suite* suite = nullptr;
CaseRunner* runner = nullptr;
const Differences* differences = nullptr;

// GPUs compute in other orders and with other functions: at least the usual
// tolerance of a type holds.
Case::Options GpuTolerance(const Case::Options& options) {
  Case::Options loose = options;
  loose.ulp = -1;
  if (!options.has_tolerance || options.relative < 1e-5)
    loose.has_tolerance = false;
  return loose;
}

bool HasGpuKernel(const BoundCase& c) {
  for (const BoundNode& node : c.nodes) {
    if (node.info.op->name == c.source->op &&
        suite->kernels.Has("GPU", *node.info.op, node.info.attrs))
      return true;
  }
  return false;
}

void ExpectSame(const Case& c, const CaseOutcome& got,
                const CaseOutcome& want) {
  const Case::Options options = GpuTolerance(c.options);
  for (size_t r = 0; r < want.runs.size(); ++r) {
    EXPECT_EQ(got.runs[r].status.code(), want.runs[r].status.code())
        << "run " << r << " on the GPU: " << got.runs[r].status
        << "\non the CPU: " << want.runs[r].status;
    if (!got.runs[r].status.ok() || !want.runs[r].status.ok()) continue;
    for (size_t i = 0; i < want.runs[r].fetched.size(); ++i) {
      EXPECT_EQ(
          Difference(options, got.runs[r].fetched[i], want.runs[r].fetched[i]),
          "")
          << "run " << r << ", output " << i;
    }
  }
  for (size_t i = 0; i < want.variables.size(); ++i) {
    EXPECT_EQ(Difference(options, got.variables[i], want.variables[i]), "")
        << "variable " << i << " afterwards";
  }
}

// The types that the op's nodes take and give: what its kernels are compiled
// for.
std::string TypesOf(const BoundCase& c) {
  std::string types;
  for (const BoundNode& node : c.nodes) {
    if (node.info.op->name != c.source->op) continue;
    for (const auto* list : {&node.info.input_types, &node.info.output_types}) {
      for (const DataType type : *list)
        absl::StrAppend(&types, DataTypeName(type), ",");
    }
  }
  return types;
}

bool OnlyASample() {
  return EnvironmentVariable("MILLRACE_GPU_CASES") == "sample";
}

// Leaves the cases of one combination of types, which the op's name decides.
std::vector<BoundCase> SampleOf(std::vector<BoundCase> cases) {
  std::map<std::string, std::vector<BoundCase>> by_types;
  for (BoundCase& c : cases) by_types[TypesOf(c)].push_back(std::move(c));
  if (by_types.empty()) return {};
  unsigned sum = 0;
  for (const char c : by_types.begin()->second[0].source->op)
    sum += static_cast<unsigned char>(c);
  return std::next(by_types.begin(), sum % by_types.size())->second;
}

class OpOnGpuTest : public ::testing::Test {
 public:
  explicit OpOnGpuTest(const OpCases& cases) : cases_(cases) {}

  void TestBody() override {
    auto session = CaseSession::Make(*suite->ops, suite->kernels);
    ASSERT_TRUE(session.ok()) << session.status();
    std::vector<BoundCase> cases;
    for (const auto& c : cases_.cases) {
      if (c->options.build_error || differences->Allows(c->op, c->options.name))
        continue;
      StatusOr<BoundCase> bound = Bind(*c, *suite->ops);
      ASSERT_TRUE(bound.ok()) << bound.status();
      if (HasGpuKernel(*bound) && (*session)->TakesVariables(*bound))
        cases.push_back(*std::move(bound));
    }
    if (OnlyASample()) cases = SampleOf(std::move(cases));
    for (const BoundCase& c : cases) Check(**session, c);
  }

 private:
  static void Check(CaseSession& session, const BoundCase& bound) {
    const Case& c = *bound.source;
    SCOPED_TRACE(CaseText(c));
    const CaseOutcome wanted = runner->Run(bound, {});
    bool succeeds = true;
    for (const RunOutcome& run : wanted.runs) succeeds &= run.status.ok();
    const CaseSession::Outcome got = session.Run(bound, wanted);
    ExpectSame(c, got.case_outcome, wanted);
    if (succeeds && c.nodes.size() == 1 && !got.devices.empty()) {
      EXPECT_TRUE(got.devices.count("GPU") > 0) << "it ran on the CPU";
    }
  }

  const OpCases& cases_;
};

// Returns the lines of `some` that are not in `others`.
std::string Without(const std::set<std::string>& some,
                    const std::set<std::string>& others) {
  std::string text;
  for (const std::string& line : some) {
    if (others.count(line) == 0) absl::StrAppend(&text, line, "; ");
  }
  return text;
}

// Both ways: what is missing is listed, and what is listed is missing.
TEST(GpuKernels, ThoseOfStockAreThereOrListed) {
  const auto stock = ReadStockKernels("tests/gpu/kernels.txt");
  ASSERT_TRUE(stock.ok()) << stock.status();
  const auto listed = ReadListedKernels("tests/gpu/missing.txt");
  ASSERT_TRUE(listed.ok()) << listed.status();
  const std::vector<std::string> lines =
      MissingKernels(*stock, *suite->ops, suite->kernels);
  const std::set<std::string> missing(lines.begin(), lines.end());
  EXPECT_EQ(Without(missing, *listed), "")
      << "are no kernels of ours, and not in tests/gpu/missing.txt, which "
         "`gpu_cases_tests --missing` prints";
  EXPECT_EQ(Without(*listed, missing), "")
      << "of tests/gpu/missing.txt are kernels of ours, or none of stock's";
}

void Register(const OpCases& list) {
  ::testing::RegisterTest(
      list.family.c_str(), absl::StrCat("Gpu/", list.op->name).c_str(), nullptr,
      nullptr, __FILE__, __LINE__,
      [&list]() -> ::testing::Test* { return new OpOnGpuTest(list); });
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::unique_ptr<Suite> loaded = LoadSuite();
  suite = loaded.get();
  if (argc >= 2 && std::strcmp(argv[1], "--missing") == 0) {
    const auto stock = ReadStockKernels("tests/gpu/kernels.txt");
    MR_CHECK(stock.ok(), stock.status().message());
    std::printf(
        "# Kernels for GPUs of TensorFlow 2.21 (kernels.txt) that we have not, "
        "of ops that we have, by\n# `build/dev/tests/gpu_cases_tests "
        "--missing`. \"by the host\": what is placed on a GPU is computed\n# "
        "by the CPU's kernel.\n");
    for (const std::string& line :
         MissingKernels(*stock, *suite->ops, suite->kernels))
      std::printf("%s\n", line.c_str());
    return 0;
  }
  CaseRunner the_runner(suite->kernels);
  runner = &the_runner;
  const Differences allowed = ReadDifferences("tests/gpu/differences.txt");
  differences = &allowed;
  for (const OpCases& list : suite->op_cases) {
    if (suite->kernels.HasOp("GPU", list.op->name)) Register(list);
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace millrace::cases

int main(int argc, char** argv) {
  // Another one can be given, and then all of what it stands for.
  setenv("MILLRACE_CUDA_LIBRARIES", MILLRACE_STANDIN_FOLDER, 0);  // NOLINT
  setenv("MILLRACE_GPU_CACHE", MILLRACE_STANDIN_FOLDER "/code", 0);
  setenv("MILLRACE_STANDIN_STRICT", "1", 0);
  setenv("MILLRACE_STANDIN_LAZY", "1", 0);
  return millrace::cases::Main(argc, argv);
}
