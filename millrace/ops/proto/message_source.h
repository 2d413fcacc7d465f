// MessageSource: the message type that a node's attributes name.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/proto/message_type.h"

namespace millrace::ops {

// Reads the attributes message_type and descriptor_source: "local://" or
// nothing for the program's own types, "bytes://SET" with a serialized
// FileDescriptorSet, or the path of a file of one. Thread-safe.
class MessageSource {
 public:
  using TypePointer = std::shared_ptr<const ProtoMessageType>;

  static StatusOr<std::unique_ptr<MessageSource>> Make(const KernelInit& init);

  // Calls `f` with the type, and then `done`: on the blocking pool while a file
  // has to be read, else at once. `ctx` must live until `done`.
  void Use(KernelContext& ctx, Done done,
           absl::AnyInvocable<Status(const ProtoMessageType&)> f) const;

 private:
  enum class Place { kLocal, kBytes, kFile };

  MessageSource(std::string type, std::string source);
  StatusOr<TypePointer> Find(FileSystem* files) const;
  Status NoSet() const;

  const std::string type_name_;
  const std::string source_;
  const Place place_;
  mutable Mutex mu_;
  mutable TypePointer type_;  // guarded by mu_; null until it was found
};

}  // namespace millrace::ops
