#include "millrace/train/saver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/train/optimizers/momentum.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SaverTest : public testing::Test {
 protected:
  SessionOptions Local() { return {.files = &files_}; }
  ops::Variable Number(const Scope& s, const char* name, float value,
                       bool use_resource = false) {
    return ops::Variable(s.WithOpName(name), Tensor::Scalar(value),
                         {.use_resource = use_resource});
  }
  MemoryFiles files_;
};

TEST_F(SaverTest, SavesAndRestores) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w = Number(s, "w", 1);
  const ops::Variable r = Number(s, "r", 2, true);
  const Output set_w = w.Assign(s, 5.0f);
  const Output set_r = r.Assign(s, 6.0f);
  Saver saver(s, {.files = &files_});
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto prefix = saver.Save(session, "/d/model.ckpt", {.step = 7});
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  EXPECT_EQ(*prefix, "/d/model.ckpt-7");
  EXPECT_EQ(*LatestCheckpoint(&files_, "/d"), "/d/model.ckpt-7");
  auto reader = BundleReader::Open(&files_, *prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Lookup("w")->scalar<float>(), 1);
  EXPECT_EQ((*reader)->Lookup("r")->scalar<float>(), 2);

  ASSERT_TRUE(session.RunTargets({set_w, set_r}).ok());
  const Status restored = saver.Restore(session, *prefix);
  ASSERT_TRUE(restored.ok()) << restored;
  auto out = session.Run({w, r});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
  EXPECT_EQ((*out)[1].scalar<float>(), 2);

  // Only the checkpoint is left: no folder of parts.
  EXPECT_THAT(*files_.GetChildren("/d"),
              ElementsAre("checkpoint", "model.ckpt-7.data-00000-of-00001",
                          "model.ckpt-7.index", "model.ckpt-7.meta"));
}

TEST_F(SaverTest, EachDeviceWritesAShard) {
  const Scope s = Scope::NewRoot();
  const ops::Variable a = Number(s.WithDevice("/device:CPU:0"), "a", 1);
  const ops::Variable b = Number(s.WithDevice("/device:CPU:1"), "b", 2);
  Saver saver(s, {.files = &files_});
  SessionOptions two = Local();
  two.config.device_count = {{"CPU", 2}};
  Session session(s, two);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto prefix = saver.Save(session, "/d/m");
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  auto reader = BundleReader::Open(&files_, *prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Lookup("b")->scalar<float>(), 2);

  // Another placement of the same variables reads it.
  const Scope other = Scope::NewRoot();
  const ops::Variable a1 = Number(other, "a", 0);
  const ops::Variable b1 = Number(other, "b", 0, true);
  Saver one(other, {.files = &files_});
  Session again(other, Local());
  const Status restored = one.Restore(again, *prefix);
  ASSERT_TRUE(restored.ok()) << restored;
  auto out = again.Run({a1, b1});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
  EXPECT_EQ((*out)[1].scalar<float>(), 2);
}

