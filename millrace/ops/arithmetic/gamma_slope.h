// Derivatives by a of the incomplete gamma function P(a, x), and of its inverse
// by x, which is a sample of a gamma distribution.
#pragma once

#include <cmath>

#include "millrace/ops/arithmetic/special_functions.h"
// After what it needs.
#include "millrace/ops/arithmetic/gamma_slope.shared.h"
