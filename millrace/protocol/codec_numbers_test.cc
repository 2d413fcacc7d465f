// Compares every struct with the generated class of its message: all fields of
// a message are filled, decoded, encoded again and compared.
#include <google/protobuf/util/message_differencer.h>

#include <set>

#include "gtest/gtest.h"
#include "millrace/protocol/codec.h"
#include "proto/service/master.pb.h"
#include "proto/service/millrace_messages.pb.h"
#include "proto/service/transport_options.pb.h"
#include "proto/service/worker.pb.h"

namespace millrace {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Returns whether a field is a statistic that is not filled any more.
bool Dropped(const FieldDescriptor* field) {
  static const std::set<std::string>* const kDropped =
      new std::set<std::string>{
          "tensorflow.MemoryStats.device_temp_memory_size",
          "tensorflow.MemoryStats.device_persistent_memory_size",
          "tensorflow.MemoryStats.device_persistent_tensor_alloc_ids",
          "tensorflow.CostGraphDef.Node.host_temp_memory_size",
          "tensorflow.CostGraphDef.Node.device_temp_memory_size",
          "tensorflow.CostGraphDef.Node.device_persistent_memory_size",
      };
  return kDropped->contains(field->full_name());
}

// Fills messages with values that all differ.
class Filler {
 public:
  void Fill(Message* m) {
    if (FillSpecial(m)) return;
    const Reflection* r = m->GetReflection();
    for (int i = 0; i < m->GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = m->GetDescriptor()->field(i);
      if (Dropped(field)) continue;
      if (!field->is_repeated()) {
        Set(m, r, field);
        continue;
      }
      for (int k = 0; k < 2; ++k) Add(m, r, field);
    }
  }

 private:
  int Next() { return ++counter_; }
  std::string Text() { return "text" + std::to_string(Next()); }
  const google::protobuf::EnumValueDescriptor* Enum(
      const FieldDescriptor* field) {
    // Value 1 of DataType is float, of Code CANCELLED.
    const auto* type = field->enum_type();
    return type->value(1 + Next() % std::min(type->value_count() - 1, 16));
  }

  // Fills messages that do not accept arbitrary values.
  bool FillSpecial(Message* m) {
    if (auto* t = dynamic_cast<tensorflow::TensorProto*>(m)) {
      t->set_dtype(tensorflow::DT_INT32);
      t->mutable_tensor_shape()->add_dim()->set_size(1);
      const int v = Next();
      t->set_tensor_content(
          std::string(reinterpret_cast<const char*>(&v), sizeof(v)));
    } else if (auto* s = dynamic_cast<tensorflow::TensorShapeProto*>(m)) {
      s->add_dim()->set_size(Next());
      s->add_dim()->set_size(-1);
    } else if (auto* g = dynamic_cast<tensorflow::GraphDef*>(m)) {
      auto* node = g->add_node();
      node->set_name(Text());
      node->set_op("NoOp");
      g->mutable_versions()->set_producer(Next());
    } else if (auto* a = dynamic_cast<tensorflow::AttrValue*>(m)) {
      a->set_i(Next());  // it contains itself
    } else if (auto* b = dynamic_cast<tensorflow::RecvBufResponse*>(m)) {
      b->set_buf_ptr(Next());
      b->set_num_bytes(Next());
      b->set_is_dead(true);
      b->set_send_start_micros(Next());
      b->set_require_ack(true);
      tensorflow::RecvBufRespExtra extra;
      extra.add_tensor_content(Text());
      b->mutable_transport_options()->PackFrom(extra);
    } else {
      return false;
    }
    return true;
  }

