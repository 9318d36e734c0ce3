// The table of instruction sets.
#include "lanes/isa.h"

#include "cpu/kernels.h"

#define MOTE_DECLARE(isa)             \
  namespace isa_##isa {               \
    extern const CpuKernels kKernels; \
  }
#define MOTE_ENTRY(isa) {&isa_##isa::kKernels, isa_probe::isa, isa_gain::isa},

namespace mote {

MOTE_FOR_EACH_ISA(MOTE_DECLARE)

const char* const kIsaFamily = MOTE_ISA_FAMILY;

const IsaEntry* isa_table(std::size_t& count) {
  static const IsaEntry kEntries[] = {MOTE_FOR_EACH_ISA(MOTE_ENTRY)};
  count = sizeof(kEntries) / sizeof(kEntries[0]);
  return kEntries;
}

const CpuKernels* best_kernels(const IsaEntry* entries, std::size_t count) {
  const CpuKernels* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i].usable() && entries[i].gains()) best = entries[i].kernels;
  }
  return best;
}

const CpuKernels* best_kernels() {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  return best_kernels(entries, count);
}

}  // namespace mote
