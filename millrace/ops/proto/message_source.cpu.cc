#include "millrace/ops/proto/message_source.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/ops/io/blocking.h"

namespace millrace::ops {
namespace {

constexpr char kLocalSource[] = "local://";
constexpr char kBytesSource[] = "bytes://";

}  // namespace

StatusOr<std::unique_ptr<MessageSource>> MessageSource::Make(
    const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(std::string type, init.Attr<std::string>("message_type"));
  MR_ASSIGN_OR_RETURN(std::string source,
                      init.Attr<std::string>("descriptor_source"));
  return std::unique_ptr<MessageSource>(
      new MessageSource(std::move(type), std::move(source)));
}

MessageSource::MessageSource(std::string type, std::string source)
    : type_name_(std::move(type)),
      source_(std::move(source)),
      place_(source_.empty() || source_ == kLocalSource ? Place::kLocal
             : absl::StartsWith(source_, kBytesSource)  ? Place::kBytes
                                                        : Place::kFile) {}

Status MessageSource::NoSet() const {
  return InvalidArgument(
      "Source does not represent serialized file descriptor set proto. This "
      "may be due to a missing dependency on the file containing "
      "REGISTER_DESCRIPTOR_POOL(\"",
      place_ == Place::kBytes ? kBytesSource : source_, "\", ...);");
}

StatusOr<MessageSource::TypePointer> MessageSource::Find(
    FileSystem* files) const {
  if (place_ == Place::kLocal) return ProtoMessageType::FindLocal(type_name_);
  std::string read;
  absl::string_view set = absl::StripPrefix(source_, kBytesSource);
  if (place_ == Place::kFile) {
    StatusOr<std::string> bytes = ReadWholeFile(files, source_);
    if (bytes.status().code() == StatusCode::kPermissionDenied) {
      return bytes.status();
    }
    if (!bytes.ok()) return NoSet();
    read = *std::move(bytes);
    set = read;
  }
  StatusOr<TypePointer> type = ProtoMessageType::FindIn(set, type_name_);
  if (type.status().code() == StatusCode::kFailedPrecondition) return NoSet();
  return type;
}

void MessageSource::Use(
    KernelContext& ctx, Done done,
    absl::AnyInvocable<Status(const ProtoMessageType&)> f) const {
  TypePointer known;
  {
    MutexLock lock(mu_);
    known = type_;
  }
  auto body = [this, &ctx, known, f = std::move(f)]() mutable -> Status {
    if (known == nullptr) {
      MR_ASSIGN_OR_RETURN(known, Find(ctx.step().files));
      MutexLock lock(mu_);
      type_ = known;
    }
    return f(*known);
  };
  if (known == nullptr && place_ == Place::kFile) {
    return RunBlocking(ctx, std::move(done), std::move(body));
  }
  std::move(done)(RunGuarded(ctx, body));
}

}  // namespace millrace::ops
