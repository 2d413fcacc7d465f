// The version of Millrace; CMakeLists.txt has it, too.
#pragma once

namespace millrace {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace millrace
