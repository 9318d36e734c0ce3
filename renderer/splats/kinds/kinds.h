#pragma once

// The list of kinds. Kernels are instantiated for each of them.

#include "splats/kinds/beta.h"
#include "splats/kinds/gaussian.h"
#include "splats/kinds/surfel.h"

namespace mote {

template <class... KIND>
struct KindList {};

/// In the order of SplatKind.
using SplatKinds = KindList<Gaussian, Beta, Surfel>;

/// Calls visit.operator()<Kind>(), whose type of result is the same for all kinds.
template <class Visit, class FIRST, class... REST>
auto visit_kind(SplatKind kind, const Visit& visit, KindList<FIRST, REST...>) {
  if constexpr (sizeof...(REST) > 0) {
    if (kind != FIRST::kKind) return visit_kind(kind, visit, KindList<REST...>());
  }
  return visit.template operator()<FIRST>();
}

template <class Visit>
auto visit_kind(SplatKind kind, const Visit& visit) {
  return visit_kind(kind, visit, SplatKinds());
}

}  // namespace mote
