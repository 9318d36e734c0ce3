#include "lanes/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mote::isa_probe {
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

}  // namespace mote::isa_probe
#endif
