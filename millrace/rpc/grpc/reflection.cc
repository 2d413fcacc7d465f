// Server reflection, versions v1alpha and v1, which have the same messages
// (github.com/grpc/grpc/blob/master/doc/server-reflection.md). The files come
// from the descriptor pool of the generated messages, which is built at the
// first request.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "millrace/rpc/grpc/local_method.h"
#include "millrace/tensor/wire_format.h"
#include "proto/service/master_service.pb.h"
#include "proto/service/millrace.pb.h"
#include "proto/service/worker_service.pb.h"

namespace millrace {
namespace {

namespace pb = google::protobuf;

// ServerReflectionRequest: one of these, besides 1 host.
enum Question : uint32_t {
  kNothing = 0,
  kFileByName = 3,
  kFileContainingSymbol = 4,
  kFileContainingExtension = 5,  // {1 type, 2 number}
  kExtensionNumbers = 6,         // of a type
  kListServices = 7,
};

struct Request {
  std::string host;
  Question question = kNothing;
  std::string text;
};

bool Parse(const std::string& bytes, Request* request) {
  ChunkReader in(bytes);
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return false;
    if (tag.Is(1, WireType::kBytes)) {
      if (!in.ReadString(&request->host)) return false;
    } else if (tag.number >= kFileByName && tag.number <= kListServices &&
               tag.type == WireType::kBytes) {
      request->question = static_cast<Question>(tag.number);
      if (!in.ReadString(&request->text)) return false;
    } else if (!in.SkipField(tag)) {
      return false;
    }
  }
  return true;
}

// Refers to the service files, since the linker would leave them out otherwise.
const pb::DescriptorPool* Pool() {
  for (const pb::internal::DescriptorTable* table :
       {&descriptor_table_proto_2fservice_2fmaster_5fservice_2eproto,
        &descriptor_table_proto_2fservice_2fworker_5fservice_2eproto,
        &descriptor_table_proto_2fservice_2fmillrace_2eproto}) {
    const void* volatile kept = table;
    static_cast<void>(kept);
  }
  return pb::DescriptorPool::generated_pool();
}

// Adds `file` and all that it imports, each once.
void AddFile(const pb::FileDescriptor* file,
             absl::flat_hash_set<const pb::FileDescriptor*>* seen,
             ChunkWriter* out) {
  if (!seen->insert(file).second) return;
  pb::FileDescriptorProto proto;
  file->CopyTo(&proto);
  out->RequiredBytesField(1, proto.SerializeAsString());
  for (int i = 0; i < file->dependency_count(); ++i) {
    AddFile(file->dependency(i), seen, out);
  }
}

class Reflection final : public LocalMethod {
 public:
  explicit Reflection(std::vector<std::string> services)
      : services_(std::move(services)) {}

  Form form() const override { return Form::kEach; }

  StatusOr<std::string> Answer(const std::string& bytes) const override {
    Request request;
    if (!Parse(bytes, &request)) {
      return InvalidArgument("malformed ServerReflectionRequest");
    }
    // ServerReflectionResponse: 1 valid_host, 2 original_request, and one of
    // 4 files {1 bytes}, 5 extensions, 6 services {1 {1 name}},
    // 7 error {1 code, 2 message}.
    ChunkWriter out;
    out.BytesField(1, request.host);
    out.RequiredBytesField(2, bytes);
    switch (request.question) {
      case kListServices: {
        ChunkWriter list;
        for (const std::string& name : services_) {
          ChunkWriter service;
          service.BytesField(1, name);
          list.NestedField(1, std::move(service));
        }
        out.NestedField(6, std::move(list));
        break;
      }
      case kFileByName:
        AnswerFile(Pool()->FindFileByName(request.text), request, &out);
        break;
      case kFileContainingSymbol:
        AnswerFile(Pool()->FindFileContainingSymbol(request.text), request,
                   &out);
        break;
      case kExtensionNumbers:
        if (Pool()->FindMessageTypeByName(request.text) != nullptr) {
          ChunkWriter none;  // proto3 has no extensions
          none.BytesField(1, request.text);
          out.NestedField(5, std::move(none));
          break;
        }
        [[fallthrough]];
      default:
        AnswerFile(nullptr, request, &out);
    }
    return std::move(out).Finish().Flatten();
  }

 private:
  static void AnswerFile(const pb::FileDescriptor* file, const Request& request,
                         ChunkWriter* out) {
    ChunkWriter answer;
    if (file == nullptr) {
      answer.VarintField(1, static_cast<int>(request.question == kNothing
                                                 ? StatusCode::kUnimplemented
                                                 : StatusCode::kNotFound));
      answer.BytesField(2, absl::StrCat("not found: ", request.text));
      out->NestedField(7, std::move(answer));
      return;
    }
    absl::flat_hash_set<const pb::FileDescriptor*> seen;
    AddFile(file, &seen, &answer);
    out->NestedField(4, std::move(answer));
  }

  const std::vector<std::string> services_;
};

}  // namespace

void AddReflection(const std::vector<std::string>& services,
                   LocalMethods* methods) {
  for (const char* version : {"v1alpha", "v1"}) {
    (*methods)[absl::StrCat("/grpc.reflection.", version,
                            ".ServerReflection/ServerReflectionInfo")] =
        std::make_unique<Reflection>(services);
  }
}

}  // namespace millrace
