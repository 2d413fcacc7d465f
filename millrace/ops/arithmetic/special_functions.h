// Special functions of double. They return NaN outside their domains; relative
// errors are about 1e-13 where the result is not tiny.
#pragma once

namespace millrace::ops::special {

// Returns log |gamma(x)|. Thread-safe, unlike lgamma of the C library.
double LogGamma(double x);
double Digamma(double x);
// Returns the derivative of order n (a whole number) of Digamma.
double Polygamma(double n, double x);
// Returns the sum of (q + k)^-x over k >= 0. At poles it is infinite for even
// x, else NaN.
double Zeta(double x, double q);
// Return the regularized incomplete gamma functions, lower and upper.
double IncompleteGamma(double a, double x);
double IncompleteGammaComplement(double a, double x);
// Returns the regularized incomplete beta function.
double IncompleteBeta(double a, double b, double x);
// Return the inverses of erf and erfc.
double InverseErf(double x);
double InverseErfc(double x);

}  // namespace millrace::ops::special
