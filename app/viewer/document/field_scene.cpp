#include "app/viewer/document/field_scene.h"

namespace mote {

StillModel still_model(HostModel& model) {
  if (auto* field = dynamic_cast<HostField*>(&model)) {
    return {.field = std::make_shared<const FieldScene>(field->take())};
  }
  return {.splats = std::make_shared<EditableScene>(model.take_splats())};
}

}  // namespace mote
