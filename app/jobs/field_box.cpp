#include "app/jobs/field_box.h"

#include "train/fields/field_model.h"

namespace mote {

void describe_box(OptionTable& table, std::vector<double>& box, const std::string& help) {
  table.add({.name = "box",
             .target = &box,
             .help = help,
             .length = 6,
             .placeholder = "X0,Y0,Z0,X1,Y1,Z1"});
}

OrientedBox box_of(const std::vector<double>& box) {
  const glm::dvec3 low(box[0], box[1], box[2]), high(box[3], box[4], box[5]);
  if (!(low.x < high.x && low.y < high.y && low.z < high.z)) {
    throw UsageError("has no inside", "--box", "give the three smallest coordinates first");
  }
  return {.center = 0.5 * (low + high), .half_size = 0.5 * (high - low)};
}

void crop_to_box(HostModel& model, const std::vector<double>& box) {
  if (box.empty()) return;
  auto* field = dynamic_cast<HostField*>(&model);
  if (field == nullptr) {
    throw UsageError("applies only to neural fields", "--box",
                     "leave it out, or crop the splats with mote convert --crop");
  }
  field->crop(box_of(box), "--box");
}

}  // namespace mote
