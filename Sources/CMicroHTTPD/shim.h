// libmicrohttpd, and the calls of it that are variadic in C and so out of
// Swift's reach, each with the one form that is used here.
#pragma once

#include <microhttpd.h>

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
