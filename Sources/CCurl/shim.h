// libcurl, whose options are set by variadic functions, which Swift can't call.
#pragma once

#include <curl/curl.h>

static inline CURLcode curl_set_number(CURL *_Nonnull handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_callback(CURL *_Nonnull handle, CURLoption option,
                                         curl_write_callback _Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

/// Nothing but HTTP, and HTTPS, at first and after a redirect.
static inline CURLcode curl_allow_http_alone(CURL *_Nonnull handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") : code;
#else
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS)
                          : code;
#endif
}

static inline long curl_response_code(CURL *_Nonnull handle) {
  long code = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  return code;
}