  void Set(Message* m, const Reflection* r, const FieldDescriptor* f) {
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(m, f, -Next());
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(m, f, int64_t{-5'000'000'000} * Next());
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->SetUInt32(m, f, 4'000'000'000u + Next());
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetUInt64(m, f, ~uint64_t{0} - Next());
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(m, f, Next() + 0.25);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(m, f, Next() + 0.5f);
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(m, f, true);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetEnum(m, f, Enum(f));
      case FieldDescriptor::CPPTYPE_STRING:
        return r->SetString(m, f, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(r->MutableMessage(m, f));
    }
  }
  void Add(Message* m, const Reflection* r, const FieldDescriptor* f) {
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->AddInt32(m, f, -Next());
      case FieldDescriptor::CPPTYPE_INT64:
        return r->AddInt64(m, f, int64_t{-5'000'000'000} * Next());
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->AddUInt32(m, f, Next());
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->AddUInt64(m, f, Next());
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->AddDouble(m, f, Next());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->AddFloat(m, f, Next());
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->AddBool(m, f, true);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->AddEnum(m, f, Enum(f));
      case FieldDescriptor::CPPTYPE_STRING:
        return r->AddString(m, f, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(r->AddMessage(m, f));
    }
  }

  int counter_ = 0;
};

template <class Proto, class Ours>
void CheckMessage() {
  Proto original;
  SCOPED_TRACE(original.GetTypeName());
  Filler().Fill(&original);
  const std::string bytes = original.SerializeAsString();

  Ours ours;
  Status status = Decode(ByteChunks::Borrow(bytes), &ours);
  ASSERT_TRUE(status.ok()) << status;
  StatusOr<ByteChunks> again = Encode(ours);
  ASSERT_TRUE(again.ok()) << again.status();
  Proto back;
  ASSERT_TRUE(back.ParseFromString(again->Flatten()));
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  EXPECT_TRUE(differencer.Compare(original, back)) << differences;
  EXPECT_EQ(back.GetReflection()->GetUnknownFields(back).field_count(), 0);

  // The same bytes split into pieces of every small size.
  for (size_t step : {1, 2, 3, 7, 64}) {
    ByteChunks chunks;
    for (size_t at = 0; at < bytes.size(); at += step)
      chunks.Append(bytes.substr(at, step));
    Ours cut;
    ASSERT_TRUE(Decode(chunks, &cut).ok());
    StatusOr<ByteChunks> encoded = Encode(cut);
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(encoded->Flatten(), again->Flatten());
  }
  // Every prefix is a message or an error.
  for (size_t n = 0; n < bytes.size(); ++n) {
    Ours part;
    Status s = Decode(ByteChunks::Borrow(absl::string_view(bytes).substr(0, n)),
                      &part);
    EXPECT_TRUE(s.ok() || s.code() == StatusCode::kInvalidArgument) << s;
  }
}

#define MR_CHECK_METHOD(Name)                               \
  CheckMessage<tensorflow::Name##Request, Name##Request>(); \
  CheckMessage<tensorflow::Name##Response, Name##Reply>();

TEST(CodecNumbers,
     Master){MR_MASTER_METHODS(MR_CHECK_METHOD)} TEST(CodecNumbers, Worker){
    MR_WORKER_METHODS(MR_CHECK_METHOD)}

TEST(CodecNumbers, OnTheirOwn) {
  CheckMessage<tensorflow::ConfigProto, ConfigOptions>();
  CheckMessage<tensorflow::RunOptions, RunOptions>();
  CheckMessage<tensorflow::CallableOptions, CallableOptions>();
  CheckMessage<tensorflow::ClusterDef, ClusterDef>();
  CheckMessage<tensorflow::ServerDef, ServerDef>();
  CheckMessage<tensorflow::DeviceAttributes, DeviceAttributes>();
  CheckMessage<tensorflow::StepStats, StepStats>();
  CheckMessage<tensorflow::RunMetadata, RunMetadata>();
}

TEST(CodecNumbers, PeerAndAdmin) {
  CheckMessage<messages::HelloRequest, HelloRequest>();
  CheckMessage<messages::HelloResponse, HelloReply>();
  CheckMessage<messages::StopRequest, StopRequest>();
  CheckMessage<messages::StopResponse, StopReply>();
  CheckMessage<messages::StatusRequest, ServerStatusRequest>();
  CheckMessage<messages::StatusResponse, ServerStatusReply>();
  CheckMessage<messages::StartTraceRequest, StartTraceRequest>();
  CheckMessage<messages::StartTraceResponse, StartTraceReply>();
  CheckMessage<messages::CollectTraceRequest, CollectTraceRequest>();
  CheckMessage<messages::CollectTraceResponse, CollectTraceReply>();
}

}  // namespace
}  // namespace millrace
