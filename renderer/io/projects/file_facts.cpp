#include "io/projects/file_facts.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/file.h"
#include "core/fingerprint.h"

namespace mote {

FileFacts file_facts(const std::filesystem::path& path) {
  constexpr std::uint64_t kSamples = 64, kSampleBytes = 4096;
  const InputFile file(path);
  Fingerprint sum;
  std::vector<std::byte> bytes(kSampleBytes);
  const std::uint64_t last = file.size() - std::min(file.size(), kSampleBytes);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t offset =
        last / (kSamples - 1) * i + last % (kSamples - 1) * i / (kSamples - 1);
    sum.add_bytes(std::span(bytes).first(file.read_some(offset, bytes)));
  }
  return {.bytes = file.size(), .fingerprint = sum.value()};
}

}  // namespace mote
