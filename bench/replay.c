// Replays requests at given times over many connections, and says how long each took.
//
//     replay PORT LIMIT-SECONDS < requests
//
// Reads lines `MICROSECONDS LANE METHOD TARGET [BODY]`, in order of time. A lane is a connection that
// is kept alive: it is opened for its first request and closed after its last, and sends a request
// when its time has come and the one before it has been answered. Prints for each, in the same
// order, when its wait began (at its time; but a lane with nothing to wait for begins when it sends),
// when it was sent and when its answer was there, in microseconds, and the status: 0 for one that
// had no answer when the limit was reached, or whose connection broke.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct request {
  int64_t due, began, sent, done;
  int lane, status;
  long next;  // of the same lane, -1 for none
  char *bytes;
  size_t length;
};

struct lane {
  int descriptor;  // -1 before and after
  long first;      // what waits or is under way, -1 for none
  int isBusy, rest;
  char head[8192];
  size_t headLength;
  int64_t bodyLeft;  // -1 while the header arrives
};

static struct request *requests;
static struct lane *lanes;
static long count, answered;
static int poller;
static struct sockaddr_in server;
static int64_t start;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000LL + time.tv_nsec / 1000 - start;
}

static void readRequests(const char *port) {
  static char line[1 << 16], target[1 << 14], method[16];
  long room = 0;
  int most = -1;
  while (fgets(line, sizeof line, stdin)) {
    if (count == room && !(requests = realloc(requests, (room = room ? 2 * room : 1024) * sizeof *requests)))
      fail("realloc");
    struct request *request = &requests[count];
    memset(request, 0, sizeof *request);
    int body = 0;
    if (sscanf(line, "%ld %d %15s %16383s%n", &request->due, &request->lane, method, target, &body) != 4) exit(2);
    line[strcspn(line, "\n")] = 0;
    const char *content = line[body] ? line + body + 1 : "";
    request->length = asprintf(&request->bytes,
                               "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAccept: */*\r\nContent-Length: %zu\r\n\r\n%s",
                               method, target, port, strlen(content), content);
    request->next = request->began = -1;
    if (request->lane > most) most = request->lane;
    count++;
  }
  if (!(lanes = calloc(most + 1, sizeof *lanes))) fail("calloc");
  for (int i = 0; i <= most; i++) lanes[i].descriptor = lanes[i].first = -1;
  for (long i = 0; i < count; i++) lanes[requests[i].lane].rest++;
}

static void closeLane(struct lane *lane) {
  if (lane->descriptor >= 0) close(lane->descriptor);
  lane->descriptor = -1;
}

static void sendFirst(struct lane *lane);

// The request under way has its answer, or never will (status 0).
static void finish(struct lane *lane, int status) {
  struct request *request = &requests[lane->first];
  request->done = now();
  request->status = status;
  answered++;
  lane->isBusy = 0;
  lane->first = request->next;
  if (--lane->rest == 0 || status == 0) closeLane(lane);
  if (lane->first >= 0) sendFirst(lane);
}

static void sendFirst(struct lane *lane) {
  struct request *request = &requests[lane->first];
  request->sent = now();
  if (request->began < 0) request->began = request->sent;
  lane->isBusy = 1;
  lane->headLength = 0;
  lane->bodyLeft = -1;
  if (lane->descriptor < 0) {
    lane->descriptor = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    setsockopt(lane->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (lane->descriptor < 0 || connect(lane->descriptor, (struct sockaddr *)&server, sizeof server)) fail("connect");
    fcntl(lane->descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = lane};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, lane->descriptor, &event)) fail("epoll_ctl");
  }
  // A request fits into the empty buffer of its socket.
  if (write(lane->descriptor, request->bytes, request->length) != (ssize_t)request->length) finish(lane, 0);
}

// Takes what has arrived of an answer.
static void take(struct lane *lane, const char *bytes, size_t length) {
  if (lane->bodyLeft < 0) {
    size_t room = sizeof lane->head - 1 - lane->headLength, before = lane->headLength;
    size_t copied = length < room ? length : room;
    memcpy(lane->head + before, bytes, copied);
    lane->head[lane->headLength += copied] = 0;
    char *end = strstr(lane->head, "\r\n\r\n");
    if (!end) {
      if (copied == room) finish(lane, 0);
      return;
    }
    char *field = strcasestr(lane->head, "\r\nContent-Length:");
    lane->bodyLeft = field && field < end ? atoll(field + 17) : 0;
    size_t used = end + 4 - lane->head - before;
    bytes += used;
    length -= used;
  }
  lane->bodyLeft -= length;
  if (lane->bodyLeft <= 0) finish(lane, atoi(lane->head + 9));
}

static void receive(struct lane *lane) {
  static char buffer[1 << 18];
  ssize_t length;
  while (lane->isBusy && (length = read(lane->descriptor, buffer, sizeof buffer)) > 0) take(lane, buffer, length);
  if (!lane->isBusy || (length < 0 && errno == EAGAIN)) return;
  finish(lane, 0);
}

int main(int number, char **arguments) {
  if (number != 3) return 2;
  readRequests(arguments[1]);
  server.sin_family = AF_INET;
  server.sin_port = htons(atoi(arguments[1]));
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  poller = epoll_create1(0);
  // Times of less than a millisecond are too short for epoll's own timeout.
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event ticks = {.events = EPOLLIN, .data.ptr = NULL};
  if (timer < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, timer, &ticks)) fail("timer");
  int64_t limit = atof(arguments[2]) * 1e6;
  start = now();
  for (long cursor = 0; answered < count && now() < limit;) {
    for (; cursor < count && requests[cursor].due <= now(); cursor++) {
      struct lane *lane = &lanes[requests[cursor].lane];
      if (lane->first >= 0) {
        long last = lane->first;
        while (requests[last].next >= 0) last = requests[last].next;
        requests[last].next = cursor;
        requests[cursor].began = requests[cursor].due;
      } else {
        lane->first = cursor;
        sendFirst(lane);
      }
    }
    int64_t wake = start + (cursor < count && requests[cursor].due < limit ? requests[cursor].due : limit);
    struct itimerspec at = {.it_value = {wake / 1000000, wake % 1000000 * 1000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
    struct epoll_event events[256];
    int ready = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      struct lane *lane = events[i].data.ptr;
      uint64_t expirations;
      if (lane)
        receive(lane);
      else if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN)
        fail("timer");
    }
  }
  for (long i = 0; i < count; i++)
    printf("%ld %ld %ld %d\n", requests[i].began, requests[i].sent, requests[i].done, requests[i].status);
}
