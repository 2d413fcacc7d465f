// Cuts a save at each of its file operations: the newest complete checkpoint
// loads, and is one of the allowed ones.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_merge.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/checkpoint/testing/sample_tensors.h"

namespace millrace {
namespace {

constexpr char kDirectory[] = "/model";

Tensor Value(int step) { return SampleTensor(DataType::kInt32, {100}, step); }
Tensor Text(int step) { return SampleTensor(DataType::kString, {9}, step); }

std::string PrefixOf(int step) {
  return absl::StrCat(kDirectory, "/ckpt-", step);
}

Status SaveWhole(FileSystem* files, int step) {
  MR_ASSIGN_OR_RETURN(auto writer, BundleWriter::Open(files, PrefixOf(step)));
  MR_RETURN_IF_ERROR(writer->Add("value", Value(step)));
  MR_RETURN_IF_ERROR(writer->Add("text", Text(step)));
  return writer->Finish();
}

Status SaveSharded(FileSystem* files, int step) {
  std::vector<std::string> parts;
  for (int i = 0; i < 2; ++i) {
    parts.push_back(ShardedFilename(PrefixOf(step) + "_temp_1/part", i, 2));
    MR_ASSIGN_OR_RETURN(auto writer, BundleWriter::Open(files, parts.back()));
    MR_RETURN_IF_ERROR(i == 0 ? writer->Add("value", Value(step))
                              : writer->Add("text", Text(step)));
    MR_RETURN_IF_ERROR(writer->Finish());
  }
  return MergeBundles(files, parts, PrefixOf(step));
}

// Does what a saver does: saves, updates the state file, deletes what is too
// old.
Status SaveStep(FileSystem* files, int step, bool sharded) {
  CheckpointHistory history(0, {.max_to_keep = 2});
  auto state = ReadCheckpointState(files, kDirectory);
  if (state.ok()) history.Recover(*state);
  MR_RETURN_IF_ERROR(sharded ? SaveSharded(files, step)
                             : SaveWhole(files, step));
  const std::vector<std::string> old = history.Add(PrefixOf(step), step);
  MR_RETURN_IF_ERROR(WriteCheckpointState(files, kDirectory, history.state()));
  for (const std::string& prefix : old)
    MR_RETURN_IF_ERROR(DeleteCheckpoint(files, prefix));
  return OkStatus();
}

// Returns the step of the newest checkpoint, whose values must be right.
int LoadedStep(FileSystem* files) {
  auto latest = LatestCheckpoint(files, kDirectory);
  EXPECT_TRUE(latest.ok()) << latest.status();
  if (!latest.ok() || latest->empty()) return -1;
  auto reader = BundleReader::Open(files, *latest);
  EXPECT_TRUE(reader.ok()) << reader.status();
  for (int step = 0; step < 10; ++step) {
    if (*latest != PrefixOf(step)) continue;
    auto value = (*reader)->Lookup("value");
    auto text = (*reader)->Lookup("text");
    EXPECT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(text.ok()) << text.status();
    if (!value.ok() || !text.ok()) return -2;
    EXPECT_TRUE(IdenticalTensors(*value, Value(step)));
    EXPECT_TRUE(IdenticalTensors(*text, Text(step)));
    return step;
  }
  return -3;
}

class BundleCrashTest : public testing::TestWithParam<bool> {};

TEST_P(BundleCrashTest, NewestCompleteCheckpointLoads) {
  bool ended = false;
  for (int cut = 0; !ended; ++cut) {
    ASSERT_LT(cut, 1000);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      MemoryFiles files(seed);
      for (int step = 1; step <= 3; ++step)
        ASSERT_TRUE(SaveStep(&files, step, GetParam()).ok());
      // From operation `cut` on everything fails, as if the process had died.
      int left = cut;
      files.SetFault([&left](FileOp, const std::string&) {
        return left-- > 0 ? OkStatus() : Unavailable("dead");
      });
      const Status saved = SaveStep(&files, 4, GetParam());
      ended = saved.ok() && left >= 0;
      files.SetFault(nullptr);
      files.Crash();
      const int loaded = LoadedStep(&files);
      if (saved.ok()) {
        ASSERT_EQ(loaded, 4) << "cut " << cut << " seed " << seed;
      } else {
        ASSERT_TRUE(loaded == 3 || loaded == 4)
            << loaded << ", cut " << cut << " seed " << seed;
      }
      // And training goes on.
      ASSERT_TRUE(SaveStep(&files, 5, GetParam()).ok());
      ASSERT_EQ(LoadedStep(&files), 5);
    }
  }
}

// Saves the same name again, as when a step is repeated after a restart:
// afterwards it has either content, or is missing and the checkpoint before it
// loads.
TEST_P(BundleCrashTest, OverwrittenCheckpointIsNeverMixed) {
  bool ended = false;
  for (int cut = 0; !ended; ++cut) {
    ASSERT_LT(cut, 1000);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      MemoryFiles files(seed);
      for (int step = 1; step <= 2; ++step)
        ASSERT_TRUE(SaveStep(&files, step, GetParam()).ok());
      int left = cut;
      files.SetFault([&left](FileOp, const std::string&) {
        return left-- > 0 ? OkStatus() : Unavailable("dead");
      });
      ended = SaveStep(&files, 2, GetParam()).ok() && left >= 0;
      files.SetFault(nullptr);
      files.Crash();
      const int loaded = LoadedStep(&files);
      ASSERT_TRUE(loaded == 1 || loaded == 2)
          << loaded << ", cut " << cut << " seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Whole, BundleCrashTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Sharded, BundleCrashTest, testing::Values(true));

}  // namespace
}  // namespace millrace
