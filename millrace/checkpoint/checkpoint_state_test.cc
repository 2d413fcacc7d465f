#include "millrace/checkpoint/checkpoint_state.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

TEST(CheckpointState, TextForm) {
  CheckpointState state;
  state.model_checkpoint_path = "a\"b\n\xc3\xa4";
  state.all_model_checkpoint_paths = {"x", state.model_checkpoint_path};
  state.all_model_checkpoint_timestamps = {1.5, 1700000000.25};
  state.last_preserved_timestamp = 3.25;
  auto back = ParseCheckpointState(EncodeCheckpointState(state));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, state);

  auto stock = ParseCheckpointState(
      "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-1\"\n"
      "all_model_checkpoint_paths: \"m-2\"\nunknown_field: 5\n");
  ASSERT_TRUE(stock.ok()) << stock.status();
  EXPECT_EQ(stock->all_model_checkpoint_paths,
            (std::vector<std::string>{"m-1", "m-2"}));
  EXPECT_EQ(ParseCheckpointState("model_checkpoint_path: 7").status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(ParseCheckpointState("a { a { \xff").status().code(),
            StatusCode::kDataLoss);
  EXPECT_FALSE(ParseCheckpointState(std::string(100000, '{')).ok());
}

TEST(CheckpointState, PathsAreRelativeInTheFile) {
  MemoryFiles files;
  ASSERT_TRUE(files.CreateDir("/m").ok());
  CheckpointState state;
  state.model_checkpoint_path = "/m/ckpt-2";
  state.all_model_checkpoint_paths = {"/elsewhere/ckpt-1"};
  ASSERT_TRUE(WriteCheckpointState(&files, "/m", state).ok());
  const std::string text = *ReadFileToString(&files, "/m/checkpoint");
  EXPECT_EQ(text.find("/m/"), std::string::npos);
  EXPECT_EQ(text.find("model_checkpoint_path: \"ckpt-2\"\n"), 0u);
  auto back = ReadCheckpointState(&files, "/m");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->model_checkpoint_path, "/m/ckpt-2");
  EXPECT_EQ(back->all_model_checkpoint_paths,
            (std::vector<std::string>{"/elsewhere/ckpt-1", "/m/ckpt-2"}));
  EXPECT_EQ(ReadCheckpointState(&files, "/n").status().code(),
            StatusCode::kNotFound);
}

TEST(CheckpointState, LatestPassesOverWhatIsNotWhole) {
  MemoryFiles files;
  EXPECT_EQ(*LatestCheckpoint(&files, "/m"), "");
  CheckpointState state;
  for (int step = 1; step <= 3; ++step) {
    const std::string prefix = absl::StrCat("/m/ckpt-", step);
    auto writer = *BundleWriter::Open(&files, prefix);
    ASSERT_TRUE(writer->Add("v", Tensor::Zeros(DataType::kFloat, {10})).ok());
    ASSERT_TRUE(writer->Finish().ok());
    state.model_checkpoint_path = prefix;
    state.all_model_checkpoint_paths.push_back(prefix);
  }
  ASSERT_TRUE(WriteCheckpointState(&files, "/m", state).ok());
  EXPECT_EQ(*LatestCheckpoint(&files, "/m"), "/m/ckpt-3");
  const std::string data =
      *ReadFileToString(&files, DataFilename("/m/ckpt-3", 0, 1));
  ASSERT_TRUE(
      WriteStringToFile(&files, DataFilename("/m/ckpt-3", 0, 1), data.substr(1))
          .ok());
  EXPECT_EQ(*LatestCheckpoint(&files, "/m"), "/m/ckpt-2");
  ASSERT_TRUE(files.Delete(DataFilename("/m/ckpt-2", 0, 1)).ok());
  EXPECT_EQ(*LatestCheckpoint(&files, "/m"), "/m/ckpt-1");
  ASSERT_TRUE(files.Delete(IndexFilename("/m/ckpt-1")).ok());
  EXPECT_EQ(*LatestCheckpoint(&files, "/m"), "");
}

TEST(CheckpointHistory, KeepsTheNewestAndOneOfEachPeriod) {
  using Paths = std::vector<std::string>;
  CheckpointHistory history(
      0, {.max_to_keep = 2, .keep_checkpoint_every_n_hours = 1});
  EXPECT_EQ(history.Add("a", 100), Paths{});
  EXPECT_EQ(history.Add("b", 200), Paths{});
  EXPECT_EQ(history.Add("c", 3700), Paths{"a"});
  EXPECT_EQ(history.Add("d", 3800), Paths{"b"});
  EXPECT_EQ(history.Add("e", 3900), Paths{});  // c is kept permanently
  EXPECT_EQ(history.Add("f", 4000), Paths{"d"});
  EXPECT_EQ(history.state().all_model_checkpoint_paths, (Paths{"e", "f"}));
  EXPECT_EQ(history.state().last_preserved_timestamp, 3700);

  CheckpointHistory later(
      5000, {.max_to_keep = 2, .keep_checkpoint_every_n_hours = 1});
  later.Recover(history.state());
  EXPECT_EQ(later.Add("f", 5000), Paths{});  // written again
  EXPECT_EQ(later.Add("g", 5100), Paths{"e"});

  CheckpointState twice;
  twice.all_model_checkpoint_paths = {"a", "b", "a"};
  later.Recover(twice);
  EXPECT_EQ(later.Add("c", 5200), Paths{"b"});

  CheckpointHistory all(0, {.max_to_keep = 0});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all.Add(absl::StrCat(i), i), Paths{});
  EXPECT_EQ(all.state().all_model_checkpoint_paths.size(), 20u);
}

}  // namespace
}  // namespace millrace
