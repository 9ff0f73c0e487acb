// libmicrohttpd, and the calls of it that are variadic in C and so out of
// Swift's reach, each with the one form that is used here. And a call of glibc's that its Swift module
// leaves out.
#pragma once

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// The connection's socket, or -1.
static inline int mhd_connection_fd(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The peer's address, or null.
static inline const struct sockaddr *mhd_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : 0;
}

/// What the connection's start notification stored for this connection.
static inline void *mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : 0;
}

/// The connection's `gnutls_session_t`; null where it isn't encrypted.
static inline void *_Nullable mhd_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : 0;
}

/// How many connections the daemon has open, idle ones too.
static inline unsigned int mhd_connection_count(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/// Whether the library can itself refuse folded headers, white space before a colon and the like,
/// as it can from 0.9.76 on.
static inline int mhd_has_client_discipline(void) {
  return MHD_VERSION >= 0x00097600;
}

/// Who is told what the library complains of, a line at a time.
struct mhd_log_sink {
  void (*_Nonnull call)(void *_Nullable context, const char *_Nonnull line);
  void *_Nullable context;
};

static inline void mhd_log(void *sink, const char *format, va_list arguments) {
  const struct mhd_log_sink *told = sink;
  char line[512];
  vsnprintf(line, sizeof line, format, arguments);
  told->call(told->context, line);
}

/// A value for MHD_OPTION_EXTERNAL_LOGGER, whose argument is a `struct mhd_log_sink`: Swift has no
/// functions that take a va_list.
static inline MHD_LogCallback mhd_log_callback(void) {
  return mhd_log;
}

/// Gives memory that isn't in use any more back to the system, which glibc's allocator does by
/// itself only for what lies at a heap's end.
static inline void allocator_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
