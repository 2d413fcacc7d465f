#include "millrace/train/saver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/memory_files.h"
#include "millrace/checkpoint/bundle_reader.h"
#include "millrace/client/ops.h"

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
  auto prefix = saver.Save(session, "/d/model.ckpt", 7);
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

  // Nothing but the checkpoint is left: no folder of parts.
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
  Session session(s, std::move(two));
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

TEST_F(SaverTest, KeepsTheNewest) {
  const Scope s = Scope::NewRoot();
  Number(s, "w", 1);
  Saver saver(s, {.history = {.max_to_keep = 2}, .files = &files_});
  Session session(s, Local());
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  for (int64_t step : {1, 2, 3}) {
    ASSERT_TRUE(saver.Save(session, "/d/m", step).ok());
  }
  EXPECT_THAT(saver.checkpoints(), ElementsAre("/d/m-2", "/d/m-3"));
  EXPECT_EQ(files_.Exists("/d/m-1.index").code(), StatusCode::kNotFound);
  EXPECT_EQ(files_.Exists("/d/m-1.meta").code(), StatusCode::kNotFound);

  // A later program goes on with what it finds.
  const Scope later = Scope::NewRoot();
  Number(later, "w", 1);
  Saver next(later, {.history = {.max_to_keep = 2}, .files = &files_});
  ASSERT_TRUE(next.RecoverHistory("/d").ok());
  Session session2(later, Local());
  ASSERT_TRUE(next.Restore(session2, "/d/m-3").ok());
  ASSERT_TRUE(next.Save(session2, "/d/m", 4).ok());
  EXPECT_THAT(next.checkpoints(), ElementsAre("/d/m-3", "/d/m-4"));
  EXPECT_EQ(files_.Exists("/d/m-2.index").code(), StatusCode::kNotFound);
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
