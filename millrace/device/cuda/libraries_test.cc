#include "millrace/device/cuda/libraries.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/environment.h"
#include "millrace/base/files/file.h"
#include "millrace/base/random.h"
#include "millrace/device/cuda/driver.h"
#include "millrace/device/cuda/nvrtc.h"

namespace millrace::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A library that has none of CUDA's symbols: this program.
Library ThisProgram() { return {dlopen(nullptr, RTLD_NOW), "this program"}; }

TEST(NamesOfVersions, AreThoseThatFitAndTheOthersNearestFirst) {
  constexpr int kMajors[] = {11, 12, 13};
  LibraryNames names = NamesOfVersions("liba.so", kMajors, 12);
  EXPECT_THAT(names.fitting, ElementsAre("liba.so.12", "liba.so.11"));
  EXPECT_THAT(names.others, ElementsAre("liba.so.13"));
  names = NamesOfVersions("liba.so", kMajors, 10);
  EXPECT_THAT(names.fitting, IsEmpty());
  EXPECT_THAT(names.others,
              ElementsAre("liba.so.11", "liba.so.12", "liba.so.13"));
}

// A machine whose folders of libraries the test fills.
class OpenLibraryTest : public ::testing::Test {
 protected:
  static constexpr int kMajors[] = {12, 13};
  static constexpr char kFile[] = "libmillrace_test.so";

  void SetUp() override {
    root_ = absl::StrCat(::testing::TempDir(), "millrace_libraries_",
                         RandomUint64());
    explicit_ = JoinPath(root_, "explicit");
    home_ = JoinPath(root_, "home/lib64");
    packages_ = JoinPath(
        root_, "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
    for (const std::string& folder : {explicit_, home_, packages_}) {
      ASSERT_TRUE(PosixFiles()->CreateDirRecursively(folder).ok());
    }
    Set("MILLRACE_CUDA_LIBRARIES", explicit_);
    Set("CUDA_HOME", JoinPath(root_, "home"));
    Set("VIRTUAL_ENV", JoinPath(root_, "venv"));
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
    EXPECT_TRUE(PosixFiles()->DeleteDirRecursively(root_).ok());
  }

  // Puts a library into a folder: a copy of one that the process has, since
  // equal files are one library for the system.
  std::string Put(const std::string& folder, int major) {
    Dl_info info;
    EXPECT_NE(dladdr(dlsym(RTLD_DEFAULT, "cos"), &info), 0);
    const auto bytes = ReadFileToString(PosixFiles(), info.dli_fname);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return PutFile(folder, major, *bytes);
  }
  std::string PutFile(const std::string& folder, int major,
                      const std::string& bytes) {
    const std::string path = JoinPath(folder, absl::StrCat(kFile, ".", major));
    (void)PosixFiles()->Delete(path);  // one that is open stays as it is
    const Status status = WriteStringToFile(PosixFiles(), path, bytes);
    EXPECT_TRUE(status.ok()) << status;
    return path;
  }

  // Returns the library that is opened with a driver of this major version, if
  // those whose path has `bad` do not work.
  static StatusOr<Library> Open(int driver, absl::string_view bad = "none") {
    return OpenLibrary(NamesOfVersions(kFile, kMajors, driver),
                       [&](const Library& library) -> Status {
                         EXPECT_NE(library.Symbol("cos"), nullptr);
                         if (absl::StrContains(library.path, bad)) {
                           return FailedPrecondition(library.path,
                                                     " does not work");
                         }
                         return OkStatus();
                       });
  }

  std::string root_, explicit_, home_, packages_;

 private:
  void Set(const char* name, const std::string& value) {
    before_[name] = EnvironmentVariable(name);
    setenv(name, value.c_str(), 1);
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(OpenLibraryTest, SaysWhyThereIsNone) {
  const Status status = Open(13).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("libmillrace_test.so.13: cannot open"));
}

TEST_F(OpenLibraryTest, AVersionThatFitsTheDriverGoesFirstWhereverItIs) {
  const std::string newer = Put(home_, 13);
  const std::string older = Put(packages_, 12);
  EXPECT_EQ(Open(12)->path, older);
  EXPECT_EQ(Open(13)->path, newer);
  EXPECT_EQ(Open(11)->path, older);
  ASSERT_TRUE(PosixFiles()->Delete(older).ok());
  EXPECT_EQ(Open(12)->path, newer);
}

TEST_F(OpenLibraryTest, TheNewestGoesFirstButForTheFolderThatIsNamed) {
  const std::string older = Put(home_, 12);
  const std::string newer = Put(packages_, 13);
  EXPECT_EQ(Open(13)->path, newer);
  const std::string named = Put(explicit_, 12);
  EXPECT_EQ(Open(13)->path, named);
  EXPECT_EQ(Open(12)->path, named);
}

TEST_F(OpenLibraryTest, OneThatDoesNotWorkIsPassedOver) {
  const std::string named = Put(explicit_, 13);
  const std::string other = Put(packages_, 12);
  EXPECT_EQ(Open(13, "explicit")->path, other);
  PutFile(explicit_, 13, "no library");
  EXPECT_EQ(Open(13)->path, other);
  const Status status = Open(13, "millrace_test").status();
  EXPECT_EQ(status, FailedPrecondition(other, " does not work"));
  Put(explicit_, 13);
  const Status both = Open(13, "millrace_test").status();
  EXPECT_EQ(both, FailedPrecondition(named, " does not work; ", other,
                                     " does not work"));
}

TEST_F(OpenLibraryTest, AFileThatCannotBeOpenedIsTheReason) {
  const std::string path = PutFile(packages_, 12, "no library");
  const Status status = Open(13).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
}

TEST_F(OpenLibraryTest, CallsAreThoseOfTheFirstThatHasThem) {
  struct Calls {
    double (*Cos)(double) = nullptr;
    std::string path;
  };
  Put(explicit_, 12);
  const std::string second = Put(home_, 12);
  const auto calls = OpenCalls<Calls>(
      NamesOfVersions(kFile, kMajors, 12),
      [&](const Library& library) -> StatusOr<Calls> {
        Calls found;
        found.path = library.path;
        CallFinder find(library);
        find.Find(library.path == second ? "cos" : "no_such_call", &found.Cos);
        MR_RETURN_IF_ERROR(find.status());
        return found;
      });
  ASSERT_TRUE(calls.ok()) << calls.status();
  EXPECT_EQ(calls->path, second);
  EXPECT_EQ(calls->Cos(0), 1);
}

TEST(ProcessLibrary, IsLoadedOnceWhateverComesOfIt) {
  static constinit ProcessLibrary<int> good, bad;
  int loads = 0;
  const auto load_good = [&]() -> StatusOr<int> { return ++loads; };
  const auto load_bad = [&]() -> StatusOr<int> {
    ++loads;
    return Internal("it is bad");
  };
  const int* const number = good.GetOptional("good", "fine", load_good);
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(bad.GetOptional("bad", "a test passes", load_bad), nullptr);
  const int before = loads;
  EXPECT_EQ(good.GetOptional("good", "fine", load_good), number);
  EXPECT_EQ(bad.GetOptional("bad", "a test passes", load_bad), nullptr);
  EXPECT_EQ(bad.Get(load_bad).status(), Internal("it is bad"));
  EXPECT_EQ(loads, before);
}

TEST(InitializeDriver, RefusesOneThatIsTooOld) {
  const Status status = InitializeDriver(ThisProgram()).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(this program) is too old: it is for CUDA 0.0 and has "
                        "no cuInit; needed is one for CUDA 11.4 or newer"));
}

