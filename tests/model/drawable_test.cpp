// Models as they are rendered: a view has a camera and a time.
#include "model/drawable.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "devices/devices.h"
#include "model/learner.h"
#include "model/moving/moving_splats.h"
#include "model/moving/sequence_scene.h"
#include "model/still_splats.h"
#include "splats/extent.h"
#include "splats/moment.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/thrown_by.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

constexpr std::size_t kFrames = 4;

SplatCloud cloud_of(std::size_t frame) {
  return random_cloud(60, 1, 1 + static_cast<std::uint32_t>(frame));
}

std::vector<float> pixels_of(const Frame& frame) {
  return {frame.rgb.pixels.span().begin(), frame.rgb.pixels.span().end()};
}

class AModel : public testing::Test {
 protected:
  View view_at(double time_s) const {
    View view = orbit_views(extent_, {.count = 1, .width = 48, .height = 32}).front();
    view.time_s = time_s;
    return view;
  }
  std::vector<float> expected(std::size_t frame) const {
    Frame out;
    backend_->render(*backend_->upload(cloud_of(frame)), view_at(0).camera, {}, out);
    return pixels_of(out);
  }
  std::vector<float> drawn(Drawable& model, double time_s) const {
    Frame out;
    EXPECT_EQ(model.render(view_at(time_s), {}, out).splats, 60u);
    return pixels_of(out);
  }
  /// Four frames, two per second, set to the third.
  HostMovingSplats moving() {
    const auto read = [this](std::size_t frame, const ProgressCallback&) {
      ++reads_;
      return cloud_of(frame);
    };
    auto sequence = std::make_unique<SequenceScene>(
        SplatSequence{.folder = {}, .frames = std::vector<std::filesystem::path>(kFrames)}, nullptr,
        read);
    sequence->set_frames_per_second(2);
    return {std::move(sequence), std::make_unique<HostSplats>(cloud_of(2)), 1};
  }

  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
  const SceneExtent extent_ = scene_extent(cloud_of(0));
  int reads_ = 0;
};

TEST_F(AModel, IgnoresTheTimeIfItIsStill) {
  StillSplats model(*backend_, cloud_of(0), extent_);
  EXPECT_EQ(model.time_range(), TimeRange{});
  EXPECT_EQ(model.description(), "60 splats, SH degree 1");
  EXPECT_EQ(drawn(model, 0), expected(0));
  EXPECT_EQ(drawn(model, 7), expected(0));
}

TEST_F(AModel, ShowsTheVelocitiesThatItsFieldGives) {
  const SplatCloud cloud = random_deformed_cloud(60, 1, 4);
  StillSplats model(*backend_, with_sh_degree(cloud, 1), extent_);
  RenderSettings settings;
  settings.paint = {.what = PaintedMotion::velocity, .half_speed = 0.5f, .duration_s = 2};
  const auto painted = [&](const SplatCloud& of) {
    Frame out;
    const auto scene = backend_->upload(with_sh_degree(of, 1));
    const SceneInstance instance{.scene = scene.get(), .time_s = 0.7};
    backend_->render_scenes({&instance, 1}, view_at(0).camera, settings, out);
    return pixels_of(out);
  };
  Frame out;
  model.render(view_at(0.7), settings, out);
  EXPECT_EQ(pixels_of(out), painted(deformed_with_velocities(cloud, 0.7)));
  EXPECT_NE(pixels_of(out), painted(moment_of(cloud, 0.7))) << "grey";
  Frame plain, expected;
  model.render(view_at(0.7), {}, plain);
  backend_->render(*backend_->upload(moment_of(cloud, 0.7)), view_at(0).camera, {}, expected);
  EXPECT_EQ(pixels_of(plain), pixels_of(expected));
}

TEST_F(AModel, IsMovedByItsFieldToTheTimeOfTheView) {
  const SplatCloud cloud = random_deformed_cloud(60, 1, 4);
  const auto moment = [&](const SplatCloud& of, double time_s) {
    Frame out;
    backend_->render(*backend_->upload(moment_of(of, time_s)), view_at(0).camera, {}, out);
    return pixels_of(out);
  };
  StillSplats model(*backend_, with_sh_degree(cloud, 1), extent_);
  EXPECT_EQ(model.time_range().end_s, 2);
  EXPECT_EQ(model.description(), "60 splats, SH degree 1, 2 s");
  EXPECT_EQ(drawn(model, 0), moment(cloud, 0));
  EXPECT_EQ(drawn(model, 1.5), moment(cloud, 1.5));
  EXPECT_NE(drawn(model, 1.5), drawn(model, 0));
  // Edits change the splats that the field moves, and marks stay at all times.
  SplatCloud edited = with_sh_degree(cloud, 1);
  const std::vector<std::uint32_t> changed{7};
  edited.at(7, Field::mean_x) += 0.3f;
  model.update(changed, reordered(edited, changed));
  EXPECT_EQ(drawn(model, 0), moment(edited, 0));
  SplatMask marked(60);
  marked.set(7, true);
  model.mark(marked);
  RenderSettings settings;
  settings.marks = true;
  for (const double time_s : {0.0, 1.0}) {
    Frame out;
    model.render(view_at(time_s), settings, out);
    EXPECT_NE(pixels_of(out), moment(edited, time_s));
  }
}

TEST_F(AModel, IsDrawnAtTheTimeOfTheViewIfItMoves) {
  const auto model = moving().upload(*backend_, extent_);
  EXPECT_EQ(model->time_range(), (TimeRange{.end_s = 1.5, .period_s = 2}));
  EXPECT_EQ(model->description(), "a moving scene of 4 frames, 1.5 s");
  EXPECT_EQ(drawn(*model, 1), expected(2));
  EXPECT_EQ(drawn(*model, 1.4), expected(2));
  EXPECT_EQ(reads_, 0) << "the first moment was given";
  EXPECT_EQ(drawn(*model, 0.5), expected(1));
  EXPECT_EQ(drawn(*model, 0.7), expected(1));
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(drawn(*model, 3.5), expected(3)) << "it repeats";
}

TEST_F(AModel, InMemoryHasTheSizeOfItsMomentIfItMoves) {
  HostMovingSplats model = moving();
  const HostSplats moment(cloud_of(2));
  EXPECT_EQ(model.count(), moment.count());
  EXPECT_EQ(model.detail(), 1);
  EXPECT_EQ(model.extent().radius, moment.extent().radius);
  EXPECT_EQ(model.closeup(extent_, {.count = 1}).time_s, 1);
  EXPECT_EQ(thrown_by([&] { model.upload_for_gradients(*backend_, extent_, false); }).where(),
            "a moving scene");
  EXPECT_EQ(model.take_splats().sh(7, 0, 0), cloud_of(2).sh(7, 0, 0));
}

}  // namespace
}  // namespace mote