TEST_F(SaverTest, PartsAreSlicesOfOneTensor) {
  const auto build = [](const Scope& s, int64_t parts, const Initializer& i) {
    return ops::PartitionedVariable(
        s.WithOpName("table"), TensorShape({7, 2}), DataType::kFloat, i,
        FixedSizePartitioner(parts), {.use_resource = parts == 2});
  };
  const auto values = [](Session& session, const Output& output) {
    auto out = session.Run({output});
    EXPECT_TRUE(out.ok()) << out.status();
    const auto flat = (*out)[0].flat<float>();
    return std::vector<float>(flat.begin(), flat.end());
  };
  const Scope s = Scope::NewRoot();
  const ops::PartitionedVariable three =
      build(s, 3, RandomNormal({.mean = 0, .stddev = 1}));
  ASSERT_TRUE(three) << s.status();
  // A slot of each part is a part of the whole's slot.
  MomentumOptimizer optimizer(0.5, 0.9);
  const Operation train_op =
      optimizer.Minimize(s, ops::L2Loss(s, three.Value(s)));
  ASSERT_TRUE(s.ok()) << s.status();
  Saver saver(s, {.files = &files_});
  const Output whole = three.Value(s);
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const std::vector<float> start = values(session, whole);
  ASSERT_TRUE(session.RunTargets({train_op}).ok());
  const std::vector<float> trained = values(session, whole);
  auto prefix = saver.Save(session, "/d/m");
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  auto reader = BundleReader::Open(&files_, *prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Lookup("table")->shape(), TensorShape({7, 2}));
  const auto momentum = (*reader)->Lookup("table/Momentum");
  ASSERT_TRUE(momentum.ok()) << momentum.status();
  EXPECT_EQ(momentum->flat<float>()[13], start[13]);

  // Two parts, one variable, and parts by name read it.
  const Scope other = Scope::NewRoot();
  const ops::PartitionedVariable two = build(other, 2, Zeros());
  Saver two_saver(other, {.files = &files_});
  const Output two_whole = two.Value(other);
  const ops::Variable one = ops::MakeVariable(
      other.WithOpName("one"), TensorShape({7, 2}), DataType::kFloat, Zeros());
  Saver one_saver(other, {.variables = {{"table", one}}, .files = &files_});
  const ops::PartitionedVariable renamed(
      other.WithOpName("renamed"), TensorShape({7, 2}), DataType::kFloat,
      Zeros(), FixedSizePartitioner(2, {.axis = 1}));
  Saver renamed_saver(other,
                      {.partitioned = {{"table", renamed}}, .files = &files_});
  const Output renamed_whole = renamed.Value(other);
  Session again(other, Local());
  ASSERT_TRUE(two_saver.Restore(again, *prefix).ok());
  ASSERT_TRUE(one_saver.Restore(again, *prefix).ok());
  const Status restored = renamed_saver.Restore(again, *prefix);
  ASSERT_TRUE(restored.ok()) << restored;
  EXPECT_EQ(values(again, two_whole), trained);
  EXPECT_EQ(values(again, one), trained);
  EXPECT_EQ(values(again, renamed_whole), trained);
}

TEST_F(SaverTest, KeepsTheNewest) {
  const Scope s = Scope::NewRoot();
  Number(s, "w", 1);
  Saver saver(s, {.history = {.max_to_keep = 2}, .files = &files_});
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  for (int64_t step : {1, 2, 3}) {
    ASSERT_TRUE(saver.Save(session, "/d/m", {.step = step}).ok());
  }
  EXPECT_THAT(saver.checkpoints(), ElementsAre("/d/m-2", "/d/m-3"));
  EXPECT_EQ(files_.Exists("/d/m-1.index").code(), StatusCode::kNotFound);
  EXPECT_EQ(files_.Exists("/d/m-1.meta").code(), StatusCode::kNotFound);

  // A later program continues with the checkpoints that it finds.
  const Scope later = Scope::NewRoot();
  Number(later, "w", 1);
  Saver next(later, {.history = {.max_to_keep = 2}, .files = &files_});
  ASSERT_TRUE(next.RecoverHistory("/d").ok());
  Session session2(later, Local());
  ASSERT_TRUE(next.Restore(session2, "/d/m-3").ok());
  ASSERT_TRUE(next.Save(session2, "/d/m", {.step = 4}).ok());
  EXPECT_THAT(next.checkpoints(), ElementsAre("/d/m-3", "/d/m-4"));
  EXPECT_EQ(files_.Exists("/d/m-2.index").code(), StatusCode::kNotFound);
}

