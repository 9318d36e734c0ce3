#include "stuck_threads.h"

#include <cstdio>
#include <string_view>

namespace cuda_host {
namespace {

/// "0-31, 40": the threads that wait like thread `first`.
std::string thread_ranges(const std::vector<Waiting>& waiting, std::size_t first) {
  std::string text;
  for (std::size_t k = first; k < waiting.size();) {
    std::size_t end = k;
    while (end < waiting.size() && waiting[end] == waiting[first]) ++end;
    if (end > k) {
      text += (text.empty() ? "" : ", ") + std::to_string(k);
      if (end > k + 1) text += "-" + std::to_string(end - 1);
    }
    k = end + 1;
  }
  return text;
}

}  // namespace

std::string describe(const Waiting& waiting) {
  std::string_view file = waiting.site.file;
  file.remove_prefix(file.find_last_of('/') + 1);
  std::string text = "at " + std::string(file) + ':' + std::to_string(waiting.site.line) + " (" +
                     waiting.site.function;
  if (waiting.mask != 0) {
    char mask[32];
    std::snprintf(mask, sizeof mask, ", mask %08x", waiting.mask);
    text += mask;
  }
  return text + ')';
}

std::string describe_stuck(const std::vector<Waiting>& waiting) {
  std::string text;
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    bool told = false;
    for (std::size_t before = 0; before < k && !told; ++before) {
      told = waiting[before] == waiting[k];
    }
    if (told) continue;
    text += (text.empty() ? "threads " : "; threads ") + thread_ranges(waiting, k);
    if (waiting[k].site.file == nullptr) {
      text += " returned";
    } else {
      text += (waiting[k].mask == 0 ? " wait for the block " : " wait for lanes ") +
              describe(waiting[k]);
    }
  }
  return text;
}

}  // namespace cuda_host
