// Checkpoints of PyTorch. The first byte says whether the others are an archive or only its pickle.
#include "core/error.h"
#include "fuzz_format.h"
#include "io/torch/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0) return mote::fuzz_format("PyTorch checkpoint", data + 1, size - 1);
  try {
    const mote::Pickle pickle(std::as_bytes(std::span(data + 1, size - 1)), "a pickle");
    const mote::PickleValue* item = pickle.item(pickle.root(), 0);
    if (item != nullptr) pickle.find(*item, "key");
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
