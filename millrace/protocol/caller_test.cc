#include "millrace/protocol/caller.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/protocol/unimplemented_api.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

// Answers when the test tells it to.
class FakeWorker : public UnimplementedWorker {
 public:
  void RecvTensor(CallContext& context, const RecvTensorRequest& request,
                  RecvTensorReply* reply, Done done) override {
    EXPECT_EQ(context.request_id, request.request_id);
    key = request.rendezvous_key;
    reply->tensor = value;
    std::move(done)(answer);
  }
  void GetStatus(CallContext&, const GetStatusRequest&, GetStatusReply* reply,
                 Done done) override {
    DeviceAttributes device;
    device.name = "/job:worker/replica:0/task:0/device:CPU:0";
    device.incarnation = ~uint64_t{0};
    reply->device_attributes.push_back(device);
    std::move(done)(OkStatus());
  }

  Tensor value = Tensor::Scalar<float>(1);
  Status answer;
  std::string key;
};

// Serves at once, on the calling thread; a transport would post.
class DirectCaller : public Caller {
 public:
  explicit DirectCaller(Services services) : services_(services) {}
  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override {
    last = method.path;
    context.request_id = 0;  // a server reads it from the request
    Serve(services_, method.id, context, request, reply, std::move(done));
  }
  absl::string_view last;

 private:
  Services services_;
};

class CallerTest : public ::testing::Test {
 protected:
  CallerTest()
      : caller_({.worker = &worker_}), stub_(MakeWorkerStub(&caller_)) {}

  Status Recv(RecvTensorReply* reply) {
    RecvTensorRequest request;
    request.rendezvous_key = "key";
    request.request_id = -7;
    CallContext context;
    Status result = Internal("not called");
    stub_->RecvTensor(context, request, reply, [&](Status s) { result = s; });
    return result;
  }

  FakeWorker worker_;
  DirectCaller caller_;
  std::unique_ptr<WorkerApi> stub_;
};

TEST_F(CallerTest, ThereAndBack) {
  worker_.value = Tensor::Zeros(DataType::kDouble, {1000});
  RecvTensorReply reply;
  ASSERT_TRUE(Recv(&reply).ok());
  EXPECT_EQ(worker_.key, "key");
  EXPECT_EQ(caller_.last, "/tensorflow.WorkerService/RecvTensor");
  EXPECT_TRUE(IdenticalTensors(reply.tensor, worker_.value));
  EXPECT_EQ(reply.tensor.buffer(), worker_.value.buffer());

  GetStatusReply devices;
  CallContext context;
  Status result;
  stub_->GetStatus(context, {}, &devices, [&](Status s) { result = s; });
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(devices.device_attributes.size(), 1u);
  EXPECT_EQ(devices.device_attributes[0].incarnation, ~uint64_t{0});
}

TEST_F(CallerTest, ErrorsPassUnchanged) {
  worker_.answer = Unavailable("gone");
  RecvTensorReply reply;
  EXPECT_EQ(Recv(&reply), Unavailable("gone"));
}

TEST_F(CallerTest, WhatCannotBeSentIsAnError) {
  class Local final : public VariantValue {
   public:
    absl::string_view type_name() const override { return "Local"; }
  };
  worker_.value =
      Tensor::Scalar<VariantElement>(VariantElement(MakeRef<Local>()));
  RecvTensorReply reply;
  EXPECT_EQ(Recv(&reply).code(), StatusCode::kInvalidArgument);
}

// Empty elements of repeated fields have two bytes each on the wire.
TEST_F(CallerTest, ObjectsOfAMessageCountInTheBudget) {
  std::string devices, inputs;
  for (int i = 0; i < 1'000'000; ++i) {
    devices += {0x22, 0};  // CreateWorkerSession.cluster_device_attributes
    inputs += {0x1a, 0};   // NodeDef.input
  }
  const auto put = [](std::string* to, char tag, const std::string& bytes) {
    to->push_back(tag);
    for (size_t n = bytes.size();; n >>= 7) {
      to->push_back(static_cast<char>((n & 127) | (n > 127 ? 128 : 0)));
      if (n <= 127) break;
    }
    *to += bytes;
  };
  std::string graph, register_graph;
  put(&graph, 0x0a, inputs);          // GraphDef.node
  put(&register_graph, 0x12, graph);  // RegisterGraphRequest.graph_def
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  const int64_t before = budget.used();
  budget.set_limit(before + (16 << 20));
  const auto serve = [&](MethodId id, const std::string& bytes) {
    CallContext context;
    ByteChunks reply;
    Status result;
    Serve({.worker = &worker_}, id, context, ByteChunks(bytes), &reply,
          [&](Status s) { result = s; });
    return result.code();
  };
  EXPECT_EQ(serve(MethodId::kCreateWorkerSession, devices),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(serve(MethodId::kRegisterGraph, register_graph),
            StatusCode::kResourceExhausted);
  budget.set_limit(limit);
  EXPECT_EQ(budget.used(), before);
}

TEST_F(CallerTest, MissingServicesAndBadBytes) {
  CallContext context;
  ByteChunks reply;
  Status result;
  const auto done = [&](Status s) { result = s; };
  Serve({}, MethodId::kRunStep, context, ByteChunks(), &reply, done);
  EXPECT_EQ(result.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(result.message()),
              HasSubstr("/tensorflow.MasterService/RunStep"));
  Serve({.worker = &worker_}, static_cast<MethodId>(200), context, ByteChunks(),
        &reply, done);
  EXPECT_EQ(result.code(), StatusCode::kUnimplemented);
  Serve({.worker = &worker_}, MethodId::kRunGraph, context,
        ByteChunks(std::string("\x0a\x05")), &reply, done);
  EXPECT_EQ(result.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.message()), HasSubstr("RunGraph"));
}

}  // namespace
}  // namespace millrace
