#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "millrace/session/testing/local_session_suite.h"

namespace millrace {
namespace {

const AttrMap kFloats = {{"T", DataType::kFloat}};

class PartialRunTest : public LocalSessionTest {
 protected:
  using Feeds = std::vector<std::pair<std::string, Tensor>>;

  // r1 = a + b; r2 = r1 * c.
  void SetUp() override {
    GraphDefBuilder b;
    for (const char* name : {"a", "b", "c"}) {
      b.Add(name, "Placeholder", {},
            {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}});
    }
    b.Add("r1", "AddV2", {"a", "b"}, kFloats)
        .Add("r2", "Mul", {"r1", "c"}, kFloats)
        .Add("any", "Placeholder", {}, {{"dtype", DataType::kFloat}})
        .Add("shape", "Shape", {"any"}, kFloats);
    Start(b.Take());
  }

  std::string SetUpRun() {
    auto handle = session_->SetUpPartialRun(
        {.feeds = {"a:0", "b:0", "c:0"}, .fetches = {"r1:0", "r2:0"}});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : "";
  }
  StatusOr<std::vector<Tensor>> RunPart(const std::string& handle, Feeds feeds,
                                        std::vector<std::string> fetches) {
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->RunPartially(handle, std::move(feeds), fetches,
                                              nullptr, &outputs));
    return outputs;
  }
};

TEST_F(PartialRunTest, FeedsAndFetchesInSeveralCalls) {
  const std::string handle = SetUpRun();
  auto first = RunPart(
      handle, {{"a:0", Tensor::Scalar(1.f)}, {"b:0", Tensor::Scalar(2.f)}},
      {"r1:0"});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].scalar<float>(), 3.f);
  auto second = RunPart(handle, {{"c:0", Tensor::Scalar(4.f)}}, {"r2:0"});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].scalar<float>(), 12.f);
  EXPECT_EQ(RunPart(handle, {}, {}).status().message(),
            "Must run 'setup' before performing partial runs!");
}

TEST_F(PartialRunTest, RefusesWhatWasNotAnnouncedOrIsNotThereYet) {
  const std::string handle = SetUpRun();
  const Feeds a = {{"a:0", Tensor::Scalar(1.f)}};
  EXPECT_EQ(RunPart(handle, a, {"r1:0"}).status().message(),
            "Fetch r1:0 can't be computed from the feeds that have been fed so "
            "far.");
  EXPECT_TRUE(RunPart(handle, a, {}).ok());
  EXPECT_EQ(RunPart(handle, a, {}).status().message(),
            "The feed a:0 has already been fed.");
  EXPECT_EQ(RunPart(handle, {}, {"b:0"}).status().message(),
            "The fetch b:0 was not specified in partial_run_setup.");
  auto rest = RunPart(
      handle, {{"b:0", Tensor::Scalar(2.f)}, {"c:0", Tensor::Scalar(3.f)}},
      {"r2:0", "r1:0"});
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ((*rest)[0].scalar<float>(), 9.f);
}

TEST_F(PartialRunTest, RefusesTheShapeOfWhatIsNotFedYet) {
  const auto handle =
      session_->SetUpPartialRun({.feeds = {"any:0"}, .fetches = {"shape:0"}});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(RunPart(*handle, {}, {"shape:0"}).status().message(),
            "Fetch shape:0 can't be computed from the feeds that have been fed "
            "so far.");
  EXPECT_TRUE(
      RunPart(*handle, {{"any:0", Tensor::Scalar(1.f)}}, {"shape:0"}).ok());
}

TEST_F(PartialRunTest, EndsWithItsSession) {
  SetUpRun();
  session_.reset();  // does not wait for feeds
}

// A queue that is nobody else's, and one element of it.
GraphDef WaitingGraph(bool filled) {
  const std::vector<DataType> types = {DataType::kFloat};
  GraphDefBuilder b;
  b.Add("x", "Placeholder", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}});
  b.Add("queue", "FIFOQueueV2", {}, {{"component_types", types}});
  std::vector<std::string> inputs = {"queue"};
  if (filled) {
    b.Add("put", "QueueEnqueueV2", {"queue", "x"}, {{"Tcomponents", types}});
    inputs.push_back("^put");
  }
  b.Add("got", "QueueDequeueV2", inputs, {{"component_types", types}});
  return b.Take();
}

TEST_F(PartialRunTest, EndsAtTheOperationTimeout) {
  config_.operation_timeout_ms = 20;
  Start(WaitingGraph(/*filled=*/false));
  const auto handle =
      session_->SetUpPartialRun({.feeds = {}, .fetches = {"got:0"}});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Status status = RunPart(*handle, {}, {"got:0"}).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
}

// The kernel of the queue deletes it from the device with which the session
// ends.
TEST_F(PartialRunTest, EndsBeforeTheDevicesOfItsSession) {
  for (int i = 0; i < 20; ++i) {
    Start(WaitingGraph(/*filled=*/true));
    const auto handle =
        session_->SetUpPartialRun({.feeds = {"x:0"}, .fetches = {"got:0"}});
    ASSERT_TRUE(handle.ok()) << handle.status();
    const auto got =
        RunPart(*handle, {{"x:0", Tensor::Scalar(7.f)}}, {"got:0"});
    ASSERT_TRUE(got.ok()) << got.status();
    session_.reset();
    EXPECT_EQ((*got)[0].scalar<float>(), 7.f);
  }
}

// Memory that is somebody else's.
class LentBuffer final : public Buffer {
 public:
  explicit LentBuffer(std::vector<float>& values)
      : Buffer(reinterpret_cast<char*>(values.data()),
               values.size() * sizeof(float)) {
    SetLent();
  }
};

TEST_F(LocalSessionTest, DoesNotWriteOrKeepMemoryThatIsLent) {
  GraphDefBuilder b;
  b.Add("x", "Placeholder", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialShape()}});
  b.Add("v", "VariableV2", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialShape({1000})}});
  b.Add("neg", "Neg", {"x"}, kFloats).Add("set", "Assign", {"v", "x"}, kFloats);
  b.Add("read", "Identity", {"v"}, kFloats);
  Start(b.Take());
  std::vector<float> values(1000, 1.f);
  const Tensor lent =
      Tensor::FromBuffer(DataType::kFloat, {1000}, MakeRef<LentBuffer>(values),
                         reinterpret_cast<char*>(values.data()));
  ASSERT_TRUE(Run({{"x:0", lent}}, {"neg:0"}, {"set"}).ok());
  EXPECT_EQ(values[0], 1.f);
  values[0] = 5.f;
  const auto kept = Run({}, {"read:0"});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ((*kept)[0].flat<float>()[0], 1.f);
}

}  // namespace
}  // namespace millrace
