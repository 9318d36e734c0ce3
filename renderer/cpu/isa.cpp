#include "lanes/isa.h"

#include "cpu/kernels.h"

#define MOTE_DECLARE(isa)             \
  namespace isa_##isa {               \
    extern const CpuKernels kKernels; \
  }
#define MOTE_ENTRY(isa) {&isa_##isa::kKernels, isa_probe::isa},

namespace mote {

MOTE_FOR_EACH_ISA(MOTE_DECLARE)

const char* const kIsaFamily = MOTE_ISA_FAMILY;

const IsaEntry* isa_table(std::size_t& count) {
  static const IsaEntry kEntries[] = {MOTE_FOR_EACH_ISA(MOTE_ENTRY)};
  count = sizeof(kEntries) / sizeof(kEntries[0]);
  return kEntries;
}

}  // namespace mote
