#pragma once

#include <cstdint>
#include <memory>

#include "painted_photos.h"
#include "scene/dataset.h"

namespace mote {

/// One camera at rest, with a photograph for each moment.
class MovingSquare : public PaintedPhotos {
 public:
  static constexpr int kWidth = 320, kHeight = 240, kMoments = 10, kSide = 24;

  /// The place of a square that moves before a pattern that stands still.
  struct Place {
    int x, y;
  };
  static Place square_at(int moment) { return {20 + 28 * moment, 150 - 10 * moment}; }

  explicit MovingSquare(bool is_moving = true) : is_moving_(is_moving) {
    dataset.camera_groups = {{.name = "a", .frames_per_second = 10}};
    for (int moment = 0; moment < kMoments; ++moment) {
      Photograph photograph;
      photograph.time_s = 0.1 * moment;
      photograph.camera.width = kWidth;
      photograph.camera.height = kHeight;
      photograph.camera.focal_px = {300, 300};
      photograph.camera.center_px = {160, 120};
      dataset.train.push_back(static_cast<std::uint32_t>(moment));
      dataset.photographs.push_back(photograph);
    }
  }
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kWidth >> level, kHeight >> level, 3);
    const Place square = square_at(static_cast<int>(index));
    for (int y = 0; y < photo->color.height; ++y) {
      for (int x = 0; x < photo->color.width; ++x) {
        const int whole_x = x << level, whole_y = y << level;
        const bool is_square = is_moving_ && whole_x >= square.x && whole_x < square.x + kSide &&
                               whole_y >= square.y && whole_y < square.y + kSide;
        for (int c = 0; c < 3; ++c) {
          photo->color.row(y)[3 * x + c] = static_cast<std::uint8_t>(
              is_square ? 250 : 40 + (whole_x / 16 + whole_y / 16) % 2 * 80);
        }
      }
    }
    return photo;
  }

  Dataset dataset;

 private:
  bool is_moving_;
};

}  // namespace mote