// Whatever its file `checkpoint` says: old checkpoints of other folders do not
// belong to this training.
TEST_F(SaverTest, DeletesNothingOutsideOfTheFolder) {
  const Scope s = Scope::NewRoot();
  Number(s, "w", 1);
  Saver saver(s, {.files = &files_});
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  for (const char* path : {"/d/m-1", "/e/m-1", "/d/sub/m-1", "/top"}) {
    ASSERT_TRUE(saver.Save(session, path).ok());
  }
  ASSERT_TRUE(WriteStringToFile(&files_, "/d/checkpoint",
                                "model_checkpoint_path: \"m-1\"\n"
                                "all_model_checkpoint_paths: \"/e/m-1\"\n"
                                "all_model_checkpoint_paths: \"/e/m-1\"\n"
                                "all_model_checkpoint_paths: \"../e/m-1\"\n"
                                "all_model_checkpoint_paths: \"sub/m-1\"\n"
                                "all_model_checkpoint_paths: \"../top\"\n"
                                "all_model_checkpoint_paths: \"/d/\"\n"
                                "all_model_checkpoint_paths: \"checkpoint\"\n"
                                "all_model_checkpoint_paths: \"\"\n"
                                "all_model_checkpoint_paths: \"x/../m-1\"\n")
                  .ok());
  Saver next(
      s,
      {.history = {.max_to_keep = 1}, .name = "save_again", .files = &files_});
  ASSERT_TRUE(next.RecoverHistory("/d").ok());
  EXPECT_EQ(next.checkpoints().back(), "/d/m-1");
  Session again(s, Local());
  ASSERT_TRUE(next.Restore(again, "/d/m-1").ok());
  const auto saved = next.Save(again, "/d/m", {.step = 2});
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_THAT(next.checkpoints(), ElementsAre("/d/m-2"));
  EXPECT_EQ(*LatestCheckpoint(&files_, "/d"), "/d/m-2");
  for (const char* path : {"/e/m-1", "/d/sub/m-1", "/top"}) {
    const auto reader = BundleReader::Open(&files_, path);
    EXPECT_TRUE(reader.ok() && (*reader)->CheckComplete().ok()) << path;
  }
  EXPECT_EQ(files_.Exists("/d/m-1.index").code(), StatusCode::kNotFound);
}

// A save whose part is complete and cannot be merged into a checkpoint.
class FailedSaveTest : public SaverTest {
 protected:
  void Build(Status error) {
    Number(scope_, "a", 1);
    saver_.emplace(scope_, SaverOptions{.files = &files_});
    session_.emplace(scope_, Local());
    ASSERT_TRUE(
        session_->RunTargets({ops::GlobalVariablesInitializer(scope_)}).ok());
    files_.SetFault([error](FileOp op, const std::string& path) {
      const bool joins =
          op == FileOp::kOpenWrite && path.find("/d/m-1.index") == 0;
      return joins ? error : OkStatus();
    });
    EXPECT_EQ(saver_->Save(*session_, "/d/m", {.step = 1}).status().code(),
              error.code());
    files_.SetFault(nullptr);
  }
  // Expects that a save succeeds, and leaves only its files.
  void SaveAndLook() {
    const auto saved = saver_->Save(*session_, "/d/m", {.step = 2});
    ASSERT_TRUE(saved.ok()) << saved.status();
    EXPECT_THAT(*files_.GetChildren("/d"),
                ElementsAre("checkpoint", "m-2.data-00000-of-00001",
                            "m-2.index", "m-2.meta"));
  }

  Scope scope_ = Scope::NewRoot();
  std::optional<Saver> saver_;
  std::optional<Session> session_;
};

// The parts might fill the disk and make the next save fail.
TEST_F(FailedSaveTest, LeavesNothingWhereAllTasksHaveEnded) {
  Build(ResourceExhausted("no space left on the device"));
  EXPECT_THAT(*files_.GetChildren("/d"), ElementsAre());
  SaveAndLook();
}

TEST_F(FailedSaveTest, IsRemovedWithTheNextWhereATaskMayStillWrite) {
  Build(Unavailable("the task was lost"));
  EXPECT_EQ(files_.GetChildren("/d")->size(), 1u);
  SaveAndLook();
}

