// Files with the edits of a project's scene. The input has no checksum: the target adds it, since
// the fuzzer would not find it.
#include <span>
#include <string>

#include "core/error.h"
#include "core/fingerprint.h"
#include "io/projects/edits_file.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mote::Fingerprint sum;
  sum.add_bytes(std::as_bytes(std::span(data, size)));
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::uint64_t value = sum.value();
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  const mote::MemoryFile memory(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  try {
    const mote::SplatEdits edits = mote::read_edits(memory.path());
    CHECK(edits.changed.count() + edits.added() == edits.values.count());
    CHECK(edits.hidden.size() == edits.selected.size());
    CHECK(edits.deleted.size() == edits.selected.size());
    CHECK(mote::fingerprint_of(edits) == value);
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
