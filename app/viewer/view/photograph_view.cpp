#include "app/viewer/view/photograph_view.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/viewer/session/apply_settings.h"
#include "app/viewer/view/frustum_marks.h"
#include "core/error.h"
#include "scene/photo_light.h"

namespace mote {
namespace {

const ViewMark* mark_of(const Session& session) {
  if (!session.photograph) return nullptr;
  const CameraSet* set = session.find_cameras(session.photograph->set);
  return set != nullptr ? &set->views[session.photograph->index] : nullptr;
}

bool same_lens(const Camera& a, const Camera& b) {
  return a.width == b.width && a.height == b.height && a.focal_px == b.focal_px &&
         a.center_px == b.center_px;
}

/// Weights of old pixels in a new pixel, when their count along one side changes from `from` to
/// `to`.
struct Share {
  int first = 0;
  std::vector<float> weights;  // their sum is 1
};

std::vector<Share> shares_of(int from, int to) {
  std::vector<Share> shares(static_cast<std::size_t>(to));
  const double length = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    const double begin = i * length, end = std::min<double>(from, (i + 1) * length);
    Share& share = shares[static_cast<std::size_t>(i)];
    share.first = static_cast<int>(begin);
    for (int k = share.first; k < end; ++k) {
      const double covered = std::min<double>(end, k + 1) - std::max<double>(begin, k);
      if (covered > 1e-9) share.weights.push_back(static_cast<float>(covered / length));
    }
  }
  return shares;
}

/// Composites one row over the background, [w][3] in 0..255.
void put_over(const Image8& color, int y, const std::array<float, 3>& background,
              std::vector<float>& row) {
  const std::uint8_t* from = color.row(y);
  for (int x = 0; x < color.width; ++x, from += color.channels) {
    const float alpha = color.channels == 4 ? static_cast<float>(from[3]) / 255 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      row[3 * static_cast<std::size_t>(x) + c] =
          alpha * static_cast<float>(from[c]) + (1 - alpha) * 255 * background[c];
    }
  }
}

}  // namespace

void choose_cameras(Session& session, std::uint32_t id) {
  session.chosen_cameras = id;
  if (!session.photograph || session.photograph->set == id) return;
  session.photograph.reset();
  session.view.compare = Compare::off;
  apply_camera_settings(session);  // resets the lens, which is the photograph's
}

void stand_at(Session& session, std::uint32_t id, std::size_t index) {
  const CameraSet* set = session.find_cameras(id);
  CHECK(set != nullptr && index < set->views.size());
  session.navigator.go_to_camera(set->views[index].camera, set->focus_distance, false);
  session.photograph = PhotographView{.set = id, .index = static_cast<std::uint32_t>(index)};
  if (!set->data) return;
  const auto job = [&session, data = set->data, id, index] {
    auto pixels = data->photos->get(static_cast<std::uint32_t>(index));
    return [&session, id, index, pixels] {
      if (session.photograph && session.photograph->set == id &&
          session.photograph->index == index) {
        session.photograph->pixels = pixels;
      }
    };
  };
  session.tasks.add(job, false);
}

std::vector<ActionCall> calls_to_photograph(const Session& session, const CameraSet& set,
                                            std::size_t index) {
  std::vector<ActionCall> calls;
  if (shown_cameras(session) != &set) calls.emplace_back("cameras", set.name);
  calls.emplace_back("photograph number", index + 1);
  return calls;
}

bool at_photograph(const Session& session) {
  const ViewMark* mark = mark_of(session);
  if (mark == nullptr || session.navigator.is_orthographic() ||
      !same_lens(session.navigator.lens(), mark->camera))
    return false;
  const Pose& target = session.navigator.target();
  return alike(target, pose_of(mark->camera, target.focus_distance));
}

bool comparing(const Session& session) {
  return session.view.compare != Compare::off && at_photograph(session);
}

void fit_picture(Session& session) {
  ViewOptions& view = session.view;
  view.width = view.area_width;
  view.height = view.area_height;
  if (!comparing(session)) return;
  const Camera& camera = mark_of(session)->camera;
  const double scale = std::min(static_cast<double>(view.area_width) / camera.width,
                                static_cast<double>(view.area_height) / camera.height);
  const auto side = [scale](int of_photograph, int most) {
    return std::clamp(static_cast<int>(std::lround(scale * of_photograph)), 1, most);
  };
  view.width = side(camera.width, view.area_width);
  view.height = side(camera.height, view.area_height);
}

void ask_for_photograph(Session& session) {
  if (!comparing(session)) return;
  PhotographView& photograph = *session.photograph;
  const CameraSet* set = session.find_cameras(photograph.set);
  if (set == nullptr || !set->data) return;
  const LaidOver wanted{session.view.width, session.view.height,
                        render_settings(session).background};
  if (photograph.asked == wanted) return;
  photograph.asked = wanted;
  const auto job = [&session, data = set->data, id = set->id, index = photograph.index, wanted] {
    const auto pixels = data->photos->get(index);
    auto made = std::make_shared<Image8>(
        photograph_at_size(*pixels, wanted.width, wanted.height, wanted.background));
    return [&session, id, index, wanted, made] {
      auto& now = session.photograph;
      if (now && now->set == id && now->index == index && now->asked == wanted) {
        now->laid_over = made;
      }
    };
  };
  session.tasks.add(job, false);
}

Image8 photograph_at_size(const PhotoPixels& pixels, int width, int height,
                          const std::array<float, 3>& background) {
  if (pixels.is_linear()) {
    return photograph_at_size(displayed(pixels), width, height, background);
  }
  const Image8& color = pixels.color;
  const auto across = shares_of(color.width, std::min(width, color.width));
  const auto down = shares_of(color.height, std::min(height, color.height));
  Image8 result;
  result.resize_discard(static_cast<int>(across.size()), static_cast<int>(down.size()), 3);
  std::vector<float> row(3 * static_cast<std::size_t>(color.width)), sum(row.size());
  for (int y = 0; y < result.height; ++y) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    const Share& rows = down[static_cast<std::size_t>(y)];
    for (std::size_t k = 0; k < rows.weights.size(); ++k) {
      put_over(color, rows.first + static_cast<int>(k), background, row);
      for (std::size_t i = 0; i < row.size(); ++i) sum[i] += rows.weights[k] * row[i];
    }
    std::uint8_t* to = result.row(y);
    for (const Share& columns : across) {
      for (std::size_t c = 0; c < 3; ++c) {
        float value = 0;
        for (std::size_t k = 0; k < columns.weights.size(); ++k) {
          value += columns.weights[k] * sum[3 * (static_cast<std::size_t>(columns.first) + k) + c];
        }
        *to++ = static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
      }
    }
  }
  return result;
}

}  // namespace mote
