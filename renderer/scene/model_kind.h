#pragma once

#include <string_view>

namespace mote {

/// The kinds of models that a file may hold.
enum class ModelKind { splats };

/// The name for users.
constexpr std::string_view model_name(ModelKind kind) {
  switch (kind) {
    case ModelKind::splats:
      break;
  }
  return "3D Gaussian splats";
}

}  // namespace mote
