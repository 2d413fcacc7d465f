#include "millrace/tensor/wire_format.h"

#include <algorithm>
#include <bit>

namespace millrace {

static_assert(std::endian::native == std::endian::little,
              "values are copied to and from the wire as they lie in memory");

void ChunkReader::Load() {
  while (at_ == end_ && rest_ > 0) {
    const absl::string_view bytes = chunks_[next_++].bytes;
    const size_t size = std::min(bytes.size(), rest_);
    at_ = bytes.data();
    end_ = at_ + size;
    rest_ -= size;
  }
}

bool ChunkReader::ReadLongVarint(uint64_t* v) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) return false;
    const auto byte = static_cast<uint8_t>(*at_);
    Advance(1);
    if (shift == 63 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *v = result;
      return true;
    }
  }
  return false;
}

bool ChunkReader::ReadTag(FieldTag* tag) {
  uint64_t v;
  if (!ReadVarint(&v) || v > UINT32_MAX) return false;
  tag->number = static_cast<uint32_t>(v >> 3);
  tag->type = static_cast<WireType>(v & 7);
  return tag->number != 0 && (v & 7) <= 5;
}

bool ChunkReader::ReadBytes(ChunkReader* value) {
  uint64_t size;
  return ReadVarint(&size) && ReadPart(size, value);
}

bool ChunkReader::ReadPart(uint64_t size, ChunkReader* value) {
  if (size > remaining()) return false;
  *value = *this;
  const auto here = static_cast<uint64_t>(end_ - at_);
  if (size <= here) {
    value->end_ = at_ + size;
    value->rest_ = 0;
  } else {
    value->rest_ = size - here;
  }
  return Skip(size);
}

bool ChunkReader::ReadString(std::string* value) {
  ChunkReader bytes;
  if (!ReadBytes(&bytes)) return false;
  const absl::string_view view = bytes.ContiguousRest();
  if (view.size() == bytes.remaining()) {
    value->assign(view.data(), view.size());
  } else {
    *value = bytes.CopyRest();
  }
  return true;
}

bool ChunkReader::SkipField(FieldTag tag) {
  // Groups nest; their depth is counted instead of recursing.
  uint32_t depth = 0;
  do {
    uint64_t ignored;
    switch (tag.type) {
      case WireType::kVarint:
        if (!ReadVarint(&ignored)) return false;
        break;
      case WireType::kFixed64:
        if (!Skip(8)) return false;
        break;
      case WireType::kFixed32:
        if (!Skip(4)) return false;
        break;
      case WireType::kBytes:
        if (!ReadVarint(&ignored) || !Skip(ignored)) return false;
        break;
      case WireType::kGroup:
        ++depth;
        break;
      case WireType::kEndGroup:
        if (depth == 0) return false;
        --depth;
        break;
    }
    if (depth > 0 && !ReadTag(&tag)) return false;
  } while (depth > 0);
  return true;
}

bool ChunkReader::Skip(size_t n) {
  if (n > remaining()) return false;
  while (n > 0) {
    const size_t step = std::min(n, static_cast<size_t>(end_ - at_));
    n -= step;
    Advance(step);
  }
  return true;
}

void ChunkReader::CopyTo(char* out, size_t n) {
  while (n > 0) {
    const size_t step = std::min(n, static_cast<size_t>(end_ - at_));
    std::memcpy(out, at_, step);
    out += step;
    n -= step;
    Advance(step);
  }
}

std::string ChunkReader::CopyRest() const {
  ChunkReader copy = *this;
  std::string s(remaining(), '\0');
  copy.CopyTo(s.data(), s.size());
  return s;
}

ByteChunks ChunkReader::ShareRest() const {
  ByteChunks result;
  ChunkReader r = *this;
  while (!r.done()) {
    const absl::string_view here(r.at_, static_cast<size_t>(r.end_ - r.at_));
    if (Buffer* owner = r.owner()) {
      result.Append(Ref<Buffer>::Share(owner), here);
    } else {
      result.Append(std::string(here));
    }
    r.Advance(here.size());
  }
  return result;
}

size_t VarintSize(uint64_t v) {
  // 7 bits per byte, at least one byte.
  return static_cast<size_t>(std::bit_width(v | 1) + 6) / 7;
}

void ChunkWriter::Varint(uint64_t v) {
  char bytes[10];
  int n = 0;
  while (v >= 0x80) {
    bytes[n++] = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  bytes[n++] = static_cast<char>(v);
  text_.append(bytes, static_cast<size_t>(n));
}

void ChunkWriter::Fixed64Field(uint32_t number, uint64_t v) {
  if (v == 0) return;
  Tag(number, WireType::kFixed64);
  char bytes[8];
  std::memcpy(bytes, &v, 8);
  text_.append(bytes, 8);
}

void ChunkWriter::Reference(Buffer* owner, absl::string_view bytes) {
  if (owner == nullptr || bytes.size() < kMinReferenceBytes) {
    Raw(bytes);
    return;
  }
  out_.Append(std::move(text_));
  text_.clear();
  out_.Append(Ref<Buffer>::Share(owner), bytes);
}

void ChunkWriter::NestedField(uint32_t number, ChunkWriter nested) {
  BytesHeader(number, nested.size_bytes());
  Splice(std::move(nested));
}

void ChunkWriter::Splice(ChunkWriter nested) {
  if (nested.out_.empty()) {
    Raw(nested.text_);
    return;
  }
  out_.Append(std::move(text_));
  text_.clear();
  out_.Append(std::move(nested.out_));
  text_ = std::move(nested.text_);
}

void ChunkWriter::Append(const ByteChunks& chunks) {
  for (const Chunk& c : chunks.chunks()) Reference(c.owner.get(), c.bytes);
}

ByteChunks ChunkWriter::Finish() && {
  out_.Append(std::move(text_));
  return std::move(out_);
}

}  // namespace millrace
