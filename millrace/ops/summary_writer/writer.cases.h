// Summary writers for cases.
#pragma once

#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {

// Adds a writer "w" of this name and "open", which opens it.
inline Case& WithWriter(Case& c, const std::string& name) {
  return c
      .Node("w", "SummaryWriter", {},
            {{"shared_name", "writer_" + c.op + "_" + name}})
      .Node("open", "CreateSummaryFileWriter",
            {"w", StrScalar("/tmp/millrace_cases/" + c.op), Scalar(10),
             Scalar(1000), StrScalar(".cases")});
}

}  // namespace millrace::cases
