// Files for the examples that read: a folder that goes with the object.
#pragma once

#include <string>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::distributed {

class InputFiles {
 public:
  InputFiles();  // in /tmp
  ~InputFiles();
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;

  Status Add(const std::string& name, const std::string& content);
  // Paths, in the order of Add.
  const std::vector<std::string>& names() const { return names_; }

 private:
  const std::string folder_;
  std::vector<std::string> names_;
};

}  // namespace millrace::distributed
