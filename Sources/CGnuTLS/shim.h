// GnuTLS, and what of it Swift can't use: a macro, and a function that is a global variable.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// What stands for the curve P-256 where GnuTLS wants a number of bits.
static inline unsigned int gnutls_p256(void) {
  return GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
}

/// Gives back memory that GnuTLS has allocated for its caller.
static inline void gnutls_release(void *_Nullable memory) {
  gnutls_free(memory);
}
