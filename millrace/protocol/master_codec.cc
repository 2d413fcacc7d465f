#include "millrace/protocol/codec.h"
#include "millrace/protocol/master_fields.h"
#include "millrace/protocol/message_encoder.h"

namespace millrace {

#define MR_DECODE(Message)                                       \
  Status Decode(const ByteChunks& bytes, Message* message) {     \
    return internal::DecodeMessage(ChunkReader(bytes), message); \
  }
#define MR_ENCODE(Message, strings)                     \
  StatusOr<ByteChunks> Encode(const Message& message) { \
    return internal::EncodeMessage(message, strings);   \
  }
// Stock clients feed strings as tensor_content and expect string_val in
// replies.
#define MR_METHOD_CODEC(Name)                    \
  MR_DECODE(Name##Request)                       \
  MR_DECODE(Name##Reply)                         \
  MR_ENCODE(Name##Request, StringForm::kContent) \
  MR_ENCODE(Name##Reply, StringForm::kValues)
MR_MASTER_METHODS(MR_METHOD_CODEC)

#define MR_CODEC(Message) \
  MR_DECODE(Message)      \
  MR_ENCODE(Message, StringForm::kValues)
MR_CODEC(ConfigOptions)
MR_CODEC(RunOptions)
MR_CODEC(CallableOptions)
MR_CODEC(ClusterDef)
MR_CODEC(ServerDef)
MR_CODEC(DeviceAttributes)
MR_CODEC(StepStats)
MR_CODEC(RunMetadata)

}  // namespace millrace
