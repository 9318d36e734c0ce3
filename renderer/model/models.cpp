#include "model/models.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "model/host_model.h"

namespace mote {

const ModelEntry& model_of(ModelKind kind) {
  const auto found = std::ranges::find(models(), kind, &ModelEntry::kind);
  CHECK(found != models().end());
  return **found;
}

SplatCloud HostModel::take_splats() {
  throw Error("cannot be edited", std::string(model().name), "only splats can");
}

}  // namespace mote
