#include "tests/gpu/standin/image.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace millrace::cuda::standin {
namespace {

constexpr char kMachineCode[] = "\177MILLRACE-STANDIN-CODE";
constexpr char kPtx[] = "// PTX of Millrace's stand-in";
constexpr char kOption[] = "// option ";
constexpr char kEnd[] = "// text";

struct Header {
  char magic[24];
  int32_t capability;
  uint32_t sum;  // of the bytes of the library
  uint64_t bytes;
};

uint32_t SumOf(const char* bytes, size_t count) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < count; ++i)
    sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 16777619u;
  return sum;
}

bool ReadPtx(const char* bytes, Image* image) {
  std::istringstream in(bytes);
  std::string line;
  std::getline(in, line);
  std::getline(in, line);
  image->capability = std::atoi(line.c_str() + std::strlen(".target sm_"));
  while (std::getline(in, line) && line != kEnd) {
    if (line.rfind(kOption, 0) != 0) return false;
    image->options.push_back(line.substr(sizeof(kOption) - 1));
  }
  std::getline(in, image->text, '\0');
  return !image->text.empty();
}

}  // namespace

std::string WriteMachineCode(const Image& image) {
  Header header = {};
  std::memcpy(header.magic, kMachineCode, sizeof(kMachineCode));
  header.capability = image.capability;
  header.sum = SumOf(image.library.data(), image.library.size());
  header.bytes = image.library.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) +
         image.library;
}

std::string WritePtx(const Image& image) {
  std::string ptx = std::string(kPtx) + "\n.target sm_" +
                    std::to_string(image.capability) + "\n";
  for (const std::string& option : image.options)
    ptx += kOption + option + "\n";
  ptx += std::string(kEnd) + "\n" + image.text;
  ptx += '\0';
  return ptx;
}

bool ReadImage(const void* bytes, Image* image) {
  const char* const begin = static_cast<const char*>(bytes);
  if (std::strncmp(begin, kPtx, sizeof(kPtx) - 1) == 0)
    return ReadPtx(begin, image);
  if (std::strncmp(begin, kMachineCode, sizeof(kMachineCode)) != 0)
    return false;
  Header header;
  std::memcpy(&header, begin, sizeof(header));
  image->capability = header.capability;
  if (SumOf(begin + sizeof(header), header.bytes) != header.sum) return false;
  image->library.assign(begin + sizeof(header), header.bytes);
  return true;
}

}  // namespace millrace::cuda::standin
