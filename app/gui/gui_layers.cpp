#include "app/gui/gui_layers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace mote::gui {
namespace {

/// Fixed windows that no other one of them covers. The status bar is excluded, since its text
/// changes in every frame.
constexpr std::array<std::string_view, 4> kAround{"##MainMenuBar", "rail", "side", "drawer"};

/// Whether the list belongs to one of these windows, or to a child window named "window/part_...".
bool is_around(const ImDrawList& list) {
  const std::string_view name = list._OwnerName != nullptr ? list._OwnerName : "";
  const std::string_view window = name.substr(0, name.find('/'));
  return std::ranges::find(kAround, window) != kAround.end() &&
         std::ranges::all_of(list.CmdBuffer, [](const ImDrawCmd& command) {
           return command.UserCallback == nullptr;
         });
}

template <class T>
std::uint64_t hash_of(const ImVector<T>& values) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(values.Data),
                                        static_cast<std::size_t>(values.size_in_bytes())});
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/// Hashes the members one by one, since padding bytes are undefined.
std::uint64_t hash_of(const ImDrawCmd& command) {
  std::uint64_t hash = mix(command.VtxOffset, command.IdxOffset);
  hash = mix(hash, command.ElemCount);
  for (const float side :
       {command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w}) {
    hash = mix(hash, std::hash<float>{}(side));
  }
  return mix(hash, std::hash<const void*>{}(command.GetTexID()));
}

}  // namespace

void GuiLayers::fill(Layer& layer, const ImDrawData& frame) {
  layer.data = frame;
  layer.data.CmdLists = layer.lists.data();
  layer.data.CmdListsCount = static_cast<int>(layer.lists.size());
  layer.data.TotalVtxCount = layer.data.TotalIdxCount = 0;
  for (const ImDrawList* list : layer.lists) {
    layer.data.TotalVtxCount += list->VtxBuffer.Size;
    layer.data.TotalIdxCount += list->IdxBuffer.Size;
  }
}

void GuiLayers::take(const ImDrawData& frame) {
  around_.lists.clear();
  over_.lists.clear();
  version_ = 0;
  for (int i = 0; i < frame.CmdListsCount; ++i) {
    ImDrawList* list = frame.CmdLists[i];
    if (!is_around(*list)) {
      over_.lists.push_back(list);
      continue;
    }
    around_.lists.push_back(list);
    version_ = mix(mix(version_, hash_of(list->VtxBuffer)), hash_of(list->IdxBuffer));
    for (const ImDrawCmd& command : list->CmdBuffer) version_ = mix(version_, hash_of(command));
  }
  fill(around_, frame);
  fill(over_, frame);
}

}  // namespace mote::gui
