#include "examples/demo/numpy_file.h"

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

// Magic, version 1.0 and the length of the header, which ends at a multiple
// of 64 bytes.
constexpr char kMagic[] = "\x93NUMPY\x01";
constexpr size_t kPreambleBytes = 10;
constexpr size_t kAlignment = 64;

}  // namespace

Status WriteNumpyFile(const std::string& path, const Tensor& value) {
  const char* type = nullptr;
  if (value.dtype() == DataType::kFloat) type = "<f4";
  if (value.dtype() == DataType::kInt64) type = "<i8";
  if (type == nullptr) {
    return Unimplemented(path, ": no file of type ",
                         DataTypeName(value.dtype()));
  }
  std::string header = absl::StrCat("{'descr': '", type,
                                    "', 'fortran_order': False, 'shape': (");
  for (int i = 0; i < value.rank(); ++i) {
    absl::StrAppend(&header, value.dim(i), ",");
  }
  header += "), }";
  while ((kPreambleBytes + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes(kMagic, sizeof(kMagic));  // with the zero of "1.0"
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  absl::StrAppend(&bytes, header,
                  absl::string_view(value.data(), value.size_bytes()));
  FileSystem* const files = PosixFiles();
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(std::string(Dirname(path))));
  return WriteFileAtomically(files, path, bytes);
}

}  // namespace millrace::demo
