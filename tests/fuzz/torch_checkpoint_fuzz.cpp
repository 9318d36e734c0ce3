// Checkpoints of PyTorch. The first byte says whether the others are an archive of splats, only its
// pickle, or an archive of the network of a full model of Spacetime Gaussians.
#include "core/error.h"
#include "fuzz_format.h"
#include "io/splats/moving/stg_decoder.h"
#include "io/torch/pickle.h"
#include "memory_file.h"

namespace {

void read_pickle(std::span<const std::byte> bytes) {
  const mote::Pickle pickle(bytes, "a pickle");
  const mote::PickleValue* item = pickle.item(pickle.root(), 0);
  if (item != nullptr) pickle.find(*item, "key");
}

/// The reader looks for the file beside a .ply, with another extension.
void read_decoder(std::span<const std::byte> bytes) {
  const mote::MemoryFile memory(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                ".pt");
  const mote::FeatureDecoder decoder = mote::read_stg_decoder(mote::InputFile(memory.path()));
  for (const auto& row : decoder.output) {
    for (const float weight : row) CHECK(weight - weight == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 3 == 0) return mote::fuzz_format("PyTorch checkpoint", data + 1, size - 1);
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  try {
    data[0] % 3 == 1 ? read_pickle(bytes) : read_decoder(bytes);
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
