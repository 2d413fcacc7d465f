#include "millrace/rpc/grpc/inflate.h"

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <zlib.h>

#include <algorithm>

#include "millrace/tensor/buffer.h"

// gRPC's name for whoever may see what a buffer consists of.
namespace grpc::internal {
class GrpcByteBufferPeer {
 public:
  static grpc_byte_buffer* Of(ByteBuffer& buffer) { return buffer.c_buffer(); }
};
}  // namespace grpc::internal

namespace millrace {
namespace {

constexpr size_t kFirstPieceBytes = 64 << 10;
constexpr size_t kLastPieceBytes = 4 << 20;

// The output of one message, in pieces that grow.
class Inflater {
 public:
  explicit Inflater(grpc_compression_algorithm algorithm) {
    // 16 more than the size of the window: the header is gzip's.
    const int gzip = algorithm == GRPC_COMPRESS_GZIP ? 16 : 0;
    ready_ = inflateInit2(&zlib_, MAX_WBITS + gzip) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&zlib_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Status Add(const uint8_t* bytes, size_t size) {
    if (!ready_) return ResourceExhausted("zlib has no memory");
    while (size > 0) {
      const auto part = std::min<size_t>(size, UINT_MAX);
      zlib_.next_in = const_cast<Bytef*>(bytes);
      zlib_.avail_in = static_cast<uInt>(part);
      MR_RETURN_IF_ERROR(Drain());
      bytes += part;
      size -= part;
    }
    return OkStatus();
  }

  StatusOr<ByteChunks> Finish() {
    if (!ended_) return Wrong();
    EndPiece();
    return std::move(message_);
  }

 private:
  static Status Wrong() {
    return DataLoss("a compressed message that cannot be inflated");
  }

  // Consumes the input, and all output that follows from it.
  Status Drain() {
    do {
      if (ended_) return Wrong();  // bytes behind the end
      if (zlib_.avail_out == 0) MR_RETURN_IF_ERROR(BeginPiece());
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      ended_ = result == Z_STREAM_END;
      if (!ended_ && result != Z_OK && result != Z_BUF_ERROR) return Wrong();
    } while (zlib_.avail_in > 0 || (zlib_.avail_out == 0 && !ended_));
    return OkStatus();
  }

  Status BeginPiece() {
    EndPiece();
    MR_ASSIGN_OR_RETURN(piece_, HostAllocator()->Allocate(piece_bytes_));
    zlib_.next_out = reinterpret_cast<Bytef*>(piece_->data());
    zlib_.avail_out = static_cast<uInt>(piece_bytes_);
    last_bytes_ = piece_bytes_;
    piece_bytes_ = std::min(2 * piece_bytes_, kLastPieceBytes);
    return OkStatus();
  }

  void EndPiece() {
    const size_t filled = last_bytes_ - zlib_.avail_out;
    if (piece_ && filled > 0) {
      const char* data = piece_->data();
      message_.Append(std::move(piece_), {data, filled});
    }
    piece_ = nullptr;
  }

  z_stream zlib_{};
  bool ready_ = false;
  bool ended_ = false;
  ByteChunks message_;
  Ref<Buffer> piece_;                      // what zlib writes
  size_t last_bytes_ = 0;                  // of piece_
  size_t piece_bytes_ = kFirstPieceBytes;  // of the next one
};

}  // namespace

grpc_compression_algorithm CompressionOf(grpc::ByteBuffer& buffer) {
  const grpc_byte_buffer* const raw =
      grpc::internal::GrpcByteBufferPeer::Of(buffer);
  return raw ? raw->data.raw.compression : GRPC_COMPRESS_NONE;
}

StatusOr<ByteChunks> Inflate(grpc::ByteBuffer* buffer,
                             grpc_compression_algorithm algorithm) {
  const grpc_slice_buffer& slices =
      grpc::internal::GrpcByteBufferPeer::Of(*buffer)->data.raw.slice_buffer;
  Inflater inflater(algorithm);
  Status status;
  for (size_t i = 0; i < slices.count && status.ok(); ++i) {
    const grpc_slice& slice = slices.slices[i];
    status =
        inflater.Add(GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice));
  }
  buffer->Clear();
  MR_RETURN_IF_ERROR(status);
  return inflater.Finish();
}

}  // namespace millrace
