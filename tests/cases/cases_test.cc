// The generic tests of all ops, a test an op and harness:
//   FAMILY.Shapes/OP    shape function against the shapes of the run
//   FAMILY.Kernels/OP   results, errors, entries, threads, inputs, the wire
//   FAMILY.Gradients/OP gradients against finite differences
//
//   cases_tests --gtest_filter='math.*'          a family
//   cases_tests --gtest_filter='*/MatMul'        an op
//   cases_tests --export FOLDER [OP or FAMILY]   for compare_stock.py
//   cases_tests --dump_schema                    our registry as JSON
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/tensor/wire.h"
#include "tests/cases/bind.h"
#include "tests/cases/case_gradients.h"
#include "tests/cases/case_text.h"
#include "tests/cases/compare.h"
#include "tests/cases/export.h"
#include "tests/cases/runner.h"
#include "tests/cases/schema_json.h"
#include "tests/cases/shapes.h"

namespace millrace::cases {
namespace {

// Owned by main, for the tests that it registers.
const Suite* suite = nullptr;
CaseRunner* runner = nullptr;

// ---- Shapes ----

void CheckBuildError(const Case& c) {
  Status status;
  const StatusOr<BoundCase> bound = Bind(c, *suite->ops);
  status = bound.ok()
               ? InferShapes(*bound, *suite->ops, Known::kValues).status()
               : bound.status();
  EXPECT_EQ(status.code(), c.options.build_code) << status;
  EXPECT_NE(status.message().find(c.options.build_words),
            absl::string_view::npos)
      << "expected words: " << c.options.build_words
      << "\nmessage: " << status.message();
}

// Whether the graph of the case can be built at all by now.
bool HasVariableOps(const BoundCase& c) {
  for (const BoundVariable& v : c.variables) {
    if (suite->ops->Find(v.is_ref ? "VariableV2" : "VarHandleOp") == nullptr)
      return false;
  }
  return true;
}

void CheckShapes(const Case& c) {
  SCOPED_TRACE(CaseText(c));
  if (c.options.build_error) return CheckBuildError(c);
  if (!c.options.shape_check) return;
  const StatusOr<BoundCase> bound = Bind(c, *suite->ops);
  ASSERT_TRUE(bound.ok()) << bound.status();
  if (!HasVariableOps(*bound)) return;
  bool fails = false;
  for (const CaseRun& run : c.runs) fails |= run.code != StatusCode::kOk;
  const CaseOutcome outcome = runner->Run(*bound, {});
  for (Known known : {Known::kValues, Known::kShapes, Known::kTypes}) {
    const auto shapes = InferShapes(*bound, *suite->ops, known);
    // A case that fails when run may fail earlier if more is known.
    if (fails && known != Known::kTypes && !shapes.ok()) continue;
    ASSERT_TRUE(shapes.ok()) << shapes.status() << " with inputs known by "
                             << static_cast<int>(known);
    for (size_t n = 0; n < bound->nodes.size(); ++n) {
      for (size_t i = 0; i < outcome.outputs[n].size(); ++i) {
        const Tensor& t = outcome.outputs[n][i];
        if (!t.valid()) continue;
        EXPECT_TRUE((*shapes)[n][i].IsCompatibleWith(t.shape()))
            << "output " << i << " of " << bound->nodes[n].info.name
            << " has shape " << t.shape().DebugString()
            << ", the shape function says " << (*shapes)[n][i].DebugString()
            << " with inputs known by " << static_cast<int>(known);
      }
    }
  }
}

// ---- Kernels ----

void CheckStatuses(const Case& c, const CaseOutcome& outcome) {
  for (size_t r = 0; r < c.runs.size(); ++r) {
    const Status& status = outcome.runs[r].status;
    EXPECT_EQ(status.code(), c.runs[r].code) << "run " << r << ": " << status;
    if (c.runs[r].code == StatusCode::kOk) continue;
    EXPECT_NE(status.message().find(c.runs[r].words), absl::string_view::npos)
        << "expected words: " << c.runs[r].words
        << "\nmessage: " << status.message();
  }
  for (const std::string& name : outcome.changed_inputs) {
    ADD_FAILURE() << "the kernel changed its input " << name;
  }
}

void ExpectSame(const Case::Options& options, const CaseOutcome& got,
                const CaseOutcome& want, const std::string& what) {
  for (size_t r = 0; r < want.runs.size(); ++r) {
    EXPECT_EQ(got.runs[r].status.code(), want.runs[r].status.code())
        << what << ": " << got.runs[r].status;
    if (!got.runs[r].status.ok() || !want.runs[r].status.ok()) continue;
    for (size_t i = 0; i < want.runs[r].fetched.size(); ++i) {
      EXPECT_EQ(
          Difference(options, got.runs[r].fetched[i], want.runs[r].fetched[i]),
          "")
          << what << ", output " << i;
    }
  }
  for (size_t i = 0; i < want.variables.size(); ++i) {
    EXPECT_EQ(Difference(options, got.variables[i], want.variables[i]), "")
        << what << ", variable " << i << " afterwards";
  }
}

// Variants that leave their process give the same message again.
void CheckVariantWire(const Tensor& t) {
  const StatusOr<ByteChunks> bytes = EncodeTensor(t);
  if (bytes.status().code() == StatusCode::kInvalidArgument) return;
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const StatusOr<Tensor> back =
      DecodeTensor(ChunkReader(*bytes), HostAllocator());
  ASSERT_TRUE(back.ok()) << back.status();
  const StatusOr<ByteChunks> again = EncodeTensor(*back);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->Flatten(), bytes->Flatten());
}

void CheckWire(const CaseOutcome& outcome) {
  for (const RunOutcome& run : outcome.runs) {
    for (const Tensor& t : run.fetched) {
      if (!t.valid() || t.dtype() == DataType::kResource) continue;
      if (t.dtype() == DataType::kVariant) {
        CheckVariantWire(t);
        continue;
      }
      for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
        const StatusOr<ByteChunks> bytes = EncodeTensor(t, form);
        ASSERT_TRUE(bytes.ok()) << bytes.status();
        const StatusOr<Tensor> back =
            DecodeTensor(ChunkReader(*bytes), HostAllocator());
        ASSERT_TRUE(back.ok()) << back.status();
        EXPECT_TRUE(IdenticalTensors(*back, t))
            << "by the wire: " << back->DebugString();
      }
    }
  }
}

