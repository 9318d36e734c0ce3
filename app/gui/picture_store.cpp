#include "app/gui/picture_store.h"

#include <algorithm>
#include <utility>

#include "core/log.h"
#include "present/vulkan_error.h"

namespace mote::gui {
namespace {

/// Limit per frame, since an upload waits for the device.
constexpr int kMostCopies = 2;
constexpr std::uint64_t kKept_frames = 300;

}  // namespace

PictureStore::PictureStore(const present::Presenter& presenter)
    : pass_(presenter.device(), presenter.gui_context().render_pass) {}

void PictureStore::begin_frame() {
  ++frame_;
  copied_ = 0;
  waits_ = false;
  quads_.clear();
  std::erase_if(entries_, [this](const auto& entry) {
    const bool old = frame_ - entry.second.last_frame > kKept_frames;
    if (old) pass_.remove(entry.second.place);
    return old;
  });
}

void PictureStore::evict_oldest() {
  const auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const auto& a, const auto& b) { return a.second.last_frame < b.second.last_frame; });
  pass_.remove(oldest->second.place);
  entries_.erase(oldest);
}

const PictureStore::Entry* PictureStore::entry_of(const std::shared_ptr<const Image8>& picture) {
  const auto found = entries_.find(picture.get());
  if (found != entries_.end()) {
    found->second.last_frame = frame_;
    return &found->second;
  }
  if (frame_ < no_memory_until_ || fault_ != nullptr) return nullptr;
  if (copied_ == kMostCopies) {
    waits_ = true;
    return nullptr;
  }
  if (pass_.full()) {
    // A frame in flight may still use the pictures of the last frames.
    const bool any_old = std::any_of(entries_.begin(), entries_.end(), [this](const auto& entry) {
      return entry.second.last_frame + present::kFramesInFlight < frame_;
    });
    if (!any_old) return nullptr;
    evict_oldest();
  }
  ++copied_;
  return copy(picture) ? &entries_[picture.get()] : nullptr;
}

bool PictureStore::copy(const std::shared_ptr<const Image8>& picture) {
  try {
    const std::size_t place = pass_.add(*picture);
    entries_[picture.get()] = {.picture = picture, .place = place, .last_frame = frame_};
    return true;
  } catch (const present::DeviceLost&) {
    fault_ = std::current_exception();
  } catch (const Error& error) {
    log_warning("photographs are not shown: {}", error.what());
    constexpr std::uint64_t kRest = 600;  // frames; memory may become free meanwhile
    no_memory_until_ = frame_ + kRest;
  }
  return false;
}

void PictureStore::throw_fault() {
  if (fault_ != nullptr) std::rethrow_exception(std::exchange(fault_, nullptr));
}

void PictureStore::show(const std::shared_ptr<const Image8>& picture, ImVec2 size) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Entry* entry = nullptr;
  if (picture != nullptr && picture->width > 0 && picture->height > 0 && ImGui::IsItemVisible()) {
    entry = entry_of(picture);
  }
  if (entry == nullptr) {
    draw->AddRectFilled(corner, {corner.x + size.x, corner.y + size.y},
                        ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    return;
  }
  const auto width = static_cast<float>(picture->width),
             height = static_cast<float>(picture->height);
  const float scale = std::min(size.x / width, size.y / height);
  const ImVec2 half{0.5f * scale * width, 0.5f * scale * height};
  const ImVec2 centre{corner.x + 0.5f * size.x, corner.y + 0.5f * size.y};
  add_quad(*draw, {this, entry->place,
                   present::rectangle({centre.x - half.x, centre.y - half.y},
                                      {centre.x + half.x, centre.y + half.y}),
                   1});
  draw->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  // Tables drop a column's last command if it has no triangles. This one draws a triangle, so that
  // the reset callback before it is kept.
  draw->AddRectFilled(centre, centre, IM_COL32_BLACK);
}

void PictureStore::add_quad(ImDrawList& list, const Quad& quad) {
  quads_.push_back(quad);
  list.AddCallback(draw_quad, &quads_.back());
}

void PictureStore::stand(ImDrawList& list, std::span<const StandingPicture> pictures) {
  bool any = false;
  for (const StandingPicture& one : pictures) {
    const Entry* entry = entry_of(one.picture);
    if (entry == nullptr) continue;
    add_quad(list, {this, entry->place, one.corners, one.opacity, one.cells});
    any = true;
  }
  if (any) list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void PictureStore::draw_quad(const ImDrawList*, const ImDrawCmd* command) {
  const Quad& quad = *static_cast<const Quad*>(command->UserCallbackData);
  const ImVec4& clip = command->ClipRect;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  quad.store->pass_.record(quad.store->commands_, quad.place,
                           {.corners = quad.corners,
                            .clip_from = {clip.x, clip.y},
                            .clip_to = {clip.z, clip.w},
                            .target = {display.x, display.y},
                            .opacity = quad.opacity,
                            .cells = quad.cells});
}

}  // namespace mote::gui