TEST(InitializeNvrtc, RefusesOneWithoutItsCalls) {
  const Status status = InitializeNvrtc(ThisProgram()).status();
  EXPECT_EQ(status, FailedPrecondition("this program has no nvrtcVersion"));
}

TEST(TargetFor, IsMachineCodeWhereTheCompilerKnowsTheCard) {
  Nvrtc nvrtc;
  nvrtc.major = 13;
  nvrtc.architectures = {75, 80, 90};
  const auto option = [&](int capability) {
    return CompileOptions(TargetFor(nvrtc, capability).value())[0];
  };
  EXPECT_EQ(option(75), "--gpu-architecture=sm_75");
  EXPECT_EQ(option(90), "--gpu-architecture=sm_90");
  EXPECT_EQ(option(89), "--gpu-architecture=compute_80");
  EXPECT_EQ(option(120), "--gpu-architecture=compute_90");
  const Status status = TargetFor(nvrtc, 70).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("no card as old as compute capability 7.0, but from 7.5 "
                "on"));
}

TEST(IsSticky, IsWhatEndsAContext) {
  EXPECT_TRUE(IsSticky(Result::kIllegalAddress));
  EXPECT_TRUE(IsSticky(Result::kLaunchFailed));
  EXPECT_TRUE(IsSticky(Result::kUncorrectableMemory));
  EXPECT_FALSE(IsSticky(Result::kPeerAccessAlreadyEnabled));
  EXPECT_FALSE(IsSticky(Result::kOutOfMemory));
  EXPECT_FALSE(IsSticky(Result::kInvalidValue));
}

}  // namespace
}  // namespace millrace::cuda