void CheckKernels(const Case& c) {
  SCOPED_TRACE(CaseText(c));
  if (c.options.build_error) return;
  const StatusOr<BoundCase> bound = Bind(c, *suite->ops);
  ASSERT_TRUE(bound.ok()) << bound.status();
  const CaseOutcome outcome = runner->Run(*bound, {});
  CheckStatuses(c, outcome);
  CheckWire(outcome);

  // Two threads, and a kernel that owns its inputs: the same bits.
  const CaseOutcome two = runner->Run(*bound, {.width = 2, .own_inputs = true});
  Case::Options bits = c.options;
  if (c.options.thread_check) bits.ulp = 0;
  ExpectSame(bits, two, outcome, "with 2 threads and inputs of its own");

  const int entries =
      c.options.reference_check ? runner->CountEntries(*bound) : 1;
  if (entries > 1) {
    const CaseOutcome reference = runner->Run(*bound, {.entry = entries - 1});
    for (int e = 0; e + 1 < entries; ++e) {
      ExpectSame(
          c.options, e == 0 ? outcome : runner->Run(*bound, {.entry = e}),
          reference, absl::StrCat("kernel entry ", e, " against the last one"));
    }
  }
}

// ---- Gradients ----

void CheckGradients(const Case& c) {
  SCOPED_TRACE(CaseText(c));
  if (!c.options.gradient) return;
  EXPECT_EQ(CheckCaseGradients(c, *suite), "");
}

// ---- Registration ----

// Cases of an op that write files write the same ones in each process, which
// run side by side: a checkpoint is not there while another takes its place.
class AloneInFamily {
 public:
  explicit AloneInFamily(const std::string& family)
      : file_(
            open(absl::StrCat("/tmp/millrace_cases_", family, ".lock").c_str(),
                 O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    MR_CHECK(file_ >= 0 && flock(file_, LOCK_EX) == 0, "no lock of ", family);
  }
  ~AloneInFamily() { close(file_); }
  AloneInFamily(const AloneInFamily&) = delete;
  AloneInFamily& operator=(const AloneInFamily&) = delete;

 private:
  const int file_;
};

// Where cases have their files.
constexpr char kCaseFiles[] = "/tmp/millrace_cases";

// Whether a case is told a file of kCaseFiles.
bool HasFiles(const Case& c) {
  const auto is_file = [](absl::string_view text) {
    return absl::StartsWith(text, kCaseFiles);
  };
  for (const CaseNode& node : c.nodes) {
    for (const Value& v : node.inputs) {
      if (!v.tensor.valid() || v.tensor.dtype() != DataType::kString) continue;
      const auto texts = v.tensor.flat<StringElement>();
      if (std::any_of(texts.begin(), texts.end(), is_file)) return true;
    }
    for (const auto& [name, value] : node.attrs) {
      const std::string* const text = value.get<std::string>();
      if (text != nullptr && is_file(*text)) return true;
    }
  }
  return false;
}

class OpTest : public ::testing::Test {
 public:
  OpTest(const OpCases& cases, void (*check)(const Case&))
      : cases_(cases), check_(check) {}
  void TestBody() override {
    std::optional<AloneInFamily> alone;
    if (std::any_of(cases_.cases.begin(), cases_.cases.end(),
                    [](const auto& c) { return HasFiles(*c); })) {
      alone.emplace(cases_.family);
    }
    for (const auto& c : cases_.cases) check_(*c);
  }

 private:
  const OpCases& cases_;
  void (*check_)(const Case&);
};

void Register(const OpCases& list, const char* harness,
              void (*check)(const Case&)) {
  ::testing::RegisterTest(
      list.family.c_str(), absl::StrCat(harness, "/", list.op->name).c_str(),
      nullptr, nullptr, __FILE__, __LINE__,
      [&list, check]() -> ::testing::Test* { return new OpTest(list, check); });
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::unique_ptr<Suite> loaded = LoadSuite();
  suite = loaded.get();
  if (argc >= 3 && std::strcmp(argv[1], "--export") == 0) {
    const Status s = ExportCases(*suite, argv[2], argc > 3 ? argv[3] : "");
    if (!s.ok()) std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return s.ok() ? 0 : 1;
  }
  if (argc >= 2 && std::strcmp(argv[1], "--dump_schema") == 0) {
    std::printf("%s\n", SchemaJson(*suite).c_str());
    return 0;
  }
  CaseRunner the_runner(suite->kernels);
  runner = &the_runner;
  for (const OpCases& list : suite->op_cases) {
    Register(list, "Shapes", &CheckShapes);
    Register(list, "Kernels", &CheckKernels);
    const auto& cases = list.cases;
    if (std::any_of(cases.begin(), cases.end(),
                    [](const auto& c) { return c->options.gradient; })) {
      Register(list, "Gradients", &CheckGradients);
    }
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace millrace::cases

int main(int argc, char** argv) { return millrace::cases::Main(argc, argv); }