TEST_F(FailedSaveTest, OfAnEarlierProgramIsRemovedWhenItIsOld) {
  Build(Unavailable("the task was lost"));
  const Scope later = Scope::NewRoot();
  Number(later, "a", 1);
  Session session(later, Local());
  ASSERT_TRUE(
      session.RunTargets({ops::GlobalVariablesInitializer(later)}).ok());
  const auto left = [&] {
    int folders = 0;
    const std::vector<std::string> names = *files_.GetChildren("/d");
    for (const std::string& name : names) {
      folders += name.find("_temp_") != std::string::npos;
    }
    return folders;
  };
  Saver saver(later, {.files = &files_});
  ASSERT_TRUE(saver.Save(session, "/d/m", {.step = 3}).ok());
  EXPECT_EQ(left(), 1);
  Saver impatient(later,
                  {.abandoned_ms = 0, .name = "save_later", .files = &files_});
  Session another(later, Local());
  ASSERT_TRUE(saver.Restore(another, "/d/m-3").ok());
  ASSERT_TRUE(impatient.Save(another, "/d/other", {.step = 4}).ok());
  EXPECT_EQ(left(), 1);
  ASSERT_TRUE(impatient.Save(another, "/d/m", {.step = 4}).ok());
  EXPECT_EQ(left(), 0);
}

TEST_F(SaverTest, AnotherShapeIsNotRestored) {
  const auto build = [](const Scope& s, const TensorShape& shape) {
    return ops::MakeVariable(s.WithOpName("w"), shape, DataType::kFloat,
                             Zeros(), {.use_resource = true});
  };
  const Scope s = Scope::NewRoot();
  build(s, TensorShape({2, 3}));
  Saver saver(s, {.files = &files_});
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto prefix = saver.Save(session, "/d/m");
  ASSERT_TRUE(prefix.ok()) << prefix.status();

  const Scope other = Scope::NewRoot();
  const ops::Variable wide = build(other, TensorShape({3, 2}));
  Saver wide_saver(other, {.files = &files_});
  Session again(other, Local());
  const Status restored = wide_saver.Restore(again, *prefix);
  EXPECT_EQ(restored.code(), StatusCode::kInvalidArgument) << restored;
  EXPECT_THAT(restored.message(), HasSubstr("[2,3]"));
  EXPECT_FALSE(again.Run({wide}).ok());  // nothing was assigned
}

TEST_F(SaverTest, AVariableWithoutAShapeTakesAny) {
  for (const bool use_resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(
        s.WithOpName("w"), {1.0f, 2.0f},
        {.use_resource = use_resource, .validate_shape = false});
    const Operation longer = use_resource
                                 ? OpBuilder(s, "AssignVariableOp")
                                       .In(w.handle())
                                       .In(ops::Const(s, {3.0f, 4.0f, 5.0f}))
                                       .Finish()
                                 : OpBuilder(s, "Assign")
                                       .In(w.handle())
                                       .In(ops::Const(s, {3.0f, 4.0f, 5.0f}))
                                       .Attr("validate_shape", false)
                                       .Finish();
    Saver saver(s, {.files = &files_});
    Session session(s, Local());
    ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
    auto prefix = saver.Save(session, "/d/m");
    ASSERT_TRUE(prefix.ok()) << prefix.status();
    ASSERT_TRUE(session.RunTargets({longer}).ok()) << s.status();
    const Status restored = saver.Restore(session, *prefix);
    ASSERT_TRUE(restored.ok()) << restored;
    auto out = session.Run({w});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].shape(), TensorShape({2}));
  }
}

TEST_F(SaverTest, Errors) {
  const Scope s = Scope::NewRoot();
  Number(s, "w", 1);
  Saver saver(s, {.files = &files_});
  Session session(s, Local());
  EXPECT_EQ(saver.Restore(session, "/d/none").code(), StatusCode::kNotFound);
  EXPECT_EQ(saver.Save(session, "/d/checkpoint").status().code(),
            StatusCode::kInvalidArgument);
  // Without a value there is nothing to save.
  EXPECT_EQ(saver.Save(session, "/d/m").status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(*LatestCheckpoint(&files_, "/d"), "");

  const Scope empty = Scope::NewRoot();
  Saver nothing(empty);
  EXPECT_THAT(empty.status().message(), HasSubstr("No variables to save"));
}

}  // namespace
}  // namespace millrace::train
