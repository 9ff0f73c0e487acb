// A server that does nothing but send one answer: what libmicrohttpd itself costs.
//
//     bare THREADS MEMORY CONNECTIONS IDLE-SECONDS BODY-FILE ["Name: value" ...]
//
// Answers every request 200 with the file's bytes and the given header fields, from one response
// object, and reads the body of a POST first. Threads, memory of a connection, most connections and
// how long an idle one is kept are set as Understudy's are. Prints where it listens.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result answer(void *response, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **seen) {
  static int mark;
  if (*seen == NULL) {
    *seen = &mark;
    return MHD_YES;
  }
  if (*size > 0) {
    *size = 0;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(int count, char **arguments) {
  FILE *file = count > 5 ? fopen(arguments[5], "rb") : NULL;
  if (!file) return 2;
  static char body[4 << 20];
  struct MHD_Response *response =
      MHD_create_response_from_buffer(fread(body, 1, sizeof body, file), body, MHD_RESPMEM_PERSISTENT);
  for (int i = 6; i < count; i++) {
    char *value = strstr(arguments[i], ": ");
    if (!value) return 2;
    *value = 0;
    MHD_add_response_header(response, arguments[i], value + 2);
  }
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listening, (struct sockaddr *)&address, length) || listen(listening, SOMAXCONN) ||
      getsockname(listening, (struct sockaddr *)&address, &length))
    return 1;
  if (!MHD_start_daemon(
          MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, response,
          MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_THREAD_POOL_SIZE, atoi(arguments[1]),
          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)atoi(arguments[2]), MHD_OPTION_CONNECTION_LIMIT,
          atoi(arguments[3]), MHD_OPTION_CONNECTION_TIMEOUT, atoi(arguments[4]), MHD_OPTION_END))
    return 1;
  printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pause();
}
