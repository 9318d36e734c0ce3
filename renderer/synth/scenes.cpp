// The table of scenes.
#include <string>
#include <vector>

#include "core/options.h"
#include "core/spelling.h"
#include "synth/scene.h"

namespace mote::synth {

extern const SceneEntry kPotteryScene, kOrreryScene, kStudyScene, kArmScene, kFlagScene,
    kStageScene, kThrowScene, kFountainScene, kRoomScene;

std::span<const SceneEntry* const> scenes() {
  static constexpr const SceneEntry* kScenes[] = {&kPotteryScene, &kOrreryScene,   &kStudyScene,
                                                  &kArmScene,     &kFlagScene,     &kStageScene,
                                                  &kThrowScene,   &kFountainScene, &kRoomScene};
  return kScenes;
}

const SceneEntry& scene_named(std::string_view name) {
  std::vector<std::string> names;
  for (const SceneEntry* entry : scenes()) {
    if (entry->name == name) return *entry;
    names.emplace_back(entry->name);
  }
  throw UsageError("there is no such scene", std::string(name), "choose " + listed(names));
}

}  // namespace mote::synth
