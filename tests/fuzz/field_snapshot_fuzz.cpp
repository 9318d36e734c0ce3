// Snapshots of neural fields, compressed or not.
#include "core/error.h"
#include "fields/applications/field_layout.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_storage.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mote::probe_field_snapshot(std::as_bytes(std::span(data, size)));
  const mote::MemoryFile memory(data, size);
  try {
    const mote::NeuralField field = mote::read_field_snapshot(mote::InputFile(memory.path()), {});
    CHECK(field.parameters.size() == mote::field_parameters(field.application, field.config));
    mote::read_snapshot_storage(mote::InputFile(memory.path()));
    const auto states = mote::read_snapshot_optimizer(mote::InputFile(memory.path()), {});
    CHECK(!states || states->field.first.size() == field.parameters.size());
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
