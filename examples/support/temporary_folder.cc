#include "examples/support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace millrace::examples {

StatusOr<std::string> MakeTemporaryFolder(absl::string_view name) {
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::temp_directory_path(error);
  if (error) {
    return NotFound("no folder for temporary files: ", error.message(),
                    "; TMPDIR names one");
  }
  std::string folder = (parent / absl::StrCat(name, ".XXXXXX")).string();
  if (mkdtemp(folder.data()) == nullptr) return ErrnoStatus(folder, errno);
  return folder;
}

}  // namespace millrace::examples
