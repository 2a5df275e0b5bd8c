// libcurl, whose functions with variable arguments Swift cannot call.
#include <curl/curl.h>

static inline void lt_curl_set_url(CURL *easy, const char *url) {
  curl_easy_setopt(easy, CURLOPT_URL, url);
}

static inline size_t lt_curl_discard(char *bytes, size_t size, size_t count, void *pointer) {
  return size * count;
}

// Makes `easy` discard the bodies of its transfers, and close its sockets by `close`, which
// gets `pointer`.
static inline void lt_curl_set_close(CURL *easy, void *pointer, curl_closesocket_callback close) {
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, lt_curl_discard);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, pointer);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
  curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
}

// The number of bytes of the body of a transfer that is done.
static inline curl_off_t lt_curl_size(CURL *easy) {
  curl_off_t size = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &size);
  return size;
}

// How long a transfer that is done took, in microseconds.
static inline curl_off_t lt_curl_time(CURL *easy) {
  curl_off_t time = 0;
  curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &time);
  return time;
}

// Makes `multi` call `socket` and `timer` with `pointer`.
static inline void lt_curl_set_events(CURLM *multi, void *pointer, curl_socket_callback socket,
                                      curl_multi_timer_callback timer) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, pointer);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, pointer);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}

// The transfer of a message that says that it is done, or null. `result` receives its result.
static inline CURL *lt_curl_next_done(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  if (!message || message->msg != CURLMSG_DONE)
    return NULL;
  *result = message->data.result;
  return message->easy_handle;
}
