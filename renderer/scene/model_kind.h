#pragma once

#include <string_view>

namespace mote {

/// The kinds of models that a file may hold.
enum class ModelKind { splats, field };

/// The name for users.
constexpr std::string_view model_name(ModelKind kind) {
  switch (kind) {
    case ModelKind::splats:
      return "3D Gaussian splats";
    case ModelKind::field:
      break;
  }
  return "neural fields";
}

}  // namespace mote
