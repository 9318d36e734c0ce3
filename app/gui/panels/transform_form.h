#pragma once

#include <glm/vec3.hpp>

#include "app/gui/panel.h"

namespace mote::gui {

/// Tools and numbers to move, rotate and scale the selection, or without one the scene; part of
/// the edit panel.
class TransformForm {
 public:
  void draw(const PanelContext& context, const Document& document);

 private:
  glm::dvec3 move_{0}, turn_{0};  // world units, degrees
  double scale_ = 1;
};

}  // namespace mote::gui
