#include "lanes/isa.h"

#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

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

#if defined(__x86_64__)
namespace isa_probe {
namespace {

bool ask_for_matrix_unit() {
  // Leaf 7 of CPUID, and arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) of Linux.
  constexpr unsigned kTiles = 1u << 24, kBf16 = 1u << 22;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr long kAsk = 0x1023, kTileData = 18;
  return (d & kTiles) != 0 && (d & kBf16) != 0 && syscall(SYS_arch_prctl, kAsk, kTileData) == 0;
}

}  // namespace

bool v4amx() {
  static const bool is_given = v4bf16() && ask_for_matrix_unit();
  return is_given;
}

}  // namespace isa_probe
#endif

const CpuKernels* best_kernels() {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  const CpuKernels* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (!entries[i].usable()) continue;
#if defined(__x86_64__)
    if (std::string_view(entries[i].kernels->name) == "v4bf16" && !isa_probe::bf16_gains()) {
      continue;
    }
#endif
    best = entries[i].kernels;
  }
  return best;
}

}  // namespace mote
